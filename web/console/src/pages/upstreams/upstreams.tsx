// Who answers calls: state, load, and one of them in detail.
import type { JSX } from 'preact';
import type * as control from '../../api/control';
import { compact, duration } from '../../logic/format';
import { healthOf } from '../../logic/map';
import { Card, Code, Dot, Empty, PageHead, Pending } from '../../parts/basics';
import { load, upstreams } from '../../state/gateway';
import { href, navigate, route } from '../../state/router';
import { text } from '../../text';
import { UpstreamDetail } from './detail';

const words = text.upstreams;

function Row({ upstream }: { upstream: control.Upstream }): JSX.Element {
  const rates = load.value.data?.upstreams.find((entry) => entry.name === upstream.name);
  const health = healthOf(upstream, rates?.calls_per_second ?? 0, rates?.errors_per_second ?? 0);
  const target = { name: upstream.name };
  return (
    // The link in the row is for the keyboard.
    <tr
      class="link"
      onClick={(event) =>
        event.target instanceof Element && !event.target.closest('a') && navigate('upstreams', target)
      }
    >
      <td>
        <a class="row nowrap" href={href('upstreams', target)}>
          <Dot tone={health} />
          <span class="clip">{upstream.name}</span>
        </a>
      </td>
      <td>
        {upstream.mode === 'enabled' ? text.state[upstream.state] : words.modes[upstream.mode]}
        {upstream.detail && <span class="small muted lines">{upstream.detail}</span>}
      </td>
      <td class="wide">{upstream.kind}</td>
      <td class="number">{compact(upstream.tools)}</td>
      <td class="number">{compact(rates?.calls_per_second ?? 0)}</td>
      <td class={`number wide ${rates && rates.errors_per_second > 0 ? 'bad' : ''}`}>
        {compact(rates?.errors_per_second ?? 0)}
      </td>
      <td class="number wide">{duration(rates?.p50_ms)}</td>
      <td class="number wide">{duration(rates?.p95_ms)}</td>
      <td class="number wide">{compact(upstream.in_flight)}</td>
      <td class={`number wide ${upstream.restarts > 0 ? 'warn' : ''}`}>{compact(upstream.restarts)}</td>
    </tr>
  );
}

function Table({ all }: { all: control.Upstream[] }): JSX.Element {
  const { columns } = words;
  const numbers: [string, boolean][] = [
    [columns.tools, false],
    [columns.calls, false],
    [columns.errors, true],
    [columns.p50, true],
    [columns.p95, true],
    [columns.flight, true],
    [columns.restarts, true],
  ];
  return (
    <div class="table-wrap">
      <table class="middle">
        <caption class="hidden-text">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col">{columns.state}</th>
            <th scope="col" class="wide">
              {columns.kind}
            </th>
            {numbers.map(([name, wide]) => (
              <th key={name} scope="col" class={`number ${wide ? 'wide' : ''}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {all.slice(0, 500).map((upstream) => (
            <Row key={upstream.name} upstream={upstream} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Upstreams(): JSX.Element {
  const name = route.value.query.get('name');
  const { data, error } = upstreams.value;
  if (name) return <UpstreamDetail key={name} name={name} />;
  return (
    <>
      <PageHead title={text.pages.upstreams}>
        <div class="actions">
          <a class="button" href={href('setup')}>
            {text.setup.server.title}
          </a>
        </div>
      </PageHead>
      {!data && <Pending error={error} />}
      {data && (
        <Card flush>
          {data.length > 0 ? (
            <Table all={data} />
          ) : (
            <Empty title={words.empty} hint={words.emptyHint}>
              <Code value="patchbay add NAME -- COMMAND ARGS" />
            </Empty>
          )}
        </Card>
      )}
    </>
  );
}
