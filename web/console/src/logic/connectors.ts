// How each client is connected: the command, the entry in its file, and a link that adds it.

export interface Connector {
  id: string;
  name: string;
  /** Where its entry goes. */
  file: string;
  /** It starts programs only, so the router connects it. */
  router: (token: boolean) => boolean;
  entry: (url: string, token: boolean) => object | string;
  link?: (url: string, token: boolean) => string;
}

const VARIABLE = 'PATCHBAY_TOKEN';

/** The WebSocket address of a gateway, for the router. */
export function socketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

function withHeaders(server: Record<string, unknown>, token: boolean, variable: string): object {
  return token ? { ...server, headers: { Authorization: `Bearer ${variable}` } } : server;
}

const router = (url: string): object => ({
  command: 'patchbay',
  args: ['router', '--gateway', socketUrl(url)],
});
const never = (): boolean => false;
const braces = `\${${VARIABLE}}`;
const environment = `\${env:${VARIABLE}}`;

function base64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

export const CONNECTORS: readonly Connector[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    file: '.mcp.json',
    router: never,
    entry: (url, token) => ({ mcpServers: { patchbay: withHeaders({ type: 'http', url }, token, braces) } }),
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    file: 'claude_desktop_config.json',
    router: () => true,
    entry: (url) => ({ mcpServers: { patchbay: router(url) } }),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    file: '~/.cursor/mcp.json',
    router: never,
    entry: (url, token) => ({ mcpServers: { patchbay: withHeaders({ url }, token, environment) } }),
    link: (url, token) => {
      const config = base64(JSON.stringify(withHeaders({ url }, token, environment)));
      return `cursor://anysphere.cursor-deeplink/mcp/install?name=patchbay&config=${encodeURIComponent(config)}`;
    },
  },
  {
    id: 'vscode',
    name: 'VS Code',
    file: '.vscode/mcp.json',
    router: never,
    entry: (url, token) => ({
      servers: { patchbay: withHeaders({ type: 'http', url }, token, environment) },
    }),
    link: (url, token) => {
      const server = withHeaders({ name: 'patchbay', type: 'http', url }, token, environment);
      return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
    },
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    file: '~/.gemini/settings.json',
    router: never,
    entry: (url, token) => ({
      mcpServers: { patchbay: withHeaders({ httpUrl: url }, token, `$${VARIABLE}`) },
    }),
  },
  {
    id: 'codex',
    name: 'Codex',
    file: '~/.codex/config.toml',
    router: never,
    entry: (url, token) =>
      `[mcp_servers.patchbay]\nurl = ${JSON.stringify(url)}${token ? `\nbearer_token_env_var = "${VARIABLE}"` : ''}`,
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    router: never,
    entry: (url, token) => ({
      mcpServers: { patchbay: withHeaders({ serverUrl: url }, token, environment) },
    }),
  },
  {
    id: 'zed',
    name: 'Zed',
    file: '~/.config/zed/settings.json',
    router: (token) => token,
    entry: (url, token) => ({ context_servers: { patchbay: token ? router(url) : { url } } }),
  },
  {
    id: 'cline',
    name: 'Cline',
    file: 'cline_mcp_settings.json',
    router: (token) => token,
    entry: (url, token) => ({
      mcpServers: { patchbay: token ? router(url) : { type: 'streamableHttp', url } },
    }),
  },
  {
    id: 'opencode',
    name: 'opencode',
    file: '~/.config/opencode/opencode.json',
    router: never,
    entry: (url, token) => ({
      mcp: { patchbay: withHeaders({ type: 'remote', url, enabled: true }, token, `{env:${VARIABLE}}`) },
    }),
  },
];

/** A text of this page with the token in the place of the variable. */
export function withToken(text: string, token: string | undefined): string {
  if (!token) return text;
  return text.replace(new RegExp(`\\$?\\{(?:env:)?${VARIABLE}\\}|\\$${VARIABLE}`, 'g'), () => token);
}

/** The line for a program in plain HTTP. */
export function plainCommand(url: string, token: boolean): string {
  return `curl -s ${url}${token ? ` -H "Authorization: Bearer $${VARIABLE}"` : ''}`;
}

export function entryText(connector: Connector, url: string, token: boolean): string {
  const entry = connector.entry(url, token);
  return typeof entry === 'string' ? entry : JSON.stringify(entry, null, 2);
}

export function connectCommand(connector: Connector, url: string, token: boolean): string {
  return `patchbay connect ${connector.id} --url ${url}${token ? ' --auth' : ''}`;
}
