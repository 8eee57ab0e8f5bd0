// SDK v1 over Streamable HTTP, in sessions. usage: node sdk_v1_http.mjs URL
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { clientInfo, run, walk } from './walk.mjs';

run(async ([url]) => {
  const client = new Client(clientInfo);
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await walk({
    title: 'v1 http',
    protocol: 'session',
    client,
    connect: async () => {
      await client.connect(transport);
      assert.ok(transport.sessionId, 'no session id was given');
    },
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  });

  // A session that the client ends is gone: its id is unknown from then on.
  const other = new Client(clientInfo);
  const ended = new StreamableHTTPClientTransport(new URL(url));
  await other.connect(ended);
  const headers = { 'mcp-session-id': ended.sessionId, accept: 'application/json, text/event-stream' };
  await ended.terminateSession();
  await other.close();
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const late = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  assert.equal(late.status, 404);
  console.log('ok v1 http: an ended session is gone');
});
