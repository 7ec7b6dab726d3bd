// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Script.list;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.adk.agents.BaseAgent;
import com.google.adk.agents.Callbacks;
import com.google.adk.agents.InvocationContext;
import com.google.adk.events.Event;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.List;

/** An agent whose body is a list of ops: a chain of streams, each started when the last one ended. */
final class Custom extends BaseAgent {
  private final Build build;
  private final Script script;
  private final JsonNode spec;

  Custom(
      Build build,
      JsonNode spec,
      String description,
      List<BaseAgent> subAgents,
      List<Callbacks.BeforeAgentCallback> before,
      List<Callbacks.AfterAgentCallback> after) {
    super(spec.path("name").asText(""), description, subAgents, before, after);
    this.build = build;
    this.script = build.script;
    this.spec = spec;
  }

  @Override
  protected Flowable<Event> runLiveImpl(InvocationContext context) {
    return Flowable.empty();
  }

  @Override
  protected Flowable<Event> runAsyncImpl(InvocationContext context) {
    return Flowable.defer(() -> {
      step(context, "start");
      List<Flowable<Event>> ops = new ArrayList<>();
      for (JsonNode op : list(spec, "body")) ops.add(Flowable.defer(() -> played(context, op)));
      return Flowable.concat(ops)
          .doOnComplete(() -> step(context, "end"))
          .doOnError(error -> step(context, "stopped"))
          .doOnCancel(() -> step(context, "stopped"));
    });
  }

  private void step(InvocationContext context, String step) {
    script.add("body", "agent", context.agent().name(), "branch", context.branch().orElse(null), "step", step);
  }

  private Flowable<Event> played(InvocationContext context, JsonNode op) {
    String name = op.fieldNames().next();
    JsonNode arg = op.get(name);
    switch (name) {
      case "yield" -> {
        return Flowable.just(event(context, arg)).doOnComplete(() -> step(context, "resumed"));
      }
      case "yield_error" -> {
        // The port has no items that carry an error: the stream fails.
        return Flowable.error(new Script.ScriptedError(arg.asText()));
      }
      case "run" -> {
        return build.named.get(arg.asText()).runAsync(context);
      }
      case "own_history" -> {
        long own = context.session().events().stream().filter(it -> name().equals(it.author())).count();
        script.add("history", "agent", context.agent().name(), "branch", context.branch().orElse(null),
            "own", own);
      }
      default -> {
        Script.Result result =
            script.run(script.invocationPlace(context), Snapshots.JSON.createArrayNode().add(op));
        if (result.error() != null) return Flowable.error(result.error());
      }
    }
    return Flowable.empty();
  }

  private static Event event(InvocationContext context, JsonNode spec) {
    Event event = read(spec, context.invocationId(), System.currentTimeMillis());
    String branch = spec.path("branch").asText("");
    if (branch.equals("$ctx")) event.branch(context.branch().orElse(null));
    else if (!branch.isEmpty()) event.branch(branch);
    return event;
  }

  /** Returns an event from an EVENT of a scenario; the branch is left to the caller. */
  static Event read(JsonNode spec, String invocation, long time) {
    ObjectNode fields = spec.deepCopy();
    fields.remove(List.of("content", "branch", "at"));
    if (!fields.hasNonNull("invocationId")) fields.put("invocationId", invocation);
    if (!fields.has("author")) fields.put("author", "");
    if (!fields.has("actions")) fields.putObject("actions");
    fields.put("id", Event.generateEventId());
    fields.put("timestamp", time);
    Event event = Event.fromJson(fields.toString());
    if (spec.hasNonNull("content")) event.setContent(Script.content(spec.get("content"), "model"));
    return event;
  }
}
