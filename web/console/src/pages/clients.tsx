// What clients have open, and who they are.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../api/control';
import { messageOf } from '../api/http';
import { rank } from '../logic/search';
import { Badge, Card, Empty, PageHead, Pending, When } from '../parts/basics';
import { Confirm } from '../parts/confirm';
import { report } from '../parts/toasts';
import { usePolled } from '../state/poll';
import { href } from '../state/router';
import { isAdmin } from '../state/session';
import { text } from '../text';

const words = text.clients;
const EVERY_MS = 3000;
const MOST_PAGES = 10;

async function all(): Promise<control.Client[]> {
  const found: control.Client[] = [];
  let after: string | undefined;
  for (let i = 0; i < MOST_PAGES; ++i) {
    const page = await control.clients(after);
    found.push(...page.clients);
    after = page.next;
    if (!after) break;
  }
  return found;
}

const nameOf = (client: control.Client): string => client.client ?? words.unknown;

function Row({ client, onEnd }: { client: control.Client; onEnd: () => void }): JSX.Element {
  return (
    <tr>
      <td>
        <span class="clip">{nameOf(client)}</span>
      </td>
      <td class="wide">
        <Badge>{words.kinds[client.kind]}</Badge>
      </td>
      <td>
        <a class="clip" href={href('calls', { caller: client.caller })}>
          {client.caller}
        </a>
      </td>
      <td class="wide">{client.frontend}</td>
      <td class="wide">{client.revision ?? text.none}</td>
      <td class="wide">
        <span class="clip">{client.from ?? text.none}</span>
      </td>
      <td class="nowrap">
        <When at={client.since} />
      </td>
      {isAdmin.value && (
        <td class="number">
          <button
            type="button"
            class="button danger"
            aria-label={words.endOf(nameOf(client))}
            onClick={onEnd}
          >
            {words.end}
          </button>
        </td>
      )}
    </tr>
  );
}

function Table(props: { clients: control.Client[]; onEnd: (client: control.Client) => void }): JSX.Element {
  const { columns } = words;
  return (
    <div class="table-wrap">
      <table class="middle">
        <caption class="hidden-text">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.client}</th>
            <th scope="col" class="wide">
              {columns.kind}
            </th>
            <th scope="col">{columns.caller}</th>
            <th scope="col" class="wide">
              {columns.frontend}
            </th>
            <th scope="col" class="wide">
              {columns.revision}
            </th>
            <th scope="col" class="wide">
              {columns.from}
            </th>
            <th scope="col">{columns.since}</th>
            {isAdmin.value && (
              <th scope="col" class="number">
                {columns.end}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {props.clients.map((client) => (
            <Row key={client.id} client={client} onEnd={() => props.onEnd(client)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

async function end(client: control.Client): Promise<void> {
  try {
    await control.endClient(client.id);
    report('ok', words.ended);
  } catch (error) {
    report('bad', text.failed(messageOf(error)));
  }
}

export function Clients(): JSX.Element {
  const { data, error } = usePolled(all, EVERY_MS);
  const [wanted, setWanted] = useState('');
  const [most, setMost] = useState(100);
  const [ending, setEnding] = useState<control.Client>();
  const found = rank(
    wanted,
    data ?? [],
    (client) => [nameOf(client), client.caller, client.frontend, client.from ?? ''],
    2000,
  );
  return (
    <>
      <PageHead title={text.pages.clients} />
      {!data && <Pending error={error} />}
      {data && (
        <Card flush>
          {data.length > 5 && (
            <div class="entry-filters">
              <input
                type="search"
                aria-label={words.filter}
                placeholder={words.filter}
                value={wanted}
                onInput={(event) => setWanted(event.currentTarget.value)}
              />
            </div>
          )}
          {found.length > 0 ? (
            <Table clients={found.slice(0, most)} onEnd={setEnding} />
          ) : (
            <Empty title={data.length > 0 ? text.noMatches : words.empty} hint={words.emptyHint}>
              <a class="button" href={href('connect')}>
                {text.overview.toConnect}
              </a>
            </Empty>
          )}
          {found.length > most && (
            <p class="foot">
              <button type="button" class="button" onClick={() => setMost(most + 100)}>
                {text.more}
              </button>
            </p>
          )}
        </Card>
      )}
      {ending && (
        <Confirm
          question={words.confirmEnd(nameOf(ending))}
          action={words.end}
          onDone={(confirmed) => {
            setEnding(undefined);
            if (confirmed) void end(ending);
          }}
        />
      )}
    </>
  );
}
