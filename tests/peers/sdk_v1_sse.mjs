// SDK v1 over HTTP+SSE. usage: node sdk_v1_sse.mjs URL
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';

import { clientInfo, run, walk } from './walk.mjs';

run(async ([url]) => {
  const client = new Client(clientInfo);
  const transport = new SSEClientTransport(new URL(url));
  await walk({
    title: 'v1 sse',
    protocol: 'session',
    client,
    connect: () => client.connect(transport),
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  });
});
