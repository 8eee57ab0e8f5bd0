// Numbers and times for people.

/** 1234567 → "1.2M". */
export function compact(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1e9) return `${trim(value / 1e9)}G`;
  if (size >= 1e6) return `${trim(value / 1e6)}M`;
  if (size >= 1e4) return `${trim(value / 1e3)}k`;
  return size >= 100 || Number.isInteger(value) ? String(Math.round(value)) : trim(value);
}

function trim(value: number): string {
  return value.toFixed(Math.abs(value) >= 100 ? 0 : 1).replace(/\.0$/, '');
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let scaled = value / 1024;
  let unit = 0;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    ++unit;
  }
  return `${trim(scaled)} ${units[unit]}`;
}

/** 0.0421 → "42 µs", 12.3 → "12.3 ms", 75000 → "1m 15s". */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–';
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return longer(ms / 1000);
}

function longer(seconds: number): string {
  if (seconds < 60) return `${trim(seconds)} s`;
  const parts: [number, string][] = [
    [86400, 'd'],
    [3600, 'h'],
    [60, 'm'],
    [1, 's'],
  ];
  const first = parts.findIndex(([size]) => seconds >= size);
  const [size, unit] = parts[first] ?? [1, 's'];
  const [smaller, smallerUnit] = parts[first + 1] ?? [0, ''];
  const rest = smaller ? Math.floor((seconds % size) / smaller) : 0;
  return `${Math.floor(seconds / size)}${unit}${rest ? ` ${rest}${smallerUnit}` : ''}`;
}

/** How long ago, in its largest unit. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86400)}d`;
}

/** The text, cut to a length that a page can have. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** JSON for people, in a bounded time. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}

/** About how many tokens of a model a text costs. */
export function tokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}
