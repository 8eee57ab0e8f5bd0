import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../api/control';
import { EventParser } from '../api/events';
import { headerValue, parameterHeaders } from '../api/mcp_headers';
import { CONNECTORS, entryText, plainCommand, withToken } from './connectors';
import { audioUrl, fileName, imageUrl, webUrl } from './content';
import { difference } from './difference';
import { parseExact } from './exact_json';
import { filterQuery, matches, milliseconds, readFilters, selects } from './filters';
import { ago, bytes, compact, duration, tokens } from './format';
import { lagRows } from './lag';
import { flow, frontendNodes, middles, upstreamNodes } from './map';
import { rank } from './search';
import { pointOfCalls, seriesOf } from './series';
import { aroundChanges, sideBySide } from './side_by_side';
import { addCommand, curl, pythonLiteral, shellQuote, tokenCommand } from './snippets';
import { expand, variablesOf } from './uri_template';
import { layOut, step } from './waterfall';

const CALL: Call = {
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  span_id: '00f067aa0ba902b7',
  sampled: false,
  began: '2026-11-18T21:32:18.000Z',
  took_ms: 12,
  outcome: 'ok',
  failed: false,
  method: 'tools/call',
  tool: 'files.read',
  target: 'files__read',
  upstream: 'files',
  caller: 'ann',
  frontend: 'mcp-http',
  bytes_in: 1,
  bytes_out: 2,
  stages: [],
};

test('filters select as the admin API does', () => {
  assert.ok(selects({ tool: 'files.*' }, CALL));
  assert.ok(selects({ tool: 'files__read', outcome: 'ok' }, CALL));
  assert.ok(!selects({ outcome: '!ok' }, CALL));
  assert.ok(selects({ outcome: '!ok' }, { ...CALL, outcome: 'timeout' }));
  assert.ok(selects({ slower_than: '10ms', trace: '4bf92f35' }, CALL));
  assert.ok(!selects({ slower_than: '1s' }, CALL));
  assert.ok(!selects({ client: 'claude*' }, CALL));
  const filters = readFilters(new URLSearchParams('tool=a&x=1&caller=%20'));
  assert.deepEqual(filters, { tool: 'a' });
  assert.equal(filterQuery(filters).toString(), 'tool=a');
});

test('patterns match whole texts, also one that backtracking would not finish', () => {
  assert.ok(matches('*', ''));
  assert.ok(matches('a?c*', 'abcd'));
  assert.ok(!matches('a?c', 'abcd'));
  assert.ok(!matches('files', 'files.read'));
  assert.ok(!matches(`${'a*'.repeat(50)}b`, 'a'.repeat(5000)));
});

test('durations are read and written', () => {
  assert.equal(milliseconds('1m30s'), 90000);
  assert.equal(milliseconds('1.5s'), 1500);
  assert.equal(milliseconds('fast'), undefined);
  assert.deepEqual([0.0421, 3.14, 12.3, 75000, 90061000].map(duration), [
    '42 µs',
    '3.1 ms',
    '12 ms',
    '1m 15s',
    '1d 1h',
  ]);
  assert.equal(duration(null), '–');
  assert.deepEqual([0, 0.25, 99, 12345, 2.5e6].map(compact), ['0', '0.3', '99', '12.3k', '2.5M']);
  assert.deepEqual([0, 1536, 5 * 1024 ** 3].map(bytes), ['0 B', '1.5 KiB', '5 GiB']);
  assert.equal(ago(0, 3_700_000), '1h');
  assert.equal(tokens('äää'), 2);
});

test('the stages of a call are laid out from the earliest to the latest', () => {
  const stages = [
    { stage: 'authenticate', began_ms: -1, took_ms: 1 },
    { stage: 'attempt', began_ms: 1, took_ms: 8 },
  ];
  const { bars, from, to, ticks } = layOut(stages, 9);
  assert.deepEqual([from, to], [-1, 9]);
  assert.deepEqual(
    bars.map(({ left, width }) => [left, width]),
    [
      [0, 10],
      [20, 80],
    ],
  );
  assert.ok(ticks.length >= 3 && ticks.length <= 8);
  assert.equal(step(10, 5), 2);
  assert.deepEqual(layOut([], 0).bars, []);
  const short = layOut([{ stage: 'limit', began_ms: 10, took_ms: 0 }], 10).bars[0];
  assert.ok(short && short.left + short.width <= 100);
});

test('the difference of two texts', () => {
  const lines = difference('a\nb\nc', 'a\nx\nc');
  assert.deepEqual(
    lines.map(({ kind, text }) => `${kind} ${text}`),
    ['same a', 'removed b', 'added x', 'same c'],
  );
  assert.equal(difference('x\n'.repeat(5000), 'y').length, 5002);
});

test('counts of the history become rates', () => {
  const found = seriesOf({
    interval_s: 5,
    end: '2026-11-18T21:32:20.000Z',
    series: {
      calls: [10, null],
      errors: [5, null],
      p50_ms: [1, null],
      p95_ms: [2, null],
      p99_ms: [3, null],
      in_flight: [1, 0],
    },
  });
  assert.deepEqual(found.calls, [2, 0]);
  assert.deepEqual(found.p95, [2, null]);
  assert.equal((found.at[1] ?? 0) - (found.at[0] ?? 0), 5);
  const now = Date.parse(CALL.began) + 1000;
  assert.equal(pointOfCalls([CALL], now).calls, 0.1);
  assert.equal(pointOfCalls([CALL], now + 60_000).calls, 0);
});

test('the picture has problems first, and frontends that are in use', () => {
  const upstream = {
    kind: 'stdio',
    detail: '',
    required: false,
    tools: 1,
    in_flight: 0,
    instances: 1,
    restarts: 0,
    calls: 0,
    errors: 0,
  };
  const load = {
    name: 'b',
    calls: 9,
    errors: 0,
    calls_per_second: 9,
    errors_per_second: 1,
    p50_ms: 1,
    p95_ms: 1,
    p99_ms: 1,
  };
  const nodes = upstreamNodes(
    [
      { ...upstream, name: 'a', state: 'up', mode: 'enabled' },
      { ...upstream, name: 'b', state: 'up', mode: 'enabled' },
      { ...upstream, name: 'c', state: 'down', mode: 'enabled' },
      { ...upstream, name: 'd', state: 'down', mode: 'disabled' },
    ],
    { window_seconds: 10, upstreams: [load], tools: [], clients: [] },
  );
  assert.deepEqual(
    nodes.map(({ name, health }) => `${name} ${health}`),
    ['c bad', 'b warn', 'd warn', 'a ok'],
  );
  const [front] = frontendNodes([], [CALL], Date.parse(CALL.began) + 1000);
  assert.equal(front?.name, 'mcp-http');
  assert.ok(front && flow(front.rate) === 1);
  assert.deepEqual(middles(2, 4, 10), [15, 25]);
});

test('lines that take the place of others stand beside them', () => {
  assert.deepEqual(sideBySide('a\nb\nc', 'a\nx\ny\nc'), [
    { before: 'a', after: 'a', same: true },
    { before: 'b', after: 'x', same: false },
    { before: undefined, after: 'y', same: false },
    { before: 'c', after: 'c', same: true },
  ]);
});

test('search prefers the beginning of a name', () => {
  const items = ['bank.pay', 'pay', 'repay', 'x'];
  assert.deepEqual(
    rank('pay', items, (item) => [item], 10),
    ['pay', 'bank.pay', 'repay'],
  );
  assert.deepEqual(
    rank('pay bank', items, (item) => [item], 10),
    ['bank.pay'],
  );
});

test('text of others cannot leave its quotes', () => {
  assert.equal(shellQuote("it's; rm -rf /"), "'it'\\''s; rm -rf /'");
  assert.equal(pythonLiteral({ a: [true, null, 'x"\n'] }), '{"a": [True, None, "x\\"\\n"]}');
  const line = curl({ url: 'http://localhost/mcp', name: "a'b", arguments: { x: '$(id)' }, token: true });
  assert.ok(line.includes("'Mcp-Name: a'\\''b'"));
  assert.ok(line.includes('$PATCHBAY_TOKEN'));
  assert.equal(addCommand('files', 'url', 'https://x/$(id)'), "patchbay add files 'https://x/$(id)'");
  assert.equal(addCommand('', 'command', ''), 'patchbay add NAME -- COMMAND ARGS');
  assert.equal(tokenCommand('ann b', 'reader'), "patchbay token create 'ann b' --role reader --file tokens");
});

test('headers repeat arguments as the stateless revision wants it', () => {
  assert.equal(headerValue('plain text'), 'plain text');
  assert.equal(headerValue('ü'), '=?base64?w7w=?=');
  assert.equal(headerValue(' x'), '=?base64?IHg=?=');
  assert.equal(headerValue('=?base64?eA==?='), '=?base64?PT9iYXNlNjQ/ZUE9PT89?=');
  const schema = {
    properties: {
      id: { type: 'integer', 'x-mcp-header': 'Id' },
      in: { properties: { name: { 'x-mcp-header': 'Name' } } },
    },
  };
  assert.deepEqual(parameterHeaders(schema, { id: 7, in: { name: 'a' }, other: 1 }), {
    'Mcp-Param-Id': '7',
    'Mcp-Param-Name': 'a',
  });
});

test('events arrive in pieces', () => {
  const parser = new EventParser();
  assert.deepEqual(parser.push('event: call\nid: 7\nda'), []);
  assert.deepEqual(parser.push('ta: {"a":1}\r\n: comment\ndata: 2\n\ndata:x\n\n'), [
    { event: 'call', data: '{"a":1}\n2', id: '7' },
    { event: 'message', data: 'x', id: '7' },
  ]);
  assert.throws(() => new EventParser(10).push('data: 123456789'));
});

test('only pictures are pictures, and only web addresses are links', () => {
  assert.equal(imageUrl('image/png', 'AAAA'), 'data:image/png;base64,AAAA');
  assert.equal(imageUrl('text/html', 'AAAA'), undefined);
  assert.equal(imageUrl('image/png,<script>', 'AAAA'), undefined);
  assert.equal(imageUrl('image/png', '"><script>'), undefined);
  assert.equal(audioUrl('audio/wav;x', 'AAAA'), 'data:audio/wav;base64,AAAA');
  assert.equal(webUrl('javascript:alert(1)'), undefined);
  assert.equal(webUrl('https://example.com'), 'https://example.com/');
  assert.equal(fileName('file:///a/../.b c?x'), 'b_c');
});

test('templates of URIs', () => {
  assert.deepEqual(variablesOf('shop://{city}/{+path}{?a,b}'), ['city', 'path', 'a', 'b']);
  assert.equal(
    expand('shop://{city}/{+path}{?a,b}', { city: 'a b', path: 'x/y', b: '1' }),
    'shop://a%20b/x/y?b=1',
  );
  assert.equal(expand('shop://{city}', {}), 'shop://');
});

test('each client gets the address, and never a token', () => {
  for (const connector of CONNECTORS) {
    for (const token of [true, false]) {
      const entry = entryText(connector, 'http://127.0.0.1:8080/mcp', token);
      assert.match(entry, /127\.0\.0\.1:8080\/mcp/);
      if (token && !connector.router(true)) assert.match(entry, /PATCHBAY_TOKEN/);
    }
  }
});

test('a new token takes the place of the variable, in the form of every client', () => {
  for (const connector of CONNECTORS) {
    const entry = entryText(connector, 'http://127.0.0.1:8080/mcp', true);
    const filled = withToken(entry, 'pb_id_secret');
    if (/Bearer/.test(entry)) assert.match(filled, /"Bearer pb_id_secret"/, connector.id);
    else assert.equal(filled, entry, connector.id);
    assert.equal(withToken(entry, undefined), entry);
  }
  const plain = plainCommand('http://gateway/', true);
  assert.equal(withToken(plain, 'pb_a_b'), 'curl -s http://gateway/ -H "Authorization: Bearer pb_a_b"');
  assert.equal(plainCommand('http://gateway/', false), 'curl -s http://gateway/');
});

test('numbers keep every digit, where the engine can', () => {
  const text = '{"id":12345678901234567890,"small":1.50,"n":7}';
  const value = parseExact(text);
  if ('rawJSON' in JSON) assert.equal(JSON.stringify(value), '{"id":12345678901234567890,"small":1.5,"n":7}');
  else assert.deepEqual(value, JSON.parse(text));
});

test('the lag of a group is the sum over its partitions, and unknown if one is', () => {
  const line = { topic: 't', agent: 'a', end: 9, state: null };
  const rows = lagRows([
    { ...line, partition: 0, group: 'g', committed: 5, lag: 4 },
    { ...line, partition: 0, group: 'h', committed: 9, lag: 0 },
    { ...line, partition: 1, group: 'g', committed: 7, lag: 2 },
    { ...line, partition: 1, group: 'h', committed: null, lag: null },
    { ...line, topic: 'u', partition: 0, group: null, committed: null, lag: null },
  ]);
  assert.deepEqual(
    rows.map(({ topic, group, lag, partitions }) => [topic, group, lag, partitions.length]),
    [
      ['t', 'g', 6, 2],
      ['t', 'h', null, 2],
      ['u', null, null, 1],
    ],
  );
});

test('of a long text only what is around the changes is shown', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const after = lines.with(10, 'another');
  const rows = aroundChanges(sideBySide(lines.join('\n'), after.join('\n')), 2);
  assert.deepEqual(
    rows.map((row) => row?.after ?? '…'),
    ['…', 'line 8', 'line 9', 'another', 'line 11', 'line 12', '…'],
  );
});
