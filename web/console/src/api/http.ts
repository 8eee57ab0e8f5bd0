// Requests to the gateway that served this page. Every one carries the secret of the session, which
// only pages of this origin can read: the cookie alone opens nothing.
import { parseExact } from '../logic/exact_json';
import { readStored, writeStored } from '../state/stored';

/** The root of the gateway: this file is in /console/assets/. */
export const root: URL = new URL('../../', import.meta.url);

export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'RequestError';
  }
}

const NO_SECRET = 'none';
let secret = readStored('csrf') || NO_SECRET;

export function setSecret(found: string): void {
  secret = found || NO_SECRET;
  writeStored('csrf', found);
}

/** Another tab may have signed in or out meanwhile. */
export function rereadSecret(): void {
  secret = readStored('csrf') || NO_SECRET;
}

/** Called when the gateway no longer accepts the session. */
let onSignedOut: () => void = () => undefined;

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

export function urlOf(path: string): string {
  return new URL(path, root).href;
}

/** The answer as it is, whatever its status. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-Patchbay-CSRF', secret);
  const response = await fetch(urlOf(path), {
    ...init,
    headers,
    credentials: 'same-origin',
    redirect: 'error',
  });
  if (response.status === 401 && !path.startsWith('console/')) onSignedOut();
  return response;
}

async function errorOf(response: Response): Promise<RequestError> {
  const text = (await response.text()).slice(0, 4000);
  try {
    const body: unknown = JSON.parse(text);
    if (body !== null && typeof body === 'object' && 'error' in body) {
      const { error } = body;
      if (typeof error === 'string') return new RequestError(response.status, error);
      if (error !== null && typeof error === 'object' && 'message' in error) {
        return new RequestError(response.status, String(error.message));
      }
    }
  } catch {
    // It is no JSON: the text itself is the best there is.
  }
  return new RequestError(response.status, text || `HTTP ${response.status}`);
}

/** The answer as JSON, also that of a refusal which says more than its message. */
export async function answerOf<T>(path: string, init: RequestInit): Promise<T> {
  const response = await send(path, init);
  const text = await response.text();
  const body: unknown = text.startsWith('{') ? parseExact(text) : undefined;
  if (body !== null && typeof body === 'object' && 'outcome' in body) return body as T;
  if (response.ok) throw new RequestError(response.status, text);
  throw await errorOf(new Response(text, { status: response.status }));
}

export async function json<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await send(path, init);
  if (!response.ok) throw await errorOf(response);
  return parseExact(await response.text()) as T;
}

const unchanged = new Map<string, { etag: string; body: unknown }>();
const MOST_STORED = 60;

/** The same for pages that are read again and again: an unchanged one is not sent again. */
export async function page<T>(path: string): Promise<T> {
  const stored = unchanged.get(path);
  const response = await send(
    path,
    stored ? { headers: { 'If-None-Match': stored.etag }, cache: 'no-store' } : {},
  );
  if (response.status === 304 && stored) return stored.body as T;
  if (!response.ok) throw await errorOf(response);
  const body = parseExact(await response.text()) as T;
  const etag = response.headers.get('ETag');
  if (etag) {
    if (unchanged.size >= MOST_STORED) unchanged.clear();
    unchanged.set(path, { etag, body });
  }
  return body;
}

const missing = new Set<string>();

/** The same, but undefined where the gateway has no such page, or not for this caller. */
export async function pageIfThere<T>(path: string): Promise<T | undefined> {
  const name = path.split('?', 1)[0] ?? path;
  if (missing.has(name)) return undefined;
  try {
    return await page<T>(path);
  } catch (error) {
    if (!(error instanceof RequestError) || (error.status !== 404 && error.status !== 403)) throw error;
    missing.add(name);
    return undefined;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
