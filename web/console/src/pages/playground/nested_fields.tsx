// Lists, and values of which a schema has several forms.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../../api/mcp';
import { cut } from '../../logic/format';
import { alternativeOf, fieldOf, initialValue, ownText, resolve } from '../../logic/schema';
import { Icon } from '../../parts/icons';
import { text } from '../../text';
import { FieldEditor, type InputProps } from './field';

const words = text.playground;
const MOST_ITEMS = 100;

export function ArrayField({
  field,
  root,
  name,
  path,
  value,
  faults,
  onChange,
  depth,
}: InputProps): JSX.Element {
  const items = Array.isArray(value) ? value : [];
  const label = cut(field.title || name, 60);
  const replace = (index: number, item: Json | undefined): void => {
    onChange(items.map((old, i) => (i === index ? (item ?? null) : old)));
  };
  return (
    <div class="items">
      {items.slice(0, MOST_ITEMS).map((item, i) => (
        // An item has no identity of its own: its number is all there is.
        <div key={String(i)} class="item-row">
          <div class="grow">
            <FieldEditor
              schema={field.items}
              root={root}
              name={words.item(i + 1)}
              path={`${path}/${i}`}
              value={item}
              required
              faults={faults}
              onChange={(changed) => replace(i, changed)}
              depth={depth + 1}
            />
          </div>
          <button
            type="button"
            class="button plain square"
            aria-label={words.removeItem(label, i + 1)}
            onClick={() => onChange(items.filter((_, at) => at !== i))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <button
        type="button"
        class="button"
        aria-label={words.addTo(label)}
        onClick={() => onChange([...items, initialValue(field.items, root)])}
      >
        <Icon name="plus" /> {words.add}
      </button>
    </div>
  );
}

export function UnionField(props: InputProps): JSX.Element {
  const { field, root, name, path, value, faults, onChange, depth } = props;
  const [chosen, setChosen] = useState(() => alternativeOf(field.alternatives, value ?? null, root));
  const part = field.alternatives[chosen] ?? {};
  const names = field.alternatives.map((alternative, i) => {
    const title = ownText(resolve(alternative, root).title);
    return title || `${words.option(i + 1)}: ${fieldOf(alternative, root).kind}`;
  });
  const choose = (index: number): void => {
    setChosen(index);
    onChange(initialValue(field.alternatives[index] ?? {}, root));
  };
  return (
    <div class="stack">
      <select
        aria-label={words.alternative(cut(field.title || name, 60))}
        value={String(chosen)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {names.map((label, i) => (
          <option key={label} value={String(i)}>
            {cut(label, 120)}
          </option>
        ))}
      </select>
      <FieldEditor
        key={chosen}
        schema={part}
        root={root}
        name={names[chosen] ?? name}
        path={path}
        value={value}
        required
        faults={faults.filter((fault) => fault.rule !== 'one')}
        onChange={onChange}
        depth={depth + 1}
      />
    </div>
  );
}
