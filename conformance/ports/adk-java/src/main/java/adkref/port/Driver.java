// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import static adkref.port.Snapshots.JSON;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.adk.Version;
import com.google.adk.runner.Runner;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * A driver for google-adk, the Java port: plays adk-scenario/1 documents, one a line.
 *
 * <p>A request is a JSON line on standard input, its answer a JSON line on standard output. A
 * scenario may script an endless loop, which nothing stops inside a Java process, so scenarios are
 * played in a second one ({@link Worker}), which is killed and replaced when one takes too long.
 */
public final class Driver {
  private Worker.Remote worker;

  private Driver() {}

  /** Answers until the input ends or asks to stop. */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Driver driver = new Driver();
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = requests.readLine()) != null; ) {
      if (line.isBlank()) continue;
      JsonNode answer = driver.answer(line);
      if (answer == null) break;
      answers.println(answer);
    }
    if (driver.worker != null) driver.worker.end();
  }

  /** Answers one line, whatever it holds; null asks to stop. */
  private JsonNode answer(String line) throws Exception {
    ObjectNode out = JSON.createObjectNode();
    JsonNode request;
    try {
      request = JSON.readTree(line);
    } catch (JsonProcessingException error) {
      return out.put("error", "bad request: " + error.getOriginalMessage());
    }
    if (!request.isObject()) return out.put("error", "bad request: is no object");
    String cmd = request.path("cmd").asText("");
    if (cmd.equals("hello")) return hello();
    if (cmd.equals("stop")) return null;
    if (!cmd.equals("run")) return out.put("error", "bad request: unknown cmd " + request.path("cmd"));
    JsonNode scenario = request.path("scenario");
    if (!scenario.isObject()) return out.put("error", "bad request: the scenario is no object");
    // Protocol 1 has an id of the request; before it, the scenario's own stood here.
    JsonNode id = request.has("id") ? request.get("id") : scenario.path("id");
    if (id.isTextual() || id.isIntegralNumber()) out.set("id", id);
    if (worker == null) worker = new Worker.Remote();
    try {
      String played = worker.play(scenario.toString());
      if (played != null) return out.setAll((ObjectNode) JSON.readTree(played));
      out.put("error", "timeout");
    } catch (IOException error) {
      out.put("panic", "the process died: " + error.getMessage());
    }
    worker.end();
    worker = null;
    return out;
  }

  private static JsonNode hello() throws Exception {
    ObjectNode out = JSON.createObjectNode()
        .put("implementation", "adk-java")
        .put("version", Version.JAVA_ADK_VERSION)
        .put("source_hash", sourceHash())
        .put("language", "java")
        .put("format", Script.FORMAT)
        .put("protocol", 1);
    out.putArray("formats").add(Script.FORMAT);
    Script.SKIPS.forEach(out.putArray("skips")::add);
    // PAR-045: nothing comes from a sibling once another one failed.  RUN-084: the cause.
    out.putObject("choices").put("PAR-045", "none").put("RUN-084", "cause");
    return out;
  }

  /** Returns a hash of what is really installed, whatever its version says. */
  private static String sourceHash() throws Exception {
    Path jar = Path.of(Runner.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
    return "sha256:" + HexFormat.of().formatHex(digest).substring(0, 16);
  }
}
