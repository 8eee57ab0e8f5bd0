// The WebSocket transport of SDK v1, over npm's ws. usage: node sdk.mjs URL
import assert from 'node:assert/strict';

import WebSocket from 'ws';

const sdk = '../node_modules/@modelcontextprotocol/sdk/dist/esm/client';
const { Client } = await import(`${sdk}/index.js`);
const { WebSocketClientTransport } = await import(`${sdk}/websocket.js`);

globalThis.WebSocket = WebSocket;  // Older versions of node have none of their own.

const client = new Client({ name: 'patchbay-test-peer', version: '1.0.0' });
await client.connect(new WebSocketClientTransport(new URL(process.argv[2])));
assert.equal(client.getServerVersion().name, 'patchbay');
const { tools } = await client.listTools();
assert.ok(tools.some((tool) => tool.name === 'fake__echo'));
const texts = Array.from({ length: 40 }, (_, i) => `message ${i}`);
const results = await Promise.all(
  texts.map((text) => client.callTool({ name: 'fake__echo', arguments: { text } })));
assert.deepEqual(results.map((result) => result.content[0].text), texts);
const seen = [];
await client.callTool({ name: 'fake__progress', arguments: { steps: 3, delay: 0.1 } }, undefined,
  { onprogress: ({ progress }) => seen.push(progress) });
assert.ok(seen.length >= 2, `only ${seen} arrived`);
await client.close();
console.log('ok');
process.exit(0);
