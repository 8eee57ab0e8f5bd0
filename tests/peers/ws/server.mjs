// An MCP server over npm's ws that speaks plain MCP, as the subprotocol `mcp` has it. Prints its URL.
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
server.on('listening', () => console.log(`ws://127.0.0.1:${server.address().port}/`));

const tool = {
  name: 'shout',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'npm-ws', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { text } }) => (
    { content: [{ type: 'text', text: text.toUpperCase() }] }
  ),
};

server.on('connection', (socket) => socket.on('message', (data) => {
  const { id, method, params } = JSON.parse(data);
  if (id === undefined) return;
  const known = methods[method];
  socket.send(JSON.stringify(known
    ? { jsonrpc: '2.0', id, result: known(params ?? {}) }
    : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
}));
