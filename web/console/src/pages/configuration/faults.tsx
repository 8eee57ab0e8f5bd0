// What is wrong with a text: as a list, and under its lines.
import type { JSX } from 'preact';
import type * as control from '../../api/control';
import { cut } from '../../logic/format';
import { Notice } from '../../parts/basics';
import { text } from '../../text';

const words = text.configuration;

export function Faults({ found }: { found: control.TextFault[] }): JSX.Element {
  if (found.length === 0) return <Notice tone="ok">{words.good}</Notice>;
  return (
    <div class="stack tight" role="status">
      <h3>{words.faults(found.length)}</h3>
      <ul class="faults">
        {found.map((fault, i) => (
          <li key={String(i)} class="foreign">
            {fault.line && <strong>{words.faultAt(fault.line)}: </strong>}
            {fault.path && <span class="mono">{cut(fault.path, 200)} </span>}
            {cut(fault.message, 600)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The lines of the text, with the faults of each under it. */
export function Marked({ value, found }: { value: string; found: control.TextFault[] }): JSX.Element {
  const lines = value.split('\n');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <pre class="diff numbered" tabIndex={0} role="group" aria-label={words.lines}>
      {lines.slice(0, 5000).map((line, i) => {
        const here = found.filter((fault) => fault.line === i + 1);
        return (
          <>
            <span class={here.length > 0 ? 'removed' : ''}>{`${String(i + 1).padStart(4)} ${line}\n`}</span>
            {here.map((fault) => (
              <span key={fault.message} class="removed">{`     ^ ${cut(fault.message, 400)}\n`}</span>
            ))}
          </>
        );
      })}
    </pre>
  );
}
