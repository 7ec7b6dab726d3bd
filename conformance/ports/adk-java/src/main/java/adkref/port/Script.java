// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Snapshots.JSON;
import static adkref.port.Snapshots.map;
import static adkref.port.Snapshots.plain;
import static adkref.port.Snapshots.shown;
import static adkref.port.Snapshots.value;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.adk.JsonBaseModel;
import com.google.adk.agents.CallbackContext;
import com.google.adk.agents.InvocationContext;
import com.google.adk.events.Event;
import com.google.adk.events.EventActions;
import com.google.adk.models.LlmResponse;
import com.google.adk.tools.ToolContext;
import com.google.genai.types.Content;
import com.google.genai.types.Part;
import io.reactivex.rxjava3.core.Maybe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** The script of a scenario on the port: the trace, rules and ops, contexts to run ops on. */
final class Script {
  static final String FORMAT = "adk-scenario/1";

  /** What cannot be played: the features of the format's further pages, then what the port lacks. */
  static final List<String> SKIPS = List.of(
      "live", "executor", "remote_a2a", "gemini", "workflow", "compaction", "streaming", "cancel_after",
      "faults.get", "mask_errors",
      "retry_and_reflect", "function_call_modifier", "modes", "yield_user_message", "mutate_text");

  /** The scenario needs a feature of SKIPS. */
  static final class Skip extends RuntimeException {
    Skip(String feature) {
      super(feature);
      if (!SKIPS.contains(feature)) throw new AssertionError(feature);
    }
  }

  static final class BadScenario extends RuntimeException {
    BadScenario(String problem) {
      super(problem);
    }
  }

  /** What a scenario raises. */
  static final class ScriptedError extends RuntimeException {
    ScriptedError(String text) {
      super(text);
    }
  }

  private static final Map<String, String> SCENARIO_FEATURES = Map.of(
      "executor", "executor", "peer", "remote_a2a", "compaction", "compaction", "mask_errors", "mask_errors");
  private static final Map<String, String> TURN_FEATURES = Map.of(
      "live", "live", "execute", "executor", "stream", "streaming", "cancel_after", "cancel_after",
      "yield_user_message", "yield_user_message");

  /** Raises Skip for what the keys of a scenario and its turns show. */
  static void checkFeatures(JsonNode scenario) {
    asks(scenario, SCENARIO_FEATURES);
    asks(scenario.path("faults"), Map.of("get", "faults.get"));
    for (JsonNode turn : list(scenario, "turns")) asks(turn, TURN_FEATURES);
    // The port's model responses cannot be changed in place.
    if (scenario.findValue("mutate_text") != null) throw new Skip("mutate_text");
  }

  private static void asks(JsonNode holder, Map<String, String> features) {
    features.forEach((key, feature) -> {
      JsonNode value = holder.path(key);
      boolean no = value.isMissingNode() || value.isNull() || value.isArray() && value.isEmpty()
          || value.isBoolean() && !value.asBoolean() || value.isNumber() && value.asInt() == 0;
      if (!no) throw new Skip(feature);
    });
  }

  // Scenario pieces

  static Iterable<JsonNode> list(JsonNode spec, String key) {
    return spec.path(key).isArray() ? spec.get(key) : List.of();
  }

  static Content content(JsonNode spec, String role) {
    if (!spec.isTextual()) return Content.fromJson(spec.toString());
    return Content.builder().role(role).parts(Part.fromText(spec.asText())).build();
  }

  static LlmResponse response(JsonNode spec) {
    if (!spec.isTextual()) return JsonBaseModel.fromJsonString(spec.toString(), LlmResponse.class);
    return LlmResponse.builder().content(content(spec, "model")).build();
  }

  /** Applies a PATCH of on_event in place. */
  static void patch(Event event, JsonNode patch) {
    if (patch.has("author")) event.setAuthor(patch.get("author").asText());
    if (patch.has("text")) {
      String role = event.content().flatMap(Content::role).orElse("model");
      event.setContent(content(patch.get("text"), role));
    }
    if (patch.has("stateDelta")) {
      Map<String, Object> delta = new ConcurrentHashMap<>(map(patch.get("stateDelta")));
      event.setActions(event.actions().toBuilder().stateDelta(delta).build());
    }
    if (patch.has("partial")) event.setPartial(patch.get("partial").asBoolean());
  }

  /** The rules of one callback, and how often it was called. */
  static final class Rules {
    private final JsonNode rules;
    private final Map<List<String>, Integer> calls = new ConcurrentHashMap<>();

    Rules(JsonNode rules) {
      this.rules = rules == null || !rules.isArray() ? JSON.createArrayNode() : rules;
    }

    /** Counts a call and returns the ops of the first rule that matches it. */
    JsonNode next(String agent, String tool) {
      int call = calls.merge(List.of(agent, tool), 1, Integer::sum);
      for (JsonNode rule : rules) {
        if (fits(rule, "agent", agent) && fits(rule, "tool", tool)
            && (rule.path("call").asInt(0) == 0 || rule.get("call").asInt() == call)) {
          return rule.path("do");
        }
      }
      return JSON.createArrayNode();
    }

    private static boolean fits(JsonNode rule, String key, String value) {
      String wanted = rule.path(key).asText("");
      return wanted.isEmpty() || wanted.equals(value);
    }
  }

  /** Says whether it took care of an op. */
  interface Special {
    boolean op(String name, JsonNode arg);
  }

  /** Where ops run: what the port's context offers, and how its records are marked. */
  static final class Place {
    final String agent;
    final String branch;
    final InvocationContext invocation;
    Object[] extra = {};
    Map<String, Object> state;
    BiFunction<String, Part, Object> save;
    Function<String, Part> load;
    Special special = (name, arg) -> false;

    Place(InvocationContext invocation, String agent) {
      this.invocation = invocation;
      this.agent = agent;
      this.branch = invocation.branch().orElse(null);
    }
  }

  /** What ops gave back: a value, an error, or neither. */
  record Result(JsonNode value, Exception error) {
    static final Result NOTHING = new Result(null, null);

    /** Returns the value for the port; a null and nothing are the same to it. */
    static <T> Maybe<T> maybe(Supplier<Result> ops, Function<JsonNode, T> make) {
      return Maybe.defer(() -> {
        Result result = ops.get();
        if (result.error != null) return Maybe.error(result.error);
        if (result.value == null || result.value.isNull()) return Maybe.empty();
        return Maybe.just(make.apply(result.value));
      });
    }
  }

  // The trace

  private final List<ObjectNode> trace = Collections.synchronizedList(new ArrayList<>());

  List<ObjectNode> trace() {
    synchronized (trace) {
      return List.copyOf(trace);
    }
  }

  /** Records that something happened; fields that are null or "" are left out. */
  void add(String at, Object... fields) {
    ObjectNode record = JSON.createObjectNode().put("at", at);
    for (int i = 0; i < fields.length; i += 2) {
      JsonNode shown = plain(fields[i + 1]);
      if (shown == null || shown.isNull() || shown.isTextual() && shown.asText().isEmpty()) continue;
      record.set((String) fields[i], shown);
    }
    trace.add(record);
  }

  static Object[] with(Object[] fields, Object... more) {
    Object[] out = Arrays.copyOf(fields, fields.length + more.length);
    System.arraycopy(more, 0, out, fields.length, more.length);
    return out;
  }

  /** Runs ops until one returns or raises. */
  Result run(Place place, JsonNode ops) {
    Object[] mark = with(new Object[] {"agent", place.agent, "branch", place.branch}, place.extra);
    for (JsonNode op : ops) {
      String name = op.fieldNames().next();
      JsonNode arg = op.get(name);
      if (place.special.op(name, arg)) continue;
      switch (name) {
        case "set_state" -> setState(place, mark, arg);
        case "get_state" -> {
          // The port returns null where ADK-Go returns an error.
          Object found = place.state.get(arg.asText());
          add("state", with(mark, "key", arg.asText(),
              found == null ? "error" : "value", found == null ? "no such key" : found));
        }
        case "save_artifact" -> {
          Object[] what = with(mark, "op", "save", "name", arg.get("name").asText());
          try {
            Part part = Part.fromText(arg.get("text").asText());
            add("artifact", with(what, "version", place.save.apply(arg.get("name").asText(), part)));
          } catch (RuntimeException error) {
            add("artifact", with(what, "error", textOf(error)));
          }
        }
        case "load_artifact" -> {
          Object[] what = with(mark, "op", "load", "name", arg.asText());
          try {
            Part part = place.load.apply(arg.asText());
            add("artifact", part == null
                ? with(what, "error", "not found") : with(what, "text", part.text().orElse("")));
          } catch (RuntimeException error) {
            add("artifact", with(what, "error", textOf(error)));
          }
        }
        case "end_invocation" -> place.invocation.setEndInvocation(true);
        case "return" -> {
          return new Result(arg, null);
        }
        case "raise" -> {
          return new Result(null, new ScriptedError(arg.asText()));
        }
        default -> throw new BadScenario("unknown op " + name);
      }
    }
    return Result.NOTHING;
  }

  private void setState(Place place, Object[] mark, JsonNode arg) {
    TreeSet<String> keys = new TreeSet<>();
    arg.fieldNames().forEachRemaining(keys::add);
    for (String key : keys) {
      try {
        place.state.put(key, value(arg.get(key)));
      } catch (RuntimeException error) {
        add("state_error", with(mark, "key", key, "error", textOf(error)));
      }
    }
  }

  // Places

  /** Returns the place of a callback's or a tool's context. */
  Place callbackPlace(CallbackContext context) {
    Place place = new Place(context.invocationContext(), context.agentName());
    place.state = context.state();
    place.save = (name, part) -> {
      context.saveArtifact(name, part).blockingAwait();
      return context.eventActions().artifactDelta().get(name);
    };
    place.load = name -> context.loadArtifact(name).blockingGet();
    return place;
  }

  /** Returns the place of an invocation context: custom bodies, the plugins' hooks around the run. */
  Place invocationPlace(InvocationContext context) {
    Place place = new Place(context, context.agent().name());
    String app = context.appName();
    String user = context.userId();
    String session = context.session().id();
    place.state = context.session().state();
    place.save = (name, part) ->
        context.artifactService().saveArtifact(app, user, session, name, part).blockingGet();
    place.load = name -> context.artifactService().loadArtifact(app, user, session, name).blockingGet();
    return place;
  }

  /** Returns the place of a tool, or of a hook around one. */
  Place toolPlace(ToolContext context, String tool, Map<String, Object> args) {
    Object[] mark = {"tool", tool, "call_id", context.functionCallId().orElse(null)};
    Place place = callbackPlace(context);
    place.extra = mark;
    place.special = (name, arg) -> {
      switch (name) {
        case "set_args" -> args.putAll(map(arg));
        case "actions" -> setActions(context.actions(), arg);
        case "request_confirmation" -> {
          String error = null;
          try {
            context.requestConfirmation(arg.path("hint").asText(null), value(arg.path("payload")));
          } catch (RuntimeException caught) {
            error = textOf(caught);
          }
          add("confirmation", with(mark, "op", "request", "error", error));
        }
        case "get_confirmation" ->
            add("confirmation", with(mark, "op", "get", "value", shown(context.toolConfirmation().orElse(null))));
        default -> {
          return false;
        }
      }
      return true;
    };
    return place;
  }

  private static void setActions(EventActions actions, JsonNode wanted) {
    EventActions given = JsonBaseModel.fromJsonString(wanted.toString(), EventActions.class);
    if (wanted.has("escalate")) actions.setEscalate(given.escalate().orElse(false));
    if (wanted.has("skipSummarization")) {
      actions.setSkipSummarization(given.skipSummarization().orElse(false));
    }
    if (wanted.has("transferToAgent")) actions.setTransferToAgent(given.transferToAgent().orElse(null));
    if (wanted.has("stateDelta")) actions.setStateDelta(new ConcurrentHashMap<>(given.stateDelta()));
    if (wanted.has("artifactDelta")) actions.setArtifactDelta(given.artifactDelta());
  }

  // Errors

  static String textOf(Throwable error) {
    if (error == null) return null;
    return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
  }

  static Throwable rootOf(Throwable error) {
    while (error.getCause() != null && error.getCause() != error) error = error.getCause();
    return error;
  }
}
