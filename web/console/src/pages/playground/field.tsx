// One field of a form made from a JSON Schema; it contains fields of its own where the schema does.
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Json, JsonObject } from '../../api/mcp';
import { cut } from '../../logic/format';
import { type Field, fieldOf, initialValue, isObject } from '../../logic/schema';
import type { Fault } from '../../logic/validate';
import { Icon } from '../../parts/icons';
import { text } from '../../text';
import { ArrayField, UnionField } from './nested_fields';
import { BooleanField, EnumField, JsonField, MultiField, NumberField, StringField } from './simple_fields';

const words = text.playground;
const DEEPEST = 8;
const SIMPLE = new Set(['string', 'number', 'integer', 'boolean', 'enum', 'null']);

export interface FieldProps {
  schema: Json;
  root: Json;
  name: string;
  /** As a JSON pointer. */
  path: string;
  /** undefined: left out. */
  value: Json | undefined;
  required: boolean;
  faults: readonly Fault[];
  onChange: (value: Json | undefined) => void;
  depth: number;
}

/** What the inputs of a field need. */
export interface InputProps extends FieldProps {
  field: Field;
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}

export function faultText({ rule, detail }: Fault): string {
  return words.faults[rule](detail);
}

function Faults({
  faults,
  path,
  id,
}: {
  faults: readonly Fault[];
  path: string;
  id: string;
}): JSX.Element | null {
  const own = faults.filter((fault) => fault.path === path);
  if (own.length === 0) return null;
  return (
    <p id={id} class="fault small">
      {own.map(faultText).join('; ')}
    </p>
  );
}

function Head(props: { field: Field; name: string; required: boolean }): JSX.Element {
  const { field, name, required } = props;
  const title = cut(field.title, 200);
  return (
    <span class="field-head">
      <span class="foreign field-title">{title || name}</span>
      {title && title !== name && <code class="foreign muted">{cut(name, 100)}</code>}
      {required && <span class="small required">{words.required}</span>}
    </span>
  );
}

function Description({ field, id }: { field: Field; id: string }): JSX.Element | null {
  if (!field.description) return null;
  return (
    <span id={id} class="small muted foreign field-description">
      {cut(field.description, 600)}
    </span>
  );
}

function Input(props: InputProps): JSX.Element {
  switch (props.field.kind) {
    case 'string':
      return <StringField {...props} />;
    case 'number':
    case 'integer':
      return <NumberField {...props} />;
    case 'boolean':
      return <BooleanField {...props} />;
    case 'enum':
      return <EnumField {...props} />;
    case 'multi':
      return <MultiField {...props} />;
    case 'array':
      return <ArrayField {...props} />;
    case 'union':
      return <UnionField {...props} />;
    case 'object':
      return props.field.properties.length > 0 ? <Members {...props} /> : <JsonField {...props} />;
    default:
      return <JsonField {...props} />;
  }
}

/** The members of an object, one field each. */
export function Members({ field, root, path, value, faults, onChange, depth }: InputProps): JSX.Element {
  const [most, setMost] = useState(60);
  const members = isObject(value) ? value : {};
  const change = (name: string, member: Json | undefined): void => {
    const { [name]: _, ...rest } = members;
    if (member === undefined) onChange(rest);
    else onChange(inOrder({ ...rest, [name]: member }, field));
  };
  return (
    <div class="members">
      {field.properties.slice(0, most).map((property) => (
        <FieldEditor
          key={property.name}
          schema={property.schema}
          root={root}
          name={property.name}
          path={`${path}/${property.name.replaceAll('~', '~0').replaceAll('/', '~1')}`}
          value={Object.hasOwn(members, property.name) ? members[property.name] : undefined}
          required={property.required}
          faults={faults}
          onChange={(member) => change(property.name, member)}
          depth={depth + 1}
        />
      ))}
      {field.properties.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + 60)}>
          {text.more}
        </button>
      )}
    </div>
  );
}

/** Members in the order of the schema, whatever the order in which they were entered. */
function inOrder(value: JsonObject, field: Field): JsonObject {
  const ordered: JsonObject = {};
  for (const { name } of field.properties) {
    const member = value[name];
    if (member !== undefined) ordered[name] = member;
  }
  return { ...ordered, ...value };
}

/** A field that is left out until somebody sets it. */
function Unset(props: { name: string; onSet: () => void; children: ComponentChildren }): JSX.Element {
  return (
    <div class="field unset">
      <div class="row">
        {props.children}
        <button
          type="button"
          class="button"
          aria-label={words.setOf(cut(props.name, 60))}
          onClick={props.onSet}
        >
          <Icon name="plus" /> {words.set}
        </button>
      </div>
    </div>
  );
}

export function FieldEditor(props: FieldProps): JSX.Element {
  const { schema, root, name, path, value, required, faults, onChange, depth } = props;
  const id = useId();
  const found = fieldOf(schema, root, name);
  const field: Field = depth > DEEPEST ? { ...found, kind: 'json' } : found;
  const head = <Head field={field} name={name} required={required} />;
  const simple = SIMPLE.has(field.kind);
  if (!simple && !required && value === undefined) {
    return (
      <Unset name={name} onSet={() => onChange(initialValue(schema, root))}>
        {head}
      </Unset>
    );
  }
  const invalid = faults.some((fault) => fault.path === path);
  const described = [field.description ? `${id}-d` : '', invalid ? `${id}-f` : ''].filter(Boolean).join(' ');
  const input = (
    <Input {...props} field={field} id={id} describedBy={described || undefined} invalid={invalid} />
  );
  const more = (
    <>
      <Description field={field} id={`${id}-d`} />
      <Faults faults={faults} path={path} id={`${id}-f`} />
    </>
  );
  if (simple || field.kind === 'json') {
    return (
      <div class="field">
        <label for={id}>{head}</label>
        {input}
        {more}
      </div>
    );
  }
  return (
    <fieldset class="field group">
      <legend>{head}</legend>
      {!required && (
        <button
          type="button"
          class="button plain unset-button"
          aria-label={words.unsetOf(cut(name, 60))}
          onClick={() => onChange(undefined)}
        >
          {words.unset}
        </button>
      )}
      {more}
      {input}
    </fieldset>
  );
}
