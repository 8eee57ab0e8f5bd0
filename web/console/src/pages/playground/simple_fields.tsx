// Inputs for one value.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../../api/mcp';
import { exactNumber, parseExact } from '../../logic/exact_json';
import { cut, pretty } from '../../logic/format';
import { ownText } from '../../logic/schema';
import { text } from '../../text';
import type { InputProps } from './field';

const words = text.playground;
const LONG = 120;

function common({ id, describedBy, invalid, required }: InputProps) {
  return {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': invalid ? ('true' as const) : undefined,
    'aria-required': required ? ('true' as const) : undefined,
  };
}

export function StringField(props: InputProps): JSX.Element {
  const { field, value, required, onChange } = props;
  const shown = typeof value === 'string' ? value : '';
  const { maxLength, format, examples } = field.schema;
  const long =
    shown.includes('\n') || shown.length > LONG || (typeof maxLength === 'number' && maxLength > 500);
  const change = (entered: string): void => onChange(entered === '' && !required ? undefined : entered);
  const example = Array.isArray(examples) ? ownText(examples[0]) : '';
  const hint = cut(example || ownText(format), 80);
  if (long) {
    return (
      <textarea
        {...common(props)}
        rows={4}
        value={shown}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  }
  return (
    <input
      {...common(props)}
      type="text"
      autoComplete="off"
      spellcheck={false}
      placeholder={hint}
      value={shown}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

/** With every digit, if it is written as JSON writes numbers. */
function numberOf(entered: string, rounded: number): Json {
  const found = parsed(entered);
  return exactNumber(found) === undefined ? rounded : (found ?? rounded);
}

/** What is no number yet stays as it was typed. */
export function NumberField(props: InputProps): JSX.Element {
  const { field, value, onChange } = props;
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? exactNumber(value) ?? (typeof value === 'number' ? String(value) : '');
  const number = Number(shown);
  const wrong =
    shown.trim() !== '' &&
    (!Number.isFinite(number) || (field.kind === 'integer' && !Number.isInteger(number)));
  const change = (entered: string): void => {
    setTyped(entered);
    const found = Number(entered);
    onChange(entered.trim() === '' || !Number.isFinite(found) ? undefined : numberOf(entered.trim(), found));
  };
  return (
    <>
      <input
        {...common(props)}
        aria-invalid={wrong || props.invalid ? 'true' : undefined}
        type="text"
        inputMode={field.kind === 'integer' ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={shown}
        onInput={(event) => change(event.currentTarget.value)}
        onBlur={() => !wrong && setTyped(undefined)}
      />
      {wrong && <p class="fault small">{words.faults.type(field.kind)}</p>}
    </>
  );
}

export function BooleanField(props: InputProps): JSX.Element {
  const { value, required, onChange } = props;
  if (required) {
    return (
      <input
        {...common(props)}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  const names: Record<string, boolean | undefined> = { true: true, false: false };
  return (
    <select
      {...common(props)}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => onChange(names[event.currentTarget.value])}
    >
      <option value="">{text.none}</option>
      <option value="true">{text.yes}</option>
      <option value="false">{text.no}</option>
    </select>
  );
}

export function EnumField(props: InputProps): JSX.Element {
  const { field, value, required, onChange } = props;
  const at = field.choices.findIndex((choice) => same(choice.value, value));
  return (
    <select
      {...common(props)}
      value={String(at)}
      onChange={(event) => onChange(field.choices[Number(event.currentTarget.value)]?.value)}
    >
      {(!required || at < 0) && <option value="-1">{required ? words.chooseValue : text.none}</option>}
      {field.choices.map((choice, i) => (
        <option key={choice.label} value={String(i)}>
          {cut(choice.label, 120)}
        </option>
      ))}
    </select>
  );
}

function same(a: Json, b: Json | undefined): boolean {
  return a === b || (b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}

const MOST_BOXES = 200;

export function MultiField(props: InputProps): JSX.Element {
  const { field, value, onChange } = props;
  const chosen = Array.isArray(value) ? value : [];
  const toggle = (choice: Json, on: boolean): void => {
    onChange(on ? [...chosen, choice] : chosen.filter((one) => !same(one, choice)));
  };
  return (
    <div class="row boxes">
      {field.choices.slice(0, MOST_BOXES).map((choice) => (
        <label key={choice.label} class="check">
          <input
            type="checkbox"
            checked={chosen.some((one) => same(one, choice.value))}
            onChange={(event) => toggle(choice.value, event.currentTarget.checked)}
          />
          <span class="foreign">{cut(choice.label, 120)}</span>
        </label>
      ))}
    </div>
  );
}

/** Any JSON, for what has no better field. */
export function JsonField(props: InputProps): JSX.Element {
  const { value, required, onChange } = props;
  const [typed, setTyped] = useState(value === undefined ? '' : pretty(value));
  const [error, setError] = useState('');
  useEffect(() => {
    // Another value came from elsewhere: a default, or the JSON beside the form.
    if (!error && !same(value ?? null, parsed(typed) ?? null))
      setTyped(value === undefined ? '' : pretty(value));
  }, [value]);
  const change = (entered: string): void => {
    setTyped(entered);
    if (entered.trim() === '') {
      setError('');
      onChange(required ? null : undefined);
      return;
    }
    try {
      onChange(parseExact(entered));
      setError('');
    } catch (failure) {
      setError(String(failure));
    }
  };
  return (
    <>
      <textarea
        {...common(props)}
        class="mono"
        rows={Math.min(12, Math.max(2, typed.split('\n').length))}
        spellcheck={false}
        placeholder="null"
        value={typed}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {error && <p class="fault small">{words.invalidJson(error)}</p>}
    </>
  );
}

function parsed(entered: string): Json | undefined {
  try {
    return parseExact(entered);
  } catch {
    return undefined;
  }
}
