// Short messages about what has just happened.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Tone } from './basics';

interface Toast {
  id: number;
  tone: Tone;
  message: string;
}

const toasts = signal<Toast[]>([]);
const SHOWN_MS = 6000;
const MOST = 4;
let last = 0;

export function report(tone: Tone, message: string): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, tone, message: message.slice(0, 400) }].slice(-MOST);
  setTimeout(() => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }, SHOWN_MS);
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`notice ${toast.tone}`}>
          {toast.message}
        </div>
      ))}
    </div>
  );
}
