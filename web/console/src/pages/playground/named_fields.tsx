// Arguments of prompts and variables of templates: texts, completed by the upstream.
import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { JsonObject, Revision } from '../../api/mcp';
import { cut } from '../../logic/format';
import { isObject } from '../../logic/schema';
import { clientOf } from '../../state/run';
import { text } from '../../text';

const words = text.playground;
const TYPING_MS = 200;
const MOST_SUGGESTIONS = 100;

export interface NamedField {
  name: string;
  title: string;
  description: string;
  required: boolean;
}

interface NamedProps {
  fields: NamedField[];
  values: Record<string, string>;
  onChange: (values: Record<string, string>) => void;
  /** What the upstream completes: a reference to the prompt or the template. */
  reference: JsonObject;
  revision: Revision;
}

async function suggestions(props: NamedProps, name: string, value: string): Promise<string[]> {
  const { [name]: _, ...others } = props.values;
  const params: JsonObject = {
    ref: props.reference,
    argument: { name, value },
    context: { arguments: others },
  };
  try {
    const { completion } = await clientOf(props.revision).request('completion/complete', params);
    const found = isObject(completion) ? completion.values : undefined;
    return Array.isArray(found)
      ? found.filter((one) => typeof one === 'string').slice(0, MOST_SUGGESTIONS)
      : [];
  } catch {
    return []; // Not every upstream completes.
  }
}

function Named({ field, ...props }: NamedProps & { field: NamedField }): JSX.Element {
  const id = useId();
  const [found, setFound] = useState<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const value = props.values[field.name] ?? '';
  const complete = (typed: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => setFound(await suggestions(props, field.name, typed)), TYPING_MS);
  };
  const change = (typed: string): void => {
    const { [field.name]: _, ...others } = props.values;
    props.onChange(typed === '' ? others : { ...others, [field.name]: typed });
    complete(typed);
  };
  return (
    <div class="field">
      <label for={id} class="field-head">
        <span class="foreign field-title">{cut(field.title || field.name, 200)}</span>
        {field.required && <span class="small required">{words.required}</span>}
      </label>
      <input
        id={id}
        type="text"
        list={`${id}-l`}
        autoComplete="off"
        required={field.required}
        value={value}
        onFocus={() => complete(value)}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <datalist id={`${id}-l`}>
        {found.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {field.description && <span class="small muted foreign">{cut(field.description, 600)}</span>}
    </div>
  );
}

export function NamedFields(props: NamedProps): JSX.Element {
  if (props.fields.length === 0) return <p class="muted">{words.noArguments}</p>;
  return (
    <div class="members">
      {props.fields.slice(0, 100).map((field) => (
        <Named key={field.name} {...props} field={field} />
      ))}
    </div>
  );
}
