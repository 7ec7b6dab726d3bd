// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Script.textOf;
import static adkref.port.Snapshots.shown;

import adkref.port.Script.Place;
import adkref.port.Script.Result;
import adkref.port.Script.Rules;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.adk.agents.BaseAgent;
import com.google.adk.agents.CallbackContext;
import com.google.adk.agents.InvocationContext;
import com.google.adk.events.Event;
import com.google.adk.models.LlmRequest;
import com.google.adk.models.LlmResponse;
import com.google.adk.plugins.BasePlugin;
import com.google.adk.plugins.Plugin;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.ToolContext;
import com.google.genai.types.Content;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import java.util.List;
import java.util.Map;

/** Scripted callbacks and plugins; each call is recorded before its ops run. */
final class Hooks {
  private final Script script;

  Hooks(Script script) {
    this.script = script;
  }

  interface AgentHook {
    Maybe<Content> call(CallbackContext context);
  }

  interface ModelHook {
    Maybe<LlmResponse> call(
        CallbackContext context, LlmRequest.Builder request, LlmResponse response, Throwable error);
  }

  interface ToolHook {
    Maybe<Map<String, Object>> call(
        ToolContext context, BaseTool tool, Map<String, Object> args, Object result, Throwable error);
  }

  private static String branch(CallbackContext context) {
    return context.branch().orElse(null);
  }

  /** Returns the function of before_agent or after_agent. */
  AgentHook agent(String hook, String by, JsonNode spec) {
    Rules rules = new Rules(spec);
    return context -> Result.maybe(() -> {
      String agent = context.agentName();
      script.add("hook", "hook", hook, "by", by, "agent", agent, "branch", branch(context));
      return script.run(script.callbackPlace(context), rules.next(agent, ""));
    }, value -> Script.content(value, "model"));
  }

  /** Returns the function of a hook around a model call. */
  ModelHook model(String hook, String by, JsonNode spec) {
    Rules rules = new Rules(spec);
    return (context, request, response, error) -> Result.maybe(() -> {
      String agent = context.agentName();
      script.add("hook", "hook", hook, "by", by, "agent", agent, "branch", branch(context),
          "request", hook.equals("before_model") ? Snapshots.request(request.build()) : null,
          "response", shown(response), "error", textOf(error));
      Place place = script.callbackPlace(context);
      place.special = (name, arg) -> {
        if (!name.equals("append_instruction")) return false;
        if (request != null) request.appendInstructions(List.of(arg.asText()));
        return true;
      };
      return script.run(place, rules.next(agent, ""));
    }, Script::response);
  }

  /** Returns the function of a hook around a tool. */
  ToolHook tool(String hook, String by, JsonNode spec) {
    Rules rules = new Rules(spec);
    return (context, tool, args, result, error) -> Result.maybe(() -> {
      String agent = context.agentName();
      script.add("hook", "hook", hook, "by", by, "agent", agent, "branch", branch(context),
          "tool", tool.name(), "call_id", context.functionCallId().orElse(null),
          "args", args, "result", result, "error", textOf(error));
      return script.run(script.toolPlace(context, tool.name(), args), rules.next(agent, tool.name()));
    }, Snapshots::map);
  }

  /** Builds a scripted plugin. */
  Plugin plugin(JsonNode spec) {
    if (spec.has("builtin")) throw new Script.Skip(spec.get("builtin").asText());
    return new Scripted(spec);
  }

  private final class Scripted extends BasePlugin {
    private final String by;
    private final JsonNode spec;
    private final AgentHook beforeAgent;
    private final AgentHook afterAgent;
    private final ModelHook beforeModel;
    private final ModelHook afterModel;
    private final ModelHook onModelError;
    private final ToolHook beforeTool;
    private final ToolHook afterTool;
    private final ToolHook onToolError;
    private final Rules onUserMessage;
    private final Rules beforeRun;
    private final Rules afterRun;
    private final Rules onEvent;

    Scripted(JsonNode spec) {
      super(spec.get("name").asText());
      this.spec = spec;
      by = "plugin:" + spec.get("name").asText();
      beforeAgent = agent("before_agent", by, spec.get("before_agent"));
      afterAgent = agent("after_agent", by, spec.get("after_agent"));
      beforeModel = model("before_model", by, spec.get("before_model"));
      afterModel = model("after_model", by, spec.get("after_model"));
      onModelError = model("on_model_error", by, spec.get("on_model_error"));
      beforeTool = tool("before_tool", by, spec.get("before_tool"));
      afterTool = tool("after_tool", by, spec.get("after_tool"));
      onToolError = tool("on_tool_error", by, spec.get("on_tool_error"));
      onUserMessage = new Rules(spec.get("on_user_message"));
      beforeRun = new Rules(spec.get("before_run"));
      afterRun = new Rules(spec.get("after_run"));
      onEvent = new Rules(spec.get("on_event"));
    }

    private Result run(String hook, Rules rules, InvocationContext context, Content message) {
      String agent = context.agent().name();
      script.add("hook", "hook", hook, "by", by, "agent", agent, "content", shown(message));
      return script.run(script.invocationPlace(context), rules.next(agent, ""));
    }

    @Override
    public Maybe<Content> onUserMessageCallback(InvocationContext context, Content message) {
      if (!spec.has("on_user_message")) return Maybe.empty();
      return Result.maybe(() -> run("on_user_message", onUserMessage, context, message),
          value -> Script.content(value, "user"));
    }

    @Override
    public Maybe<Content> beforeRunCallback(InvocationContext context) {
      if (!spec.has("before_run")) return Maybe.empty();
      return Result.maybe(() -> run("before_run", beforeRun, context, null),
          value -> Script.content(value, "model"));
    }

    @Override
    public Completable afterRunCallback(InvocationContext context) {
      if (!spec.has("after_run")) return Completable.complete();
      return Completable.defer(() -> {
        Result result = run("after_run", afterRun, context, null);
        return result.error() == null ? Completable.complete() : Completable.error(result.error());
      });
    }

    @Override
    public Maybe<Event> onEventCallback(InvocationContext context, Event event) {
      if (!spec.has("on_event")) return Maybe.empty();
      return Maybe.defer(() -> {
        String author = event.author() == null ? "" : event.author();
        script.add("hook", "hook", "on_event", "by", by, "agent", context.agent().name(),
            "event", Snapshots.event(event));
        Event[] replacement = {null};
        Place place = script.invocationPlace(context);
        place.special = (name, arg) -> {
          switch (name) {
            case "mutate_event" -> Script.patch(event, arg);
            case "replace_event" -> Script.patch(replacement[0] = event.toBuilder().build(), arg);
            default -> {
              return false;
            }
          }
          return true;
        };
        Result result = script.run(place, onEvent.next(author, ""));
        if (result.error() != null) return Maybe.error(result.error());
        return replacement[0] == null ? Maybe.empty() : Maybe.just(replacement[0]);
      });
    }

    @Override
    public Maybe<Content> beforeAgentCallback(BaseAgent agent, CallbackContext context) {
      return spec.has("before_agent") ? beforeAgent.call(context) : Maybe.empty();
    }

    @Override
    public Maybe<Content> afterAgentCallback(BaseAgent agent, CallbackContext context) {
      return spec.has("after_agent") ? afterAgent.call(context) : Maybe.empty();
    }

    @Override
    public Maybe<LlmResponse> beforeModelCallback(CallbackContext context, LlmRequest.Builder request) {
      return spec.has("before_model") ? beforeModel.call(context, request, null, null) : Maybe.empty();
    }

    @Override
    public Maybe<LlmResponse> afterModelCallback(CallbackContext context, LlmResponse response) {
      return spec.has("after_model") ? afterModel.call(context, null, response, null) : Maybe.empty();
    }

    @Override
    public Maybe<LlmResponse> onModelErrorCallback(
        CallbackContext context, LlmRequest.Builder request, Throwable error) {
      return spec.has("on_model_error") ? onModelError.call(context, request, null, error) : Maybe.empty();
    }

    @Override
    public Maybe<Map<String, Object>> beforeToolCallback(
        BaseTool tool, Map<String, Object> args, ToolContext context) {
      return spec.has("before_tool") ? beforeTool.call(context, tool, args, null, null) : Maybe.empty();
    }

    @Override
    public Maybe<Map<String, Object>> afterToolCallback(
        BaseTool tool, Map<String, Object> args, ToolContext context, Map<String, Object> result) {
      return spec.has("after_tool") ? afterTool.call(context, tool, args, result, null) : Maybe.empty();
    }

    @Override
    public Maybe<Map<String, Object>> onToolErrorCallback(
        BaseTool tool, Map<String, Object> args, ToolContext context, Throwable error) {
      return spec.has("on_tool_error") ? onToolError.call(context, tool, args, null, error) : Maybe.empty();
    }
  }
}
