// Data that is read again and again while somebody looks at it.
import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf, RequestError } from '../api/http';

export interface Polled<T> {
  data: T | undefined;
  error: string | undefined;
}

/** Whether the last request of all reached the gateway. */
export const reachable = signal(true);

/** One read, and whether the gateway could be reached. */
export async function observed<T>(read: () => Promise<T>): Promise<T> {
  try {
    const data = await read();
    reachable.value = true;
    return data;
  } catch (error) {
    reachable.value = error instanceof RequestError || !(error instanceof TypeError);
    throw error;
  }
}

/** Reads now and every `interval` ms while the page is visible; stops with the returned function. */
export function poll<T>(into: Signal<Polled<T>>, read: () => Promise<T>, interval: number): () => void {
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const round = async (): Promise<void> => {
    try {
      const data = await observed(read);
      if (stopped) return;
      if (data !== into.value.data || into.value.error) into.value = { data, error: undefined };
    } catch (error) {
      if (!stopped) into.value = { data: into.value.data, error: messageOf(error) };
    }
    if (!stopped && !document.hidden) timer = setTimeout(round, interval);
    else timer = undefined;
  };
  const wake = (): void => {
    if (!document.hidden && timer === undefined && !stopped) void round();
  };
  document.addEventListener('visibilitychange', wake);
  void round();
  return () => {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', wake);
  };
}

/** The same for one component. `key` names what is read: another one begins anew. */
export function usePolled<T>(read: () => Promise<T>, interval: number, key = ''): Polled<T> {
  const into = useSignal<Polled<T>>({ data: undefined, error: undefined });
  // The key stands for what is read.
  useEffect(() => {
    into.value = { data: undefined, error: undefined };
    return poll(into, read, interval);
  }, [key, interval]);
  return into.value;
}
