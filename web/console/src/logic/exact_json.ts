// JSON whose numbers keep every digit: a number that JavaScript would round stays as it was written.
import type { Json } from '../api/mcp';

interface RawJson {
  rawJSON: string;
}

interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
  rawJSON?: (text: string) => RawJson;
  isRawJSON?: (value: unknown) => value is RawJson;
}

const exact = JSON as unknown as ExactJson;
/** A larger text is parsed as usual: its numbers are rounded where they must be. */
const LONGEST = 4_000_000;

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || !exact.rawJSON) return value;
  // Twelve digits without an exponent are never rounded; most numbers are shorter.
  if ((source.length <= 12 && !/e/i.test(source)) || String(value) === source) return value;
  return exact.rawJSON(source);
}

/** JSON.stringify of the result writes every number as it was. */
export function parseExact(text: string): Json {
  if (text.length > LONGEST || !exact.rawJSON) return JSON.parse(text) as Json;
  return exact.parse(text, keepDigits) as Json;
}

/** A number as it was written, if the value is one that is kept so. */
export function exactNumber(value: unknown): string | undefined {
  return exact.isRawJSON?.(value) ? value.rawJSON : undefined;
}
