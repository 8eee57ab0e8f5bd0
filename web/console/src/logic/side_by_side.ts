// Two texts beside each other: lines that belong together are in one row.
import { difference } from './difference';

export interface SideRow {
  /** undefined: there is no such line on this side. */
  before: string | undefined;
  after: string | undefined;
  same: boolean;
}

/** Removed lines stand beside the added ones that take their place. */
export function sideBySide(before: string, after: string): SideRow[] {
  const rows: SideRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    for (let i = 0; i < Math.max(removed.length, added.length); ++i) {
      rows.push({ before: removed[i], after: added[i], same: false });
    }
    removed = [];
    added = [];
  };
  for (const { kind, text } of difference(before, after)) {
    if (kind === 'removed') removed.push(text);
    else if (kind === 'added') added.push(text);
    else {
      flush();
      rows.push({ before: text, after: text, same: true });
    }
  }
  flush();
  return rows;
}

/** Only the rows that differ, with some around them; undefined stands for those that are left out. */
export function aroundChanges(rows: readonly SideRow[], context: number): (SideRow | undefined)[] {
  const near = (i: number): boolean =>
    rows.slice(Math.max(0, i - context), i + context + 1).some((row) => !row.same);
  const found: (SideRow | undefined)[] = [];
  rows.forEach((row, i) => {
    if (near(i)) found.push(row);
    else if (found.length === 0 || found.at(-1) !== undefined) found.push(undefined);
  });
  return found;
}
