// SPDX-License-Identifier: Apache-2.0
// Scripted callbacks and plugins; each call is recorded before its ops run.

import {adk} from './port.mjs';
import {Rules, Skip, contentOf, patchEvent, responseOf, textOf} from './script.mjs';
import {eventJson, isMap, plain, requestJson, shown} from './snapshots.mjs';

/** What ops gave back, made by a function; nothing for nothing and for null. */
const made = (result, make) =>
  result.given && result.value !== null && result.value !== undefined ? make(result.value) : undefined;

/** before_agent and after_agent, of agents and plugins. */
export function agentHook(script, hook, by, spec) {
  const rules = new Rules(spec);
  return async (context) => {
    const where = script.where(context);
    script.add('hook', {hook, by, ...where});
    const result = await script.run(script.callbackPlace(context), rules.next(where.agent));
    return made(result, contentOf);
  };
}

/** The hooks around a model call. */
export function modelHook(script, hook, by, spec) {
  const rules = new Rules(spec);
  return async (context, {request, response, error}) => {
    const special = (name, arg) => {
      if (name === 'append_instruction') {
        request.config ??= {};
        const old = request.config.systemInstruction;
        request.config.systemInstruction = old ? `${old}\n\n${arg}` : arg;
        return true;
      }
      if (name === 'mutate_text') {
        if (response?.content?.parts?.length) response.content.parts[0].text = arg;
        return true;
      }
      return false;
    };
    const where = script.where(context);
    script.add('hook', {
      hook, by, ...where,
      request: hook === 'before_model' ? requestJson(request) : undefined,
      response: shown(response),
      error: textOf(error),
    });
    const result = await script.run(script.callbackPlace(context, special), rules.next(where.agent));
    return made(result, responseOf);
  };
}

/** The hooks around a tool. */
export function toolHook(script, hook, by, spec) {
  const rules = new Rules(spec);
  return async (context, tool, args, {result, error} = {}) => {
    const where = script.where(context);
    script.add('hook', {
      hook, by, ...where, tool: tool.name, call_id: context.functionCallId,
      args: plain(args), result: answerOf(result), error: textOf(error),
    });
    const found = await script.run(script.toolPlace(context, tool.name, args), rules.next(where.agent, tool.name));
    return made(found, plain);
  };
}

/** A tool's result as a function response would hold it. */
const answerOf = (result) =>
  result === undefined || result === null || isMap(result) ? plain(result) : {result: plain(result)};

function runHook(script, hook, by, spec, role) {
  const rules = new Rules(spec);
  return async (invocation, message) => {
    const agent = invocation.agent.name;
    script.add('hook', {hook, by, agent, content: shown(message)});
    const result = await script.run(script.invocationPlace(invocation), rules.next(agent));
    return role ? made(result, (value) => contentOf(value, role)) : undefined;
  };
}

function eventHook(script, by, spec) {
  const rules = new Rules(spec);
  return async (invocation, event) => {
    let replacement;
    const special = (name, arg) => {
      if (name === 'mutate_event') {
        patchEvent(event, arg);
        return true;
      }
      if (name === 'replace_event') {
        replacement = {...event, actions: {...event.actions}};
        patchEvent(replacement, arg);
        return true;
      }
      return false;
    };
    script.add('hook', {hook: 'on_event', by, agent: invocation.agent.name, event: eventJson(event)});
    await script.run(script.invocationPlace(invocation, special), rules.next(event.author || ''));
    return replacement;
  };
}

/** By hook: the plugin's method, and what it is made from. */
const PLUGIN_HOOKS = {
  on_user_message: ['onUserMessageCallback', (...given) => {
    const call = runHook(...given, 'user');
    return ({invocationContext, userMessage}) => call(invocationContext, userMessage);
  }],
  before_run: ['beforeRunCallback', (...given) => {
    const call = runHook(...given, 'model');
    return ({invocationContext}) => call(invocationContext);
  }],
  after_run: ['afterRunCallback', (...given) => {
    const call = runHook(...given);
    return ({invocationContext}) => call(invocationContext);
  }],
  on_event: ['onEventCallback', (script, hook, by, spec) => {
    const call = eventHook(script, by, spec);
    return ({invocationContext, event}) => call(invocationContext, event);
  }],
  before_agent: ['beforeAgentCallback', agentMethod],
  after_agent: ['afterAgentCallback', agentMethod],
  before_model: ['beforeModelCallback', modelMethod],
  after_model: ['afterModelCallback', modelMethod],
  on_model_error: ['onModelErrorCallback', modelMethod],
  before_tool: ['beforeToolCallback', toolMethod],
  after_tool: ['afterToolCallback', toolMethod],
  on_tool_error: ['onToolErrorCallback', toolMethod],
};

function agentMethod(...given) {
  const call = agentHook(...given);
  return ({callbackContext}) => call(callbackContext);
}

function modelMethod(...given) {
  const call = modelHook(...given);
  return ({callbackContext, llmRequest: request, llmResponse: response, error}) =>
    call(callbackContext, {request, response, error});
}

function toolMethod(...given) {
  const call = toolHook(...given);
  return ({tool, toolArgs, toolContext, result, error}) => call(toolContext, tool, toolArgs, {result, error});
}

/** A scripted plugin. */
export function plugin(script, spec) {
  if (spec.builtin) throw new Skip(spec.builtin);
  const built = new (class extends adk.BasePlugin {})(spec.name);
  for (const [hook, [method, make]] of Object.entries(PLUGIN_HOOKS)) {
    if (spec[hook]) built[method] = make(script, hook, `plugin:${spec.name}`, spec[hook]);
  }
  return built;
}
