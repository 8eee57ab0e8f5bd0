// Series over time for the plots.
import type { Call, History, Load } from '../api/control';

/** One row per point: what the plots need, oldest first. */
export interface Series {
  /** Unix seconds. */
  at: number[];
  calls: (number | null)[];
  errors: (number | null)[];
  p50: (number | null)[];
  p95: (number | null)[];
  p99: (number | null)[];
  inFlight: (number | null)[];
}

export function emptySeries(): Series {
  return { at: [], calls: [], errors: [], p50: [], p95: [], p99: [], inFlight: [] };
}

const FEWEST_POINTS = 24;

/** How many of the oldest points are empty: a gateway that has just started fills the plot nevertheless. */
function emptyPoints({ series }: History): number {
  const used = series.calls.findIndex((calls, i) => (calls ?? 0) > 0 || (series.in_flight[i] ?? 0) > 0);
  const most = Math.max(0, series.calls.length - FEWEST_POINTS);
  return used < 0 ? 0 : Math.min(Math.max(0, used - 1), most);
}

/** Counts of an interval become rates. A time in which nothing ran has no calls, and no latency. */
export function seriesOf(history: History): Series {
  const { interval_s, end, series } = history;
  const first = emptyPoints(history);
  const calls = series.calls.slice(first);
  const last = Date.parse(end) / 1000;
  const rate = (value: number | null): number => (value ?? 0) / interval_s;
  return {
    at: calls.map((_, i) => last - (calls.length - 1 - i) * interval_s),
    calls: calls.map(rate),
    errors: series.errors.slice(first).map(rate),
    p50: series.p50_ms.slice(first),
    p95: series.p95_ms.slice(first),
    p99: series.p99_ms.slice(first),
    inFlight: series.in_flight.slice(first),
  };
}

export const MOST_POINTS = 450;

/** The same for a gateway without history, or a caller who sees only its own calls: one more point. */
export function appended(series: Series, at: number, point: Point): Series {
  const add = <T>(list: T[], value: T): T[] => [...list, value].slice(-MOST_POINTS);
  return {
    at: add(series.at, at),
    calls: add(series.calls, point.calls),
    errors: add(series.errors, point.errors),
    p50: add(series.p50, point.p50),
    p95: add(series.p95, point.p95),
    p99: add(series.p99, point.p99),
    inFlight: add(series.inFlight, point.inFlight),
  };
}

export interface Point {
  calls: number;
  errors: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  inFlight: number | null;
}

/** Of the whole gateway, or of one upstream. */
export function pointOf(load: Load, inFlight: number | null, upstream?: string): Point | undefined {
  const found = upstream ? load.upstreams.find((entry) => entry.name === upstream) : load.total;
  if (!found) return undefined;
  return {
    calls: found.calls_per_second,
    errors: found.errors_per_second,
    p50: found.p50_ms,
    p95: found.p95_ms,
    p99: found.p99_ms,
    inFlight,
  };
}

export const WINDOW_S = 10;

/** The load of some calls within the last seconds: for callers who see their own only. */
export function pointOfCalls(calls: readonly Call[], now: number): Point {
  const recent = calls.filter((call) => now - Date.parse(call.began) - call.took_ms < WINDOW_S * 1000);
  const times = recent.map((call) => call.took_ms).sort((a, b) => a - b);
  const quantile = (share: number): number | null =>
    times.length === 0 ? null : (times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? null);
  return {
    calls: recent.length / WINDOW_S,
    errors: recent.filter((call) => call.failed).length / WINDOW_S,
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
    inFlight: null,
  };
}
