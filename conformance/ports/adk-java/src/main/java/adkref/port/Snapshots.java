// SPDX-License-Identifier: Apache-2.0
package adkref.port;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.adk.JsonBaseModel;
import com.google.adk.events.Event;
import com.google.adk.models.LlmRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What a trace shows of the port's objects, in the JSON form of the format's page. */
final class Snapshots {
  static final ObjectMapper JSON = new ObjectMapper();

  /** Where the user's own data begins: it is shown as it is. */
  private static final Set<String> USER_DATA =
      Set.of("stateDelta", "artifactDelta", "args", "response", "output", "customMetadata", "payload");

  /** An empty object stays under these: an event with an empty content is not one without. */
  private static final Set<String> KEPT_WHEN_EMPTY = Set.of("content", "text");

  private Snapshots() {}

  /** Returns a copy of a value in JSON types; null of null. */
  static JsonNode plain(Object value) {
    if (value == null) return null;
    try {
      return value instanceof JsonNode node
          ? node.deepCopy()
          : JSON.readTree(JsonBaseModel.getMapper().writeValueAsString(value));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Returns JSON as a plain Java value. */
  static Object value(JsonNode node) {
    return JSON.convertValue(node, Object.class);
  }

  /** Returns a JSON object as a map. */
  static Map<String, Object> map(JsonNode node) {
    return JSON.convertValue(node, new TypeReference<LinkedHashMap<String, Object>>() {});
  }

  /** Returns a value without null, "", false, [] and {}, the user's own data apart. */
  static JsonNode pruned(JsonNode value) {
    if (value.isArray()) {
      ArrayNode out = JSON.createArrayNode();
      value.forEach(item -> out.add(pruned(item)));
      return out;
    }
    if (!value.isObject()) return value;
    ObjectNode out = JSON.createObjectNode();
    value.fields().forEachRemaining(field -> {
      String key = field.getKey();
      JsonNode item = field.getValue();
      if (USER_DATA.contains(key)) {
        if (!item.isNull() && !(item.isObject() && item.isEmpty())) out.set(key, item);
        return;
      }
      JsonNode small = pruned(item);
      if (small.isNull() || small.isTextual() && small.asText().isEmpty()) return;
      if (small.isBoolean() && !small.asBoolean() || small.isArray() && small.isEmpty()) return;
      if (small.isObject() && small.isEmpty() && !KEPT_WHEN_EMPTY.contains(key)) return;
      out.set(key, small);
    });
    return out;
  }

  /** Returns what a trace shows of a content or a response; null of null. */
  static JsonNode shown(Object value) {
    return value == null ? null : pruned(plain(value));
  }

  /** Returns an event without its own id and time. */
  static JsonNode event(Event event) {
    ObjectNode fields = (ObjectNode) plain(event);
    fields.remove(List.of("id", "timestamp"));
    return pruned(fields);
  }

  /** Returns what a trace shows of a request to a model. */
  static JsonNode request(LlmRequest request) {
    ObjectNode out = JSON.createObjectNode();
    request.model().ifPresent(model -> out.put("model", model));
    ArrayNode contents = out.putArray("contents");
    request.contents().forEach(content -> contents.add(shown(content)));
    request.config().ifPresent(config -> {
      config.systemInstruction().ifPresent(instruction -> {
        ArrayNode texts = out.putArray("system_instruction");
        instruction.parts().orElse(List.of()).forEach(part -> texts.add(part.text().orElse("")));
      });
      ArrayNode names = JSON.createArrayNode();
      config.tools().orElse(List.of()).forEach(tool ->
          tool.functionDeclarations().orElse(List.of()).forEach(it -> names.add(it.name().orElse(""))));
      if (!names.isEmpty()) out.set("tools", names);
      if (config.responseSchema().isPresent() || config.responseJsonSchema().isPresent()) {
        out.put("response_schema", true);
      }
      config.responseMimeType().ifPresent(type -> out.put("response_mime_type", type));
    });
    return out;
  }

  /** Names generated ids by first appearance: keys in sorted order, a key before its value. */
  static final class Names {
    private static final Pattern ID =
        Pattern.compile("(e-|adk-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private final Map<String, String> invocations = new HashMap<>();
    private final Map<String, String> others = new HashMap<>();

    JsonNode walk(JsonNode value) {
      if (value.isTextual()) return JSON.getNodeFactory().textNode(rename(value.asText()));
      if (value.isArray()) {
        ArrayNode out = JSON.createArrayNode();
        value.forEach(item -> out.add(walk(item)));
        return out;
      }
      if (!value.isObject()) return value;
      ObjectNode out = JSON.createObjectNode();
      TreeSet<String> keys = new TreeSet<>();
      value.fieldNames().forEachRemaining(keys::add);
      for (String key : keys) out.set(rename(key), walk(value.get(key)));
      return out;
    }

    private String rename(String text) {
      return ID.matcher(text).replaceAll(found -> {
        String prefix = found.group(1);
        if ("e-".equals(prefix)) return name(invocations, found.group(), "inv");
        return name(others, found.group(), prefix == null ? "id" : "adk");
      });
    }

    private static String name(Map<String, String> names, String id, String label) {
      // The size must be read before the entry is there.
      int next = names.size() + 1;
      return names.computeIfAbsent(id, it -> label + "-" + next);
    }
  }
}
