// Arguments as a form, with their JSON beside it.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Json, JsonObject } from '../../api/mcp';
import { parseExact } from '../../logic/exact_json';
import { pretty } from '../../logic/format';
import { fieldOf, isObject } from '../../logic/schema';
import type { Fault } from '../../logic/validate';
import { text } from '../../text';
import { Members } from './field';

const words = text.playground;

interface FormProps {
  schema: Json;
  value: JsonObject;
  faults: readonly Fault[];
  onChange: (value: JsonObject) => void;
}

export function SchemaForm({ schema, value, faults, onChange }: FormProps): JSX.Element {
  const field = fieldOf(schema, schema);
  if (field.kind !== 'object' && field.kind !== 'union') return <p class="muted">{words.noArguments}</p>;
  if (field.kind === 'object' && field.properties.length === 0) {
    // Nothing is named, and other members are not asked for: the JSON can have them nevertheless.
    if (!field.schema.additionalProperties) return <p class="muted">{words.noArguments}</p>;
    return <JsonEditor value={value} onChange={onChange} />;
  }
  if (field.kind === 'union') return <JsonEditor value={value} onChange={onChange} />;
  return (
    <Members
      field={field}
      id="arguments"
      describedBy={undefined}
      invalid={false}
      schema={schema}
      root={schema}
      name=""
      path=""
      value={value}
      required
      faults={faults}
      onChange={(changed) => onChange(isObject(changed) ? changed : {})}
      depth={0}
    />
  );
}

export function JsonEditor(props: { value: JsonObject; onChange: (value: JsonObject) => void }): JSX.Element {
  const { value, onChange } = props;
  const [typed, setTyped] = useState(pretty(value));
  const [error, setError] = useState('');
  useEffect(() => {
    if (error) return;
    try {
      if (JSON.stringify(parseExact(typed)) === JSON.stringify(value)) return;
    } catch {
      // It is replaced.
    }
    setTyped(pretty(value));
  }, [value]);
  const change = (entered: string): void => {
    setTyped(entered);
    try {
      const found = parseExact(entered.trim() || '{}');
      setError(isObject(found) ? '' : words.notObject);
      if (isObject(found)) onChange(found);
    } catch (failure) {
      setError(words.invalidJson(failure instanceof Error ? failure.message : ''));
    }
  };
  return (
    <div class="stack tight">
      <textarea
        class="mono json"
        aria-label={words.json}
        aria-invalid={error ? 'true' : undefined}
        rows={Math.min(24, Math.max(6, typed.split('\n').length + 1))}
        spellcheck={false}
        value={typed}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {error && (
        <p class="fault small" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
