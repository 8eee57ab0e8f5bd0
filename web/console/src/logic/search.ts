// Finds items by a few letters of their texts.

/** The best first: what begins with the text, then what contains it, then all its parts in any order. */
export function rank<T>(
  wanted: string,
  items: readonly T[],
  textsOf: (item: T) => string[],
  most: number,
): T[] {
  const needle = wanted.trim().toLowerCase();
  if (needle === '') return items.slice(0, most);
  const parts = needle.split(/\s+/);
  const groups: [T[], T[], T[], T[]] = [[], [], [], []];
  for (const item of items) {
    const texts = textsOf(item);
    const name = (texts[0] ?? '').toLowerCase();
    if (name.startsWith(needle)) groups[0].push(item);
    else if (name.includes(needle)) groups[1].push(item);
    else {
      const all = texts.join(' ').toLowerCase();
      if (all.includes(needle)) groups[2].push(item);
      else if (parts.every((part) => all.includes(part))) groups[3].push(item);
    }
  }
  return groups.flat().slice(0, most);
}
