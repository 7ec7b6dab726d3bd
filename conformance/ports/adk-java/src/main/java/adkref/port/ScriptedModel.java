// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Script.list;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.adk.agents.InvocationContext;
import com.google.adk.agents.LlmAgent;
import com.google.adk.events.Event;
import com.google.adk.models.BaseLlm;
import com.google.adk.models.BaseLlmConnection;
import com.google.adk.models.LlmRequest;
import com.google.adk.models.LlmResponse;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A model whose nth call plays the nth turn of its script. */
final class ScriptedModel extends BaseLlm {
  private final Script script;
  private final String owner;
  private final JsonNode turns;
  private final AtomicInteger calls = new AtomicInteger();

  /** The port does not tell a model who asks; the agent leaves its branch here. */
  private volatile String branch;

  ScriptedModel(Script script, JsonNode agent) {
    super(agent.path("model").path("name").asText("mock"));
    this.script = script;
    this.owner = agent.path("name").asText("");
    this.turns = agent.path("model").path("script");
  }

  @Override
  public Flowable<LlmResponse> generateContent(LlmRequest request, boolean stream) {
    return Flowable.defer(() -> {
      String on = branch;
      script.add("model", "agent", owner, "branch", on, "request", Snapshots.request(request),
          "stream", stream ? true : null);
      JsonNode turn = turns.path(calls.getAndIncrement());
      if (turn.isMissingNode()) {
        return Flowable.just(Script.response(Snapshots.JSON.getNodeFactory().textNode("[end of script]")));
      }
      List<JsonNode> responses = new ArrayList<>();
      list(turn, "responses").forEach(responses::add);
      Flowable<LlmResponse> items = Flowable.fromIterable(responses).map(Script::response);
      if (turn.hasNonNull("error")) {
        items = items.concatWith(Flowable.error(new Script.ScriptedError(turn.get("error").asText())));
      }
      return items.doOnCancel(() -> script.add("model_stopped", "agent", owner, "branch", on));
    });
  }

  @Override
  public BaseLlmConnection connect(LlmRequest request) {
    throw new UnsupportedOperationException("live connections are not scripted");
  }

  /** The port's own agent, which tells its model the branch that it runs on. */
  static final class Agent extends LlmAgent {
    private final ScriptedModel scripted;

    Agent(LlmAgent.Builder builder, ScriptedModel scripted) {
      super(builder);
      this.scripted = scripted;
    }

    @Override
    protected Flowable<Event> runAsyncImpl(InvocationContext context) {
      return Flowable.defer(() -> {
        scripted.branch = context.branch().orElse(null);
        return super.runAsyncImpl(context);
      });
    }
  }
}
