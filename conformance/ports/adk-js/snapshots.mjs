// SPDX-License-Identifier: Apache-2.0
// What a trace shows of the port's objects, in the JSON form of the format's page.

/** Where the user's own data begins: it is shown as it is. */
const USER_DATA = new Set([
  'stateDelta', 'artifactDelta', 'args', 'response', 'output', 'customMetadata', 'payload',
]);
/** An empty object stays under these: an event with an empty content is not one without. */
const KEPT_WHEN_EMPTY = new Set(['content', 'text']);

export const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

const isEmpty = (value) => isMap(value) && Object.keys(value).length === 0;

/** A copy of a value in JSON types. */
export const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** A value without null, "", false, [] and {}, the user's own data apart. */
export function pruned(value) {
  if (Array.isArray(value)) return value.map(pruned);
  if (!isMap(value)) return value;
  const out = {};
  for (const [key, item] of Object.entries(value)) {
    if (USER_DATA.has(key)) {
      if (item !== null && !isEmpty(item)) out[key] = item;
      continue;
    }
    const small = pruned(item);
    if (small === null || small === '' || small === false) continue;
    if (Array.isArray(small) && small.length === 0) continue;
    if (isEmpty(small) && !KEPT_WHEN_EMPTY.has(key)) continue;
    out[key] = small;
  }
  return out;
}

/** What a trace shows of a content or a response; nothing of nothing. */
export const shown = (value) => (value === undefined || value === null ? undefined : pruned(plain(value)));

/** An event without its own id and time. */
export function eventJson(event) {
  const fields = plain(event);
  if (!isMap(fields)) return undefined;
  delete fields.id;
  delete fields.timestamp;
  return pruned(fields);
}

/** What a trace shows of a request to a model. */
export function requestJson(request) {
  const out = {};
  if (request.model) out.model = request.model;
  out.contents = (request.contents ?? []).map(shown);
  const config = request.config ?? {};
  const instruction = config.systemInstruction;
  if (instruction) {
    out.system_instruction =
      typeof instruction === 'string' ? [instruction] : (instruction.parts ?? [instruction]).map((part) => part.text);
  }
  const names = (config.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map((it) => it.name));
  if (names.length) out.tools = names;
  if (config.responseSchema || config.responseJsonSchema) out.response_schema = true;
  if (config.responseMimeType) out.response_mime_type = config.responseMimeType;
  return out;
}

const ID = /(e-|adk-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TOOL_LIST = /Available tools: [^\\\n"]+/g;

/** Names generated ids by first appearance, walking keys in sorted order, a key before its value. */
export class Names {
  #invocations = new Map();
  #others = new Map();

  walk(value) {
    if (typeof value === 'string') return this.#rename(value);
    if (Array.isArray(value)) return value.map((item) => this.walk(item));
    if (!isMap(value)) return value;
    const out = {};
    for (const key of Object.keys(value).sort()) out[this.#rename(key)] = this.walk(value[key]);
    return out;
  }

  #rename(text) {
    return text
      .replace(TOOL_LIST, (list) => list.slice(0, 17) + list.slice(17).split(', ').sort().join(', '))
      .replace(ID, (id, prefix) => {
        if (prefix === 'e-') return name(this.#invocations, id, 'inv');
        return name(this.#others, id, prefix ? 'adk' : 'id');
      });
  }
}

function name(names, id, label) {
  if (!names.has(id)) names.set(id, `${label}-${names.size + 1}`);
  return names.get(id);
}
