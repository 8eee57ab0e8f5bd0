// The list of the catalog with its kinds and its filter, for the catalog and the playground.
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { compact } from '../../logic/format';
import { rank } from '../../logic/search';
import { Card, Empty, Notice, Tabs } from '../../parts/basics';
import { Virtual } from '../../parts/virtual';
import { catalog, type Entry, type Kind, readCatalog } from '../../state/catalog';
import { href, type PageName, route, setQuery } from '../../state/router';
import { text } from '../../text';

const words = text.catalog;
const KINDS: Kind[] = ['tool', 'prompt', 'resource', 'template'];
const ROW = 52;

export function kindOf(): Kind {
  return KINDS.find((kind) => kind === route.value.query.get('kind')) ?? 'tool';
}

export function chosenEntry(): Entry | undefined {
  const id = route.value.query.get('id');
  const kind = kindOf();
  return id === null
    ? undefined
    : catalog.value.entries.find((entry) => entry.kind === kind && entry.id === id);
}

function Item({ entry, page, chosen }: { entry: Entry; page: PageName; chosen: boolean }): JSX.Element {
  const { query } = route.value;
  const target = {
    kind: entry.kind,
    id: entry.id,
    q: query.get('q') ?? undefined,
    upstream: query.get('upstream') ?? undefined,
    revision: query.get('revision') ?? undefined,
  };
  return (
    <a class="entry" href={href(page, target)} aria-current={chosen ? 'true' : undefined}>
      <span class="clip entry-name">{entry.id}</span>
      <span class="clip small muted">{entry.title || entry.description.slice(0, 200) || text.none}</span>
    </a>
  );
}

function Filters({ upstreams }: { upstreams: string[] }): JSX.Element {
  const { query } = route.value;
  return (
    <div class="entry-filters">
      <Tabs
        label={words.kindLabel}
        choices={KINDS.map((kind) => [kind, words.kinds[kind]] as const)}
        value={kindOf()}
        onChange={(kind) =>
          setQuery({ kind: kind === 'tool' ? undefined : kind, id: undefined, upstream: undefined })
        }
      />
      <input
        type="search"
        aria-label={words.filter}
        placeholder={words.filter}
        maxLength={200}
        value={query.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value || undefined })}
      />
      {upstreams.length > 1 && (
        <select
          aria-label={words.upstream}
          value={query.get('upstream') ?? ''}
          onChange={(event) => setQuery({ upstream: event.currentTarget.value || undefined })}
        >
          <option value="">{words.allUpstreams}</option>
          {upstreams.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

export function EntryList({ page }: { page: PageName }): JSX.Element {
  useEffect(() => void readCatalog(), []);
  const { entries, loading, error } = catalog.value;
  const { query } = route.value;
  const kind = kindOf();
  const wanted = query.get('q') ?? '';
  const upstream = query.get('upstream') ?? '';
  const ofKind = useMemo(() => entries.filter((entry) => entry.kind === kind), [entries, kind]);
  const upstreams = useMemo(
    () => [...new Set(ofKind.map((entry) => entry.upstream).filter(Boolean))].sort(),
    [ofKind],
  );
  const found = useMemo(() => {
    const within = upstream ? ofKind.filter((entry) => entry.upstream === upstream) : ofKind;
    return rank(
      wanted,
      within,
      (entry) => [entry.id, entry.title, entry.description.slice(0, 2000)],
      within.length,
    );
  }, [ofKind, upstream, wanted]);
  const chosen = found.findIndex((entry) => entry.id === query.get('id'));
  const tokens = useMemo(() => found.reduce((sum, entry) => sum + entry.tokens, 0), [found]);
  return (
    <Card class={`entries ${query.get('id') ? 'has-choice' : ''}`} flush>
      <Filters upstreams={upstreams} />
      {error && <Notice tone="bad">{text.failed(error)}</Notice>}
      {found.length > 0 && (
        <p class="entry-count small muted" title={words.tokensHint}>
          {words.count(found.length, ofKind.length)} · {words.totalTokens(compact(tokens))}
        </p>
      )}
      {found.length > 0 ? (
        <Virtual
          items={found}
          rowHeight={ROW}
          height="var(--entry-height)"
          label={words.list}
          keyOf={(entry) => entry.id}
          selected={chosen}
          render={(entry) => <Item entry={entry} page={page} chosen={entry.id === query.get('id')} />}
        />
      ) : loading ? (
        <p class="empty">{text.loading}</p>
      ) : wanted || upstream ? (
        <Empty title={words.emptyFiltered} hint={words.emptyFilteredHint} />
      ) : (
        <Empty title={words.empty} hint={words.emptyHint}>
          <a class="button" href={href('setup')}>
            {text.pages.setup}
          </a>
        </Empty>
      )}
    </Card>
  );
}
