// Calls that wait for a person: their exact arguments, and what has changed since the last one.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../api/control';
import { messageOf } from '../api/http';
import { difference } from '../logic/difference';
import { cut, duration, pretty } from '../logic/format';
import { Badge, Card, Code, Empty, Notice, PageHead, Pending, When } from '../parts/basics';
import { report } from '../parts/toasts';
import { approvals, now, waiting } from '../state/gateway';
import { NOTIFY } from '../state/notify';
import { isAdmin } from '../state/session';
import { readStored, writeStored } from '../state/stored';
import { text } from '../text';

const words = text.approvals;
const MOST = 100;

function expiry({ expires }: control.Approval): string {
  return words.expires(duration(Math.max(0, Date.parse(expires) - now.value)));
}

function Difference({ entry }: { entry: control.Approval }): JSX.Element {
  const last = entry.last_approved;
  if (!last) return <p class="small muted">{words.noEarlier}</p>;
  const lines = difference(pretty(last.arguments), pretty(entry.arguments));
  if (lines.every((line) => line.kind === 'same')) return <p class="small muted">{words.sameAsLast}</p>;
  const marks = { same: ' ', removed: '-', added: '+' };
  return (
    <div class="stack tight">
      <h3>{words.changes}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <pre class="diff" tabIndex={0} role="group" aria-label={words.changes}>
        {lines.slice(0, 1200).map((line, i) => (
          <span key={String(i)} class={line.kind}>{`${marks[line.kind]} ${cut(line.text, 2000)}\n`}</span>
        ))}
      </pre>
    </div>
  );
}

function Decide({ entry }: { entry: control.Approval }): JSX.Element {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const decide = async (action: 'approve' | 'deny'): Promise<void> => {
    setBusy(true);
    try {
      if (action === 'approve') await control.approve(entry.id);
      else await control.deny(entry.id, reason.trim());
      report('ok', words.done[action]);
      approvals.value = { ...approvals.value, data: await control.approvals() };
    } catch (error) {
      report('bad', text.failed(messageOf(error)));
    }
    setBusy(false);
  };
  return (
    <div class="row">
      <button type="button" class="button primary" disabled={busy} onClick={() => decide('approve')}>
        {words.approve}
      </button>
      <input
        type="text"
        class="reason"
        maxLength={400}
        aria-label={words.reasonOf(cut(entry.tool, 80))}
        placeholder={words.reason}
        value={reason}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <button type="button" class="button danger" disabled={busy} onClick={() => decide('deny')}>
        {words.deny}
      </button>
    </div>
  );
}

function Entry({ entry }: { entry: control.Approval }): JSX.Element {
  return (
    <Card>
      <div class="stack">
        <div class="row">
          <h2 class="foreign mono">{cut(entry.tool, 300)}</h2>
          <span class="muted foreign">{words.by(cut(entry.caller, 120))}</span>
          <Badge tone="warn">{expiry(entry)}</Badge>
          {entry.asked && (
            <span class="small muted">
              <When at={entry.asked} />
            </span>
          )}
        </div>
        <div class="halves">
          <div class="stack tight">
            <h3>{words.arguments}</h3>
            <Code value={pretty(entry.arguments)} label={words.arguments} />
          </div>
          <Difference entry={entry} />
        </div>
        {entry.may_decide ? <Decide entry={entry} /> : <p class="small muted">{words.mayNot}</p>}
      </div>
    </Card>
  );
}

function Approved({ entries }: { entries: control.Approval[] }): JSX.Element | null {
  if (entries.length === 0) return null;
  return (
    <Card title={words.approved}>
      <ul class="brief">
        {entries.slice(0, MOST).map((entry) => (
          <li key={entry.id}>
            <span class="clip grow mono">{entry.tool}</span>
            <span class="muted clip">{words.by(cut(entry.by ?? '', 120))}</span>
            <span class="number">{expiry(entry)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function NotifyButton(): JSX.Element | null {
  const [on, setOn] = useState(readStored(NOTIFY) === 'yes');
  if (!('Notification' in globalThis)) return null;
  const toggle = async (): Promise<void> => {
    const allowed = on || (await Notification.requestPermission()) === 'granted';
    if (!allowed) report('warn', words.notifyOff);
    const next = !on && allowed;
    writeStored(NOTIFY, next ? 'yes' : 'no');
    setOn(next);
  };
  return (
    <button type="button" class="button" aria-pressed={on} onClick={toggle}>
      {on ? words.notifyOn : words.notify}
    </button>
  );
}

export function Approvals(): JSX.Element {
  const { data, error } = approvals.value;
  return (
    <>
      <PageHead title={text.pages.approvals}>
        <div class="actions">
          <NotifyButton />
        </div>
      </PageHead>
      {!isAdmin.value && <Notice>{words.adminsOnly}</Notice>}
      {!data && <Pending error={error} />}
      {data && waiting.value.length === 0 && (
        <Card flush>
          <Empty title={words.empty} hint={words.emptyHint} />
        </Card>
      )}
      {waiting.value.slice(0, MOST).map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
      <Approved entries={(data ?? []).filter((entry) => entry.state === 'approved')} />
    </>
  );
}
