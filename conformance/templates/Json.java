// SPDX-License-Identifier: Apache-2.0
import java.util.*;

/** The smallest JSON reader and writer that the driver can do with; take a library instead. */
final class Json {
  private final String text;
  private int at = 0;

  Json(String text) { this.text = text; }

  Object read() {
    skip();
    char c = text.charAt(at);
    if (c == '{') {
      Map<String, Object> out = new TreeMap<>();
      for (at++; !ends('}'); ) {
        String key = (String) read();
        ends(':');
        Object value = read();
        if (value != null) out.put(key, value);  // here, null says no more than nothing does
      }
      return out;
    }
    if (c == '[') {
      List<Object> out = new ArrayList<>();
      for (at++; !ends(']'); ) out.add(read());
      return out;
    }
    if (c == '"') return string();
    int start = at;
    while (at < text.length() && ",]}: \t".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(start, at);
    switch (word) {
      case "null": return null;
      case "true": return true;
      case "false": return false;
      default: return word.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
    }
  }

  private void skip() { while (at < text.length() && " \t,".indexOf(text.charAt(at)) >= 0) at++; }

  /** Skips a sign if it is next, and says whether it was. */
  private boolean ends(char sign) {
    skip();
    if (text.charAt(at) != sign) return false;
    at++;
    return true;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      char c = text.charAt(at);
      if (c != '\\') { out.append(c); continue; }
      c = text.charAt(++at);
      int known = "nrtbf".indexOf(c);
      if (c == 'u') { out.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16)); at += 4; }
      else out.append(known < 0 ? c : "\n\r\t\b\f".charAt(known));
    }
    at++;
    return out.toString();
  }

  static String write(Object value) {
    StringJoiner out;
    if (value instanceof Map) {
      out = new StringJoiner(",", "{", "}");
      ((Map<?, ?>) value).forEach((key, item) -> out.add(write(key) + ":" + write(item)));
    } else if (value instanceof List) {
      out = new StringJoiner(",", "[", "]");
      ((List<?>) value).forEach(item -> out.add(write(item)));
    } else if (value instanceof String) {
      StringBuilder text = new StringBuilder("\"");
      for (char c : ((String) value).toCharArray())
        text.append(c == '"' || c == '\\' ? "\\" + c : c < ' ' ? String.format("\\u%04x", (int) c) : "" + c);
      return text + "\"";
    } else {
      return String.valueOf(value);
    }
    return out.toString();
  }
}
