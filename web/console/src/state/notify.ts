// Notifications of the browser about calls that wait for a person, on every page.
import { effect } from '@preact/signals';
import { cut } from '../logic/format';
import { text } from '../text';
import { waiting } from './gateway';
import { readStored } from './stored';

export const NOTIFY = 'notify';
const MOST = 5;

export function watchApprovals(): void {
  let known: Set<string> | undefined;
  effect(() => {
    const before = known;
    known = new Set(waiting.value.map((entry) => entry.id));
    if (!before || readStored(NOTIFY) !== 'yes' || !('Notification' in globalThis)) return;
    if (Notification.permission !== 'granted') return;
    for (const { id, tool, caller } of waiting.value.slice(0, MOST)) {
      if (before.has(id)) continue;
      const body = text.approvals.notification(cut(tool, 100), cut(caller, 60));
      new Notification(text.product, { body, tag: id });
    }
  });
}
