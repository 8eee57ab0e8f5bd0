// SDK v1 over stdio. usage: node sdk_v1_stdio.mjs COMMAND [ARGS]
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { clientInfo, run, walk } from './walk.mjs';

run(async ([command, ...args]) => {
  const client = new Client(clientInfo);
  const transport = new StdioClientTransport({ command, args, env: process.env });
  await walk({
    title: 'v1 stdio',
    protocol: 'session',
    client,
    connect: () => client.connect(transport),
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  });
});
