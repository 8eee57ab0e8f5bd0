// A table that scrolls sideways where the window is narrow.
import type { ComponentChildren, JSX } from 'preact';

/** Its name, and how its cells are aligned. */
type Column = string | readonly [name: string, alignment: 'number' | 'wide'];

interface TableProps {
  /** For those who do not see it. */
  caption: string;
  columns: readonly Column[];
  class?: string;
  /** Its rows. */
  children: ComponentChildren;
}

export function Table({ caption, columns, class: more, children }: TableProps): JSX.Element {
  const pairs = columns.map((column) => (typeof column === 'string' ? ([column, ''] as const) : column));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <div class="table-wrap" tabIndex={0} role="group" aria-label={caption}>
      <table class={more}>
        <caption class="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {pairs.map(([name, alignment]) => (
              <th key={name} scope="col" class={alignment}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
