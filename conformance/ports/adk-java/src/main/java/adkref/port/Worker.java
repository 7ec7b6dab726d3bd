// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Snapshots.JSON;

import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The process that plays: a scenario a line comes in, an answer a line goes out. */
public final class Worker {
  /** Seconds that one scenario may take, and a process to start. */
  static final int LIMIT = 10;
  private static final int START_LIMIT = 120;

  private static final String READY = "ready";

  /** Played once before all else: loading the port's classes can take longer than any scenario. */
  private static final String WARM_UP = """
      {"id": "warm-up", "session": {"app": "app", "user": "u", "id": "s"},
       "agent": {"kind": "llm", "name": "w", "tools": [{"name": "t"}], "model": {"script": [
         {"responses": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "t"}}]}}]}]}},
       "plugins": [{"name": "p", "before_model": [], "on_event": [], "before_tool": []}],
       "turns": [{"user": "hi"}]}
      """;

  private Worker() {}

  /** Plays until the input ends. */
  public static void main(String[] arguments) throws Exception {
    // What the port drops after a stop is of no interest.
    RxJavaPlugins.setErrorHandler(error -> {});
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader scenarios =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Player.answer(JSON.readTree(WARM_UP));
    answers.println(READY);
    ExecutorService player = Executors.newSingleThreadExecutor(Worker::daemon);
    for (String line; (line = scenarios.readLine()) != null; ) {
      String scenario = line;
      Future<String> played = player.submit(() -> Player.answer(JSON.readTree(scenario)).toString());
      try {
        answers.println(played.get(LIMIT + 5, TimeUnit.SECONDS));
      } catch (TimeoutException late) {
        // The driver has killed this process by now, unless it is gone itself.
        Runtime.getRuntime().halt(1);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(null, work, "player");
    thread.setDaemon(true);
    return thread;
  }

  /** The driver's side of such a process. */
  static final class Remote {
    private final Process process;
    private final BufferedReader answers;
    private final OutputStream scenarios;

    Remote() throws IOException, InterruptedException {
      process = new ProcessBuilder(
              ProcessHandle.current().info().command().orElse("java"),
              "-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
              "-cp", System.getProperty("java.class.path"), Worker.class.getName())
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      // However the driver ends, short of a kill: then the worker sees the end of its input.
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      scenarios = process.getOutputStream();
      if (!READY.equals(next(START_LIMIT))) throw new IOException("the worker does not start");
    }

    /** Returns the answer, or null when there is none in time. */
    String play(String scenario) throws IOException, InterruptedException {
      scenarios.write((scenario + "\n").getBytes(StandardCharsets.UTF_8));
      scenarios.flush();
      return next(LIMIT);
    }

    private String next(int seconds) throws IOException, InterruptedException {
      CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
        try {
          return answers.readLine();
        } catch (IOException error) {
          return null;
        }
      });
      try {
        String read = line.get(seconds, TimeUnit.SECONDS);
        if (read == null) throw new IOException("exit code " + process.waitFor());
        return read;
      } catch (TimeoutException late) {
        return null;
      } catch (ExecutionException error) {
        throw new IOException(error.getCause());
      }
    }

    /** Leaves no process behind. */
    void end() throws InterruptedException {
      process.destroyForcibly();
      process.waitFor();
    }
  }
}
