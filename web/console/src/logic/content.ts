// Parts of a result: what a page may show as a picture or a sound, and what it may link to.

const IMAGES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/svg+xml',
]);
const AUDIO = /^audio\/[a-z0-9.+-]{1,60}$/;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** A data URL for an image; undefined for a type or data that is none. */
export function imageUrl(mimeType: string, data: string): string | undefined {
  const type = bareType(mimeType);
  return IMAGES.has(type) && BASE64.test(data) ? `data:${type};base64,${data}` : undefined;
}

export function audioUrl(mimeType: string, data: string): string | undefined {
  const type = bareType(mimeType);
  return AUDIO.test(type) && BASE64.test(data) ? `data:${type};base64,${data}` : undefined;
}

function bareType(mimeType: string): string {
  return (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The URL if a person may be sent there: http and https only. */
export function webUrl(text: string): string | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of base64, for a download. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A file name out of a foreign URI. */
export function fileName(uri: string): string {
  const last = uri.split(/[?#]/, 1)[0]?.split(/[/\\]/).pop() ?? '';
  return (
    last
      .replace(/[^A-Za-z0-9._-]/g, '_')
      .replace(/^\.+/, '')
      .slice(0, 80) || 'result'
  );
}
