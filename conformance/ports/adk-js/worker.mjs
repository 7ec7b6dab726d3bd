// SPDX-License-Identifier: Apache-2.0
// The thread that plays: a scenario comes in, an answer goes out.

import {parentPort} from 'node:worker_threads';
import {answer} from './player.mjs';
import {adk} from './port.mjs';

// The trace shows what the port would log.
adk.setLogLevel(adk.LogLevel.ERROR + 1);
// A promise that the port leaves behind is not the driver's end.
process.on('unhandledRejection', () => {});

parentPort.on('message', async (scenario) => parentPort.postMessage(await answer(scenario)));
parentPort.postMessage('ready');
