// A client of MCP in the page: it speaks to /mcp like any other, session-based or stateless.
import { parseExact } from '../logic/exact_json';
import { eventsOf } from './events';
import { messageOf, send } from './http';
import { headerValue, parameterHeaders } from './mcp_headers';

export const SESSION_REVISION = '2025-11-25';
export const STATELESS_REVISION = '2026-07-28';
export const REVISIONS = [STATELESS_REVISION, SESSION_REVISION, '2025-06-18', '2025-03-26'] as const;
export type Revision = (typeof REVISIONS)[number];

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export interface Question {
  method: string;
  params: JsonObject;
}

export interface RequestOptions {
  signal?: AbortSignal;
  /** Progress, log messages and whatever else arrives before the answer. */
  onNotification?: (method: string, params: JsonObject) => void;
  /** A question of the upstream; the answer is sent on. */
  onQuestion?: (question: Question) => Promise<JsonObject>;
  /** The schema of the tool, for the headers that repeat arguments. */
  schema?: Json;
  progressToken?: string;
  /** The trace of the request, for its page of calls. */
  traceId?: string;
}

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Json,
  ) {
    super(message);
    this.name = 'RpcError';
  }
}

interface Message {
  id?: number | string;
  method?: string;
  params?: JsonObject;
  result?: JsonObject;
  error?: { code: number; message: string; data?: Json };
}

const CAPABILITIES: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {} };
const CLIENT: JsonObject = { name: 'patchbay-console', version: '1' };
const ACCEPT = 'application/json, text/event-stream';
const MOST_ROUNDS = 16;
const META = 'io.modelcontextprotocol/';

export class McpClient {
  private session = '';
  private opened: Promise<void> | undefined;
  private agreed: string;
  private lastId = 0;

  constructor(readonly revision: Revision) {
    this.agreed = revision;
  }

  get stateless(): boolean {
    return this.revision === STATELESS_REVISION;
  }

  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    if (this.stateless) return this.rounds(method, params, options);
    await this.open();
    try {
      return await this.exchange(method, this.withToken(params, options), options);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      this.close();
      await this.open();
      return this.exchange(method, this.withToken(params, options), options);
    }
  }

  /** All pages of a list, at most `most` items. */
  async list(method: string, member: string, most = 20000): Promise<JsonObject[]> {
    const items: JsonObject[] = [];
    let cursor: Json | undefined;
    do {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      const found = result[member];
      if (Array.isArray(found)) items.push(...(found as JsonObject[]));
      cursor = result.nextCursor;
    } while (cursor !== undefined && items.length < most);
    return items;
  }

  close(): void {
    const session = this.session;
    this.session = '';
    this.opened = undefined;
    if (!session) return;
    const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': this.agreed };
    send('mcp', { method: 'DELETE', headers, keepalive: true }).catch(() => undefined);
  }

  private withToken(params: JsonObject, { progressToken }: RequestOptions): JsonObject {
    if (progressToken === undefined) return params;
    return { ...params, _meta: { ...(params._meta as JsonObject | undefined), progressToken } };
  }

  private open(): Promise<void> {
    this.opened ??= this.initialize().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  private async initialize(): Promise<void> {
    const result = await this.exchange(
      'initialize',
      { protocolVersion: this.revision, capabilities: CAPABILITIES, clientInfo: CLIENT },
      {},
    );
    if (typeof result.protocolVersion === 'string') this.agreed = result.protocolVersion;
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, {});
  }

  /** A stateless request is repeated with the answers until it is complete. */
  private async rounds(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const meta: JsonObject = {
      ...(params._meta as JsonObject | undefined),
      [`${META}protocolVersion`]: this.revision,
      [`${META}clientCapabilities`]: options.onQuestion ? CAPABILITIES : {},
      [`${META}clientInfo`]: CLIENT,
    };
    if (options.progressToken !== undefined) {
      meta.progressToken = options.progressToken;
      meta[`${META}logLevel`] = 'info';
    }
    let more: JsonObject = {};
    for (let round = 0; round < MOST_ROUNDS; ++round) {
      const result = await this.exchange(method, { ...params, ...more, _meta: meta }, options);
      if (result.resultType !== 'input_required') return result;
      more = await answersTo(result, options);
    }
    throw new Error('the upstream asks without end');
  }

  private async exchange(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const id = ++this.lastId;
    const headers: Record<string, string> = this.stateless
      ? statelessHeaders(method, params, options.schema)
      : {};
    if (options.traceId) headers.traceparent = `00-${options.traceId}-${randomHex(8)}-01`;
    const stop = (): void => this.cancel(method, id);
    options.signal?.addEventListener('abort', stop, { once: true });
    try {
      const response = await this.post({ jsonrpc: '2.0', id, method, params }, headers, options.signal);
      const session = response.headers.get('Mcp-Session-Id');
      if (session && !this.stateless) this.session = session;
      if (response.status === 404 && this.session && method !== 'initialize') throw new SessionLost();
      return await this.answer(response, id, options);
    } finally {
      options.signal?.removeEventListener('abort', stop);
    }
  }

  private cancel(method: string, requestId: number): void {
    if (this.stateless || method === 'initialize') return;
    const params = { requestId, reason: 'cancelled in the console' };
    this.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, {}).catch(() => undefined);
  }

  private post(message: JsonObject, more: Record<string, string>, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', Accept: ACCEPT, ...more };
    if (this.stateless || this.session) headers['MCP-Protocol-Version'] = this.agreed;
    if (this.session) headers['Mcp-Session-Id'] = this.session;
    const init: RequestInit = { method: 'POST', headers, body: JSON.stringify(message) };
    return send('mcp', signal ? { ...init, signal } : init);
  }

  private async answer(response: Response, id: number, options: RequestOptions): Promise<JsonObject> {
    const type = response.headers.get('Content-Type') ?? '';
    if (type.startsWith('text/event-stream') && response.body) {
      for await (const event of eventsOf(response.body)) {
        if (event.data === '') continue;
        const found = this.received(parseExact(event.data) as Message, id, options);
        if (found) return found;
      }
      throw new Error('the stream ended without an answer');
    }
    const text = await response.text();
    let message: Message;
    try {
      message = parseExact(text) as Message;
    } catch {
      throw new Error(text.slice(0, 2000) || `HTTP ${response.status}`);
    }
    const found = this.received({ ...message, id }, id, options);
    if (found) return found;
    throw new Error(`HTTP ${response.status}`);
  }

  private received(message: Message, id: number, options: RequestOptions): JsonObject | undefined {
    if (message.method !== undefined) {
      if (message.id === undefined) options.onNotification?.(message.method, message.params ?? {});
      else void this.reply(message.id, { method: message.method, params: message.params ?? {} }, options);
      return undefined;
    }
    if (message.id !== id) return undefined;
    if (message.error) throw new RpcError(message.error.code, message.error.message, message.error.data);
    return message.result;
  }

  private async reply(id: number | string, question: Question, options: RequestOptions): Promise<void> {
    let message: JsonObject;
    try {
      if (!options.onQuestion) throw new Error('nobody can answer');
      message = { jsonrpc: '2.0', id, result: await options.onQuestion(question) };
    } catch (error) {
      message = { jsonrpc: '2.0', id, error: { code: -1, message: messageOf(error) } };
    }
    await this.post(message, {}).catch(() => undefined);
  }
}

class SessionLost extends Error {}

export function randomHex(bytes: number): string {
  const found = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(found, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function answersTo(result: JsonObject, options: RequestOptions): Promise<JsonObject> {
  const questions = (result.inputRequests ?? {}) as unknown as Record<string, Question>;
  const inputResponses: JsonObject = {};
  for (const [key, question] of Object.entries(questions)) {
    if (!options.onQuestion) throw new Error('nobody can answer');
    inputResponses[key] = await options.onQuestion({
      method: question.method,
      params: question.params ?? {},
    });
  }
  const state = result.requestState;
  return state === undefined ? { inputResponses } : { inputResponses, requestState: state };
}

function statelessHeaders(
  method: string,
  params: JsonObject,
  schema: Json | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { 'Mcp-Method': method };
  const name = method === 'resources/read' ? params.uri : params.name;
  const named = method === 'tools/call' || method === 'prompts/get' || method === 'resources/read';
  if (named && typeof name === 'string') headers['Mcp-Name'] = headerValue(name);
  if (method !== 'tools/call') return headers;
  return { ...headers, ...parameterHeaders(schema, params.arguments) };
}
