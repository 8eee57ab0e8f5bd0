// The filters of calls, as the admin API has them, applied in the page too.
import type { Call } from '../api/control';

export const FILTERS = [
  'tool',
  'upstream',
  'caller',
  'client',
  'method',
  'outcome',
  'slower_than',
  'trace',
] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filters = Partial<Record<FilterName, string>>;

export function readFilters(query: URLSearchParams): Filters {
  const filters: Filters = {};
  for (const name of FILTERS) {
    const value = query.get(name)?.trim();
    if (value) filters[name] = value;
  }
  return filters;
}

export function filterQuery(filters: Filters): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of FILTERS) {
    const value = filters[name]?.trim();
    if (value) query.set(name, value);
  }
  return query;
}

/** `*` and `?` match any text, as in the admin API. Linear in practice: no backtracking over two stars. */
export function matches(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resumed = 0;
  let next = 0;
  while (at < text.length) {
    const wanted = pattern[next];
    if (wanted === '*') {
      star = next++;
      resumed = at;
    } else if (wanted === '?' || (wanted !== undefined && wanted === text[at])) {
      ++at;
      ++next;
    } else if (star >= 0) {
      next = star + 1;
      at = ++resumed;
    } else {
      return false;
    }
  }
  while (pattern[next] === '*') ++next;
  return next === pattern.length;
}

const UNITS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60000, h: 3600000 };

/** "100ms", "1.5s" and "1m30s" in milliseconds; undefined if it is none. */
export function milliseconds(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(us|ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== text) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ''] ?? 0), 0);
}

export function selects(filters: Filters, call: Call): boolean {
  const texts: [string | undefined, (string | undefined)[]][] = [
    [filters.tool, [call.tool, call.target]],
    [filters.upstream, [call.upstream]],
    [filters.caller, [call.caller, call.caller_id]],
    [filters.client, [call.client]],
    [filters.method, [call.method]],
  ];
  for (const [pattern, values] of texts) {
    if (pattern && !values.some((value) => value !== undefined && matches(pattern, value))) return false;
  }
  if (
    filters.outcome === '!ok' ? call.outcome === 'ok' : filters.outcome && filters.outcome !== call.outcome
  ) {
    return false;
  }
  if (filters.trace && !call.trace_id.startsWith(filters.trace)) return false;
  const slower = filters.slower_than ? milliseconds(filters.slower_than) : undefined;
  return slower === undefined || call.took_ms >= slower;
}
