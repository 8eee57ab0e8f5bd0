// JSON Schema as a form: which field a schema becomes, and the value that it begins with.
import type { Json, JsonObject } from '../api/mcp';

export type FieldKind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'enum'
  | 'object'
  | 'array'
  | 'multi'
  | 'union'
  | 'null'
  | 'json';

export interface Choice {
  value: Json;
  label: string;
}

export interface Field {
  kind: FieldKind;
  title: string;
  description: string;
  schema: JsonObject;
  /** Of an object, in the order of the schema. */
  properties: { name: string; schema: Json; required: boolean }[];
  /** Of an enum, and of an array of enums. */
  choices: Choice[];
  /** Of a union: oneOf, anyOf or several types. */
  alternatives: JsonObject[];
  /** Of an array. */
  items: Json;
  /** Of an object: members that it does not name, if it may have any. */
  additional: Json;
}

const MOST_DEREFERENCED = 16;
const DEEPEST = 12;
export const MOST_CHOICES = 2000;

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function ownText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** What a local `$ref` points at; undefined for any other. */
function target(ref: string, root: Json): Json | undefined {
  if (!ref.startsWith('#')) return undefined;
  let at: Json | undefined = root;
  const segments = ref.slice(1).split('/').slice(1);
  for (const segment of segments) {
    let name: string;
    try {
      name = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    } catch {
      return undefined;
    }
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

/** The schema without `$ref` and `allOf` at its top. */
export function resolve(schema: Json, root: Json): JsonObject {
  let found: JsonObject = isObject(schema) ? schema : {};
  for (let i = 0; i < MOST_DEREFERENCED; ++i) {
    const ref = found.$ref;
    if (typeof ref !== 'string') break;
    const next = target(ref, root);
    if (!isObject(next)) break;
    const { $ref: _, ...beside } = found;
    found = { ...next, ...beside };
  }
  return merged(found, root, 0);
}

function merged(schema: JsonObject, root: Json, depth: number): JsonObject {
  const parts = schema.allOf;
  if (!Array.isArray(parts) || depth > DEEPEST) return schema;
  const { allOf: _, ...whole } = schema;
  let result: JsonObject = whole;
  for (const part of parts.slice(0, 50)) {
    const ref = isObject(part) && typeof part.$ref === 'string' ? target(part.$ref, root) : part;
    if (!isObject(ref)) continue;
    const more = merged(ref, root, depth + 1);
    result = {
      ...more,
      ...result,
      ...(more.properties || result.properties
        ? { properties: { ...(result.properties as JsonObject), ...(more.properties as JsonObject) } }
        : {}),
      ...(more.required || result.required
        ? { required: [...asList(result.required), ...asList(more.required)] }
        : {}),
    };
  }
  return result;
}

export function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** A list of enum values, or of `oneOf`/`anyOf` with a `const` each. */
export function choicesOf(schema: JsonObject): Choice[] | undefined {
  if (Array.isArray(schema.enum)) {
    const names = asList(schema.enumNames);
    return schema.enum.slice(0, MOST_CHOICES).map((value, i) => ({
      value,
      label: ownText(names[i]) || (typeof value === 'string' ? value : JSON.stringify(value)),
    }));
  }
  if ('const' in schema) {
    const value = schema.const ?? null;
    return [{ value, label: typeof value === 'string' ? value : JSON.stringify(value) }];
  }
  for (const member of ['oneOf', 'anyOf']) {
    const parts = asList(schema[member]);
    if (parts.length === 0 || !parts.every((part) => isObject(part) && 'const' in part)) continue;
    return parts.slice(0, MOST_CHOICES).map((part) => {
      const { const: value = null, title } = part as JsonObject;
      return { value, label: ownText(title) || String(value) };
    });
  }
  return undefined;
}

function typeOf(schema: JsonObject): string | undefined {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (schema.properties || schema.additionalProperties) return 'object';
  if (schema.items || schema.prefixItems) return 'array';
  return undefined;
}

function alternativesOf(schema: JsonObject): JsonObject[] | undefined {
  const { oneOf, anyOf, ...shared } = schema;
  const parts = asList(oneOf).length > 0 ? asList(oneOf) : asList(anyOf);
  if (parts.length > 0) {
    const { title: _t, description: _d, default: _v, ...base } = shared;
    return parts.filter(isObject).map((part) => {
      if (part.$ref) return { ...base, ...part };
      const properties = { ...(base.properties as JsonObject), ...(part.properties as JsonObject) };
      const required = [...asList(base.required), ...asList(part.required)];
      return {
        ...base,
        ...part,
        ...(Object.keys(properties).length > 0 ? { properties } : {}),
        ...(required.length > 0 ? { required } : {}),
      };
    });
  }
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => ({ ...schema, type }));
  }
  return undefined;
}

export function fieldOf(given: Json, root: Json, name = '', depth = 0): Field {
  const schema = resolve(given, root);
  const field: Field = {
    kind: 'json',
    title: ownText(schema.title) || name,
    description: ownText(schema.description),
    schema,
    properties: [],
    choices: [],
    alternatives: [],
    items: {},
    additional: false,
  };
  if (depth > DEEPEST) return field;
  const choices = choicesOf(schema);
  if (choices) return { ...field, kind: 'enum', choices };
  const alternatives = alternativesOf(schema);
  if (alternatives?.length === 1) return fieldOf(alternatives[0] ?? {}, root, name, depth + 1);
  if (alternatives) return { ...field, kind: 'union', alternatives };
  return { ...field, ...typed(schema, root) };
}

function typed(schema: JsonObject, root: Json): Partial<Field> {
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'string' };
    case 'number':
      return { kind: 'number' };
    case 'integer':
      return { kind: 'integer' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'null':
      return { kind: 'null' };
    case 'array': {
      const items = schema.items ?? {};
      const choices = isObject(items) ? choicesOf(resolve(items, root)) : undefined;
      if (schema.prefixItems || items === false) return { kind: 'json' };
      return choices ? { kind: 'multi', items, choices } : { kind: 'array', items };
    }
    case 'object':
      return objectField(schema);
    default:
      return { kind: 'json' };
  }
}

function objectField(schema: JsonObject): Partial<Field> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(asList(schema.required));
  return {
    kind: 'object',
    additional: schema.additionalProperties ?? true,
    properties: Object.entries(properties).map(([name, part]) => ({
      name,
      schema: part,
      required: required.has(name),
    })),
  };
}

/** The value that a form begins with: defaults, constants, and what is required. */
export function initialValue(given: Json, root: Json, depth = 0): Json {
  const field = fieldOf(given, root, '', depth);
  const { schema } = field;
  if (schema.default !== undefined) return schema.default;
  if (depth > DEEPEST) return null;
  switch (field.kind) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' && schema.minimum > 0 ? schema.minimum : 0;
    case 'boolean':
      return false;
    case 'enum':
      return field.choices[0]?.value ?? null;
    case 'array':
      return initialItems(field, root, depth);
    case 'multi':
      return [];
    case 'union':
      return initialValue(field.alternatives[0] ?? {}, root, depth + 1);
    case 'object':
      return initialObject(field, root, depth);
    default:
      return null;
  }
}

const MOST_ITEMS = 5;

function initialItems(field: Field, root: Json, depth: number): Json[] {
  const { minItems } = field.schema;
  const count = typeof minItems === 'number' ? Math.min(Math.max(0, Math.floor(minItems)), MOST_ITEMS) : 0;
  return Array.from({ length: count }, () => initialValue(field.items, root, depth + 1));
}

function initialObject(field: Field, root: Json, depth: number): JsonObject {
  const value: JsonObject = {};
  for (const { name, schema, required } of field.properties) {
    const part = fieldOf(schema, root, name, depth + 1);
    const given = part.schema.default !== undefined;
    // A number has no empty value: one that is required stays open until somebody enters it.
    const open = part.kind === 'number' || part.kind === 'integer';
    if (given || (required && !open)) value[name] = initialValue(schema, root, depth + 1);
  }
  return value;
}

/** Which alternative of a union a value is most likely of. */
export function alternativeOf(alternatives: JsonObject[], value: Json, root: Json): number {
  const fits = alternatives.findIndex((part) => couldBe(part, value, root));
  return Math.max(fits, 0);
}

function couldBe(part: JsonObject, value: Json, root: Json): boolean {
  const field = fieldOf(part, root);
  switch (field.kind) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
    case 'multi':
      return Array.isArray(value);
    case 'enum':
      return field.choices.some((choice) => JSON.stringify(choice.value) === JSON.stringify(value));
    case 'object':
      return isObject(value) && field.properties.every((property) => fitsMember(property, value, root));
    default:
      return true;
  }
}

function fitsMember(property: Field['properties'][number], value: JsonObject, root: Json): boolean {
  const member = value[property.name];
  if (member === undefined) return !property.required;
  const choices = choicesOf(resolve(property.schema, root));
  return !choices || choices.some((choice) => choice.value === member);
}
