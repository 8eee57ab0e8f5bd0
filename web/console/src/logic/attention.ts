// What a person should look at, the most pressing first.
import type { Load, Status, Upstream } from '../api/control';
import type { PageName, Query } from '../state/router';
import { text } from '../text';

export interface Matter {
  tone: 'bad' | 'warn';
  title: string;
  detail: string;
  page?: PageName;
  query?: Query;
}

const HIGH_ERROR_SHARE = 0.05;
const FEWEST_ERRORS_PER_SECOND = 0.2;
const MOST = 30;

export function matters(
  status: Status | undefined,
  upstreams: readonly Upstream[],
  load: Load | undefined,
  waiting: number,
): Matter[] {
  const found: Matter[] = [];
  if (waiting > 0)
    found.push({ tone: 'warn', title: text.overview.waiting(waiting), detail: '', page: 'approvals' });
  for (const { name, state, mode, detail } of upstreams) {
    if (mode !== 'enabled') {
      const title = text.overview.overridden(name, text.upstreams.modes[mode]);
      found.push({ tone: 'warn', title, detail: '', page: 'upstreams', query: { name } });
      continue;
    }
    if (state !== 'down') continue;
    found.push({
      tone: 'bad',
      title: text.overview.upstreamDown(name),
      detail,
      page: 'upstreams',
      query: { name },
    });
  }
  for (const detail of status?.reload_refused ?? []) {
    found.push({ tone: 'bad', title: text.overview.reloadRefused, detail });
  }
  // A problem of an upstream that is down is already in the list.
  const known = (problem: string): boolean =>
    upstreams.some(({ name, state }) => state === 'down' && problem.startsWith(`upstreams.${name}:`));
  for (const detail of status?.problems ?? []) {
    if (!known(detail)) found.push({ tone: 'warn', title: text.overview.problem, detail });
  }
  const total = load?.total;
  if (total && total.errors_per_second >= FEWEST_ERRORS_PER_SECOND) {
    const share = total.errors_per_second / Math.max(total.calls_per_second, total.errors_per_second);
    if (share > HIGH_ERROR_SHARE) {
      const title = text.overview.errorsHigh(`${Math.round(share * 100)} %`);
      found.push({ tone: 'warn', title, detail: '', page: 'calls', query: { outcome: '!ok' } });
    }
  }
  return found.slice(0, MOST);
}
