// Prompts, resources and templates.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Revision } from '../../api/mcp';
import { isObject, ownText } from '../../logic/schema';
import { expand, variablesOf } from '../../logic/uri_template';
import { Code } from '../../parts/basics';
import type { Entry } from '../../state/catalog';
import { run, start } from '../../state/run';
import { text } from '../../text';
import { type NamedField, NamedFields } from './named_fields';
import { PanelCard } from './panel_card';
import { Result } from './result';

const words = text.playground;

interface PanelProps {
  entry: Entry;
  revision: Revision;
}

function Submit({ label, onClick }: { label: string; onClick: () => void }): JSX.Element {
  return (
    <div class="row">
      <button type="button" class="button primary" disabled={run.value.phase === 'running'} onClick={onClick}>
        {label}
      </button>
    </div>
  );
}

export function PromptPanel({ entry, revision }: PanelProps): JSX.Element {
  const [values, setValues] = useState<Record<string, string>>({});
  const list = entry.definition.arguments;
  const fields = (Array.isArray(list) ? list.filter(isObject) : []).map(
    (part): NamedField => ({
      name: ownText(part.name),
      title: ownText(part.title),
      description: ownText(part.description),
      required: part.required === true,
    }),
  );
  const get = (): void =>
    void start(revision, entry.id, 'prompts/get', { name: entry.id, arguments: values });
  return (
    <>
      <PanelCard name={entry.id} entry={entry}>
        <NamedFields
          fields={fields}
          values={values}
          onChange={setValues}
          reference={{ type: 'ref/prompt', name: entry.id }}
          revision={revision}
        />
        <Submit label={words.get} onClick={get} />
      </PanelCard>
      <Result schema={undefined} />
    </>
  );
}

export function TemplatePanel({ entry, revision }: PanelProps): JSX.Element {
  const [values, setValues] = useState<Record<string, string>>({});
  const uri = expand(entry.id, values);
  const fields = variablesOf(entry.id).map(
    (name): NamedField => ({ name, title: name, description: '', required: false }),
  );
  const read = (): void => void start(revision, uri, 'resources/read', { uri });
  return (
    <>
      <PanelCard name={entry.id} entry={entry}>
        <NamedFields
          fields={fields}
          values={values}
          onChange={setValues}
          reference={{ type: 'ref/resource', uri: entry.id }}
          revision={revision}
        />
        <Code value={uri} label={words.uri} />
        <Submit label={words.read} onClick={read} />
      </PanelCard>
      <Result schema={undefined} />
    </>
  );
}

interface ResourceProps {
  uri: string;
  entry: Entry | undefined;
  revision: Revision;
}

export function ResourcePanel({ uri, entry, revision }: ResourceProps): JSX.Element {
  const read = (): void => void start(revision, uri, 'resources/read', { uri });
  return (
    <>
      <PanelCard name={uri} entry={entry}>
        <Submit label={words.read} onClick={read} />
      </PanelCard>
      <Result schema={undefined} />
    </>
  );
}
