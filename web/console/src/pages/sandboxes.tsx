// Sandboxes: whose they are, what they use of what they may, what their last run has written.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../api/control';
import { messageOf } from '../api/http';
import { bytes, cut, duration } from '../logic/format';
import { Badge, Card, Code, Empty, Notice, PageHead, Pending, When } from '../parts/basics';
import { Confirm } from '../parts/confirm';
import { report } from '../parts/toasts';
import { now } from '../state/gateway';
import { usePolled } from '../state/poll';
import { href } from '../state/router';
import { text } from '../text';

const words = text.sandboxes;
const EVERY_MS = 3000;

interface MeterProps {
  label: string;
  used: number | null;
  limit: number | null;
  children: ComponentChildren;
}

/** A bar for those who see it, and the same as text. */
function Meter({ label, used, limit, children }: MeterProps): JSX.Element {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {used !== null && limit !== null && (
          <meter min={0} max={limit} high={limit * 0.8} value={Math.min(used, limit)} aria-label={label} />
        )}
        <span class="block">{children}</span>
      </dd>
    </>
  );
}

const ofLimit = (used: string, limit: string | null): string =>
  limit === null ? words.withoutLimit(used) : words.ofLimit(used, limit);
const sizeOf = (value: number | null): string | null => (value === null ? null : bytes(value));
const timeOf = (us: number | null): string | null => (us === null ? null : duration(us / 1000));

function memory(sandbox: control.Sandbox): string {
  const [used, peak] = [sizeOf(sandbox.memory_bytes), sizeOf(sandbox.memory_peak_bytes)];
  return ofLimit(
    used === null || peak === null ? words.unmeasured : words.peak(used, peak),
    sizeOf(sandbox.memory_limit_bytes),
  );
}

const cpu = (sandbox: control.Sandbox): string =>
  ofLimit(timeOf(sandbox.cpu_us) ?? words.unmeasured, timeOf(sandbox.cpu_limit_us));

function Facts({ sandbox }: { sandbox: control.Sandbox }): JSX.Element {
  const { facts } = words;
  const left = Math.max(0, Date.parse(sandbox.expires) - now.value);
  const processes = sandbox.pids_limit === null ? words.unlimited : words.atMost(String(sandbox.pids_limit));
  return (
    <dl class="facts">
      <dt>{facts.owner}</dt>
      <dd class="foreign">{cut(sandbox.owner, 200)}</dd>
      <dt>{facts.isolation}</dt>
      <dd class="foreign">{sandbox.isolation}</dd>
      <dt>{facts.created}</dt>
      <dd>
        <When at={sandbox.created} /> {sandbox.warm && <span class="muted">{words.warm}</span>}
      </dd>
      <dt>{facts.expires}</dt>
      <dd>{words.in(duration(left))}</dd>
      <Meter label={words.memory} used={sandbox.memory_peak_bytes} limit={sandbox.memory_limit_bytes}>
        {memory(sandbox)}
        {sandbox.out_of_memory > 0 && <Badge tone="bad">{words.killed(sandbox.out_of_memory)}</Badge>}
      </Meter>
      <Meter label={words.cpu} used={sandbox.cpu_us} limit={sandbox.cpu_limit_us}>
        {cpu(sandbox)}
      </Meter>
      <dt>{facts.processes}</dt>
      <dd>
        {processes}
        {sandbox.pids_refused > 0 && words.refused(sandbox.pids_refused)}
      </dd>
      <dt>{facts.disk}</dt>
      <dd>
        {sandbox.disk_limit_bytes === null ? words.unlimited : words.atMost(bytes(sandbox.disk_limit_bytes))}
      </dd>
    </dl>
  );
}

function LastRun({ run }: { run: control.Sandbox['last_run'] }): JSX.Element {
  if (!run) return <p class="muted">{words.noRun}</p>;
  return (
    <div class="stack tight">
      <h3>{words.lastRun}</h3>
      <p class="row">
        <Badge tone={run.verdict === 'exit' && run.exit_code === 0 ? 'ok' : 'warn'}>
          {words.verdicts[run.verdict] ?? run.verdict}
        </Badge>
        <span>{words.code(run.exit_code)}</span>
        <span class="muted">
          <When at={run.ended} />
        </span>
      </p>
      {run.stdout === '' && run.stderr === '' && <p class="muted">{words.noOutput}</p>}
      {run.stdout !== '' && <Code value={run.stdout} label={words.out} />}
      {run.stderr !== '' && <Code value={run.stderr} label={words.err} />}
    </div>
  );
}

function Entry({ sandbox, onDestroy }: { sandbox: control.Sandbox; onDestroy: () => void }): JSX.Element {
  return (
    <Card>
      <div class="stack">
        <div class="row">
          <h2 class="foreign mono lines grow">{sandbox.id}</h2>
          <a href={href('upstreams', { name: sandbox.upstream })}>{words.of(sandbox.upstream)}</a>
          <Badge tone={sandbox.in_use > 0 ? 'accent' : ''}>
            {sandbox.in_use > 0 ? words.inUse(sandbox.in_use) : words.idle}
          </Badge>
          <button
            type="button"
            class="button danger"
            aria-label={words.destroyOf(sandbox.id)}
            onClick={onDestroy}
          >
            {words.destroy}
          </button>
        </div>
        <div class="halves">
          <Facts sandbox={sandbox} />
          <LastRun run={sandbox.last_run} />
        </div>
      </div>
    </Card>
  );
}

export function Sandboxes(): JSX.Element {
  const [changes, setChanges] = useState(0);
  const [ending, setEnding] = useState<control.Sandbox>();
  const { data, error } = usePolled(control.sandboxes, EVERY_MS, String(changes));
  const destroy = async (sandbox: control.Sandbox): Promise<void> => {
    try {
      await control.destroySandbox(sandbox);
      report('ok', words.destroyed);
    } catch (failure) {
      report('bad', text.failed(messageOf(failure)));
    }
    setChanges(changes + 1);
  };
  return (
    <>
      <PageHead title={text.pages.sandboxes} />
      {!data && <Pending error={error} />}
      {data?.sandboxes.length === 0 && (
        <Card>
          <Empty title={words.empty} hint={words.emptyHint} />
        </Card>
      )}
      <div class="stack">
        {data?.sandboxes.map((sandbox) => (
          <Entry
            key={`${sandbox.upstream} ${sandbox.id}`}
            sandbox={sandbox}
            onDestroy={() => setEnding(sandbox)}
          />
        ))}
      </div>
      {data && data.count > data.sandboxes.length && (
        <Notice>{words.more(data.sandboxes.length, data.count)}</Notice>
      )}
      {ending && (
        <Confirm
          question={words.confirmDestroy(ending.id)}
          action={words.destroy}
          onDone={(confirmed) => {
            setEnding(undefined);
            if (confirmed) void destroy(ending);
          }}
        />
      )}
    </>
  );
}
