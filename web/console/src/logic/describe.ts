// A JSON Schema as rows of a table that a person reads.
import type { Json, JsonObject } from '../api/mcp';
import { asList, choicesOf, type Field, fieldOf, isObject, ownText, resolve } from './schema';

export interface SchemaRow {
  depth: number;
  name: string;
  type: string;
  required: boolean;
  description: string;
  /** Bounds, a default, a format: short phrases. */
  notes: string[];
}

const DEEPEST = 6;
const MOST_ROWS = 400;
const MOST_CHOICES = 12;

export function describe(schema: Json): SchemaRow[] {
  const rows: SchemaRow[] = [];
  addMembers(schema, { root: schema, rows, depth: 0 });
  return rows;
}

interface Context {
  root: Json;
  rows: SchemaRow[];
  depth: number;
}

function addMembers(schema: Json, context: Context): void {
  const field = fieldOf(schema, context.root, '', context.depth);
  for (const { name, schema: part, required } of field.properties) add(name, part, required, context);
  if (isObject(field.additional)) add('*', field.additional, false, context);
  if (field.kind !== 'union') return;
  for (const [i, part] of field.alternatives.entries()) addAlternative(part, i, context);
}

function addAlternative(part: JsonObject, index: number, context: Context): void {
  const title = ownText(resolve(part, context.root).title);
  add(title ? `(${title})` : `(${index + 1})`, part, false, context);
}

function add(name: string, schema: Json, required: boolean, context: Context): void {
  const { rows, root, depth } = context;
  if (rows.length >= MOST_ROWS) return;
  const field = fieldOf(schema, root, name, depth);
  const title = ownText(field.schema.title);
  const description = [title === name ? '' : title, field.description].filter(Boolean).join(': ');
  rows.push({ depth, name, type: typeText(field, root), required, description, notes: notesOf(field) });
  if (depth + 1 > DEEPEST) return;
  const inner = { ...context, depth: depth + 1 };
  if (field.kind === 'object') addMembers(schema, inner);
  if (field.kind === 'array') addMembers(field.items, inner);
  if (field.kind !== 'union') return;
  for (const [i, part] of field.alternatives.entries()) addAlternative(part, i, inner);
}

function typeText(field: Field, root: Json): string {
  switch (field.kind) {
    case 'enum':
      return field.choices
        .slice(0, MOST_CHOICES)
        .map((choice) => JSON.stringify(choice.value))
        .join(' | ')
        .concat(field.choices.length > MOST_CHOICES ? ' | …' : '');
    case 'array':
      return `${typeText(fieldOf(field.items, root), root)}[]`;
    case 'multi':
      return `(${typeText({ ...field, kind: 'enum' }, root)})[]`;
    case 'union':
      return field.alternatives.map((part) => fieldOf(part, root).kind).join(' | ');
    case 'json':
      return 'any';
    default:
      return field.kind;
  }
}

const BOUNDS: [string, string][] = [
  ['minimum', '≥ '],
  ['exclusiveMinimum', '> '],
  ['maximum', '≤ '],
  ['exclusiveMaximum', '< '],
  ['minLength', 'length ≥ '],
  ['maxLength', 'length ≤ '],
  ['minItems', 'items ≥ '],
  ['maxItems', 'items ≤ '],
  ['multipleOf', 'multiple of '],
];

function notesOf({ schema }: Field): string[] {
  const notes = BOUNDS.filter(([name]) => typeof schema[name] === 'number').map(
    ([name, sign]) => sign + schema[name],
  );
  const format = ownText(schema.format);
  if (format) notes.push(format.slice(0, 60));
  const pattern = ownText(schema.pattern);
  if (pattern) notes.push(pattern.slice(0, 120));
  if (schema.default !== undefined) notes.push(`= ${JSON.stringify(schema.default).slice(0, 120)}`);
  if (schema.deprecated === true) notes.push('deprecated');
  return notes;
}

/** Whether a schema of arguments takes any at all. */
export function takesArguments(schema: Json | undefined): boolean {
  if (!isObject(schema)) return false;
  const resolved = resolve(schema, schema);
  const named = isObject(resolved.properties) && Object.keys(resolved.properties).length > 0;
  const alternatives = asList(resolved.oneOf).length + asList(resolved.anyOf).length > 0;
  return (
    named || alternatives || isObject(resolved.additionalProperties) || choicesOf(resolved) !== undefined
  );
}
