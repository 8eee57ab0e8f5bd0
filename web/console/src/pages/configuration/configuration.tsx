// The configuration in force: where each setting comes from, the file with a check of an edited
// copy, and what became of changes. Nothing here changes it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { cut } from '../../logic/format';
import { rank } from '../../logic/search';
import { Badge, Card, Code, Empty, Notice, PageHead, Pending, Tabs, When } from '../../parts/basics';
import { Table } from '../../parts/table';
import { usePolled } from '../../state/poll';
import { route, setQuery } from '../../state/router';
import { isAdmin } from '../../state/session';
import { text } from '../../text';

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

function Faults({ found }: { found: control.TextFault[] }): JSX.Element {
  if (found.length === 0) return <Notice tone="ok">{words.good}</Notice>;
  return (
    <div class="stack tight" role="status">
      <h3>{words.faults(found.length)}</h3>
      <ul class="faults">
        {found.map((fault, i) => (
          <li key={String(i)} class="foreign">
            {fault.line && <strong>{words.faultAt(fault.line)}: </strong>}
            {fault.path && <span class="mono">{cut(fault.path, 200)} </span>}
            {cut(fault.message, 600)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The lines of the text, with the faults of each under it. */
function Marked({ value, found }: { value: string; found: control.TextFault[] }): JSX.Element {
  const lines = value.split('\n');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <pre class="diff numbered" tabIndex={0} role="group" aria-label={words.lines}>
      {lines.slice(0, 5000).map((line, i) => {
        const here = found.filter((fault) => fault.line === i + 1);
        return (
          <>
            <span class={here.length > 0 ? 'removed' : ''}>{`${String(i + 1).padStart(4)} ${line}\n`}</span>
            {here.map((fault) => (
              <span key={fault.message} class="removed">{`     ^ ${cut(fault.message, 400)}\n`}</span>
            ))}
          </>
        );
      })}
    </pre>
  );
}

function TextAndCheck({ page }: { page: control.Configuration }): JSX.Element {
  const [draft, setDraft] = useState(page.text ?? '');
  const [checked, setChecked] = useState<{ text: string; faults: control.TextFault[] }>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const check = async (): Promise<void> => {
    setBusy(true);
    try {
      setChecked({ text: draft, faults: (await control.checkConfiguration(draft)).faults });
      setError('');
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  return (
    <Card title={words.text}>
      <div class="stack">
        {page.no_text && <Notice tone="warn">{words.noText(page.no_text)}</Notice>}
        <p class="muted">{words.textHint}</p>
        <textarea
          class="mono configuration-text"
          aria-label={words.text}
          spellcheck={false}
          rows={20}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
        <p>
          <button type="button" class="button primary" disabled={busy} onClick={check}>
            {busy ? words.checking : words.check}
          </button>
        </p>
        {error && <Notice tone="bad">{text.failed(error)}</Notice>}
        {checked && <Faults found={checked.faults} />}
        {checked?.faults.some((fault) => fault.line) && (
          <Marked value={checked.text} found={checked.faults} />
        )}
        <p class="muted">{words.noApply}</p>
        <p class="small muted">{words.wholeCheck}</p>
        <Code value={`patchbay check ${page.file || 'patchbay.yaml'}`} />
      </div>
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
      {view === 'text' && <TextAndCheck page={page} />}
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
