// What several pages show of the gateway, read once for all of them.
import { computed, effect, signal } from '@preact/signals';
import * as control from '../api/control';
import { type Polled, poll } from './poll';
import { session } from './session';

function empty<T>() {
  return signal<Polled<T>>({ data: undefined, error: undefined });
}

export const status = empty<control.Status>();
export const upstreams = empty<control.Upstream[]>();
export const load = empty<control.Load>();
export const approvals = empty<control.Approval[]>();

export const waiting = computed(() =>
  (approvals.value.data ?? []).filter((entry) => entry.state === 'waiting'),
);

/** A clock for relative times. */
export const now = signal(Date.now());

const FAST_MS = 2000;
const SLOW_MS = 4000;

export function watchGateway(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1000);
  let stops: (() => void)[] = [];
  effect(() => {
    for (const stop of stops) stop();
    stops = [];
    if (!session.value?.signed_in) return;
    stops.push(poll(status, control.status, SLOW_MS));
    stops.push(poll(upstreams, control.upstreams, FAST_MS));
    stops.push(poll(load, control.load, FAST_MS));
    stops.push(poll(approvals, control.approvals, FAST_MS));
  });
}
