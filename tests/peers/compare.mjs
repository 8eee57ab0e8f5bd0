// Talks to a server directly and through Patchbay, and compares: what is listed and what each call
// answers must be the same. usage: node compare.mjs URL UPSTREAM CALLS COMMAND [ARGS]
// with CALLS a JSON list of [tool, arguments].
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { clientInfo, run } from './walk.mjs';

// The result, or the error, of one call.
async function outcome(client, name, args) {
  try {
    return await client.callTool({ name, arguments: args });
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

async function allTools(client) {
  const tools = new Map();
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    for (const tool of page.tools) tools.set(tool.name, tool);
    cursor = page.nextCursor;
  } while (cursor);
  return tools;
}

run(async ([url, upstream, calls, command, ...args]) => {
  const direct = new Client(clientInfo);
  await direct.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
  const through = new Client(clientInfo);
  await through.connect(new StreamableHTTPClientTransport(new URL(url)));

  const listed = await allTools(through);
  for (const [name, tool] of await allTools(direct)) {
    const theirs = `${upstream}__${name}`;
    assert.deepEqual(listed.get(theirs), { ...tool, name: theirs }, `${theirs} is listed differently`);
  }
  console.log(`ok ${upstream}: tools are listed as they are`);

  for (const [name, args] of JSON.parse(calls)) {
    const expected = await outcome(direct, name, args);
    assert.deepEqual(await outcome(through, `${upstream}__${name}`, args), expected, name);
    console.log(`ok ${upstream}: ${name}`);
  }
  await through.close();
  await direct.close();
});
