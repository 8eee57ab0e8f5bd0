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
