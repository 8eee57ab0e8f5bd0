// The picture of the gateway: which nodes it has, and how much flows between them.
import type { Call, Client, Load, Upstream } from '../api/control';
import { WINDOW_S } from './series';

export type Health = 'ok' | 'warn' | 'bad';

export interface Node {
  name: string;
  health: Health;
  /** Calls per second. */
  rate: number;
  clients: number;
  detail: string;
}

export const MOST_NODES = 8;
const HIGH_ERROR_SHARE = 0.05;

export function healthOf(
  { state, mode }: Pick<Upstream, 'state' | 'mode'>,
  calls: number,
  errors: number,
): Health {
  // What an admin has stopped is no failure.
  if (mode !== 'enabled') return 'warn';
  if (state === 'down') return 'bad';
  return calls > 0 && errors / calls > HIGH_ERROR_SHARE ? 'warn' : 'ok';
}

const ORDER: Record<Health, number> = { bad: 0, warn: 1, ok: 2 };

/** Those with a problem first, then the busiest. */
export function upstreamNodes(upstreams: readonly Upstream[], load: Load | undefined): Node[] {
  const loads = new Map((load?.upstreams ?? []).map((entry) => [entry.name, entry]));
  const nodes = upstreams.map((upstream): Node => {
    const { name, state, detail, kind } = upstream;
    const rates = loads.get(name);
    const rate = rates?.calls_per_second ?? 0;
    const health = healthOf(upstream, rate, rates?.errors_per_second ?? 0);
    return { name, health, rate, clients: 0, detail: state === 'down' ? detail : kind };
  });
  return nodes.sort(
    (a, b) => ORDER[a.health] - ORDER[b.health] || b.rate - a.rate || a.name.localeCompare(b.name),
  );
}

/** Frontends with an open client, or with a call in the last seconds. */
export function frontendNodes(clients: readonly Client[], calls: readonly Call[], now: number): Node[] {
  const nodes = new Map<string, Node>();
  const nodeOf = (name: string): Node => {
    const found = nodes.get(name) ?? { name, health: 'ok', rate: 0, clients: 0, detail: '' };
    nodes.set(name, found);
    return found;
  };
  for (const client of clients) if (client.kind !== 'stream') ++nodeOf(client.frontend).clients;
  for (const call of calls) {
    if (!call.frontend) continue;
    const node = nodeOf(call.frontend);
    if (now - Date.parse(call.began) - call.took_ms < WINDOW_S * 1000) node.rate += 1 / WINDOW_S;
  }
  return [...nodes.values()].sort((a, b) => b.rate - a.rate || a.name.localeCompare(b.name));
}

/** The stream leaves calls out where there are many: then the rates are shares of the whole. */
export function scaled(nodes: Node[], total: number): Node[] {
  const sum = nodes.reduce((all, node) => all + node.rate, 0);
  return sum > 0 && total > sum ? nodes.map((node) => ({ ...node, rate: (node.rate / sum) * total })) : nodes;
}

/** How fast an edge flows: 0 for not at all. */
export function flow(rate: number): 0 | 1 | 2 | 3 {
  if (rate <= 0) return 0;
  if (rate < 1) return 1;
  return rate < 50 ? 2 : 3;
}

/** The middle of each of `count` rows within `rows` rows, centred. */
export function middles(count: number, rows: number, rowHeight: number): number[] {
  const first = ((rows - count) * rowHeight) / 2;
  return Array.from({ length: count }, (_, i) => first + (i + 0.5) * rowHeight);
}
