// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Snapshots.map;
import static adkref.port.Snapshots.value;

import adkref.port.Script.Result;
import adkref.port.Script.Rules;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.adk.tools.Annotations;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.FunctionTool;
import com.google.adk.tools.ToolContext;
import com.google.genai.types.FunctionDeclaration;
import io.reactivex.rxjava3.core.Single;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Scripted tools. */
final class Tools {
  private Tools() {}

  /** A tool's handler: one map of arguments in, one map out. */
  public static final class Handler {
    private final Script script;
    private final JsonNode spec;
    private final String name;
    private final Rules rules;

    Handler(Script script, JsonNode spec) {
      this.script = script;
      this.spec = spec;
      this.name = spec.get("name").asText();
      this.rules = new Rules(spec.get("rules"));
    }

    /** Plays a call; public and annotated, as the port finds it by reflection. */
    public Single<Map<String, Object>> handle(
        @Annotations.Schema(name = "args") Map<String, Object> args,
        @Annotations.Schema(name = "toolContext") ToolContext toolContext) {
      return Single.defer(() -> {
        String agent = toolContext.agentName();
        script.add("tool", "tool", name, "agent", agent, "branch", toolContext.branch().orElse(null),
            "call_id", toolContext.functionCallId().orElse(null), "args", args);
        Result result = script.run(script.toolPlace(toolContext, name, args), rules.next(agent, name));
        if (result.error() != null) return Single.error(result.error());
        if (result.value() != null) return Single.just(asMap(result.value()));
        Map<String, Object> ok = new LinkedHashMap<>();
        ok.put("status", "ok");
        return Single.just(ok);
      });
    }

    private static Map<String, Object> asMap(JsonNode value) {
      // The port has no place for a tool that returns nothing.
      return value.isNull() ? new LinkedHashMap<>() : map(value);
    }

    FunctionDeclaration declaration() {
      var declaration =
          FunctionDeclaration.builder().name(name).description(spec.path("description").asText(""));
      if (spec.has("parameters")) declaration.parametersJsonSchema(value(spec.get("parameters")));
      return declaration.build();
    }

    boolean longRunning() {
      return spec.path("long_running").asBoolean(false);
    }
  }

  /** Returns a tool that is no reflected method, as a scenario has a JSON schema. */
  static BaseTool plain(Script script, JsonNode spec) {
    Handler handler = new Handler(script, spec);
    return new BaseTool(handler.name, spec.path("description").asText(""), handler.longRunning()) {
      @Override
      public Optional<FunctionDeclaration> declaration() {
        return Optional.of(handler.declaration());
      }

      @Override
      public Single<Map<String, Object>> runAsync(Map<String, Object> args, ToolContext context) {
        return handler.handle(args, context);
      }
    };
  }

  /** Returns a tool that asks first: only the port's function tool can do that. */
  static BaseTool confirmed(Script script, JsonNode spec) {
    Handler handler = new Handler(script, spec);
    try {
      Method method = Handler.class.getMethod("handle", Map.class, ToolContext.class);
      return new Confirmed(handler, method);
    } catch (NoSuchMethodException error) {
      throw new AssertionError(error);
    }
  }

  private static final class Confirmed extends FunctionTool {
    private final Handler handler;

    Confirmed(Handler handler, Method method) {
      super(handler, method, handler.longRunning(), true);
      this.handler = handler;
    }

    @Override
    public String name() {
      // Asked for once before the handler is set.
      return handler == null ? super.name() : handler.name;
    }

    @Override
    public String description() {
      return handler.spec.path("description").asText("");
    }

    @Override
    public Optional<FunctionDeclaration> declaration() {
      return Optional.of(handler.declaration());
    }

    @Override
    public Single<Map<String, Object>> runAsync(Map<String, Object> args, ToolContext context) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("args", args);
      return super.runAsync(one, context);
    }
  }
}
