// One upstream: why it is as it is, what it has written, and how it did.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf, page, RequestError } from '../../api/http';
import { compact } from '../../logic/format';
import { healthOf } from '../../logic/map';
import { isObject } from '../../logic/schema';
import { Badge, Card, Code, Dot, Empty, PageHead, Pending } from '../../parts/basics';
import { Confirm } from '../../parts/confirm';
import { Icon } from '../../parts/icons';
import { report } from '../../parts/toasts';
import { load, upstreams } from '../../state/gateway';
import { usePolled } from '../../state/poll';
import { href } from '../../state/router';
import { isAdmin } from '../../state/session';
import { text } from '../../text';
import { Plots, RangeTabs } from '../overview/plots';

const words = text.upstreams;
const EVERY_MS = 3000;
const MOST_LINES = 500;

interface Instance {
  state?: string;
  detail?: string;
}

interface Details {
  stderr?: unknown;
  instances?: unknown;
  sign_in?: unknown;
}

/** undefined where there is no such upstream, or not for this caller. */
async function readDetails(name: string): Promise<Details | undefined> {
  try {
    return await page<Details>(`control/v1/upstreams/${encodeURIComponent(name)}`);
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** Lines come as texts, or as objects with a text. */
function linesOf(stderr: unknown): string[] | undefined {
  if (!Array.isArray(stderr)) return undefined;
  return stderr
    .slice(-MOST_LINES)
    .map((line) => (isObject(line) ? String(line.text ?? line.line ?? '') : String(line)));
}

async function restart(name: string): Promise<void> {
  try {
    await control.restart(name);
    report('ok', words.restarted(name));
  } catch (error) {
    report('bad', text.failed(messageOf(error)));
  }
}

function Facts({ upstream }: { upstream: control.Upstream }): JSX.Element {
  const rows: [string, ComponentChildren][] = [
    [words.columns.state, text.state[upstream.state]],
    [words.detail, upstream.detail],
    [words.columns.kind, upstream.kind],
    [words.required, upstream.required && words.requiredHint],
    [
      words.columns.tools,
      <a href={href('catalog', { upstream: upstream.name })}>{compact(upstream.tools)}</a>,
    ],
    [words.total, <a href={href('calls', { upstream: upstream.name })}>{compact(upstream.calls)}</a>],
    [
      words.totalErrors,
      <a href={href('calls', { upstream: upstream.name, outcome: '!ok' })}>{compact(upstream.errors)}</a>,
    ],
    [words.columns.flight, compact(upstream.in_flight)],
    [words.columns.instances, compact(upstream.instances)],
    [words.columns.restarts, compact(upstream.restarts)],
  ];
  return (
    <Card title={words.columns.state}>
      <dl class="facts">
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd class="foreign">{value}</dd>
            </>
          ))}
      </dl>
    </Card>
  );
}

function Instances({ list }: { list: Instance[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <Card title={words.instancesTitle}>
      <ul class="brief">
        {list.slice(0, 100).map((instance, i) => (
          <li key={String(i)}>
            <Dot tone={instance.state === 'up' ? 'ok' : 'bad'} />
            <span>{instance.state}</span>
            <span class="clip grow muted">{instance.detail}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function More({ details }: { details: Details }): JSX.Element {
  const lines = linesOf(details.stderr);
  const instances = Array.isArray(details.instances) ? (details.instances as Instance[]) : [];
  return (
    <>
      {lines && (
        <Card title={words.stderr}>
          {lines.length > 0 ? (
            <Code value={lines.join('\n')} label={words.stderr} />
          ) : (
            <p class="muted">{words.noStderr}</p>
          )}
        </Card>
      )}
      <Instances list={instances} />
    </>
  );
}

export function UpstreamDetail({ name }: { name: string }): JSX.Element {
  const [confirming, setConfirming] = useState(false);
  const { data, error } = upstreams.value;
  const details = usePolled(() => readDetails(name), EVERY_MS, name).data;
  const upstream = data?.find((one) => one.name === name);
  if (!data) return <Pending error={error} />;
  if (!upstream) return <Empty title={words.notFound} />;
  const rates = load.value.data?.upstreams.find((entry) => entry.name === name);
  const health = healthOf(upstream.state, rates?.calls_per_second ?? 0, rates?.errors_per_second ?? 0);
  return (
    <>
      <PageHead title={name}>
        <Badge tone={health}>{text.state[upstream.state]}</Badge>
        <div class="actions">
          <RangeTabs />
          {isAdmin.value && details && (
            <button type="button" class="button" onClick={() => setConfirming(true)}>
              {words.restart}
            </button>
          )}
          <a class="button" href={href('upstreams')}>
            <Icon name="back" /> {words.back}
          </a>
        </div>
      </PageHead>
      <Plots upstream={name} />
      <div class="halves">
        <Facts upstream={upstream} />
        <div class="stack">{details && <More details={details} />}</div>
      </div>
      {confirming && (
        <Confirm
          question={words.confirmRestart(name)}
          action={words.restart}
          onDone={(confirmed) => {
            setConfirming(false);
            if (confirmed) void restart(name);
          }}
        />
      )}
    </>
  );
}
