// The headers of a stateless request that repeat parts of its body.
import type { Json, JsonObject } from './mcp';

const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

/** A text as the value of a header: as it is where that is possible, otherwise in base64. */
export function headerValue(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return `=?base64?${btoa(bytes)}?=`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** `Mcp-Param-…` of the arguments whose schema has `x-mcp-header`. */
export function parameterHeaders(
  schema: Json | undefined,
  value: Json | undefined,
  headers: Record<string, string> = {},
): Record<string, string> {
  if (!isObject(schema) || !isObject(value) || !isObject(schema.properties)) return headers;
  for (const [name, part] of Object.entries(schema.properties)) {
    if (!isObject(part)) continue;
    const argument = value[name];
    const header = part['x-mcp-header'];
    const simple =
      typeof argument === 'string' || typeof argument === 'boolean' || typeof argument === 'number';
    if (typeof header === 'string' && simple) headers[`Mcp-Param-${header}`] = headerValue(String(argument));
    parameterHeaders(part, argument, headers);
  }
  return headers;
}
