// SPDX-License-Identifier: Apache-2.0
// A driver for @google/adk, the JavaScript port: plays adk-scenario/1 documents, one a line.
//
// A request is a JSON line on standard input, its answer a JSON line on standard output.
// Scenarios are played in a worker thread, which is ended and replaced when one takes too long:
// nothing else stops a scripted endless loop.

import readline from 'node:readline';
import {Worker} from 'node:worker_threads';
import {adk, sourceHash} from './port.mjs';
import {FORMAT, SKIPS} from './script.mjs';

/** Milliseconds that one scenario may take, and a worker to start. */
const LIMIT = 10_000;
const START_LIMIT = 120_000;

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function hello() {
  return {
    implementation: 'adk-js',
    version: adk.version,
    source_hash: sourceHash(),
    language: 'javascript',
    format: FORMAT,
    formats: [FORMAT],
    protocol: 1,
    skips: SKIPS,
    // PAR-045: nothing comes from a sibling once another one failed.  RUN-084: the cause.
    choices: {'PAR-045': 'none', 'RUN-084': 'cause'},
  };
}

/** A thread that plays one scenario after another. */
class Player {
  constructor() {
    // What the port prints stays in the worker's own streams, which nobody reads.
    this.worker = new Worker(new URL('./worker.mjs', import.meta.url), {stdout: true, stderr: true});
    this.worker.stdout.resume();
    this.worker.stderr.resume();
    this.ready = this.next(START_LIMIT);
  }

  /** The worker's next message; null when there is none in time. */
  next(limit) {
    return new Promise((resolve, reject) => {
      const settle = (done, value) => {
        clearTimeout(timer);
        this.worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
        done(value);
      };
      const timer = setTimeout(() => settle(resolve, null), limit);
      this.worker.once('message', (message) => settle(resolve, message));
      this.worker.once('error', (error) => settle(reject, error));
      this.worker.once('exit', (code) => settle(reject, new Error(`exit code ${code}`)));
    });
  }

  async play(scenario) {
    await this.ready;
    this.worker.postMessage(scenario);
    return this.next(LIMIT);
  }

  end() {
    return this.worker.terminate();
  }
}

let player;

async function answer(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    return {error: `bad request: ${error.message}`};
  }
  if (!isObject(request)) return {error: 'bad request: is no object'};
  if (request.cmd === 'hello') return hello();
  if (request.cmd === 'stop') return null;
  if (request.cmd !== 'run') return {error: `bad request: unknown cmd ${JSON.stringify(request.cmd)}`};
  const {scenario} = request;
  if (!isObject(scenario)) return {error: 'bad request: the scenario is no object'};
  // Protocol 1 has an id of the request; before it, the scenario's own stood here.
  const id = request.id ?? scenario.id;
  const known = ['string', 'number'].includes(typeof id) ? {id} : {};
  player ??= new Player();
  try {
    const played = await player.play(scenario);
    if (played !== null) return {...known, ...played};
    await player.end();
    player = undefined;
    return {...known, error: 'timeout'};
  } catch (error) {
    await player?.end();
    player = undefined;
    return {...known, panic: `the worker died: ${error.message}`};
  }
}

const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve));

for await (const line of readline.createInterface({input: process.stdin})) {
  if (!line.trim()) continue;
  const said = await answer(line);
  if (said === null) break;
  await write(`${JSON.stringify(said)}\n`);
}
await player?.end();
process.exit(0);
