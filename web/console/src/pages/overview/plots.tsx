// Calls, latency and calls in flight over time.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { compact, duration } from '../../logic/format';
import { appended, emptySeries, pointOf, pointOfCalls, type Series, seriesOf } from '../../logic/series';
import { Card, Tabs } from '../../parts/basics';
import { Chart } from '../../parts/chart';
import { load, now, status, upstreams } from '../../state/gateway';
import { recentCalls } from '../../state/live_calls';
import { usePolled } from '../../state/poll';
import { route, setQuery } from '../../state/router';
import { isAdmin } from '../../state/session';
import { text } from '../../text';

const words = text.overview;
const RANGES: control.Range[] = ['15m', '3h', '24h'];
const EVERY_MS: Record<control.Range, number> = { '15m': 5000, '3h': 20000, '24h': 60000 };
const POINT_MS = 2000;

export function useRange(): [control.Range, (range: control.Range) => void] {
  const given = RANGES.find((range) => range === route.value.query.get('range')) ?? '15m';
  return [given, (range) => setQuery({ range: range === '15m' ? undefined : range })];
}

export function RangeTabs(): JSX.Element {
  const [range, setRange] = useRange();
  return (
    <Tabs
      label={words.rangeLabel}
      choices={RANGES.map((name) => [name, words.ranges[name]] as const)}
      value={range}
      onChange={setRange}
    />
  );
}

function inFlightOf(upstream: string | undefined): number | null {
  if (!upstream) return status.value.data?.calls_in_flight ?? null;
  return upstreams.value.data?.find((one) => one.name === upstream)?.in_flight ?? null;
}

/** Points gathered by the page itself, since it was opened. */
function useOwnSeries(wanted: boolean, upstream: string | undefined): Series {
  const [series, setSeries] = useState(emptySeries);
  useEffect(() => {
    if (!wanted) return;
    const timer = setInterval(() => {
      const calls = recentCalls.value.filter((call) => !upstream || call.upstream === upstream);
      const found = load.value.data && pointOf(load.value.data, inFlightOf(upstream), upstream);
      const point = found ?? pointOfCalls(calls, now.value);
      setSeries((before) => appended(before, Date.now() / 1000, point));
    }, POINT_MS);
    return () => clearInterval(timer);
  }, [wanted, upstream]);
  return series;
}

/** The history of the gateway, or of one upstream; without one, what the page has gathered. */
export function useSeries(range: control.Range, upstream?: string): { series: Series; own: boolean } {
  const key = `${range} ${upstream ?? ''} ${isAdmin.value}`;
  const read = (): Promise<control.History | undefined> =>
    isAdmin.value || upstream ? control.history(range, upstream) : Promise.resolve(undefined);
  const { data } = usePolled(read, EVERY_MS[range], key);
  const gathered = useOwnSeries(data === undefined, upstream);
  const series = useMemo(() => (data ? seriesOf(data) : gathered), [data, gathered]);
  return { series, own: data === undefined };
}

export function Plots({ upstream }: { upstream?: string }): JSX.Element {
  const [range] = useRange();
  const { series, own } = useSeries(range, upstream);
  const lines = useMemo(
    () => ({
      calls: [
        { label: words.series.calls, colour: '--chart-1', values: series.calls, filled: true },
        { label: words.series.errors, colour: '--chart-2', values: series.errors, filled: true },
      ],
      latency: [
        { label: words.series.p50, colour: '--chart-1', values: series.p50 },
        { label: words.series.p95, colour: '--chart-4', values: series.p95 },
        { label: words.series.p99, colour: '--chart-3', values: series.p99 },
      ],
      inFlight: [
        { label: words.series.inFlight, colour: '--chart-1', values: series.inFlight, filled: true },
      ],
    }),
    [series],
  );
  return (
    <>
      <div class="plots">
        <Card title={words.plots.calls}>
          <Chart title={words.plots.calls} at={series.at} lines={lines.calls} format={compact} />
        </Card>
        <Card title={words.plots.latency}>
          <Chart title={words.plots.latency} at={series.at} lines={lines.latency} format={duration} />
        </Card>
        <Card title={words.plots.inFlight}>
          <Chart title={words.plots.inFlight} at={series.at} lines={lines.inFlight} format={compact} />
        </Card>
      </div>
      {own && !isAdmin.value && <p class="muted small">{words.sinceOpened}</p>}
    </>
  );
}
