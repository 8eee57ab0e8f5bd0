// Finished calls as they come. One stream for all parts of the page, open while one of them looks.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import * as control from '../api/control';
import { eventsOf, type ServerEvent } from '../api/events';
import { RequestError, send } from '../api/http';

export const MOST_STORED = 1000;
const RETRY_MS = 3000;

/** The newest first. */
export const recentCalls = signal<readonly control.Call[]>([]);
export const droppedCalls = signal(0);
/** The setting that has caused some of them. */
export const droppedBy = signal('');
export const streamState = signal<'closed' | 'connecting' | 'open'>('closed');

let stopper: AbortController | undefined;
let readers = 0;
let arrived: control.Call[] = [];
let drawing = false;

function add(found: control.Call[]): void {
  const known = new Set(recentCalls.value.slice(0, 400).map((call) => call.span_id));
  const fresh = found.filter((call) => !known.has(call.span_id));
  if (fresh.length > 0) recentCalls.value = [...fresh.reverse(), ...recentCalls.value].slice(0, MOST_STORED);
}

/** Calls come in bursts: the page draws once for each. */
function receive(data: string): void {
  arrived.push(JSON.parse(data) as control.Call);
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    add(arrived);
    arrived = [];
  }, 100);
}

function take(event: ServerEvent): void {
  if (event.event === 'call') receive(event.data);
  if (event.event !== 'dropped') return;
  const { calls, setting } = JSON.parse(event.data) as { calls: number; setting?: string };
  droppedCalls.value += calls;
  if (setting) droppedBy.value = setting;
}

/** Reads until the stream ends: the id of its last event. */
async function follow(stop: AbortSignal, lastId: string | undefined): Promise<string | undefined> {
  let last = lastId;
  const headers: Record<string, string> = { Accept: 'text/event-stream' };
  if (last !== undefined) headers['Last-Event-ID'] = last;
  const response = await send('control/v1/calls/live', { headers, signal: stop });
  if (!response.ok || !response.body) throw new RequestError(response.status, 'no stream');
  streamState.value = 'open';
  for await (const event of eventsOf(response.body)) {
    take(event);
    last = event.id ?? last;
  }
  return last;
}

async function begin(stop: AbortSignal): Promise<void> {
  let last: string | undefined;
  while (!stop.aborted) {
    streamState.value = 'connecting';
    try {
      const { calls } = await control.calls(new URLSearchParams({ limit: '200' }));
      if (!stop.aborted) add([...calls].reverse());
      last = await follow(stop, last);
    } catch {
      last = undefined;
    }
    if (!stop.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function end(): void {
  stopper?.abort();
  stopper = undefined;
  streamState.value = 'closed';
}

/** Keeps the stream open while the component is there. */
export function useLiveCalls(): void {
  useEffect(() => {
    if (readers++ === 0) {
      recentCalls.value = [];
      stopper = new AbortController();
      void begin(stopper.signal);
    }
    return () => {
      if (--readers === 0) end();
    };
  }, []);
}
