// Checks a value against the common part of JSON Schema, to mark a form or a result. The gateway
// checks arguments again, with all of it: what this does not know, it lets pass.
import type { Json, JsonObject } from '../api/mcp';
import { exactNumber } from './exact_json';
import { asList, isObject, resolve } from './schema';

export interface Fault {
  /** As a JSON pointer. */
  path: string;
  rule:
    | 'type'
    | 'required'
    | 'enum'
    | 'minimum'
    | 'maximum'
    | 'length'
    | 'pattern'
    | 'items'
    | 'additional'
    | 'one';
  detail: string;
}

const MOST_FAULTS = 50;
const DEEPEST = 24;
const LONGEST_FOR_PATTERN = 2000;

export function validate(value: Json, schema: Json): Fault[] {
  const faults: Fault[] = [];
  check(value, schema, { root: schema, faults, path: '', depth: 0 });
  return faults;
}

interface Context {
  root: Json;
  faults: Fault[];
  path: string;
  depth: number;
}

function check(value: Json, given: Json, context: Context): void {
  if (context.faults.length >= MOST_FAULTS || context.depth > DEEPEST || given === true) return;
  const add = (rule: Fault['rule'], detail: string): void => {
    context.faults.push({ path: context.path, rule, detail });
  };
  const schema = resolve(given, context.root);
  const types = typeof schema.type === 'string' ? [schema.type] : asList(schema.type);
  if (types.length > 0 && !types.some((type) => isType(value, type))) {
    add('type', types.join(' | '));
    return;
  }
  checkFixed(value, schema, add);
  if (typeof value === 'number') checkNumber(value, schema, add);
  if (typeof value === 'string') checkString(value, schema, add);
  if (Array.isArray(value)) checkArray(value, schema, context, add);
  if (isObject(value) && exactNumber(value) === undefined) checkObject(value, schema, context, add);
  checkAlternatives(value, schema, context, add);
}

type Add = (rule: Fault['rule'], detail: string) => void;

function isType(value: Json, type: Json): boolean {
  const digits = exactNumber(value);
  if (digits !== undefined) return type === 'number' || (type === 'integer' && /^-?\d+$/.test(digits));
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function same(a: Json, b: Json): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function checkFixed(value: Json, schema: JsonObject, add: Add): void {
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => same(one, value))) {
    add(
      'enum',
      schema.enum
        .slice(0, 8)
        .map((one) => JSON.stringify(one))
        .join(', '),
    );
  }
  if (schema.const !== undefined && !same(schema.const, value)) add('enum', JSON.stringify(schema.const));
}

function checkNumber(value: number, schema: JsonObject, add: Add): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === 'number' && value < minimum) add('minimum', `≥ ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) add('maximum', `≤ ${maximum}`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    add('minimum', `> ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    add('maximum', `< ${exclusiveMaximum}`);
}

function checkString(value: string, schema: JsonObject, add: Add): void {
  const { minLength, maxLength, pattern } = schema;
  const length = [...value.slice(0, 1_000_000)].length;
  if (typeof minLength === 'number' && length < minLength) add('length', `≥ ${minLength}`);
  if (typeof maxLength === 'number' && length > maxLength) add('length', `≤ ${maxLength}`);
  if (typeof pattern !== 'string' || !isSimple(pattern) || value.length > LONGEST_FOR_PATTERN) return;
  try {
    if (!new RegExp(pattern, 'u').test(value)) add('pattern', pattern.slice(0, 200));
  } catch {
    // The gateway knows whether it is a fault.
  }
}

/** A foreign pattern must not stop the page: one with nested or several repetitions is not tried. */
function isSimple(pattern: string): boolean {
  const repetitions = pattern.match(/[*+{]/g)?.length ?? 0;
  return pattern.length <= 200 && (repetitions <= 1 || !pattern.includes('(')) && repetitions <= 3;
}

function checkArray(value: Json[], schema: JsonObject, context: Context, add: Add): void {
  const { minItems, maxItems, items } = schema;
  if (typeof minItems === 'number' && value.length < minItems) add('items', `≥ ${minItems}`);
  if (typeof maxItems === 'number' && value.length > maxItems) add('items', `≤ ${maxItems}`);
  if (!isObject(items)) return;
  value.slice(0, 2000).forEach((item, i) => {
    check(item, items, { ...context, path: `${context.path}/${i}`, depth: context.depth + 1 });
  });
}

function checkObject(value: JsonObject, schema: JsonObject, context: Context, add: Add): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of asList(schema.required)) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) add('required', name);
  }
  for (const [name, member] of Object.entries(value)) {
    const path = `${context.path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const inner = { ...context, path, depth: context.depth + 1 };
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (part !== undefined) check(member, part, inner);
    else if (schema.additionalProperties === false && !schema.patternProperties) add('additional', name);
    else if (isObject(schema.additionalProperties)) check(member, schema.additionalProperties, inner);
  }
}

function checkAlternatives(value: Json, schema: JsonObject, context: Context, add: Add): void {
  for (const member of ['oneOf', 'anyOf']) {
    const parts = asList(schema[member]);
    if (parts.length === 0) continue;
    const fits = parts.some((part) => {
      const faults: Fault[] = [];
      check(value, part, { ...context, faults, depth: context.depth + 1 });
      return faults.length === 0;
    });
    if (!fits) add('one', member);
  }
}
