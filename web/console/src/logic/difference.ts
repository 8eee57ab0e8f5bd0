// What has changed between two texts, line by line.

export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

const MOST_LINES = 600;

/** The longest common lines stay; above MOST_LINES the texts are simply put one after the other. */
export function difference(before: string, after: string): DiffLine[] {
  const old = before.split('\n');
  const now = after.split('\n');
  if (old.length > MOST_LINES || now.length > MOST_LINES) {
    return [
      ...old.map((text): DiffLine => ({ kind: 'removed', text })),
      ...now.map((text): DiffLine => ({ kind: 'added', text })),
    ];
  }
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; --i) {
    for (let j = now.length - 1; j >= 0; --j) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i++] ?? '' });
      ++j;
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: old[i++] ?? '' });
    } else {
      lines.push({ kind: 'added', text: now[j++] ?? '' });
    }
  }
  return lines;
}
