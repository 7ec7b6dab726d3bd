// SPDX-License-Identifier: Apache-2.0
// The script of a scenario on the port: the trace, rules and ops, contexts to run ops on.

import {isMap, plain, shown} from './snapshots.mjs';

export const FORMAT = 'adk-scenario/1';

/** What cannot be played: the features of the format's further pages, then what the port lacks. */
export const SKIPS = [
  'live', 'executor', 'remote_a2a', 'gemini', 'workflow', 'compaction', 'streaming', 'cancel_after',
  'faults.get', 'mask_errors',
  'retry_and_reflect', 'function_call_modifier', 'modes', 'auto_create', 'yield_user_message',
  'on_model_error', 'on_tool_error',
];

/** The scenario needs a feature of SKIPS. */
export class Skip extends Error {}

export class BadScenario extends Error {}

/** Raise Skip for what the keys of a scenario and its turns show. */
export function checkFeatures(scenario) {
  const asks = (holder, keys) => {
    for (const [key, feature] of Object.entries(keys)) {
      const value = holder?.[key];
      if (value && !(Array.isArray(value) && value.length === 0)) throw new Skip(feature);
    }
  };
  asks(scenario, {executor: 'executor', peer: 'remote_a2a', compaction: 'compaction', mask_errors: 'mask_errors'});
  asks(scenario.faults, {get: 'faults.get'});
  asks(scenario.session, {auto_create: 'auto_create'});
  for (const turn of scenario.turns ?? []) {
    asks(turn, {
      live: 'live', execute: 'executor', stream: 'streaming', cancel_after: 'cancel_after',
      yield_user_message: 'yield_user_message',
    });
  }
}

/** A content from a text or a content object. */
export const contentOf = (spec, role = 'model') =>
  typeof spec === 'string' ? {role, parts: [{text: spec}]} : plain(spec);

/** An LLM response from a text or its JSON. */
export const responseOf = (spec) =>
  typeof spec === 'string' ? {content: contentOf(spec)} : respell(plain(spec), 'agent_name', 'agentName');

/**
 * Change in place how the argument of transfer_to_agent is spelled: this port says agentName where
 * scenarios and traces say agent_name.
 */
export function respell(value, from, to) {
  if (Array.isArray(value)) value.forEach((item) => respell(item, from, to));
  else if (isMap(value)) {
    const named = value.name === 'transfer_to_agent' || value.tool === 'transfer_to_agent';
    if (named && isMap(value.args) && from in value.args) {
      value.args[to] = value.args[from];
      delete value.args[from];
    }
    Object.values(value).forEach((item) => respell(item, from, to));
  }
  return value;
}

/** Apply a PATCH of on_event in place. */
export function patchEvent(event, patch) {
  if (patch.author !== undefined) event.author = patch.author;
  if (patch.text !== undefined) event.content = contentOf(patch.text, event.content?.role || 'model');
  if (patch.stateDelta !== undefined) event.actions.stateDelta = plain(patch.stateDelta);
  if (patch.partial !== undefined) event.partial = patch.partial;
}

/** The rules of one callback, and how often it was called. */
export class Rules {
  #calls = new Map();

  constructor(rules) {
    this.rules = rules ?? [];
  }

  /** Count a call and return the ops of the first rule that matches it. */
  next(agent, tool = '') {
    const key = JSON.stringify([agent, tool]);
    const call = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, call);
    const fits = (rule) =>
      (!rule.agent || rule.agent === agent) && (!rule.tool || rule.tool === tool) && (!rule.call || rule.call === call);
    return this.rules.find(fits)?.do ?? [];
  }
}

/** The trace of one run, and the ops that write to it. */
export class Script {
  trace = [];

  /** Record that something happened; fields that are missing, null or "" are left out. */
  add(at, fields = {}) {
    const record = {at};
    for (const [key, value] of Object.entries(fields)) {
      if (value !== undefined && value !== null && value !== '') record[key] = value;
    }
    this.trace.push(record);
  }

  /** Run ops until one returns or raises; a place says what they run on. */
  async run(place, ops) {
    const record = (at, fields) => this.add(at, {agent: place.agent, branch: place.branch, ...place.extra, ...fields});
    for (const op of ops) {
      const [[name, arg]] = Object.entries(op);
      if (place.special?.(name, arg)) continue;
      switch (name) {
        case 'set_state':
          for (const key of Object.keys(arg).sort()) {
            try {
              place.set(key, plain(arg[key]));
            } catch (error) {
              record('state_error', {key, error: textOf(error)});
            }
          }
          break;
        case 'get_state': {
          const value = place.get(arg);
          // The port returns undefined where ADK-Go returns an error.
          record('state', value === undefined ? {key: arg, error: 'no such key'} : {key: arg, value: plain(value)});
          break;
        }
        case 'save_artifact':
          try {
            const version = await place.save(arg.name, {text: arg.text});
            record('artifact', {op: 'save', name: arg.name, version});
          } catch (error) {
            record('artifact', {op: 'save', name: arg.name, error: textOf(error)});
          }
          break;
        case 'load_artifact':
          try {
            const part = await place.load(arg);
            record('artifact', {op: 'load', name: arg, ...(part ? {text: part.text} : {error: 'not found'})});
          } catch (error) {
            record('artifact', {op: 'load', name: arg, error: textOf(error)});
          }
          break;
        case 'end_invocation':
          place.invocation.endInvocation = true;
          break;
        case 'return':
          return {given: true, value: arg};
        case 'raise':
          throw new Error(arg);
        default:
          throw new BadScenario(`unknown op ${name}`);
      }
    }
    return {given: false};
  }

  where(context) {
    const {agent, branch} = context.invocationContext;
    return {agent: agent.name, branch};
  }

  /** The place of a callback's or a tool's context. */
  callbackPlace(context, special, extra = {}) {
    return {
      ...this.where(context), extra, special,
      invocation: context.invocationContext,
      get: (key) => context.state.get(key),
      set: (key, value) => context.state.set(key, value),
      save: (name, part) => context.saveArtifact(name, part),
      load: (name) => context.loadArtifact(name),
    };
  }

  /** The place of an invocation context: custom bodies, the plugins' hooks around the run. */
  invocationPlace(invocation, special) {
    const {artifactService: artifacts, session} = invocation;
    return {
      agent: invocation.agent.name, branch: invocation.branch, extra: {}, special, invocation,
      get: (name) => session.state[name],
      set: (name, value) => { session.state[name] = value; },
      save: (filename, artifact) => artifacts.saveArtifact({filename, artifact}),
      load: (filename) => artifacts.loadArtifact({filename}),
    };
  }

  /** The place of a tool, or of a hook around one. */
  toolPlace(context, tool, args) {
    const mark = {tool, call_id: context.functionCallId};
    const special = (name, arg) => {
      switch (name) {
        case 'set_args':
          Object.assign(args, plain(arg));
          return true;
        case 'actions':
          Object.assign(context.actions, plain(arg));
          return true;
        case 'request_confirmation': {
          let error;
          try {
            context.requestConfirmation(plain(arg));
          } catch (caught) {
            error = textOf(caught);
          }
          this.add('confirmation', {op: 'request', ...mark, error});
          return true;
        }
        case 'get_confirmation':
          this.add('confirmation', {op: 'get', ...mark, value: shown(context.toolConfirmation)});
          return true;
        default:
          return false;
      }
    };
    return this.callbackPlace(context, special, mark);
  }
}

export const textOf = (error) => (error === undefined || error === null ? undefined : error.message || String(error));
