// SDK v2 over stdio, in every mode. usage: node sdk_v2_stdio.mjs COMMAND [ARGS]
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { walkAllModes } from './v2.mjs';
import { run } from './walk.mjs';

run(([command, ...args]) =>
  walkAllModes('v2 stdio', () => new StdioClientTransport({ command, args, env: process.env })));
