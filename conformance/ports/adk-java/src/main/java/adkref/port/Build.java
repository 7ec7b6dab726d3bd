// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Script.list;

import adkref.port.Script.BadScenario;
import adkref.port.Script.Skip;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.adk.agents.BaseAgent;
import com.google.adk.agents.Callbacks;
import com.google.adk.agents.LlmAgent;
import com.google.adk.agents.LoopAgent;
import com.google.adk.agents.ParallelAgent;
import com.google.adk.agents.SequentialAgent;
import com.google.adk.tools.AgentTool;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.ExitLoopTool;
import com.google.genai.types.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Builds what a scenario asks for; agents are remembered by name. */
final class Build {
  final Script script = new Script();
  final Hooks hooks = new Hooks(script);
  final Map<String, BaseAgent> named = new HashMap<>();

  /** What all kinds of agents have in common. */
  private record Common(
      String name,
      String description,
      List<BaseAgent> subAgents,
      List<Callbacks.BeforeAgentCallback> before,
      List<Callbacks.AfterAgentCallback> after) {

    <B extends BaseAgent.Builder<B>> B on(B builder) {
      builder.name(name).description(description).subAgents(subAgents);
      if (!before.isEmpty()) builder.beforeAgentCallback(List.copyOf(before));
      if (!after.isEmpty()) builder.afterAgentCallback(List.copyOf(after));
      return builder;
    }
  }

  /** Builds an agent and all below it. */
  BaseAgent agent(JsonNode spec) {
    if (spec.has("ref")) return named.get(spec.get("ref").asText());
    List<BaseAgent> subAgents = new ArrayList<>();
    for (JsonNode sub : list(spec, "sub_agents")) subAgents.add(agent(sub));
    String name = spec.path("name").asText("");
    String kind = spec.path("kind").asText("");
    Common common = new Common(
        name, spec.path("description").asText(""), subAgents,
        this.<Callbacks.BeforeAgentCallback>callbacks(spec, "before", name,
            (by, rules) -> hooks.agent("before_agent", by, rules)::call),
        this.<Callbacks.AfterAgentCallback>callbacks(spec, "after", name,
            (by, rules) -> hooks.agent("after_agent", by, rules)::call));
    BaseAgent agent = switch (kind) {
      case "custom" -> new Custom(this, spec, common.description, subAgents, common.before, common.after);
      case "sequential" -> common.on(SequentialAgent.builder()).build();
      case "loop" -> {
        LoopAgent.Builder builder = common.on(LoopAgent.builder());
        int rounds = spec.path("max_iterations").asInt(0);
        if (rounds > 0) builder.maxIterations(rounds);
        yield builder.build();
      }
      case "parallel" -> common.on(ParallelAgent.builder()).build();
      case "llm" -> llm(spec, common);
      case "workflow", "remote_a2a" -> throw new Skip(kind);
      default -> throw new BadScenario("unknown agent kind " + kind);
    };
    named.put(name, agent);
    return agent;
  }

  private interface Make<T> {
    T of(String by, JsonNode rules);
  }

  private <T> List<T> callbacks(JsonNode spec, String key, String agent, Make<T> make) {
    List<T> out = new ArrayList<>();
    for (JsonNode each : list(spec, key)) {
      out.add(make.of("agent:" + agent + "/" + each.get("id").asText(), each.get("rules")));
    }
    return out;
  }

  private LlmAgent llm(JsonNode spec, Common common) {
    String mode = spec.path("mode").asText("");
    if (!mode.isEmpty() && !mode.equals("chat")) throw new Skip("modes");
    String modelKind = spec.path("model").path("kind").asText("");
    if (modelKind.equals("gemini") || modelKind.equals("live")) throw new Skip(modelKind);
    String name = common.name;
    LlmAgent.Builder builder = common.on(LlmAgent.builder());
    ScriptedModel model = new ScriptedModel(script, spec);
    builder.model(model);
    text(spec, "instruction", builder::instruction);
    text(spec, "global_instruction", builder::globalInstruction);
    text(spec, "output_key", builder::outputKey);
    if (spec.has("output_schema")) builder.outputSchema(Schema.fromJson(spec.get("output_schema").toString()));
    if (spec.has("input_schema")) builder.inputSchema(Schema.fromJson(spec.get("input_schema").toString()));
    if (spec.path("include_contents").asText("").equals("none")) {
      builder.includeContents(LlmAgent.IncludeContents.NONE);
    }
    builder.disallowTransferToParent(spec.path("disallow_transfer_to_parent").asBoolean(false));
    builder.disallowTransferToPeers(spec.path("disallow_transfer_to_peers").asBoolean(false));
    List<BaseTool> tools = new ArrayList<>();
    for (JsonNode tool : list(spec, "tools")) tools.add(tool(tool));
    builder.tools(tools);
    List<Callbacks.BeforeModelCallback> beforeModel = callbacks(spec, "before_model", name, (by, rules) -> {
      Hooks.ModelHook hook = hooks.model("before_model", by, rules);
      return (context, request) -> hook.call(context, request, null, null);
    });
    List<Callbacks.AfterModelCallback> afterModel = callbacks(spec, "after_model", name, (by, rules) -> {
      Hooks.ModelHook hook = hooks.model("after_model", by, rules);
      return (context, response) -> hook.call(context, null, response, null);
    });
    List<Callbacks.OnModelErrorCallback> onModelError = callbacks(spec, "on_model_error", name, (by, rules) -> {
      Hooks.ModelHook hook = hooks.model("on_model_error", by, rules);
      return (context, request, error) -> hook.call(context, null, null, error);
    });
    List<Callbacks.BeforeToolCallback> beforeTool = callbacks(spec, "before_tool", name, (by, rules) -> {
      Hooks.ToolHook hook = hooks.tool("before_tool", by, rules);
      return (invocation, tool, args, context) -> hook.call(context, tool, args, null, null);
    });
    List<Callbacks.AfterToolCallback> afterTool = callbacks(spec, "after_tool", name, (by, rules) -> {
      Hooks.ToolHook hook = hooks.tool("after_tool", by, rules);
      return (invocation, tool, args, context, result) -> hook.call(context, tool, args, result, null);
    });
    List<Callbacks.OnToolErrorCallback> onToolError = callbacks(spec, "on_tool_error", name, (by, rules) -> {
      Hooks.ToolHook hook = hooks.tool("on_tool_error", by, rules);
      return (invocation, tool, args, context, error) -> hook.call(context, tool, args, null, error);
    });
    // The port takes an empty list for a mistake.
    if (!beforeModel.isEmpty()) builder.beforeModelCallback(beforeModel);
    if (!afterModel.isEmpty()) builder.afterModelCallback(afterModel);
    if (!onModelError.isEmpty()) builder.onModelErrorCallback(onModelError);
    if (!beforeTool.isEmpty()) builder.beforeToolCallback(beforeTool);
    if (!afterTool.isEmpty()) builder.afterToolCallback(afterTool);
    if (!onToolError.isEmpty()) builder.onToolErrorCallback(onToolError);
    return new ScriptedModel.Agent(builder, model);
  }

  private static void text(JsonNode spec, String key, Function<String, ?> set) {
    String text = spec.path(key).asText("");
    if (!text.isEmpty()) set.apply(text);
  }

  /** Builds a tool. */
  BaseTool tool(JsonNode spec) {
    String kind = spec.path("kind").asText("function");
    return switch (kind) {
      case "function" -> spec.path("require_confirmation").asBoolean(false)
          ? Tools.confirmed(script, spec) : Tools.plain(script, spec);
      case "exit_loop" -> ExitLoopTool.INSTANCE;
      case "agent" ->
          AgentTool.create(agent(spec.get("agent")), spec.path("skip_summarization").asBoolean(false));
      case "streaming" -> throw new Skip(kind);
      default -> throw new BadScenario("unknown tool kind " + kind);
    };
  }
}
