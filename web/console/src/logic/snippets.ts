// The same call for other programs: curl, the command line, Python and TypeScript.
import type { JsonObject } from '../api/mcp';
import { headerValue } from '../api/mcp_headers';

export function shellQuote(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export interface Snippet {
  url: string;
  name: string;
  arguments: JsonObject;
  /** Whether callers must authenticate. */
  token: boolean;
}

export function curl({ url, name, arguments: args, token }: Snippet): string {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const lines = [
    `curl -s ${shellQuote(url)}`,
    `-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'`,
    `-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call'`,
    `-H ${shellQuote(`Mcp-Name: ${headerValue(name)}`)}`,
  ];
  if (token) lines.push('-H "Authorization: Bearer $PATCHBAY_TOKEN"');
  lines.push(`-d ${shellQuote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

export function commandLine({ url, name, arguments: args }: Snippet): string {
  return `patchbay call ${shellQuote(url)} ${shellQuote(name)} ${shellQuote(JSON.stringify(args))}`;
}

/** JSON as a Python expression. */
export function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item)}`,
    );
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value);
}

export function python({ url, name, arguments: args, token }: Snippet): string {
  const headers = token ? ', headers={"Authorization": "Bearer " + os.environ["PATCHBAY_TOKEN"]}' : '';
  return `import asyncio${token ? '\nimport os' : ''}

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main():
    async with streamablehttp_client(${JSON.stringify(url)}${headers}) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print(await session.call_tool(${JSON.stringify(name)}, ${pythonLiteral(args)}))


asyncio.run(main())`;
}

export function typescript({ url, name, arguments: args, token }: Snippet): string {
  const options = token
    ? // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template string of the snippet.
      ', {\n  requestInit: { headers: { Authorization: `Bearer ${process.env.PATCHBAY_TOKEN}` } },\n}'
    : '';
  return `import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const transport = new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)})${options});
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(transport);
console.log(await client.callTool({ name: ${JSON.stringify(name)}, arguments: ${JSON.stringify(args)} }));
await client.close();`;
}

const NAME = /^[A-Za-z0-9_-]+$/;

/** The command that adds a server to the configuration. What is empty stays as a placeholder. */
export function addCommand(name: string, kind: 'command' | 'url', value: string): string {
  const called = NAME.test(name) ? name : name.trim() ? shellQuote(name.trim()) : 'NAME';
  const given = value.trim();
  if (kind === 'url') return `patchbay add ${called} ${given ? shellQuote(given) : 'https://…/mcp'}`;
  // A command line is pasted as it was written: the shell splits it.
  return `patchbay add ${called} -- ${given.replace(/[\r\n]+/g, ' ') || 'COMMAND ARGS'}`;
}

export function tokenCommand(name: string, role: string): string {
  const called = name.trim() ? shellQuote(name.trim()) : 'NAME';
  const roles = role.trim() ? ` --role ${shellQuote(role.trim())}` : '';
  return `patchbay token create ${called}${roles} --file tokens`;
}
