// What the admin API answers: see docs/admin-api.md.
import { json, page, pageIfThere } from './http';

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

export interface Upstream {
  name: string;
  kind: string;
  state: 'up' | 'down';
  detail: string;
  required: boolean;
  tools: number;
  in_flight: number;
  instances: number;
  restarts: number;
  calls: number;
  errors: number;
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

export const restart = (upstream: string): Promise<unknown> =>
  json(`control/v1/upstreams/${encodeURIComponent(upstream)}/restart`, { method: 'POST' });

export const endClient = (id: number): Promise<unknown> =>
  json(`control/v1/clients/${id}`, { method: 'DELETE' });
