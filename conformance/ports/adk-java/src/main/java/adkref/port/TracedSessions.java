// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Script.list;
import static adkref.port.Script.textOf;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.adk.events.Event;
import com.google.adk.sessions.BaseSessionService;
import com.google.adk.sessions.GetSessionConfig;
import com.google.adk.sessions.InMemorySessionService;
import com.google.adk.sessions.ListEventsResponse;
import com.google.adk.sessions.ListSessionsResponse;
import com.google.adk.sessions.Session;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The port's service in memory, which records each append and fails where it is told to. */
final class TracedSessions implements BaseSessionService {
  private final InMemorySessionService inner = new InMemorySessionService();
  private final Script script;
  private final Map<Integer, String> faults = new HashMap<>();
  private final AtomicInteger appends = new AtomicInteger();
  volatile boolean traced;

  TracedSessions(Script script, JsonNode faults) {
    this.script = script;
    for (JsonNode fault : list(faults, "append")) {
      this.faults.put(fault.get("nth").asInt(), fault.get("error").asText());
    }
  }

  @Override
  public Single<Event> appendEvent(Session session, Event event) {
    if (!traced) return inner.appendEvent(session, event);
    return Single.defer(() -> {
      String fault = faults.get(appends.incrementAndGet());
      Single<Event> stored = fault == null
          ? inner.appendEvent(session, event) : Single.error(new Script.ScriptedError(fault));
      return stored
          .doOnSuccess(it -> script.add("append", "event", Snapshots.event(event)))
          .doOnError(error ->
              script.add("append", "event", Snapshots.event(event), "error", textOf(error)));
    });
  }

  @Override
  public Single<Session> createSession(
      String app, String user, ConcurrentMap<String, Object> state, String session) {
    return inner.createSession(app, user, state, session);
  }

  @Override
  public Maybe<Session> getSession(
      String app, String user, String session, Optional<GetSessionConfig> config) {
    return inner.getSession(app, user, session, config);
  }

  @Override
  public Single<ListSessionsResponse> listSessions(String app, String user) {
    return inner.listSessions(app, user);
  }

  @Override
  public Completable deleteSession(String app, String user, String session) {
    return inner.deleteSession(app, user, session);
  }

  @Override
  public Single<ListEventsResponse> listEvents(String app, String user, String session) {
    return inner.listEvents(app, user, session);
  }
}
