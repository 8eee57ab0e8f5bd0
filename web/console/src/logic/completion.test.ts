import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completionAt } from './completion';

// As text: an object with a member `then` could be taken for a promise.
const BRANCHES = JSON.parse(
  '[{"then":{"$ref":"#/$defs/upstreams-stdio"}},{"then":{"$ref":"#/$defs/upstreams-http"}}]',
);

const SCHEMA = {
  properties: {
    listen: { description: 'Address of the listener.' },
    limits: { properties: { max_calls: { description: 'Calls.' }, max_body_size: {} } },
    pins: { enum: ['warn', 'block', 'ignore'] },
    rules: { items: { properties: { role: {}, allow: {}, deny: {} } } },
    rest: { properties: { enabled: { type: 'boolean' } } },
    upstreams: {
      additionalProperties: {
        properties: { kind: { enum: ['stdio', 'http'] } },
        allOf: BRANCHES,
      },
    },
  },
  $defs: {
    'upstreams-stdio': { properties: { command: {}, args: {} } },
    'upstreams-http': { properties: { url: {}, tools: { properties: { allow: {}, deny: {} } } } },
  },
};

/** What is suggested at the `|`. */
function at(text: string): string[] {
  const cursor = text.indexOf('|');
  const found = completionAt(text.replace('|', ''), cursor, SCHEMA)?.found ?? [];
  return found.map((one) => one.text);
}

test('keys of the section around the cursor fit', () => {
  assert.deepEqual(at('li|'), ['listen: ', 'limits: ']);
  assert.deepEqual(at('limits:\n  ma|'), ['max_calls: ', 'max_body_size: ']);
  assert.deepEqual(at('limits:\n  max_calls: 5\n  |\n'), ['max_body_size: ']);
  assert.deepEqual(at('limits:\n  |\n  max_calls: 5\nlisten: x\n'), ['max_body_size: ']);
});

test('keys that are there are not suggested again', () => {
  assert.deepEqual(at('listen: x\nli|\nlimits:\n'), []);
});

test('the keys of an upstream are those of its kind', () => {
  assert.deepEqual(at('upstreams:\n  far:\n    kind: http\n    u|'), ['url: ']);
  assert.deepEqual(at('upstreams:\n  near:\n    co|\n  far:\n    kind: http\n'), ['command: ']);
  assert.deepEqual(at('upstreams:\n  far:\n    kind: "http"\n    tools:\n      |'), ['allow: ', 'deny: ']);
});

test('items of a list have their own keys', () => {
  assert.deepEqual(at('rules:\n  - role: any\n    a|'), ['allow: ']);
  assert.deepEqual(at('rules:\n  - |'), ['role: ', 'allow: ', 'deny: ']);
});

test('values that a key can have', () => {
  assert.deepEqual(at('pins: |'), ['warn', 'block', 'ignore']);
  assert.deepEqual(at('pins: b|'), ['block']);
  assert.deepEqual(at('rest:\n  enabled: |'), ['true', 'false']);
  assert.deepEqual(at('upstreams:\n  far:\n    kind: h|'), ['http']);
});

test('nothing fits where the place is not understood', () => {
  assert.deepEqual(at('# li|'), []);
  assert.deepEqual(at('limits: { ma| }'), []);
  assert.deepEqual(at('nothing:\n  |'), []);
  assert.deepEqual(at('l|isten: x'), []);
});
