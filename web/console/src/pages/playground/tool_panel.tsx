// A tool: its arguments as a form or as JSON, the call, and the same call for other programs.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json, JsonObject, Revision } from '../../api/mcp';
import { initialValue, isObject } from '../../logic/schema';
import { type Fault, validate } from '../../logic/validate';
import { Notice, Tabs } from '../../parts/basics';
import { Icon } from '../../parts/icons';
import type { Entry } from '../../state/catalog';
import { run, start } from '../../state/run';
import { text } from '../../text';
import { CopyAs } from './copy_as';
import { faultText } from './field';
import { JsonEditor, SchemaForm } from './form';
import { PanelCard } from './panel_card';
import { Result } from './result';

const words = text.playground;
const VIEWS = [
  ['form', words.form],
  ['json', words.json],
] as const;

/** What was entered last for each tool, as long as the page is open. */
const entered = new Map<string, JsonObject>();

function firstValue(entry: Entry, schema: Json): JsonObject {
  const value = entered.get(entry.id) ?? initialValue(schema, schema);
  return isObject(value) ? value : {};
}

function Faults({ faults }: { faults: Fault[] }): JSX.Element | null {
  if (faults.length === 0) return null;
  return (
    <Notice tone="warn">
      <b>{words.faultsTitle(faults.length)}</b>
      <ul>
        {faults.slice(0, 10).map((fault) => (
          <li key={fault.path + fault.rule + fault.detail} class="foreign small">
            {fault.path && <code>{fault.path} </code>}
            {faultText(fault)}
          </li>
        ))}
      </ul>
      <p class="small">{words.sendAnyway}</p>
    </Notice>
  );
}

export function ToolPanel({ entry, revision }: { entry: Entry; revision: Revision }): JSX.Element {
  const schema: Json = entry.definition.inputSchema ?? { type: 'object' };
  const [value, setValue] = useState<JsonObject>(() => firstValue(entry, schema));
  const [view, setView] = useState<'form' | 'json'>('form');
  const [faults, setFaults] = useState<Fault[]>([]);
  const change = (changed: JsonObject): void => {
    setValue(changed);
    entered.set(entry.id, changed);
    // Once it has been called, the marks follow what is entered.
    if (faults.length > 0) setFaults(validate(changed, schema));
  };
  const call = (): void => {
    const found = validate(value, schema);
    const warned = JSON.stringify(found) === JSON.stringify(faults);
    setFaults(found);
    if (found.length > 0 && !warned) return;
    void start(revision, entry.id, 'tools/call', { name: entry.id, arguments: value }, { schema });
  };
  const current = useRef(call);
  current.current = call;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) current.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const running = run.value.phase === 'running';
  return (
    <>
      <PanelCard
        name={entry.id}
        entry={entry}
        actions={<Tabs label={words.viewLabel} choices={VIEWS} value={view} onChange={setView} />}
      >
        {view === 'form' ? (
          <SchemaForm schema={schema} value={value} faults={faults} onChange={change} />
        ) : (
          <JsonEditor value={value} onChange={change} />
        )}
        <Faults faults={faults} />
        <div class="row">
          <button type="button" class="button primary" disabled={running} onClick={call}>
            <Icon name="playground" /> {words.call}
          </button>
          <span class="small muted keys">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
        </div>
      </PanelCard>
      <Result schema={entry.definition.outputSchema} />
      <CopyAs name={entry.id} value={value} />
    </>
  );
}
