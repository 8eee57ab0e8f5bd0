// What upstreams have and clients are not offered, and why. For admins.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { cut } from '../../logic/format';
import { Badge, Card, Empty, Pending } from '../../parts/basics';
import { usePolled } from '../../state/poll';
import { href, route, setQuery } from '../../state/router';
import { text } from '../../text';

const words = text.catalog.hiddenItems;
const EVERY_MS = 5000;
const PAGE = 100;
const MOST = 1000;

// The members of the query of this page, and the parameters of the API.
const PARAMETERS = [
  ['q', 'search'],
  ['kind', 'kind'],
  ['upstream', 'upstream'],
  ['reason', 'reason'],
  ['role', 'role'],
] as const;

interface ChoiceProps {
  label: string;
  any: string;
  choices: readonly (readonly [string, string])[];
  name: 'kind' | 'upstream' | 'reason' | 'role';
}

function Choice({ label, any, choices, name }: ChoiceProps): JSX.Element {
  return (
    <label class="label">
      {label}
      <select
        name={name}
        value={route.value.query.get(name) ?? ''}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value || undefined })}
      >
        <option value="">{any}</option>
        {choices.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

function Filters({ found }: { found: control.HiddenItems | undefined }): JSX.Element {
  const same = (names: string[]): [string, string][] => names.map((name) => [name, cut(name, 100)]);
  return (
    <div class="filters">
      <label class="label">
        {words.search}
        <input
          type="search"
          maxLength={200}
          value={route.value.query.get('q') ?? ''}
          onInput={(event) => setQuery({ q: event.currentTarget.value || undefined })}
        />
      </label>
      <Choice
        name="kind"
        label={text.catalog.kindLabel}
        any={words.anyKind}
        choices={Object.entries(text.catalog.kinds)}
      />
      <Choice
        name="upstream"
        label={text.catalog.upstream}
        any={text.catalog.allUpstreams}
        choices={same(found?.upstreams ?? [])}
      />
      <Choice
        name="reason"
        label={words.reason}
        any={words.anyReason}
        choices={Object.entries(words.reasons)}
      />
      {(found?.roles.length ?? 0) > 0 && (
        <Choice name="role" label={words.role} any={words.anyRole} choices={same(found?.roles ?? [])} />
      )}
    </div>
  );
}

function Name({ item }: { item: control.HiddenItem }): JSX.Element {
  const { kind, name, reason } = item;
  const whole = kind === null && name === null && reason !== 'left_out';
  return (
    <>
      <span class="mono">{whole ? cut(item.upstream, 300) : cut(name ?? words.unnamed, 300)}</span>
      <span class="small muted block">
        {whole ? words.wholeUpstream : kind === null ? words.unknown : words.kinds[kind]}
      </span>
    </>
  );
}

function Table({ items }: { items: control.HiddenItem[] }): JSX.Element {
  const { columns } = words;
  return (
    <div class="table-wrap">
      <table class="hidden-items">
        <caption class="hidden-text">{words.title}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col" class="wide">
              {columns.upstream}
            </th>
            <th scope="col">{columns.why}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item, i) => (
            <tr key={`${i} ${item.upstream} ${item.name}`}>
              <td class="foreign lines">
                <Name item={item} />
              </td>
              <td class="foreign wide">{cut(item.upstream, 120)}</td>
              <td class="lines">
                <Badge tone={item.reason === 'upstream' || item.reason === 'name' ? 'warn' : ''}>
                  {words.reasons[item.reason]}
                </Badge>
                <span class="small foreign block">{cut(item.why, 600)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Hidden(): JSX.Element {
  const [most, setMost] = useState(PAGE);
  const { query } = route.value;
  const wanted = new URLSearchParams();
  for (const [name, parameter] of PARAMETERS) {
    const value = query.get(name);
    if (value) wanted.set(parameter, value);
  }
  const filtered = wanted.size > 0;
  const read = (): Promise<control.HiddenItems> => control.hiddenItems(new URLSearchParams(wanted), most);
  const { data, error } = usePolled(read, EVERY_MS, `${most} ${wanted}`);
  return (
    <div class="stack">
      <p>
        <a class="button" href={href('catalog')}>
          {text.catalog.toList}
        </a>
      </p>
      <p class="muted">{words.hint}</p>
      <Card>
        <Filters found={data} />
      </Card>
      {!data && <Pending error={error} />}
      {data && (
        <Card flush>
          {data.items.length > 0 ? (
            <Table items={data.items} />
          ) : (
            <Empty title={filtered ? words.emptyFiltered : words.empty} />
          )}
          {data.next && (
            <p class="foot">
              {most < MOST ? (
                <button type="button" class="button" onClick={() => setMost(most + PAGE)}>
                  {text.more}
                </button>
              ) : (
                <span class="small muted">{words.tooMany(data.items.length)}</span>
              )}
            </p>
          )}
        </Card>
      )}
    </div>
  );
}
