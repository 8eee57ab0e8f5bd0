// Finished calls: as they come, with filters; earlier ones; one of them in detail; the audit.
import type { JSX } from 'preact';
import { FILTERS, type FilterName, readFilters } from '../../logic/filters';
import { PageHead, Tabs } from '../../parts/basics';
import { route, setQuery } from '../../state/router';
import { text } from '../../text';
import { Audit } from './audit';
import { LiveCalls } from './live';
import { TraceView } from './trace';

const words = text.calls;
const OUTCOMES = [
  '',
  '!ok',
  'ok',
  'tool_error',
  'upstream_error',
  'timeout',
  'cancelled',
  'forbidden',
  'rate_limited',
];

function Filter({ name }: { name: FilterName }): JSX.Element {
  const value = route.value.query.get(name) ?? '';
  const set = (found: string): void => setQuery({ [name]: found || undefined });
  return (
    <label class="label">
      {words.filters[name]}
      {name === 'outcome' ? (
        <select value={value} onChange={(event) => set(event.currentTarget.value)}>
          {[...new Set([...OUTCOMES, value])].map((outcome) => (
            <option key={outcome} value={outcome}>
              {words.outcomes[outcome] ?? outcome}
            </option>
          ))}
        </select>
      ) : (
        <input
          type="text"
          maxLength={200}
          spellcheck={false}
          placeholder={words.placeholders[name]}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </label>
  );
}

export function FilterRow({ names }: { names: readonly FilterName[] }): JSX.Element {
  return (
    <search class="filters">
      {names.map((name) => (
        <Filter key={name} name={name} />
      ))}
    </search>
  );
}

const VIEWS = [
  ['calls', words.recent],
  ['audit', words.history],
] as const;

export function Calls(): JSX.Element {
  const { query } = route.value;
  const trace = query.get('of');
  if (trace) return <TraceView id={trace} chosen={query.get('call') ?? undefined} />;
  const view = query.get('view') === 'audit' ? 'audit' : 'calls';
  return (
    <>
      <PageHead title={text.pages.calls}>
        <div class="actions">
          <Tabs
            label={words.viewLabel}
            choices={VIEWS}
            value={view}
            onChange={(next) => setQuery({ view: next === 'calls' ? undefined : next })}
          />
        </div>
      </PageHead>
      {view === 'audit' ? <Audit /> : <LiveCalls filters={readFilters(query)} names={FILTERS} />}
    </>
  );
}
