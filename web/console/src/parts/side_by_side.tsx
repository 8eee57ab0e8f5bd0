// Two foreign texts beside each other, with what differs in colour and marked for those who see none.
import type { JSX } from 'preact';
import { cut } from '../logic/format';
import { aroundChanges, sideBySide } from '../logic/side_by_side';

const MOST_ROWS = 1200;
const MOST_LINE = 2000;

function Side({ line, same, kind }: { line: string | undefined; same: boolean; kind: string }): JSX.Element {
  const mark = same || line === undefined ? ' ' : kind === 'removed' ? '-' : '+';
  return <td class={same || line === undefined ? '' : kind}>{`${mark} ${cut(line ?? '', MOST_LINE)}`}</td>;
}

interface SideBySideProps {
  label: string;
  titles: readonly [string, string];
  before: string;
  after: string;
  /** How many equal lines around changes; absent: all. */
  context?: number;
}

export function SideBySide({ label, titles, before, after, context }: SideBySideProps): JSX.Element {
  const all = sideBySide(before, after);
  const rows = (context === undefined ? all : aroundChanges(all, context)).slice(0, MOST_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <div class="diff sides" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) =>
            row ? (
              <tr key={String(i)}>
                <Side line={row.before} same={row.same} kind="removed" />
                <Side line={row.after} same={row.same} kind="added" />
              </tr>
            ) : (
              <tr key={String(i)}>
                <td colSpan={2} class="muted">
                  …
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
