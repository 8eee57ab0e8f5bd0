// A server made with SDK v2 that has what the conformance suite asks for, but for tasks: over
// Streamable HTTP, both forms of MCP on one URL. usage: node sdk_v2_server.mjs [both|session|stateless]
// Prints its URL, and ends when stdin does.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import {
  NodeStreamableHTTPServerTransport,
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node';

import { countChange, makeServer } from './sdk_v2_tools.mjs';

const protocol = process.argv[2] ?? 'both';

// Sessions of the handshake revisions: id -> { transport, refresh }.
const sessions = new Map();

// Changes a list, tools or prompts, and tells everybody.
function changed(kind) {
  countChange(kind);
  stateless.notify[`${kind}Changed`]();
  for (const { refresh } of sessions.values()) refresh(kind);
}

const stateless = createMcpHandler(() => makeServer(changed).server, { legacy: 'reject' });
const serveStateless = toNodeHandler(stateless);

// Events in the order they came, for clients that come back.
function eventStore() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return `${events.length - 1}`;
    },
    async getStreamIdForEventId(id) {
      return events[Number(id)]?.streamId;
    },
    async replayEventsAfter(id, { send }) {
      const { streamId } = events[Number(id)];
      for (let index = Number(id) + 1; index < events.length; index++) {
        const { streamId: owner, message } = events[index];
        if (owner === streamId && Object.keys(message).length > 0) await send(`${index}`, message);
      }
      return streamId;
    },
  };
}

async function openSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: eventStore(),
    retryInterval: 100,
    onsessioninitialized: (id) => sessions.set(id, { transport, refresh }),
    onsessionclosed: (id) => sessions.delete(id),
  });
  const { server, refresh } = makeServer(changed);
  await server.connect(transport);
  return transport;
}

async function serveSession(request, response, body) {
  const id = request.headers['mcp-session-id'];
  if (id && !sessions.has(id)) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    return;
  }
  const transport = id ? sessions.get(id).transport : await openSession();
  await transport.handleRequest(request, response, body);
}

async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
}

async function isSession(request, body) {
  if (protocol !== 'both') return protocol === 'session';
  return request.method !== 'POST' || isLegacyRequest(await toWebRequest(request, body), body);
}

const hostIsFine = localhostHostValidation();
const originIsFine = localhostOriginValidation();

const http = createServer(async (request, response) => {
  if (!hostIsFine(request, response) || !originIsFine(request, response)) return;
  try {
    const body = await readJson(request);
    const serve = (await isSession(request, body)) ? serveSession : serveStateless;
    await serve(request, response, body);
  } catch (error) {
    console.error(error);
    if (!response.headersSent) response.writeHead(400);
    response.end();
  }
});

http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
