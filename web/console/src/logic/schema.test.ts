import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe } from './describe';
import { alternativeOf, fieldOf, initialValue, resolve } from './schema';
import { validate } from './validate';

const ORDER = {
  type: 'object',
  $defs: {
    address: {
      type: 'object',
      properties: { city: { type: 'string', default: 'Bern' } },
      required: ['city'],
    },
  },
  properties: {
    customer: { type: 'string', minLength: 2 },
    count: { type: 'integer', minimum: 1 },
    lines: { type: 'array', minItems: 1, items: { type: 'object', properties: { n: { type: 'integer' } } } },
    address: { $ref: '#/$defs/address' },
    priority: { enum: ['low', 'high'], default: 'low' },
    labels: { type: 'array', items: { enum: ['cold', 'heavy'] } },
    payment: {
      oneOf: [
        { title: 'Card', properties: { kind: { const: 'card' } }, required: ['kind'] },
        {
          title: 'Invoice',
          properties: { kind: { const: 'invoice' }, days: { type: 'integer' } },
          required: ['kind', 'days'],
        },
      ],
    },
  },
  required: ['customer', 'count', 'lines', 'address'],
};

const kindOf = (schema: Parameters<typeof fieldOf>[0], root = schema): string => fieldOf(schema, root).kind;

test('each kind of schema becomes its kind of field', () => {
  const { properties } = ORDER;
  assert.equal(kindOf(ORDER), 'object');
  assert.equal(kindOf(properties.customer), 'string');
  assert.equal(kindOf(properties.count), 'integer');
  assert.equal(kindOf(properties.lines), 'array');
  assert.equal(kindOf(properties.priority), 'enum');
  assert.equal(kindOf(properties.labels), 'multi');
  assert.equal(kindOf(properties.payment), 'union');
  assert.equal(kindOf(properties.address, ORDER), 'object');
  assert.equal(kindOf({ type: ['string', 'null'] }), 'union');
  assert.equal(kindOf({ anyOf: [{ const: 1, title: 'One' }, { const: 2 }] }), 'enum');
  assert.equal(kindOf({ anyOf: [{ type: 'string' }] }), 'string');
  assert.equal(kindOf({ type: 'array', prefixItems: [{}] }), 'json');
  assert.equal(kindOf({}), 'json');
  assert.equal(kindOf(true), 'json');
});

test('a form begins with defaults and what is required', () => {
  assert.deepEqual(initialValue(ORDER, ORDER), {
    customer: '',
    lines: [{}],
    address: { city: 'Bern' },
    priority: 'low',
  });
});

test('a schema that contains itself ends', () => {
  const node = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
  assert.ok(JSON.stringify(initialValue(node, node)).length < 1000);
  const loop = { $ref: '#' };
  assert.equal(fieldOf(loop, loop).kind, 'json');
  assert.ok(describe(node).length < 50);
  assert.ok(validate({ next: {} }, node).length > 0);
});

test('a reference to nothing, and one to a member of a prototype, is no schema', () => {
  assert.deepEqual(resolve({ $ref: '#/nothing' }, {}), { $ref: '#/nothing' });
  assert.deepEqual(resolve({ $ref: '#/constructor' }, {}), { $ref: '#/constructor' });
  assert.deepEqual(resolve({ $ref: 'https://example.com/schema' }, {}), {
    $ref: 'https://example.com/schema',
  });
});

test('allOf is one object', () => {
  const schema = {
    allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: {} } }],
  };
  const field = fieldOf(schema, schema);
  assert.deepEqual(
    field.properties.map(({ name, required }) => [name, required]),
    [
      ['a', true],
      ['b', false],
    ],
  );
});

test('the alternative of a value is found', () => {
  const parts = fieldOf(ORDER.properties.payment, ORDER).alternatives;
  assert.equal(alternativeOf(parts, { kind: 'invoice', days: 30 }, ORDER), 1);
  assert.equal(alternativeOf(parts, { kind: 'card' }, ORDER), 0);
  assert.equal(alternativeOf([{ type: 'string' }, { type: 'null' }], null, {}), 1);
});

test('faults name their path and rule', () => {
  const faults = validate({ customer: 'a', lines: [], address: {}, priority: 'x', count: 0 }, ORDER);
  assert.deepEqual(
    faults.map(({ path, rule }) => `${path} ${rule}`).sort(),
    ['/address required', '/count minimum', '/customer length', '/lines items', '/priority enum'].sort(),
  );
  assert.deepEqual(
    validate({ customer: 'ann', lines: [{ n: 1 }], address: { city: 'x' }, count: 1 }, ORDER),
    [],
  );
  assert.equal(validate({ a: 1 }, { additionalProperties: false })[0]?.rule, 'additional');
  assert.equal(validate(1.5, { type: 'integer' })[0]?.rule, 'type');
  assert.equal(validate('b', { oneOf: [{ const: 'a' }] })[0]?.rule, 'one');
});

// Without the guard this test does not end.
test('a pattern that takes exponential time is not tried', () => {
  assert.deepEqual(validate('a'.repeat(40), { type: 'string', pattern: '^(a+)+b$' }), []);
  validate('a'.repeat(2000), { type: 'string', pattern: '^(a|a)*(b|b)*(c|c)*$' });
});

test('a schema becomes rows', () => {
  const rows = describe(ORDER);
  const row = (name: string) => rows.find((one) => one.name === name);
  assert.deepEqual(row('customer')?.notes, ['length ≥ 2']);
  assert.equal(row('priority')?.type, '"low" | "high"');
  assert.equal(row('city')?.depth, 1);
  assert.equal(row('(Invoice)')?.depth, 1);
  assert.equal(row('labels')?.type, '("cold" | "heavy")[]');
});
