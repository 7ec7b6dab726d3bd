// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Script.list;
import static adkref.port.Script.rootOf;
import static adkref.port.Script.textOf;
import static adkref.port.Snapshots.JSON;
import static adkref.port.Snapshots.map;
import static adkref.port.Snapshots.plain;

import adkref.port.Script.BadScenario;
import adkref.port.Script.Skip;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.adk.agents.BaseAgent;
import com.google.adk.agents.RunConfig;
import com.google.adk.artifacts.InMemoryArtifactService;
import com.google.adk.events.Event;
import com.google.adk.memory.InMemoryMemoryService;
import com.google.adk.plugins.Plugin;
import com.google.adk.runner.Runner;
import com.google.adk.sessions.Session;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionCall;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.reactivestreams.Subscription;

/** Playing one scenario on the port: set up, turns, final state. */
final class Player {
  /** After so many items of a turn the consumer loses patience. */
  private static final int MAX_ITEMS = 400;

  private final JsonNode scenario;
  private final JsonNode session;
  private final Build build = new Build();
  private final Script script = build.script;
  private final TracedSessions sessions;
  private final String app;
  private final String user;
  private final String id;

  private Player(JsonNode scenario) {
    this.scenario = scenario;
    session = scenario.path("session");
    app = session.path("app").asText("");
    user = session.path("user").asText("");
    id = session.path("id").asText("");
    sessions = new TracedSessions(script, scenario.path("faults"));
  }

  /** Plays a scenario and returns a driver's answer without the id. */
  static ObjectNode answer(JsonNode scenario) {
    ObjectNode out = JSON.createObjectNode();
    try {
      return new Player(scenario).answer();
    } catch (Throwable error) {
      Throwable root = rootOf(error);
      if (root instanceof Skip) return out.put("skip", root.getMessage());
      if (root instanceof BadScenario) return out.put("error", "bad scenario: " + root.getMessage());
      return out.put("panic", String.valueOf(root));
    }
  }

  private ObjectNode answer() throws InterruptedException {
    Script.checkFeatures(scenario);
    Runner runner;
    try {
      runner = setUp();
    } catch (Skip | BadScenario error) {
      throw error;
    } catch (RuntimeException error) {
      script.add("construct_error", "error", textOf(error));
      return finished(null);
    }
    sessions.traced = true;
    int number = 0;
    for (JsonNode turn : list(scenario, "turns")) {
      script.add("turn", "n", ++number);
      play(runner, turn);
    }
    sessions.traced = false;
    ObjectNode out = JSON.createObjectNode();
    Session got = stored();
    if (got == null) return finished(out.put("error", "session not found"));
    out.set("state", plain(new TreeMap<>(got.state())));
    return finished(out.put("events", got.events().size()));
  }

  private Session stored() {
    return sessions.getSession(app, user, id, Optional.empty()).blockingGet();
  }

  private ObjectNode finished(JsonNode last) {
    Snapshots.Names names = new Snapshots.Names();
    ObjectNode out = JSON.createObjectNode();
    ArrayNode trace = out.putArray("trace");
    for (ObjectNode record : script.trace()) trace.add(names.walk(record));
    if (last != null) out.set("final", names.walk(last));
    return out;
  }

  private Runner setUp() {
    BaseAgent root = build.agent(scenario.get("agent"));
    List<Plugin> plugins = new ArrayList<>();
    for (JsonNode spec : list(scenario, "plugins")) plugins.add(build.hooks.plugin(spec));
    Runner runner = Runner.builder()
        .appName(app)
        .agent(root)
        .plugins(plugins)
        .sessionService(sessions)
        .artifactService(new InMemoryArtifactService())
        .memoryService(new InMemoryMemoryService())
        .build();
    if (!session.path("skip_create").asBoolean(false)) {
      Map<String, Object> state = session.has("state") ? map(session.get("state")) : Map.of();
      Session made = sessions.createSession(app, user, state, id).blockingGet();
      long time = System.currentTimeMillis() - 3_600_000;
      for (JsonNode spec : list(session, "events")) {
        Event event = Custom.read(spec, "inv-history", time);
        if (spec.hasNonNull("branch")) event.branch(spec.get("branch").asText());
        sessions.appendEvent(made, event).blockingGet();
        time += 1000;
      }
    }
    return runner;
  }

  private void play(Runner runner, JsonNode turn) throws InterruptedException {
    RunConfig config = RunConfig.builder()
        .autoCreateSession(session.path("auto_create").asBoolean(false))
        .saveInputBlobsAsArtifacts(turn.path("save_input_blobs_as_artifacts").asBoolean(false))
        .streamingMode(turn.path("streaming").asText("").equals("sse")
            ? RunConfig.StreamingMode.SSE : RunConfig.StreamingMode.NONE)
        .build();
    Map<String, Object> delta =
        turn.hasNonNull("state_delta") ? new HashMap<>(map(turn.get("state_delta"))) : null;
    Flowable<Event> items;
    try {
      items = runner.runAsync(user, id, message(turn), config, delta);
    } catch (RuntimeException error) {
      items = Flowable.error(error);
    }
    Consumer consumer = new Consumer(turn);
    items.subscribe(consumer);
    consumer.done.await();
    if (consumer.fault != null) throw consumer.fault;
  }

  private Content message(JsonNode turn) {
    if (!turn.hasNonNull("user")) return null;
    JsonNode spec = turn.get("user").deepCopy();
    for (JsonNode part : list(spec, "parts")) {
      JsonNode response = part.path("functionResponse");
      String id = response.path("id").asText("");
      if (id.startsWith("$id:")) ((ObjectNode) response).put("id", callId(id.substring(4)));
    }
    return Script.content(spec, "user");
  }

  /** Returns the id of the last stored call of that name; without one it stays as it is. */
  private String callId(String name) {
    String found = "$id:" + name;
    Session session = stored();
    if (session == null) return found;
    for (Event event : session.events()) {
      for (FunctionCall call : event.functionCalls()) {
        if (call.name().orElse("").equals(name)) found = call.id().orElse("");
      }
    }
    return found;
  }

  /** Takes one item at a time, as the turn says. */
  private final class Consumer implements FlowableSubscriber<Event> {
    final CountDownLatch done = new CountDownLatch(1);
    volatile RuntimeException fault;
    private final int stopAfter;
    private final boolean goOn;
    private Subscription subscription;
    private int taken;
    private boolean over;

    Consumer(JsonNode turn) {
      stopAfter = turn.path("stop_after").asInt(0);
      goOn = turn.path("on_error").asText("").equals("continue");
    }

    @Override
    public void onSubscribe(Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onNext(Event event) {
      if (over) return;
      script.add("yield", "event", Snapshots.event(event));
      taken++;
      if (taken == stopAfter || taken > MAX_ITEMS) {
        over = true;
        script.add(taken == stopAfter ? "stop" : "runaway");
        subscription.cancel();
        if (taken != stopAfter) script.add("end");
        done.countDown();
      } else {
        subscription.request(1);
      }
    }

    @Override
    public void onError(Throwable error) {
      if (over) return;
      over = true;
      Throwable root = rootOf(error);
      if (root instanceof Skip || root instanceof BadScenario) fault = (RuntimeException) root;
      // A failed stream stands for an item with an error, and is over.
      script.add("yield", "error", textOf(error));
      script.add(goOn ? "end" : "stop");
      done.countDown();
    }

    @Override
    public void onComplete() {
      if (over) return;
      over = true;
      script.add("end");
      done.countDown();
    }
  }
}
