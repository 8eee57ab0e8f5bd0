// What fits at the cursor of a configuration in YAML: the keys of the section around it, or the
// values of its key. From the JSON Schema of the configuration.
import type { JsonObject } from '../api/mcp';
import { isObject } from './schema';

export interface Suggestion {
  text: string;
  meaning: string;
}

export interface Completion {
  /** What has been typed of it is between these. */
  from: number;
  to: number;
  found: Suggestion[];
}

const KEY_LINE = /^((?:\s|- )*)([^\s#:'"{[-][^:]*):/;
const TYPED_KEY = /^((?:\s|- )*)([\w.]*)$/;
const TYPED_VALUE = /^((?:\s|- )*)([\w.]+):\s+([\w-]*)$/;
const MOST = 8;

interface Line {
  indent: number;
  key: string;
  value: string;
}

function readLine(line: string): Line | undefined {
  const match = KEY_LINE.exec(line);
  if (!match) return undefined;
  const [whole, indent = '', key = ''] = match;
  return { indent: indent.length, key: key.trim(), value: line.slice(whole.length).trim() };
}

interface Block {
  path: string[];
  /** The keys of the section around the cursor. */
  siblings: Set<string>;
  /** The kind of the upstream around the cursor. */
  kind: string;
}

function blockAt(lines: readonly string[], number: number, indent: number): Block {
  const path: string[] = [];
  const siblings = new Set<string>();
  let level = indent;
  for (let i = number - 1; i >= 0 && (level > 0 || indent === 0); --i) {
    const line = readLine(lines[i] ?? '');
    if (line?.indent === indent && level === indent) siblings.add(line.key);
    if (!line || line.indent >= level) continue;
    path.unshift(line.key);
    level = line.indent;
  }
  for (let i = number + 1; i < lines.length; ++i) {
    const line = readLine(lines[i] ?? '');
    if (line && line.indent < indent) break;
    if (line?.indent === indent) siblings.add(line.key);
  }
  return { path, siblings, kind: kindAt(lines, number, path) };
}

/** An upstream is at the second level: its name, and its settings below. */
function kindAt(lines: readonly string[], number: number, path: readonly string[]): string {
  if (path[0] !== 'upstreams' || path.length < 2) return '';
  const indentOf = (i: number): number => readLine(lines[i] ?? '')?.indent ?? Number.POSITIVE_INFINITY;
  let start = number - 1;
  while (start > 0 && readLine(lines[start] ?? '')?.key !== path[1]) --start;
  for (let i = start + 1; i < lines.length && indentOf(i) > indentOf(start); ++i) {
    const line = readLine(lines[i] ?? '');
    if (line?.key === 'kind') return line.value.replace(/["']/g, '').replace(/\s.*$/, '');
  }
  return 'stdio';
}

function propertiesOf(schema: JsonObject, root: JsonObject, kind: string): JsonObject {
  const own = isObject(schema.properties) ? schema.properties : {};
  const reference = `#/$defs/upstreams-${kind}`;
  const branches = Array.isArray(schema.allOf) ? schema.allOf.filter(isObject) : [];
  const fits = branches.some(({ then }) => isObject(then) && then.$ref === reference);
  if (!fits || !isObject(root.$defs)) return own;
  const variant = root.$defs[`upstreams-${kind}`];
  return isObject(variant) && isObject(variant.properties) ? { ...own, ...variant.properties } : own;
}

function within(schema: JsonObject): JsonObject {
  return isObject(schema.items) ? within(schema.items) : schema;
}

function sectionAt(root: JsonObject, block: Block): JsonObject | undefined {
  let schema: JsonObject = root;
  for (const key of block.path) {
    const next = propertiesOf(within(schema), root, block.kind)[key] ?? within(schema).additionalProperties;
    if (!isObject(next)) return undefined;
    schema = next;
  }
  return within(schema);
}

function valuesOf(schema: unknown): Suggestion[] {
  if (!isObject(schema)) return [];
  const listed = Array.isArray(schema.enum) ? schema.enum : [];
  const values = schema.type === 'boolean' ? [true, false] : listed;
  return values.map((value) => ({ text: String(value), meaning: '' }));
}

function meaningOf(schema: unknown): string {
  return isObject(schema) && typeof schema.description === 'string' ? schema.description : '';
}

/** undefined: nothing fits, or the place is not understood. */
export function completionAt(text: string, cursor: number, root: JsonObject): Completion | undefined {
  const lines = text.split('\n');
  const number = text.slice(0, cursor).split('\n').length - 1;
  const begin = text.lastIndexOf('\n', cursor - 1) + 1;
  const before = text.slice(begin, cursor);
  const key = TYPED_KEY.exec(before);
  const value = key ? null : TYPED_VALUE.exec(before);
  const match = key ?? value;
  if (!match || (lines[number] ?? '').slice(before.length).trim() !== '') return undefined;
  const block = blockAt(lines, number, (match[1] ?? '').length);
  const section = sectionAt(root, block);
  if (!section) return undefined;
  const properties = propertiesOf(section, root, block.kind);
  const typed = (key ? key[2] : value?.[3]) ?? '';
  const all = key
    ? Object.entries(properties)
        .filter(([name]) => !block.siblings.has(name))
        .map(([name, of]) => ({ text: `${name}: `, meaning: meaningOf(of) }))
    : valuesOf(properties[value?.[2] ?? '']);
  const found = all.filter((one) => one.text.startsWith(typed) && one.text !== typed).slice(0, MOST);
  return found.length > 0 ? { from: cursor - typed.length, to: cursor, found } : undefined;
}
