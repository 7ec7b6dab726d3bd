// SPDX-License-Identifier: Apache-2.0
// A driver to start from, in JavaScript.  Copy it, and put your port where it says YOUR PORT.
//
// It plays custom agents that yield events with texts and skips everything else.  Try it with
//     adkref test --port 'node driver.mjs' smallest.jsonl
import {randomUUID} from 'node:crypto';
import {createInterface} from 'node:readline';

const HELLO = {
  implementation: 'template-javascript',
  version: '0.1.0',
  language: 'javascript',
  format: 'adk-scenario/1',
  protocol: 1,
  // What your port cannot do yet, by the kit's names: it is not asked for scenarios with these.
  skips: ['llm', 'sequential', 'loop', 'parallel', 'plugins', 'agent_callbacks', 'workflow'],
  // What your port does where a rule leaves the choice to ports: rule id to the choice's name.
  choices: {},
};

/** The scenario needs what is not here yet; the text names it. */
class Skip extends Error {}

/** Play one scenario and return its trace and the final state of the session. */
async function play(scenario) {
  keys(scenario, 'format', 'id', 'title', 'rules', 'ordering', 'session', 'agent', 'turns');
  const {session = {}, agent, turns = []} = scenario;
  keys(session, 'app', 'user', 'id', 'state');
  keys(agent, 'kind', 'name', 'description', 'body');
  if (agent.kind !== 'custom') throw new Skip(agent.kind);
  const trace = [];
  const record = (at, fields = {}) => {
    const full = Object.entries(fields).filter(([, v]) => v !== undefined && v !== null && v !== '');
    trace.push({at, ...Object.fromEntries(full)});
  };
  // YOUR PORT: build agents, plugins and runner; create the session.
  const store = new Session(session, record);
  let n = 0;
  for (const turn of turns) {
    keys(turn, 'user');
    record('turn', {n: ++n});
    for await (const event of run(store, agent, turn.user, record)) record('yield', {event: shown(event)});
    record('end');
  }
  return {trace: named(trace), final: {state: store.state, events: store.events.length}};
}

/** Run the scripted body of a custom agent: this is the code of a user of your port. */
async function* body(agent, invocationId, record) {
  record('body', {agent: agent.name, step: 'start'});
  for (const op of agent.body ?? []) {
    keys(op, 'yield');
    keys(op.yield, 'author', 'content');
    const {author = '', content: spec} = op.yield;
    yield {id: randomUUID(), invocationId, author, content: content(spec, 'model')};
    record('body', {agent: agent.name, step: 'resumed'});
  }
  record('body', {agent: agent.name, step: 'end'});
}

// --- YOUR PORT instead of what follows: the smallest runner and session that one can have -----

class Session {
  constructor(spec, record) {
    if (!spec.app || !spec.user) throw new Skip('sessions without app or user');
    Object.assign(this, {state: spec.state ?? {}, events: [], record});
  }
  append(event) {
    this.events.push(event);
    this.record('append', {event: shown(event)});
  }
}

async function* run(session, agent, message, record) {
  const invocationId = `e-${randomUUID()}`;
  if (message !== undefined && message !== null) {
    session.append({author: 'user', invocationId, content: content(message, 'user')});
  }
  for await (const event of body(agent, invocationId, record)) {
    event.author ||= event.content?.role === 'user' ? 'user' : agent.name;
    session.append(event);
    yield event;
  }
}

// --- what every driver needs ------------------------------------------------------------------

/** Skip a scenario that has more than is known here. */
function keys(spec, ...known) {
  for (const key of Object.keys(spec)) if (!known.includes(key)) throw new Skip(key);
}

const content = (spec, role) => (typeof spec === 'string' ? {role, parts: [{text: spec}]} : spec);

/** Return an event as traces show it: without its own id and time, and without what is empty. */
function shown(event) {
  const empty = (v) => v === undefined || v === null || v === '' || v === false
    || (typeof v === 'object' && Object.keys(v).length === 0);
  const own = ['id', 'timestamp'];
  return Object.fromEntries(Object.entries(event).filter(([k, v]) => !own.includes(k) && !empty(v)));
}

/** Rename generated ids by first appearance: inv-1 for e-UUID, adk-1 for adk-UUID, id-1. */
function named(value) {
  const names = new Map();
  let invocations = 0;
  let others = 0;
  const pattern = /(e-|adk-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const text = JSON.stringify(sorted(value)).replace(pattern, (id, kind) => {
    if (!names.has(id)) {
      names.set(id, kind === 'e-' ? `inv-${++invocations}` : `${kind ? 'adk' : 'id'}-${++others}`);
    }
    return names.get(id);
  });
  return JSON.parse(text);
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

for await (const line of createInterface({input: process.stdin})) {
  let answer;
  let identity = {};
  try {
    const request = JSON.parse(line);
    if ('id' in request) identity = {id: request.id};
    if (request.cmd === 'stop') break;
    answer = request.cmd === 'hello' ? HELLO : {...identity, ...(await play(request.scenario))};
  } catch (error) {
    answer = error instanceof Skip ? {...identity, skip: error.message} : {...identity, panic: String(error.stack)};
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
