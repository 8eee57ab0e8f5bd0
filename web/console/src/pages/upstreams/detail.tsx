// One upstream: why it is as it is, what it has written, and how it did.
import type { ComponentChildren, JSX } from 'preact';
import * as control from '../../api/control';
import { RequestError } from '../../api/http';
import { compact } from '../../logic/format';
import { healthOf } from '../../logic/map';
import { Badge, Card, Code, Dot, Empty, Notice, PageHead, Pending, When } from '../../parts/basics';
import { Icon } from '../../parts/icons';
import { load, upstreams } from '../../state/gateway';
import { usePolled } from '../../state/poll';
import { href } from '../../state/router';
import { isAdmin } from '../../state/session';
import { text } from '../../text';
import { Plots, RangeTabs } from '../overview/plots';
import { UpstreamActions } from './actions';
import { TokensCard } from './tokens';

const words = text.upstreams;
const EVERY_MS = 3000;
const MOST_INSTANCES = 100;

/** undefined where there is no such upstream, or not for this caller. */
async function readDetails(name: string): Promise<control.UpstreamDetails | undefined> {
  try {
    return await control.upstreamDetails(name);
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
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

function Override({ upstream }: { upstream: control.Upstream }): JSX.Element | null {
  const { mode, override } = upstream;
  if (mode === 'enabled' || !override) return null;
  return (
    <Notice tone="warn">
      <strong>{words.overrideTitle}: </strong>
      <span class="foreign">{words.overrideBy(words.modes[mode], override.by ?? '')}</span>,{' '}
      <When at={override.since} />. {words.overrideHint}
    </Notice>
  );
}

function Instances({ list }: { list: control.Instance[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <Card title={words.instancesTitle}>
      <ul class="brief">
        {list.slice(0, MOST_INSTANCES).map((instance, i) => (
          <li key={String(i)}>
            <Dot tone={instance.state === 'up' ? 'ok' : 'bad'} />
            <span>
              {text.state[instance.state]} {words.instance.since} <When at={instance.since} />
            </span>
            <span class="clip grow muted">
              {instance.shared ? words.instance.shared : words.instance.own}
              {instance.in_flight > 0 && `, ${words.inFlight(instance.in_flight)}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function More({ details }: { details: control.UpstreamDetails }): JSX.Element {
  const lines = details.stderr?.map((one) => one.line);
  return (
    <>
      {details.sign_in && <TokensCard name={details.name} tokens={details.sign_in} />}
      <Instances list={details.instance_list} />
      {lines && (
        <Card title={words.stderr}>
          {lines.length > 0 ? (
            <Code value={lines.join('\n')} label={words.stderr} />
          ) : (
            <p class="muted">{words.noStderr}</p>
          )}
        </Card>
      )}
    </>
  );
}

export function UpstreamDetail({ name }: { name: string }): JSX.Element {
  const { data, error } = upstreams.value;
  const details = usePolled(() => readDetails(name), EVERY_MS, name).data;
  const upstream = data?.find((one) => one.name === name);
  if (!data) return <Pending error={error} />;
  if (!upstream) return <Empty title={words.notFound} />;
  const rates = load.value.data?.upstreams.find((entry) => entry.name === name);
  const health = healthOf(upstream, rates?.calls_per_second ?? 0, rates?.errors_per_second ?? 0);
  const overridden = upstream.mode !== 'enabled';
  return (
    <>
      <PageHead title={name}>
        <Badge tone={health}>{overridden ? words.modes[upstream.mode] : text.state[upstream.state]}</Badge>
        <div class="actions">
          <RangeTabs />
          {isAdmin.value && details && <UpstreamActions name={name} mode={upstream.mode} />}
          <a class="button" href={href('upstreams')}>
            <Icon name="back" /> {words.back}
          </a>
        </div>
      </PageHead>
      <Override upstream={upstream} />
      <Plots upstream={name} />
      <div class="halves">
        <Facts upstream={upstream} />
        <div class="stack">{details && <More details={details} />}</div>
      </div>
    </>
  );
}
