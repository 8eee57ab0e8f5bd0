// The text of a configuration, to be edited.
import type { JSX } from 'preact';
import { text } from '../../text';

interface TextFieldProps {
  value: string;
  onInput: (value: string) => void;
}

export function TextField({ value, onInput }: TextFieldProps): JSX.Element {
  return (
    <textarea
      class="mono configuration-text"
      aria-label={text.configuration.text}
      spellcheck={false}
      rows={20}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}
