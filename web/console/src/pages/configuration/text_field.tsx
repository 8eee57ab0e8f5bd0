// The text of a configuration, to be edited, with the keys and values that fit at its cursor.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import * as control from '../../api/control';
import type { JsonObject } from '../../api/mcp';
import { completionAt, type Suggestion } from '../../logic/completion';
import { cut } from '../../logic/format';
import { text } from '../../text';

const words = text.configuration;

interface SuggestionsProps {
  found: Suggestion[];
  onChoose: (suggestion: Suggestion) => void;
}

function Suggestions({ found, onChoose }: SuggestionsProps): JSX.Element {
  return (
    <ul class="suggestions" aria-label={words.suggestions}>
      {found.map((one) => (
        <li key={one.text}>
          <button type="button" class="button plain" onClick={() => onChoose(one)}>
            <span class="mono">{one.text.replace(/: $/, '')}</span>
            {one.meaning && <span class="small muted clip">{cut(one.meaning, 160)}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface TextFieldProps {
  value: string;
  // What stays right below the text, whatever is suggested.
  children: ComponentChildren;
  onInput: (value: string) => void;
}

export function TextField({ value, children, onInput }: TextFieldProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const [schema, setSchema] = useState<JsonObject>();
  const [cursor, setCursor] = useState(-1);
  // Without the schema the text can be edited all the same.
  useEffect(() => void control.configurationSchema().then(setSchema, () => undefined), []);
  const completion = schema && cursor >= 0 ? completionAt(value, cursor, schema) : undefined;
  const look = (): void => setCursor(field.current?.selectionStart ?? -1);
  const choose = (suggestion: Suggestion): void => {
    const element = field.current;
    if (!element || !completion) return;
    element.focus();
    element.setRangeText(suggestion.text, completion.from, completion.to, 'end');
    onInput(element.value);
    look();
  };
  return (
    <>
      <textarea
        ref={field}
        class="mono configuration-text"
        aria-label={words.text}
        spellcheck={false}
        rows={20}
        value={value}
        onInput={(event) => {
          onInput(event.currentTarget.value);
          look();
        }}
        onKeyUp={look}
        onClick={look}
      />
      {children}
      {completion && <Suggestions found={completion.found} onChoose={choose} />}
    </>
  );
}
