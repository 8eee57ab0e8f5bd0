// Buses: agents, topics, replies that nobody waited for, and the newest records of a topic.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { bytes, compact, cut, pretty } from '../../logic/format';
import { Badge, Card, Code, Dot, Empty, Notice, PageHead, Pending, When } from '../../parts/basics';
import { Table } from '../../parts/table';
import { usePolled } from '../../state/poll';
import { route, setQuery } from '../../state/router';
import { isAdmin } from '../../state/session';
import { text } from '../../text';
import { Lag } from './lag';

const words = text.bus;
const EVERY_MS = 3000;
const MOST_ROWS = 500;
const COUNTS = [10, 20, 50, 100];

function Counts({ bus }: { bus: control.Bus }): JSX.Element {
  const kinds = Object.entries(words.replyKinds) as [
    keyof control.Bus['replies'],
    readonly [string, string],
  ][];
  return (
    <Card title={words.waiting}>
      <dl class="facts">
        <dt>{words.unsent}</dt>
        <dd>{compact(bus.unsent_records)}</dd>
        <dt>{words.unread}</dt>
        <dd>{compact(bus.unread_records)}</dd>
      </dl>
      <h3>{words.replies}</h3>
      <dl class="facts">
        {kinds.map(([kind, [name, hint]]) => (
          <>
            <dt title={hint}>{name}</dt>
            <dd>
              {compact(bus.replies[kind])} <span class="small muted">{hint}</span>
            </dd>
          </>
        ))}
      </dl>
    </Card>
  );
}

function Agents({ agents }: { agents: control.Agent[] }): JSX.Element {
  const { agent } = words;
  if (agents.length === 0) {
    return (
      <Card title={words.agents}>
        <p class="muted">{words.noAgents}</p>
      </Card>
    );
  }
  return (
    <Card title={words.agents} flush>
      <Table
        caption={words.agents}
        columns={[agent.name, agent.state, [agent.topics, 'wide']]}
        class="middle"
      >
        {agents.slice(0, MOST_ROWS).map((one) => (
          <tr key={one.name}>
            <td class="foreign lines">{cut(one.name, 200)}</td>
            <td>
              <span class="row">
                <Dot tone={one.offered ? 'ok' : 'bad'} />
                {one.offered ? words.offered : words.notOffered}
              </span>
              {one.problem && <span class="small muted lines foreign">{cut(one.problem, 400)}</span>}
            </td>
            <td class="foreign lines wide mono">
              {[one.requestTopicName, one.responseTopicName].filter(Boolean).join(' → ')}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Topics({ bus }: { bus: control.Bus }): JSX.Element {
  return (
    <Card title={words.topics} flush>
      <Table
        caption={words.topics}
        columns={[words.topic, words.role, [words.look, 'number']]}
        class="middle"
      >
        {bus.topics.slice(0, MOST_ROWS).map((topic) => (
          <tr key={`${topic.name} ${topic.role} ${topic.agent ?? ''}`}>
            <td class="foreign mono lines">{cut(topic.name, 250)}</td>
            <td>
              {words.roles[topic.role] ?? topic.role}
              {topic.agent && <span class="small muted lines foreign">{cut(topic.agent, 200)}</span>}
            </td>
            <td class="number">
              <button
                type="button"
                class="button"
                aria-label={words.lookAt(topic.name)}
                onClick={() => setQuery({ bus: bus.upstream, topic: topic.name })}
              >
                {words.look}
              </button>
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : pretty(value));

function Record({ record }: { record: control.BusRecord }): JSX.Element {
  const { value, value_schema: schema, value_problem: problem, value_bytes: size } = record;
  return (
    <li class="stack tight">
      <p class="row small muted">
        {record.timestamp_ms >= 0 && <When at={new Date(record.timestamp_ms).toISOString()} />}
        <span>{words.at(record.partition, record.offset)}</span>
        {schema && <Badge>{words.schema(schema)}</Badge>}
        {size !== undefined && <Badge tone="warn">{words.cut(bytes(size))}</Badge>}
      </p>
      {problem && <Notice tone="warn">{cut(problem, 400)}</Notice>}
      {record.key !== null && (
        <p class="foreign mono lines">
          {words.key}: {cut(shown(record.key), 400)}
        </p>
      )}
      {value === null ? (
        <p class="muted">{words.tombstone}</p>
      ) : (
        <Code value={shown(value)} label={words.value} />
      )}
      {record.headers.length > 0 && (
        <details>
          <summary>{words.headers}</summary>
          <ul class="brief">
            {record.headers.slice(0, 50).map(([name, content], i) => (
              <li key={String(i)} class="foreign mono lines">
                {cut(shown(name), 200)}: {cut(shown(content), 1000)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** Records are read when somebody asks, not again and again. */
function Records({ bus, topic }: { bus: string; topic: string }): JSX.Element {
  const [count, setCount] = useState(20);
  const [round, setRound] = useState(0);
  const [found, setFound] = useState<control.BusRecord[]>();
  const [error, setError] = useState('');
  useEffect(() => {
    let stale = false;
    setFound(undefined);
    setError('');
    control.busRecords(bus, topic, count).then(
      (answer) => !stale && setFound(answer.records),
      (failure) => !stale && setError(messageOf(failure)),
    );
    return () => {
      stale = true;
    };
  }, [bus, topic, count, round]);
  return (
    <Card
      title={words.records(cut(topic, 120))}
      actions={
        <>
          <select
            aria-label={words.count}
            value={String(count)}
            onChange={(event) => setCount(Number(event.currentTarget.value))}
          >
            {COUNTS.map((one) => (
              <option key={one} value={String(one)}>
                {one}
              </option>
            ))}
          </select>
          <button type="button" class="button" onClick={() => setRound(round + 1)}>
            {words.refresh}
          </button>
          <button type="button" class="button" onClick={() => setQuery({ bus: undefined, topic: undefined })}>
            {text.close}
          </button>
        </>
      }
    >
      <div class="stack">
        <p class="small muted">{words.recordsHint}</p>
        {!found && <Pending error={error || undefined} />}
        {found?.length === 0 && <p class="muted">{words.noRecords}</p>}
        {found && found.length > 0 && (
          <ul class="stack plain-list">
            {found.map((record) => (
              <Record key={`${record.partition} ${record.offset}`} record={record} />
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function OneBus({ bus }: { bus: control.Bus }): JSX.Element {
  const { data } = usePolled(() => control.agents(bus.upstream), EVERY_MS, bus.upstream);
  const { query } = route.value;
  const topic = query.get('topic');
  return (
    <section class="stack" aria-label={bus.upstream}>
      <div class="row">
        <h2 class="foreign">{bus.upstream}</h2>
        <Badge tone={bus.state === 'up' ? 'ok' : 'bad'}>{text.state[bus.state]}</Badge>
        {bus.detail && <span class="small muted foreign lines">{cut(bus.detail, 400)}</span>}
      </div>
      {topic && query.get('bus') === bus.upstream && <Records bus={bus.upstream} topic={topic} />}
      <div class="halves">
        <div class="stack">
          <Agents agents={data ?? []} />
          <Lag bus={bus.upstream} />
          <Topics bus={bus} />
        </div>
        <Counts bus={bus} />
      </div>
    </section>
  );
}

function ForAdmins(): JSX.Element {
  const { data, error } = usePolled(control.buses, EVERY_MS);
  return (
    <>
      <PageHead title={text.pages.bus} />
      {!data && <Pending error={error} />}
      {data?.length === 0 && (
        <Card>
          <Empty title={words.empty} hint={words.emptyHint} />
        </Card>
      )}
      <div class="stack">
        {data?.map((bus) => (
          <OneBus key={bus.upstream} bus={bus} />
        ))}
      </div>
    </>
  );
}

export function Buses(): JSX.Element {
  if (isAdmin.value) return <ForAdmins />;
  return (
    <>
      <PageHead title={text.pages.bus} />
      <Card>
        <Empty title={words.adminsOnly} />
      </Card>
    </>
  );
}
