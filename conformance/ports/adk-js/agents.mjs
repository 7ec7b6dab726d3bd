// SPDX-License-Identifier: Apache-2.0
// Scripted agents, models and tools.

import {adk} from './port.mjs';
import {agentHook, modelHook, toolHook} from './hooks.mjs';
import {BadScenario, Rules, Script, Skip, contentOf, responseOf} from './script.mjs';
import {plain, requestJson} from './snapshots.mjs';

/** Builds what a scenario asks for; agents are remembered by name. */
export class Build {
  script = new Script();
  named = {};

  agent(spec) {
    if (spec.ref) return this.named[spec.ref];
    const callbacks = (list, hook) =>
      list?.length
        ? list.map((each) => agentHook(this.script, hook, `agent:${spec.name}/${each.id}`, each.rules))
        : undefined;
    const common = {
      name: spec.name,
      description: spec.description,
      subAgents: (spec.sub_agents ?? []).map((sub) => this.agent(sub)),
      beforeAgentCallback: callbacks(spec.before, 'before_agent'),
      afterAgentCallback: callbacks(spec.after, 'after_agent'),
    };
    const built = this.ofKind(spec, common);
    this.named[spec.name] = built;
    return built;
  }

  ofKind(spec, common) {
    switch (spec.kind) {
      case 'custom':
        return new Custom(common, this, spec);
      case 'sequential':
        return new adk.SequentialAgent(common);
      case 'loop':
        return new adk.LoopAgent({...common, maxIterations: spec.max_iterations || undefined});
      case 'parallel':
        return new adk.ParallelAgent(common);
      case 'llm':
        return this.llm(spec, common);
      case 'workflow':
      case 'remote_a2a':
        throw new Skip(spec.kind);
      default:
        throw new BadScenario(`unknown agent kind ${spec.kind}`);
    }
  }

  llm(spec, common) {
    if (spec.mode && spec.mode !== 'chat') throw new Skip('modes');
    if (['gemini', 'live'].includes(spec.model?.kind)) throw new Skip(spec.model.kind);
    // Only plugins have these here.
    if (spec.on_model_error?.length) throw new Skip('on_model_error');
    if (spec.on_tool_error?.length) throw new Skip('on_tool_error');
    const callbacks = (hook, make, adapt) =>
      spec[hook]?.length
        ? spec[hook].map((each) => adapt(make(this.script, hook, `agent:${spec.name}/${each.id}`, each.rules)))
        : undefined;
    const ofModel = (call) => ({context, request, response}) => call(context, {request, response});
    const ofTool = (call) => ({tool, args, context, response}) => call(context, tool, args, {result: response});
    return new Llm({
      ...common,
      model: new Scripted(this.script, spec),
      instruction: spec.instruction || undefined,
      globalInstruction: spec.global_instruction || undefined,
      outputKey: spec.output_key || undefined,
      outputSchema: spec.output_schema,
      inputSchema: spec.input_schema,
      includeContents: spec.include_contents || undefined,
      disallowTransferToParent: spec.disallow_transfer_to_parent,
      disallowTransferToPeers: spec.disallow_transfer_to_peers,
      tools: (spec.tools ?? []).map((tool) => this.tool(tool)),
      beforeModelCallback: callbacks('before_model', modelHook, ofModel),
      afterModelCallback: callbacks('after_model', modelHook, ofModel),
      beforeToolCallback: callbacks('before_tool', toolHook, ofTool),
      afterToolCallback: callbacks('after_tool', toolHook, ofTool),
    });
  }

  tool(spec) {
    switch (spec.kind ?? 'function') {
      case 'function':
        return this.functionTool(spec);
      case 'exit_loop':
        return adk.EXIT_LOOP;
      case 'agent':
        return new adk.AgentTool({agent: this.agent(spec.agent), skipSummarization: spec.skip_summarization});
      case 'streaming':
        throw new Skip('streaming');
      default:
        throw new BadScenario(`unknown tool kind ${spec.kind}`);
    }
  }

  functionTool(spec) {
    const {script} = this;
    const rules = new Rules(spec.rules);
    const Kind = spec.long_running ? adk.LongRunningFunctionTool : adk.FunctionTool;
    return new Kind({
      name: spec.name,
      description: spec.description ?? '',
      parameters: spec.parameters,
      requireConfirmation: spec.require_confirmation || undefined,
      execute: async (args, context) => {
        const where = script.where(context);
        script.add('tool', {tool: spec.name, ...where, call_id: context.functionCallId, args: plain(args)});
        const place = script.toolPlace(context, spec.name, args);
        const result = await script.run(place, rules.next(where.agent, spec.name));
        return result.given ? plain(result.value) : {status: 'ok'};
      },
    });
  }
}

/** An agent whose body is a list of ops. */
class Custom extends adk.BaseAgent {
  constructor(common, build, spec) {
    super(common);
    this.build = build;
    this.spec = spec;
  }

  async *runAsyncImpl(invocation) {
    const {script} = this.build;
    const where = {agent: invocation.agent.name, branch: invocation.branch};
    script.add('body', {...where, step: 'start'});
    let done = false;
    try {
      for (const op of this.spec.body ?? []) {
        const [[name, arg]] = Object.entries(op);
        switch (name) {
          case 'yield':
            yield eventOf(invocation, arg);
            script.add('body', {...where, step: 'resumed'});
            break;
          case 'yield_error':
            // The port has no items that carry an error: the body raises it.
            throw new Error(arg);
          case 'run':
            yield* this.build.named[arg].runAsync(invocation);
            break;
          case 'own_history': {
            const own = invocation.session.events.filter((event) => event.author === this.spec.name).length;
            script.add('history', {...where, own});
            break;
          }
          default:
            await script.run(script.invocationPlace(invocation), [op]);
        }
      }
      done = true;
      script.add('body', {...where, step: 'end'});
    } finally {
      if (!done) script.add('body', {...where, step: 'stopped'});
    }
  }

  async *runLiveImpl() {}
}

function eventOf(invocation, spec) {
  const {content, branch, actions, invocationId, ...rest} = plain(spec);
  return adk.createEvent({
    ...rest,
    invocationId: invocationId || invocation.invocationId,
    content: content === undefined ? undefined : contentOf(content),
    branch: branch === '$ctx' ? invocation.branch : branch,
    actions,
  });
}

/** A model whose nth call plays the nth turn of its script. */
class Scripted extends adk.BaseLlm {
  calls = 0;
  /** The port does not tell a model who asks; the agent leaves its branch here. */
  branch = undefined;

  constructor(script, agent) {
    super({model: agent.model?.name || 'mock'});
    this.script = script;
    this.owner = agent.name;
    this.turns = agent.model?.script ?? [];
  }

  async *generateContentAsync(request, stream) {
    const where = {agent: this.owner, branch: this.branch};
    this.script.add('model', {...where, request: requestJson(request), stream: stream || undefined});
    const turn = this.turns[this.calls++];
    if (turn === undefined) {
      yield responseOf('[end of script]');
      return;
    }
    let done = false;
    try {
      for (const response of turn.responses ?? []) yield responseOf(response);
      done = true;
    } finally {
      if (!done) this.script.add('model_stopped', where);
    }
    if (turn.error) throw new Error(turn.error);
  }

  async connect() {
    throw new Error('live connections are not scripted');
  }
}

/** The port's own, which tells its model the branch that it runs on. */
class Llm extends adk.LlmAgent {
  async *runAsyncImpl(invocation) {
    this.model.branch = invocation.branch;
    yield* super.runAsyncImpl(invocation);
  }
}
