// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.util.*;
import java.util.function.Consumer;
import java.util.regex.*;

/** A driver to start from, in Java.  Copy it, and put your port where it says YOUR PORT.  It plays
 *  custom agents that yield events with texts and skips everything else.  Try it with
 *      javac -d out Driver.java Json.java && adkref test --port 'java -cp out Driver' smallest.jsonl
 *  Json.java stands for the JSON library that your port has. */
public class Driver {
  static final Map<String, Object> HELLO = map("implementation", "template-java", "version", "0.1.0",
      "language", "java", "format", "adk-scenario/1", "protocol", 1,
      // What your port cannot do yet, by the kit's names: it is not asked for these.
      "skips", List.of("llm", "sequential", "loop", "parallel", "plugins", "agent_callbacks"),
      "choices", map());  // what it does where a rule leaves the choice: rule id to its name

  /** The scenario needs what is not here yet; the text names it. */
  static class Skip extends RuntimeException {
    Skip(String what) { super(what); }
  }

  final List<Object> trace = new ArrayList<>(), events = new ArrayList<>();

  /** Takes down what happens; fields that are empty are left out. */
  void record(Object... fields) {
    Map<String, Object> full = map(fields);
    full.values().removeIf(""::equals);
    trace.add(full);
  }

  /** Plays one scenario and returns its trace and the final state of the session. */
  Map<String, Object> play(Map<String, Object> scenario) {
    keys(scenario, "format", "id", "title", "rules", "ordering", "session", "agent", "turns");
    Map<String, Object> session = part(scenario, "session"), agent = part(scenario, "agent");
    keys(session, "app", "user", "id", "state");
    keys(agent, "kind", "name", "description", "body");
    if (!"custom".equals(agent.get("kind")) || text(session, "app").isEmpty() || text(session, "user").isEmpty())
      throw new Skip("other agents, and sessions without app or user");
    // YOUR PORT: build agents, plugins and runner; create the session.
    int number = 0;
    for (Object turn : list(scenario, "turns")) {
      keys(turn, "user");
      record("at", "turn", "n", ++number);
      run(agent, ((Map<?, ?>) turn).get("user"), event -> record("at", "yield", "event", event));
      record("at", "end");
    }
    return map("trace", named(trace), "final", map("state", part(session, "state"), "events", events.size()));
  }

  /** Runs the scripted body of a custom agent: this is the code of a user of your port. */
  void body(Map<String, Object> agent, String invocation, Consumer<Map<String, Object>> yield) {
    record("at", "body", "agent", agent.get("name"), "step", "start");
    for (Object op : list(agent, "body")) {
      keys(op, "yield");
      Map<String, Object> event = part(op, "yield");
      keys(event, "author", "content");
      yield.accept(event(text(event, "author"), event.get("content"), "model", invocation));
      record("at", "body", "agent", agent.get("name"), "step", "resumed");
    }
    record("at", "body", "agent", agent.get("name"), "step", "end");
  }

  /** The smallest runner that one can have: YOUR PORT instead of it. */
  void run(Map<String, Object> agent, Object message, Consumer<Map<String, Object>> yield) {
    String invocation = "e-" + UUID.randomUUID();
    if (message != null) store(event("user", message, "user", invocation));
    body(agent, invocation, event -> {
      boolean isUser = "user".equals(part(event, "content").get("role"));
      event.putIfAbsent("author", isUser ? "user" : agent.get("name"));
      event.values().removeIf(""::equals);
      store(event);
      yield.accept(event);
    });
  }

  void store(Map<String, Object> event) {
    events.add(event);
    record("at", "append", "event", event);
  }

  /** Returns an event as traces show it: without its own id and time, and without what is empty. */
  static Map<String, Object> event(String author, Object content, String role, String invocation) {
    Map<String, Object> event = map("invocationId", invocation);
    if (!author.isEmpty()) event.put("author", author);
    if (content instanceof String) content = map("role", role, "parts", List.of(map("text", content)));
    if (content != null) event.put("content", content);
    return event;
  }

  /** Renames generated ids by first appearance: inv-1 for e-UUID, adk-1 for adk-UUID, id-1. */
  static Object named(Object trace) {
    Map<String, String> names = new HashMap<>();
    int[] counts = {0, 0};
    Pattern generated = Pattern.compile("(e-|adk-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    return new Json(generated.matcher(Json.write(trace)).replaceAll(id -> names.computeIfAbsent(id.group(),
        any -> "e-".equals(id.group(1)) ? "inv-" + ++counts[0] : (id.group(1) == null ? "id-" : "adk-") + ++counts[1]))).read();
  }

  // --- what every driver needs -------------------------------------------------------------------

  /** Skips a scenario that has more than is known here. */
  static void keys(Object spec, String... known) {
    for (Object key : ((Map<?, ?>) spec).keySet()) if (!List.of(known).contains(key)) throw new Skip("" + key);
  }

  static Map<String, Object> map(Object... pairs) {
    Map<String, Object> out = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) out.put((String) pairs[i], pairs[i + 1]);
    return out;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> part(Object of, String key) {
    return (Map<String, Object>) ((Map<String, Object>) of).getOrDefault(key, map());
  }
  static List<?> list(Map<String, Object> of, String key) { return (List<?>) of.getOrDefault(key, List.of()); }
  static String text(Map<String, Object> of, String key) { return "" + of.getOrDefault(key, ""); }

  public static void main(String[] args) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
    for (String line; (line = lines.readLine()) != null; ) {
      Map<String, Object> request = part(map("it", new Json(line).read()), "it"), reply = map();
      if ("stop".equals(request.get("cmd"))) return;
      try {
        reply.putAll("hello".equals(request.get("cmd")) ? HELLO : new Driver().play(part(request, "scenario")));
      } catch (Skip skip) {
        reply.put("skip", skip.getMessage());
      } catch (RuntimeException crash) {
        reply.put("panic", crash.toString());
      }
      if (request.containsKey("id")) reply.put("id", request.get("id"));
      out.println(Json.write(reply));
    }
  }
}
