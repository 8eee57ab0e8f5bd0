// One trace: its calls, and the stages of the chosen one as a waterfall.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf, RequestError } from '../../api/http';
import { bytes, duration } from '../../logic/format';
import { layOut } from '../../logic/waterfall';
import { Card, CopyButton, Empty, ExactTime, PageHead, Pending } from '../../parts/basics';
import { Icon } from '../../parts/icons';
import { href, type Query } from '../../state/router';
import { text } from '../../text';
import { Outcome } from './live';

const words = text.calls;

function Waterfall({ call }: { call: control.Call }): JSX.Element {
  const { bars, ticks } = layOut(call.stages, call.took_ms);
  return (
    <Card title={words.waterfall}>
      <p class="hidden-text">{words.waterfallSummary(bars.length, duration(call.took_ms))}</p>
      <div class="waterfall">
        <div class="axis" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick.at} style={{ left: `${tick.left}%` }}>
              {duration(tick.at)}
            </span>
          ))}
        </div>
        <ol>
          {bars.map((bar, i) => (
            <li key={`${bar.stage} ${i}`}>
              <span class="stage" title={words.stages[bar.stage]}>
                {bar.stage}
                <span class="hidden-text">: {words.stages[bar.stage]}</span>
              </span>
              <span class="track">
                {ticks.map((tick) => (
                  <i key={tick.at} class="tick" style={{ left: `${tick.left}%` }} aria-hidden="true" />
                ))}
                <i
                  class={`stage-bar ${bar.stage} ${bar.failed ? 'bad' : ''}`}
                  style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
                  aria-hidden="true"
                />
              </span>
              <span class="number">{duration(bar.took)}</span>
            </li>
          ))}
        </ol>
      </div>
      {call.stages_dropped ? (
        <p class="small muted">{words.stagesDropped(String(call.stages_dropped))}</p>
      ) : null}
    </Card>
  );
}

function replayOf(call: control.Call): Query | undefined {
  const kinds: Record<string, string> = {
    'tools/call': 'tool',
    'prompts/get': 'prompt',
    'resources/read': 'resource',
  };
  const kind = kinds[call.method];
  return kind && call.target ? { kind, id: call.target } : undefined;
}

function Facts({ call }: { call: control.Call }): JSX.Element {
  const { facts } = words;
  const rows: [string, ComponentChildren][] = [
    [facts.began, <ExactTime at={call.began} />],
    [facts.method, call.method],
    [facts.target, call.target],
    [facts.error, call.error_code],
    [facts.caller, call.caller],
    [facts.client, call.client],
    [facts.from, call.from],
    [facts.frontend, call.frontend],
    [facts.revision, call.revision],
    [facts.rule, call.rule],
    [facts.sizes, `${bytes(call.bytes_in)}, ${bytes(call.bytes_out)}`],
    [facts.session, call.session && <span class="mono">{call.session}</span>],
    [facts.span, <span class="mono">{call.span_id}</span>],
    [facts.parent, call.parent_span_id && <span class="mono">{call.parent_span_id}</span>],
    [
      facts.link,
      call.link && (
        <a href={href('calls', { of: call.link.trace_id, call: call.link.span_id })}>{call.link.trace_id}</a>
      ),
    ],
  ];
  return (
    <Card title={words.one}>
      <dl class="facts">
        {rows
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd class="foreign">{value}</dd>
            </>
          ))}
      </dl>
      <p class="small muted facts-note">{words.noArguments}</p>
    </Card>
  );
}

function CallList({ calls, chosen }: { calls: control.Call[]; chosen: control.Call }): JSX.Element {
  return (
    <Card title={words.sameTrace(calls.length)}>
      <ul class="brief">
        {calls.slice(0, 200).map((call) => (
          <li key={call.span_id}>
            <Outcome call={call} />
            <a
              class="clip grow"
              href={href('calls', { of: call.trace_id, call: call.span_id })}
              aria-current={call === chosen ? 'true' : undefined}
            >
              {call.tool ?? call.target ?? call.method}
            </a>
            <span class="number">{duration(call.took_ms)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function TraceView({ id, chosen }: { id: string; chosen: string | undefined }): JSX.Element {
  const [found, setFound] = useState<{ calls?: control.Call[]; error?: string; gone?: boolean }>({});
  useEffect(() => {
    let stale = false;
    control
      .trace(id)
      .then(({ calls }) => !stale && setFound({ calls }))
      .catch((error: unknown) => {
        const gone = error instanceof RequestError && error.status === 404;
        if (!stale) setFound({ gone, error: messageOf(error) });
      });
    return () => {
      stale = true;
    };
  }, [id]);
  const calls = found.calls ?? [];
  const call = calls.find((one) => one.span_id === chosen) ?? calls[0];
  const replay = call && replayOf(call);
  return (
    <>
      <PageHead title={call ? (call.tool ?? call.target ?? call.method) : words.one}>
        {call && <Outcome call={call} />}
        {call && <span class="muted">{duration(call.took_ms)}</span>}
        <div class="actions">
          {replay && (
            <a class="button" href={href('playground', replay)}>
              {words.replay}
            </a>
          )}
          <a class="button" href={href('calls')}>
            <Icon name="back" /> {words.back}
          </a>
        </div>
      </PageHead>
      <p class="row">
        <span class="muted">{words.facts.trace}</span> <code class="foreign">{id}</code>
        <CopyButton value={id} />
      </p>
      {call ? (
        <>
          <Waterfall call={call} />
          <div class="halves">
            <Facts call={call} />
            {calls.length > 1 && <CallList calls={calls} chosen={call} />}
          </div>
        </>
      ) : found.gone || found.calls ? (
        <Empty title={words.notFound} />
      ) : (
        <Pending error={found.error} />
      )}
    </>
  );
}
