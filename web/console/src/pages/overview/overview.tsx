// The first page: what happens now, what happened lately, and what needs a person.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { matters } from '../../logic/attention';
import { bytes, compact, duration } from '../../logic/format';
import { pointOf, pointOfCalls } from '../../logic/series';
import { Card, Dot, Notice, PageHead, Pending, When } from '../../parts/basics';
import { load, now, status, upstreams, waiting } from '../../state/gateway';
import { recentCalls, useLiveCalls } from '../../state/live_calls';
import { usePolled } from '../../state/poll';
import { href } from '../../state/router';
import { isAdmin } from '../../state/session';
import { readStored, writeStored } from '../../state/stored';
import { text } from '../../text';
import { GatewayMap } from './map';
import { Plots, RangeTabs } from './plots';

const words = text.overview;
const CLIENTS_MS = 4000;
const LATEST = 8;

function Tile({
  name,
  value,
  bad,
}: {
  name: string;
  value: string | JSX.Element;
  bad?: boolean;
}): JSX.Element {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd class={bad ? 'bad' : ''}>{value}</dd>
    </div>
  );
}

function Tiles({ clients }: { clients: number }): JSX.Element {
  const data = status.value.data;
  const inFlight = data?.calls_in_flight ?? null;
  const found = load.value.data && pointOf(load.value.data, inFlight);
  const point = found ?? pointOfCalls(recentCalls.value, now.value);
  const share = point.calls > 0 ? point.errors / point.calls : 0;
  return (
    <dl class="tiles">
      <Tile name={words.callsPerSecond} value={compact(point.calls)} />
      <Tile name={words.errorShare} value={`${compact(share * 100)} %`} bad={share > 0.05} />
      <Tile name={words.latency} value={duration(point.p95)} />
      {inFlight !== null && <Tile name={words.inFlight} value={compact(inFlight)} />}
      <Tile name={words.clients} value={compact(clients)} />
      {data?.resident_bytes ? <Tile name={words.memory} value={bytes(data.resident_bytes)} /> : null}
      {data && <Tile name={words.uptime} value={<When at={data.started} />} />}
    </dl>
  );
}

function Attention(): JSX.Element {
  const found = matters(status.value.data, upstreams.value.data ?? [], load.value.data, waiting.value.length);
  return (
    <Card title={words.attention}>
      {found.length === 0 ? (
        <p class="row muted">
          <Dot tone="ok" /> {words.nothing}
        </p>
      ) : (
        <ul class="matters">
          {found.map((matter) => (
            <li key={matter.title + matter.detail}>
              <Dot tone={matter.tone} />
              <div class="grow stack tight">
                {matter.page ? (
                  <a href={href(matter.page, matter.query)}>{matter.title}</a>
                ) : (
                  <b>{matter.title}</b>
                )}
                {matter.detail && <span class="small muted lines">{matter.detail}</span>}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Latest(): JSX.Element {
  const calls = recentCalls.value.slice(0, LATEST);
  return (
    <Card title={words.latest} actions={<a href={href('calls')}>{text.all}</a>}>
      {calls.length === 0 ? (
        <p class="muted">
          {words.noCalls} <a href={href('playground')}>{words.toPlayground}</a> ·{' '}
          <a href={href('connect')}>{words.toConnect}</a>
        </p>
      ) : (
        <ul class="brief">
          {calls.map((call) => (
            <li key={call.span_id}>
              <Dot tone={call.failed ? 'bad' : 'ok'} />
              <a class="clip grow" href={href('calls', { call: call.span_id, of: call.trace_id })}>
                {call.tool ?? call.target ?? call.method}
              </a>
              <span class="muted clip brief-caller">{call.caller}</span>
              <span class="number">{duration(call.took_ms)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Busiest(): JSX.Element | null {
  const tools = [...(load.value.data?.tools ?? [])].sort(
    (a, b) => b.calls_per_second - a.calls_per_second || b.calls - a.calls,
  );
  if (tools.length === 0) return null;
  const most = Math.max(...tools.map((tool) => tool.calls));
  return (
    <Card title={words.busiest}>
      <ul class="brief">
        {tools.slice(0, LATEST).map((tool) => (
          <li key={tool.name}>
            <a class="clip grow bar" href={href('calls', { tool: tool.name })}>
              <i style={{ width: `${Math.max(2, (tool.calls / most) * 100)}%` }} aria-hidden="true" />
              <span class="clip">{tool.name}</span>
            </a>
            {tool.errors > 0 && <span class="bad number">{compact(tool.errors)}</span>}
            <span class="number">{compact(tool.calls)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const WELCOME = 'welcome';

/** On first use, until it is dismissed or somebody has called something. */
function Welcome(): JSX.Element | null {
  const [dismissed, setDismissed] = useState(readStored(WELCOME) === 'dismissed');
  const called = recentCalls.value.some((call) => call.method === 'tools/call');
  const before = (load.value.data?.tools.length ?? 1) > 0;
  if (dismissed || called || before) return null;
  const dismiss = (): void => {
    writeStored(WELCOME, 'dismissed');
    setDismissed(true);
  };
  return (
    <Notice tone="ok">
      <div class="row">
        <span class="grow">{words.welcome}</span>
        <a class="button primary" href={href('setup')}>
          {text.pages.setup}
        </a>
        <button type="button" class="button" onClick={dismiss}>
          {text.dismiss}
        </button>
      </div>
    </Notice>
  );
}

export function Overview(): JSX.Element {
  useLiveCalls();
  const clients = usePolled(() => control.clients(), CLIENTS_MS).data?.clients ?? [];
  const open = clients.filter((client) => client.kind !== 'stream').length;
  return (
    <>
      <PageHead title={text.pages.overview}>
        <div class="actions">
          <RangeTabs />
        </div>
      </PageHead>
      {!status.value.data && <Pending error={status.value.error} />}
      <Welcome />
      <Tiles clients={open} />
      <div class="split">
        <GatewayMap clients={clients} />
        <Attention />
      </div>
      <Plots />
      <div class="halves">
        <Latest />
        <Busiest />
      </div>
      {!isAdmin.value && <Notice>{text.ownOnly}</Notice>}
    </>
  );
}
