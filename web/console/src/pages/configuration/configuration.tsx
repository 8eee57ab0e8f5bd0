// The configuration in force: where each setting comes from, the file, and what became of changes.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { cut } from '../../logic/format';
import { rank } from '../../logic/search';
import { Badge, Card, Empty, PageHead, Pending, Tabs, When } from '../../parts/basics';
import { Table } from '../../parts/table';
import { usePolled } from '../../state/poll';
import { route, setQuery } from '../../state/router';
import { isAdmin } from '../../state/session';
import { text } from '../../text';
import { Editor } from './editor';
import { TextAndCheck } from './text_and_check';

const words = text.configuration;
const EVERY_MS = 5000;
const MOST_SHOWN = 400;
const VIEWS = ['settings', 'text', 'reloads'] as const;
type View = (typeof VIEWS)[number];

function sourceOf({ source, line }: control.Setting): string {
  const { sources } = words;
  if (source === 'file' || source === 'environment') return sources[source](line ?? 0);
  return sources[source];
}

function Settings({ settings }: { settings: control.Setting[] }): JSX.Element {
  const [wanted, setWanted] = useState('');
  const [given, setGiven] = useState(false);
  const within = given ? settings.filter((one) => one.source !== 'default') : settings;
  const found = rank(wanted, within, (one) => [one.path, one.value ?? ''], within.length);
  const { columns } = words;
  return (
    <Card flush>
      <div class="entry-filters">
        <input
          type="search"
          aria-label={words.filter}
          placeholder={words.filter}
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <label class="row">
          <input
            type="checkbox"
            checked={given}
            onChange={(event) => setGiven(event.currentTarget.checked)}
          />
          {words.onlyGiven}
        </label>
        <span class="small muted">{words.matches(found.length, settings.length)}</span>
      </div>
      {found.length === 0 ? (
        <Empty title={text.noMatches} />
      ) : (
        <Table caption={words.table} columns={[columns.path, columns.value, columns.source]}>
          {found.slice(0, MOST_SHOWN).map((one) => (
            <tr key={one.path}>
              <th scope="row" class="foreign mono lines">
                {cut(one.path, 200)}
              </th>
              <td class="foreign mono lines">
                {one.secret ? <Badge>{words.secret}</Badge> : cut(one.value ?? '', 300)}
              </td>
              <td class={one.source === 'default' ? 'muted' : ''}>{sourceOf(one)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

function Reloads({ reloads }: { reloads: control.Reload[] }): JSX.Element {
  const { reload } = words;
  if (reloads.length === 0) {
    return (
      <Card>
        <Empty title={words.noReloads} />
      </Card>
    );
  }
  return (
    <Card flush>
      <Table
        caption={words.reloadTable}
        columns={[reload.when, reload.outcome, reload.details, [reload.why, 'wide']]}
      >
        {reloads.map((one, i) => (
          <tr key={`${one.when} ${i}`}>
            <td class="nowrap">
              <When at={one.when} />
            </td>
            <td>
              <Badge tone={one.applied ? 'ok' : 'bad'}>{one.applied ? words.applied : words.refused}</Badge>
            </td>
            <td class="foreign lines">{cut(one.details.join('; '), 2000) || text.none}</td>
            <td class="foreign wide">{one.why}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Loaded({ page, view }: { page: control.Configuration; view: View }): JSX.Element {
  return (
    <div class="stack">
      <Card>
        <dl class="facts">
          <dt>{words.file}</dt>
          <dd class="foreign mono lines">{page.file || words.noFile}</dd>
          <dt>{words.digest}</dt>
          <dd class="mono lines">{page.digest}</dd>
        </dl>
      </Card>
      {view === 'settings' && <Settings settings={page.settings} />}
      {view === 'text' && (page.edit ? <Editor /> : <TextAndCheck page={page} />)}
      {view === 'reloads' && <Reloads reloads={page.reloads} />}
    </div>
  );
}

function ForAdmins(): JSX.Element {
  const { data, error } = usePolled(control.configuration, EVERY_MS);
  const view = VIEWS.find((one) => one === route.value.query.get('view')) ?? 'settings';
  return (
    <>
      <PageHead title={text.pages.configuration}>
        <div class="actions">
          <Tabs
            label={words.tabLabel}
            choices={VIEWS.map((one) => [one, words.tabs[one]] as const)}
            value={view}
            onChange={(one) => setQuery({ view: one === 'settings' ? undefined : one })}
          />
        </div>
      </PageHead>
      {data ? <Loaded page={data} view={view} /> : <Pending error={error} />}
    </>
  );
}

export function Configuration(): JSX.Element {
  if (isAdmin.value) return <ForAdmins />;
  return (
    <>
      <PageHead title={text.pages.configuration} />
      <Card>
        <Empty title={words.adminsOnly} />
      </Card>
    </>
  );
}
