// npm's ws as a client of the wire protocol. usage: node client.mjs URL
import assert from 'node:assert/strict';
import { once } from 'node:events';

import WebSocket from 'ws';

const url = process.argv[2];

const open = async () => {
  const socket = new WebSocket(url);  // It offers permessage-deflate.
  await once(socket, 'open');
  return socket;
};

const envelope = (id, method, params) => JSON.stringify({
  id, timestamp: new Date().toISOString(), source: 'local-router',
  mcp_payload: { jsonrpc: '2.0', id, method, params },
});

const answerTo = (socket, id) => new Promise((resolve) => {
  socket.on('message', (data, isBinary) => {
    assert.equal(isBinary, false);
    const message = JSON.parse(data);
    if (message.correlation_id === id) resolve(message.mcp_payload);
  });
});

const closeOf = async (socket) => {
  const [code, reason] = await once(socket, 'close');
  return [code, reason.toString()];
};

const socket = await open();
assert.equal(socket.extensions, '');

// Many at once, in any order.
const ids = Array.from({ length: 100 }, (_, i) => `call-${i}`);
const answers = ids.map((id) => answerTo(socket, id));
for (const id of ids) {
  socket.send(envelope(id, 'tools/call', { name: 'fake__echo', arguments: { text: id } }));
}
for (const [i, answer] of (await Promise.all(answers)).entries()) {
  assert.equal(answer.result.content[0].text, ids[i]);
}
console.log('ok many calls');

// A large message, in fragments both ways.
const large = 'äx'.repeat(1_000_000);
const text = envelope('large', 'tools/call', { name: 'fake__echo', arguments: { text: large } });
const half = Math.floor(text.length / 2);
const echoed = answerTo(socket, 'large');
socket.send(text.slice(0, half), { fin: false });
socket.send(text.slice(half), { fin: true });
assert.equal((await echoed).result.content[0].text, large);
console.log('ok fragments');

socket.ping('are you there');
const [pong] = await once(socket, 'pong');
assert.equal(pong.toString(), 'are you there');
console.log('ok ping');

socket.close(1000, 'done');
assert.equal((await closeOf(socket))[0], 1000);
console.log('ok close');

const binary = await open();
binary.send(Buffer.from('{}'));
assert.equal((await closeOf(binary))[0], 1003);
console.log('ok binary');
