// What callers can use, with schemas that people read.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import type { Json } from '../../api/mcp';
import { describe, type SchemaRow } from '../../logic/describe';
import { bytes, compact, cut } from '../../logic/format';
import { isObject, ownText } from '../../logic/schema';
import { Badge, Card, Code, Empty, PageHead } from '../../parts/basics';
import { Confirm } from '../../parts/confirm';
import { PanelHead } from '../../parts/panel_head';
import { report } from '../../parts/toasts';
import { definitionText, type Entry, type Known, knownOf, readCatalog } from '../../state/catalog';
import { href, navigate, route } from '../../state/router';
import { isAdmin } from '../../state/session';
import { text } from '../../text';
import { Changes } from './changes';
import { chosenEntry, EntryList } from './entry_list';
import { Hidden } from './hidden';

const words = text.catalog;
const FIRST_SHOWN = 4000;

function Row({ row }: { row: SchemaRow }): JSX.Element {
  return (
    <tr>
      <th scope="row" class="member">
        <span class="foreign mono" style={{ paddingLeft: `${row.depth * 16}px` }}>
          {cut(row.name, 200)}
        </span>
        {row.required && <span class="small required">{words.required}</span>}
      </th>
      <td>
        <span class="foreign mono">{cut(row.type, 300)}</span>
        {row.notes.length > 0 && <span class="small muted foreign block">{row.notes.join(', ')}</span>}
      </td>
      <td class="foreign">{cut(row.description, 1000)}</td>
    </tr>
  );
}

export function SchemaTable({ title, schema }: { title: string; schema: Json }): JSX.Element {
  const rows = describe(schema);
  return (
    <Card title={title} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <p class="muted">{words.noArguments}</p>
      ) : (
        <div class="table-wrap">
          <table class="schema">
            <thead>
              <tr>
                <th scope="col">{words.members.name}</th>
                <th scope="col">{words.members.type}</th>
                <th scope="col">{words.members.meaning}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                <Row key={`${i} ${row.name}`} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

/** Foreign text as paragraphs; a long one in parts. */
export function Prose({ value }: { value: string }): JSX.Element {
  const [all, setAll] = useState(false);
  const long = value.length > FIRST_SHOWN;
  return (
    <div class="prose">
      <p class="foreign">{all ? value.slice(0, 200_000) : cut(value, FIRST_SHOWN)}</p>
      {long && !all && (
        <button type="button" class="button plain" onClick={() => setAll(true)}>
          {text.showAll(bytes(value.length))}
        </button>
      )}
    </div>
  );
}

function Hints({ entry }: { entry: Entry }): JSX.Element | null {
  const { annotations } = entry.definition;
  if (!isObject(annotations)) return null;
  return (
    <>
      {Object.entries(words.hints)
        .filter(([name]) => annotations[name] === true)
        .map(([name, label]) => (
          <Badge key={name} tone={name === 'destructiveHint' ? 'warn' : ''}>
            {label}
          </Badge>
        ))}
    </>
  );
}

function rolesText({ roles }: Known): string {
  return (roles ?? []).map((one) => (typeof one === 'string' ? one : `${one.role} (${one.use})`)).join(', ');
}

function useKnown(entry: Entry): Known | undefined {
  const [known, setKnown] = useState<Known>();
  useEffect(() => {
    let stale = false;
    void knownOf(entry).then((found) => !stale && setKnown(found));
    return () => {
      stale = true;
    };
  }, [entry.kind, entry.id]);
  return known;
}

function Facts({ entry }: { entry: Entry }): JSX.Element {
  const known = useKnown(entry);
  const pin = known?.pin;
  const type = ownText(entry.definition.mimeType);
  const rows: [string, ComponentChildren][] = [
    [words.facts.name, entry.name === entry.id ? '' : entry.name],
    [
      words.facts.upstream,
      entry.upstream && <a href={href('upstreams', { name: entry.upstream })}>{entry.upstream}</a>,
    ],
    [words.facts.type, type],
    [words.facts.size, <span title={words.tokensHint}>{words.tokens(compact(entry.tokens))}</span>],
    [words.upstreamName, known?.upstream_name === entry.id ? '' : known?.upstream_name],
    [words.pin, typeof pin === 'string' ? pin : pin?.state],
    [words.roles, known && rolesText(known)],
  ];
  return (
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
  );
}

/** A tool is switched off by the name that its upstream has for it, which the admin API knows. */
function SwitchOff({ entry }: { entry: Entry }): JSX.Element | null {
  const known = useKnown(entry);
  const [asking, setAsking] = useState(false);
  const { upstream, upstream_name: own } = known ?? {};
  if (entry.kind !== 'tool' || !upstream || !own) return null;
  const switchOff = async (): Promise<void> => {
    try {
      await control.switchTool(upstream, own, false);
      report('ok', words.switched(entry.id, false));
      navigate('catalog', { view: 'changes' });
      await readCatalog();
    } catch (error) {
      report('bad', text.failed(messageOf(error)));
    }
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        {words.switchOff}
      </button>
      {asking && (
        <Confirm
          question={words.confirmOff(entry.id)}
          action={words.switchOff}
          onDone={(confirmed) => {
            setAsking(false);
            if (confirmed) void switchOff();
          }}
        />
      )}
    </>
  );
}

function PromptArguments({ entry }: { entry: Entry }): JSX.Element {
  const list = entry.definition.arguments;
  const found = Array.isArray(list) ? list.filter(isObject) : [];
  const properties = Object.fromEntries(
    found.map((part): [string, Json] => [
      ownText(part.name),
      { type: 'string', description: ownText(part.description), title: ownText(part.title) },
    ]),
  );
  const required = found.filter((part) => part.required === true).map((part) => ownText(part.name));
  return <SchemaTable title={words.schema} schema={{ type: 'object', properties, required }} />;
}

function Detail({ entry }: { entry: Entry }): JSX.Element {
  const { inputSchema, outputSchema } = entry.definition;
  return (
    <div class="stack detail" key={entry.id}>
      <Card>
        <div class="stack">
          <PanelHead
            name={entry.id}
            about={entry.title && <p class="foreign">{cut(entry.title, 300)}</p>}
            actions={
              <>
                {isAdmin.value && <SwitchOff entry={entry} />}
                <a class="button primary" href={href('playground', { kind: entry.kind, id: entry.id })}>
                  {entry.kind === 'resource' || entry.kind === 'template' ? words.read : words.try}
                </a>
              </>
            }
          />
          <div class="row">
            <Hints entry={entry} />
          </div>
          {entry.description && <Prose value={entry.description} />}
          <Facts entry={entry} />
        </div>
      </Card>
      {entry.kind === 'tool' && <SchemaTable title={words.schema} schema={inputSchema ?? {}} />}
      {entry.kind === 'prompt' && <PromptArguments entry={entry} />}
      {entry.kind === 'tool' && outputSchema !== undefined && (
        <SchemaTable title={words.output} schema={outputSchema} />
      )}
      <details class="card">
        <summary>{words.raw}</summary>
        <div class="body">
          <Code value={definitionText(entry)} label={words.raw} />
        </div>
      </details>
    </div>
  );
}

export function CatalogPage(): JSX.Element {
  const entry = chosenEntry();
  if (isAdmin.value && route.value.query.get('view') === 'changes') {
    return (
      <>
        <PageHead title={words.changes} />
        <Changes />
      </>
    );
  }
  if (isAdmin.value && route.value.query.get('view') === 'hidden') {
    return (
      <>
        <PageHead title={words.hiddenItems.title} />
        <Hidden />
      </>
    );
  }
  return (
    <>
      <PageHead title={text.pages.catalog}>
        {isAdmin.value && (
          <div class="actions">
            <a class="button" href={href('catalog', { view: 'hidden' })}>
              {words.hiddenItems.open}
            </a>
            <a class="button" href={href('catalog', { view: 'changes' })}>
              {words.changes}
            </a>
          </div>
        )}
      </PageHead>
      <div class="browse">
        <EntryList page="catalog" />
        {entry ? (
          <Detail key={`${entry.kind} ${entry.id}`} entry={entry} />
        ) : (
          <Card class="no-choice">
            <Empty title={words.choose} />
          </Card>
        )}
      </div>
    </>
  );
}
