// The live tail, joined with the earlier calls that the gateway still stores.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { type FilterName, type Filters, filterQuery, selects } from '../../logic/filters';
import { bytes, compact, duration } from '../../logic/format';
import { Card, Dot, Empty, Notice, When } from '../../parts/basics';
import { droppedBy, droppedCalls, recentCalls, streamState, useLiveCalls } from '../../state/live_calls';
import { href, navigate } from '../../state/router';
import { text } from '../../text';
import { FilterRow } from './calls';

const words = text.calls;
const PAGE = 100;
const TYPING_MS = 250;

interface Stored {
  calls: control.Call[];
  next: string | undefined;
  error: string | undefined;
  more: () => void;
}

/** Pages of stored calls, the newest first; begins anew when the filters change. */
function useStored(filters: Filters): Stored {
  const key = filterQuery(filters).toString();
  const [stored, setStored] = useState<Omit<Stored, 'more'>>({
    calls: [],
    next: undefined,
    error: undefined,
  });
  const wanted = useRef(key);
  wanted.current = key;
  const read = async (before: string | undefined): Promise<void> => {
    const query = new URLSearchParams(key);
    query.set('limit', String(PAGE));
    if (before) query.set('before', before);
    try {
      const page = await control.calls(query);
      if (wanted.current !== key) return;
      setStored((old) => ({
        calls: before ? [...old.calls, ...page.calls] : page.calls,
        next: page.next,
        error: undefined,
      }));
    } catch (error) {
      if (wanted.current === key) setStored((old) => ({ ...old, error: messageOf(error) }));
    }
  };
  // The key stands for the filters.
  useEffect(() => {
    const timer = setTimeout(() => read(undefined), TYPING_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return { ...stored, more: () => read(stored.next) };
}

function ended(call: control.Call): number {
  return Date.parse(call.began) + call.took_ms;
}

function joined(live: readonly control.Call[], stored: control.Call[], filters: Filters): control.Call[] {
  const known = new Map<string, control.Call>();
  for (const call of [...live, ...stored]) {
    if (selects(filters, call)) known.set(call.span_id, call);
  }
  return [...known.values()].sort((a, b) => ended(b) - ended(a));
}

export function Outcome({ call }: { call: control.Call }): JSX.Element {
  return (
    <span class="row nowrap">
      <Dot tone={call.failed ? 'bad' : 'ok'} />
      <span class={call.failed ? 'bad' : ''}>{call.outcome}</span>
    </span>
  );
}

function Row({ call }: { call: control.Call }): JSX.Element {
  const target = { of: call.trace_id, call: call.span_id };
  return (
    // The link in the row is for the keyboard.
    <tr
      class="link"
      onClick={(event) =>
        event.target instanceof Element && !event.target.closest('a') && navigate('calls', target)
      }
    >
      <td class="nowrap">
        <When at={call.began} />
      </td>
      <td>
        <Outcome call={call} />
      </td>
      <td>
        <a class="clip" href={href('calls', target)}>
          {call.tool ?? call.target ?? call.method}
        </a>
      </td>
      <td class="wide">
        <span class="clip">{call.upstream ?? text.none}</span>
      </td>
      <td class="wide">
        <span class="clip" title={call.client}>
          {call.caller ?? text.none}
        </span>
      </td>
      <td class="number">{duration(call.took_ms)}</td>
      <td class="number wide">{bytes(call.bytes_out)}</td>
    </tr>
  );
}

function Table({ calls }: { calls: control.Call[] }): JSX.Element {
  const { columns } = words;
  return (
    <div class="table-wrap">
      <table class="calls">
        <caption class="hidden-text">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.when}</th>
            <th scope="col">{columns.outcome}</th>
            <th scope="col">{columns.tool}</th>
            <th scope="col" class="wide">
              {columns.upstream}
            </th>
            <th scope="col" class="wide">
              {columns.caller}
            </th>
            <th scope="col" class="number">
              {columns.took}
            </th>
            <th scope="col" class="number wide">
              {columns.size}
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <Row key={call.span_id} call={call} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Nothing({ filtered }: { filtered: boolean }): JSX.Element {
  return filtered ? (
    <Empty title={words.emptyFiltered} hint={words.emptyFilteredHint}>
      <a class="button" href={href('calls')}>
        {words.reset}
      </a>
    </Empty>
  ) : (
    <Empty title={words.empty} hint={words.emptyHint}>
      <a class="button" href={href('playground')}>
        {text.overview.toPlayground}
      </a>
    </Empty>
  );
}

function StreamState({ frozen }: { frozen: readonly control.Call[] | undefined }): JSX.Element {
  const waiting = frozen ? recentCalls.value.findIndex((call) => call.span_id === frozen[0]?.span_id) : 0;
  return (
    <p class="stream-state small muted" role="status">
      <Dot tone={streamState.value === 'open' && !frozen ? 'ok' : 'warn'} />
      {frozen
        ? words.paused(waiting < 0 ? recentCalls.value.length : waiting)
        : streamState.value === 'open'
          ? words.following
          : words.connecting}
      {droppedCalls.value > 0 && <span>{words.dropped(compact(droppedCalls.value), droppedBy.value)}</span>}
    </p>
  );
}

export function LiveCalls({
  filters,
  names,
}: {
  filters: Filters;
  names: readonly FilterName[];
}): JSX.Element {
  useLiveCalls();
  const stored = useStored(filters);
  const [frozen, setFrozen] = useState<readonly control.Call[] | undefined>();
  const [most, setMost] = useState(PAGE);
  const live = frozen ?? recentCalls.value;
  const key = filterQuery(filters).toString();
  // The key stands for the filters.
  const all = useMemo(() => joined(live, stored.calls, filters), [live, stored.calls, key]);
  const more = (): void => {
    setMost(most + PAGE);
    if (stored.next && all.length < most + PAGE) stored.more();
  };
  return (
    <>
      <FilterRow names={names} />
      {stored.error && <Notice tone="bad">{text.failed(stored.error)}</Notice>}
      <Card
        title={words.live}
        flush
        actions={
          <>
            {key && (
              <a class="button" href={href('calls')}>
                {words.reset}
              </a>
            )}
            <button
              type="button"
              class="button"
              onClick={() => setFrozen(frozen ? undefined : recentCalls.value)}
            >
              {frozen ? words.resume : words.pause}
            </button>
          </>
        }
      >
        <StreamState frozen={frozen} />
        {all.length === 0 ? <Nothing filtered={key !== ''} /> : <Table calls={all.slice(0, most)} />}
        {(all.length > most || stored.next) && all.length > 0 && (
          <p class="foot">
            <button type="button" class="button" onClick={more}>
              {words.older}
            </button>
          </p>
        )}
      </Card>
    </>
  );
}
