// SPDX-License-Identifier: Apache-2.0
// The thread that plays: a scenario comes in, an answer goes out.

import {parentPort} from 'node:worker_threads';
import {answer} from './player.mjs';
import {adk} from './port.mjs';

// The trace shows what the port would log.
adk.setLogLevel(adk.LogLevel.ERROR + 1);
// A promise that the port leaves behind is not the driver's end.
process.on('unhandledRejection', () => {});

/** Played once before all else: loading what the port loads late can take long. */
const WARM_UP = {
  id: 'warm-up',
  session: {app: 'app', user: 'u', id: 's'},
  agent: {kind: 'llm', name: 'w', tools: [{name: 't'}], model: {script: [
    {responses: [{content: {role: 'model', parts: [{functionCall: {name: 't', args: {}}}]}}]},
  ]}},
  turns: [{user: 'hi'}],
};

await answer(WARM_UP);
parentPort.on('message', async (scenario) => parentPort.postMessage(await answer(scenario)));
parentPort.postMessage('ready');
