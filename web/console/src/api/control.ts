// What the admin API answers: see docs/admin-api.md.

import { answerOf, json, page, pageIfThere } from './http';
import type { JsonObject } from './mcp';

export interface Status {
  status: 'ready' | 'degraded' | 'not ready';
  version: string;
  admin: boolean;
  caller: string;
  started: string;
  uptime_seconds: number;
  upstreams: number;
  upstreams_up: number;
  tools: number;
  configuration_digest?: string;
  calls_in_flight?: number;
  calls?: number;
  errors?: number;
  sessions?: number;
  connections?: number;
  resident_bytes?: number;
  reload_refused?: string[];
  problems?: string[];
}

export type Mode = 'enabled' | 'drained' | 'disabled';

export interface Upstream {
  name: string;
  kind: string;
  state: 'up' | 'down';
  detail: string;
  mode: Mode;
  /** Of the configuration, while the mode is not `enabled`; by whom is for admins. */
  override?: { by?: string; since: string };
  required: boolean;
  tools: number;
  in_flight: number;
  instances: number;
  restarts: number;
  calls: number;
  errors: number;
}

export interface Instance {
  state: 'up' | 'down';
  since: string;
  shared: boolean;
  in_flight: number;
}

/** The tokens of an upstream that needs some. */
export interface Tokens {
  kind: string;
  interactive: boolean;
  per_caller: boolean;
  state: 'token' | 'sign_in_needed' | 'failed' | 'unused';
  detail?: string;
  expires_in_s?: number;
  holders?: number;
  may_sign_in: boolean;
}

export interface UpstreamDetails extends Upstream {
  instance_list: Instance[];
  sign_in?: Tokens;
  stderr?: { when: string; line: string }[];
}

export interface Sandbox {
  upstream: string;
  id: string;
  owner: string;
  isolation: string;
  warm: boolean;
  in_use: number;
  created: string;
  expires: string;
  memory_bytes: number | null;
  memory_peak_bytes: number | null;
  memory_limit_bytes: number | null;
  cpu_us: number | null;
  cpu_limit_us: number | null;
  disk_limit_bytes: number | null;
  pids_limit: number | null;
  pids_refused: number;
  out_of_memory: number;
  last_run?: {
    method: string;
    verdict: string;
    exit_code: number;
    ended: string;
    stdout: string;
    stderr: string;
  };
}

export interface Bus {
  upstream: string;
  state: 'up' | 'down';
  detail: string;
  unsent_records: number;
  unread_records: number;
  replies: Record<'late' | 'duplicate' | 'foreign' | 'misplaced' | 'unreadable' | 'surplus', number>;
  topics: { name: string; role: string; agent?: string }[];
}

/** How far a consumer group is behind; null is what the brokers do not say. */
export interface LagLine {
  topic: string;
  agent: string;
  partition: number;
  end: number | null;
  group: string | null;
  state: string | null;
  committed: number | null;
  lag: number | null;
}

export interface BusLag {
  groups_listed: boolean;
  detail?: string;
  complete: boolean;
  lag: LagLine[];
}

export interface Agent {
  name: string;
  requestTopicName?: string;
  responseTopicName?: string;
  offered: boolean;
  problem?: string;
}

export interface BusRecord {
  partition: number;
  offset: number;
  timestamp_ms: number;
  key: unknown;
  value: unknown;
  value_bytes?: number;
  value_schema?: string;
  value_problem?: string;
  headers: [unknown, unknown][];
}

export interface Setting {
  path: string;
  value?: string;
  secret?: boolean;
  source: 'file' | 'environment' | 'option' | 'default';
  line?: number;
}

export interface Reload {
  when: string;
  why: string;
  applied: boolean;
  digest?: string;
  details: string[];
}

export interface Configuration {
  file: string;
  digest: string;
  text?: string;
  no_text?: string;
  /** Whether admins can change it here (console.edit). */
  edit: boolean;
  settings: Setting[];
  reloads: Reload[];
}

/** The file for an editor: a mask stands for each secret. */
export interface ConfigurationFile {
  text: string;
  etag: string;
}

export type EditOutcome =
  | 'applied'
  | 'unchanged'
  | 'applying'
  | 'permitted'
  | 'off'
  | 'stale'
  | 'not_allowed'
  | 'faulty'
  | 'refused'
  | 'unwritable'
  | 'busy';

/** What has become of a change. */
export interface EditAnswer {
  outcome: EditOutcome;
  error?: string;
  faults?: TextFault[];
  /** The settings that differ. */
  changes: string[];
  backup?: string;
}

export interface GoalStep {
  success: boolean;
  skillName: string;
  output: unknown;
}

export interface GoalAnswer {
  trace: GoalStep[];
  finalOutput: unknown;
}

export interface TextFault {
  line?: number;
  path: string;
  message: string;
}

export interface ToolOff {
  upstream: string;
  tool: string;
  by: string;
  since: string;
}

/** A tool whose definition differs from the accepted one. */
export interface ChangedTool {
  upstream: string;
  tool: string;
  digest: string;
  acceptable: boolean;
  left_out: boolean;
  first_seen: string | null;
  changed: string | null;
  accepted: unknown;
  current: unknown;
}

export interface Stage {
  stage: string;
  began_ms: number;
  took_ms: number;
  failed?: boolean;
  span_id?: string;
}

export interface Call {
  trace_id: string;
  span_id: string;
  parent_span_id?: string;
  link?: { trace_id: string; span_id: string };
  sampled: boolean;
  began: string;
  took_ms: number;
  outcome: string;
  failed: boolean;
  error_code?: number;
  method: string;
  target?: string;
  tool?: string;
  upstream?: string;
  upstream_kind?: string;
  caller?: string;
  caller_id?: string;
  client?: string;
  from?: string;
  session?: string;
  request_id?: string;
  frontend?: string;
  revision?: string;
  rule?: string;
  bytes_in: number;
  bytes_out: number;
  stages: Stage[];
  stages_dropped?: number;
}

export interface CallsPage {
  calls: Call[];
  newest: string;
  next?: string;
  missed?: number;
}

export interface Client {
  id: number;
  kind: 'session' | 'stream' | 'connection';
  frontend: string;
  caller: string;
  caller_id: string;
  auth_method: string;
  client?: string;
  revision?: string;
  from?: string;
  since: string;
}

export interface NamedLoad {
  name: string;
  calls: number;
  errors: number;
  calls_per_second: number;
  errors_per_second: number;
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
}

export interface Load {
  window_seconds: number;
  total?: Omit<NamedLoad, 'name'>;
  upstreams: NamedLoad[];
  tools: NamedLoad[];
  clients: NamedLoad[];
}

export type Range = '15m' | '3h' | '24h';
export type SeriesName = 'calls' | 'errors' | 'p50_ms' | 'p95_ms' | 'p99_ms' | 'in_flight';

export interface History {
  interval_s: number;
  end: string;
  series: Record<SeriesName, (number | null)[]>;
}

export interface Approval {
  id: string;
  tool: string;
  arguments: unknown;
  caller: string;
  state: 'waiting' | 'approved';
  by?: string;
  asked?: string;
  expires: string;
  may_decide: boolean;
  last_approved?: { arguments: unknown; by?: string; when?: string } | null;
}

export interface AuditRecord {
  when: string;
  outcome: string;
  ms: number;
  in: number;
  out: number;
  event?: string;
  who?: string;
  name?: string;
  method?: string;
  target?: string;
  upstream?: string;
  client?: string;
  frontend?: string;
  decision?: string;
  rule?: string;
  by?: string;
  trace?: string;
}

export type HiddenReason =
  | 'upstream'
  | 'left_out'
  | 'drained'
  | 'lost'
  | 'pinned'
  | 'not_allowed'
  | 'denied'
  | 'off'
  | 'unlisted'
  | 'name'
  | 'rules';

/** What clients are not offered. */
export interface HiddenItem {
  /** Null: the whole upstream, or it is not known. */
  kind: 'tool' | 'prompt' | 'resource' | 'template' | null;
  upstream: string;
  /** The upstream's own. */
  name: string | null;
  reason: HiddenReason;
  why: string;
}

export interface HiddenItems {
  items: HiddenItem[];
  upstreams: string[];
  roles: string[];
  /** The cursor of the next page. */
  next?: string;
}

export interface StoredToken {
  id: string;
  name: string;
  roles: string[];
  scopes: string[];
  created: string;
  expires?: string;
  expired?: boolean;
}

/** A token as the answer that has made it shows it, once. */
export interface MadeToken extends StoredToken {
  token: string;
}

export interface TokenStore {
  needed: boolean;
  /** Why no token can be made. */
  closed?: string;
  count: number;
  tokens: StoredToken[];
  /** Those that the caller can give. */
  roles: string[];
  max_tokens?: number;
  max_lifetime_s?: number;
}

export const status = (): Promise<Status> => page('control/v1/status');

export const load = (): Promise<Load> => page('control/v1/metrics?window=10s');

export const upstreams = async (): Promise<Upstream[]> =>
  (await page<{ upstreams: Upstream[] }>('control/v1/upstreams')).upstreams;

export const clients = (after?: string): Promise<{ clients: Client[]; next?: string }> =>
  page(`control/v1/clients?limit=200${after ? `&after=${encodeURIComponent(after)}` : ''}`);

export const history = (range: Range, upstream?: string): Promise<History | undefined> =>
  pageIfThere(
    `control/v1/history?range=${range}${upstream ? `&upstream=${encodeURIComponent(upstream)}` : ''}`,
  );

export const calls = (query: URLSearchParams): Promise<CallsPage> => page(`control/v1/calls?${query}`);

export const trace = (id: string): Promise<{ calls: Call[] }> =>
  page(`control/v1/traces/${encodeURIComponent(id)}`);

export const audit = (query: URLSearchParams): Promise<{ records: AuditRecord[]; next?: string }> =>
  page(`control/v1/audit?${query}`);

/** Calls that wait, with what was approved before: all for admins, otherwise one's own. */
export async function approvals(): Promise<Approval[]> {
  return (await page<{ approvals: Approval[] }>('control/v1/approvals')).approvals;
}

export const approve = (id: string): Promise<Approval> =>
  json(`control/approvals/${encodeURIComponent(id)}`, { method: 'POST' });

export function deny(id: string, reason: string): Promise<Approval> {
  const query = reason ? `?reason=${encodeURIComponent(reason)}` : '';
  return json(`control/approvals/${encodeURIComponent(id)}${query}`, { method: 'DELETE' });
}

const POST = { method: 'POST' };

export type UpstreamAction = 'restart' | 'drain' | 'disable' | 'enable';

export const changeUpstream = (upstream: string, action: UpstreamAction): Promise<unknown> =>
  json(`control/v1/upstreams/${encodeURIComponent(upstream)}/${action}`, POST);

export const upstreamDetails = (upstream: string): Promise<UpstreamDetails> =>
  page(`control/v1/upstreams/${encodeURIComponent(upstream)}`);

/** A link to sign in to an upstream: for oneself, or for all callers where they share a token. */
export const beginSignIn = (upstream: string): Promise<{ id: string; url: string }> =>
  json(`control/sign-ins/${encodeURIComponent(upstream)}`, POST);

export const endSignIn = (upstream: string): Promise<unknown> =>
  json(`control/sign-ins/${encodeURIComponent(upstream)}`, { method: 'DELETE' });

const toolPath = (upstream: string, tool: string): string =>
  `${encodeURIComponent(upstream)}/${encodeURIComponent(tool)}`;

export const sandboxes = (): Promise<{ sandboxes: Sandbox[]; count: number }> => page('control/v1/sandboxes');

export const destroySandbox = ({ upstream, id }: Sandbox): Promise<unknown> =>
  json(`control/v1/sandboxes/${encodeURIComponent(upstream)}/${encodeURIComponent(id)}`, {
    method: 'DELETE',
  });

export const buses = async (): Promise<Bus[]> => (await page<{ buses: Bus[] }>('control/v1/buses')).buses;

export const agents = (upstream: string): Promise<Agent[]> =>
  page(`control/registrations?upstream=${encodeURIComponent(upstream)}`);

export const busLag = (upstream: string): Promise<BusLag> =>
  json(`control/v1/buses/${encodeURIComponent(upstream)}/lag`);

export const busRecords = (
  upstream: string,
  topic: string,
  limit: number,
): Promise<{ topic: string; records: BusRecord[] }> =>
  json(
    `control/v1/buses/${encodeURIComponent(upstream)}/records?topic=${encodeURIComponent(topic)}&limit=${limit}`,
  );

export const configuration = (): Promise<Configuration> => page('control/v1/configuration');

export const checkConfiguration = (text: string): Promise<{ faults: TextFault[]; count: number }> =>
  json('control/v1/configuration/check', { method: 'POST', body: text });

export const configurationSchema = (): Promise<JsonObject> => page('control/v1/configuration/schema');

export const configurationFile = (): Promise<ConfigurationFile> => json('control/v1/configuration/file');

export const editConfiguration = (draft: string, etag: string, onlyCheck: boolean): Promise<EditAnswer> =>
  answerOf(`control/v1/configuration/file${onlyCheck ? '?check=true' : ''}`, {
    method: 'PUT',
    body: draft,
    headers: { 'If-Match': `"${etag}"` },
  });

export const toolsOff = async (): Promise<ToolOff[]> =>
  (await page<{ tools: ToolOff[] }>('control/v1/tools-off')).tools;

export const switchTool = (upstream: string, tool: string, on: boolean): Promise<unknown> =>
  json(`control/v1/tools/${toolPath(upstream, tool)}/${on ? 'on' : 'off'}`, POST);

const MAX_PAGES = 20;

/** Up to `most` of what clients are not offered. A page may have few items although there are more. */
export async function hiddenItems(query: URLSearchParams, most: number): Promise<HiddenItems> {
  const items: HiddenItem[] = [];
  for (let read = 1; ; ++read) {
    query.set('limit', String(Math.min(500, most - items.length)));
    const found: HiddenItems = await json(`control/v1/catalog/hidden?${query}`);
    items.push(...found.items);
    if (!found.next || items.length >= most || read === MAX_PAGES) return { ...found, items };
    query.set('cursor', found.next);
  }
}

export const changedTools = (): Promise<{ changed: ChangedTool[]; count: number }> => page('control/v1/pins');

export const acceptTool = ({ upstream, tool, digest }: ChangedTool): Promise<unknown> =>
  json(`control/v1/pins/${toolPath(upstream, tool)}/accept?digest=${encodeURIComponent(digest)}`, POST);

export const endClient = (id: number): Promise<unknown> =>
  json(`control/v1/clients/${id}`, { method: 'DELETE' });

export const tokens = (): Promise<TokenStore> => json('control/v1/tokens');

/** Without a lifetime it has the longest one. */
export const makeToken = (name: string, roles: string[], lifetime: string): Promise<MadeToken> =>
  json('control/v1/tokens', {
    method: 'POST',
    body: JSON.stringify({ name, roles, ...(lifetime ? { expires: lifetime } : {}) }),
    headers: { 'Content-Type': 'application/json' },
  });

export const revokeToken = (id: string): Promise<unknown> =>
  json(`control/v1/tokens/${encodeURIComponent(id)}`, { method: 'DELETE' });

export const goalSkills = async (): Promise<string[]> =>
  (await json<{ skills: string[] }>('api/agent/skills')).skills;

export const runGoal = (goal: string, signal: AbortSignal): Promise<GoalAnswer> =>
  json('api/agent/execute', {
    method: 'POST',
    body: JSON.stringify({ goal }),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    signal,
  });
