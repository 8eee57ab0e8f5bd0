// Who uses the page, as the gateway has established.
import { computed, signal } from '@preact/signals';
import { json, rereadSecret, send, setSecret, whenSignedOut } from '../api/http';
import { SECRET_KEY } from './stored';

export interface SignedIn {
  signed_in: true;
  caller: string;
  caller_id: string;
  admin: boolean;
  auth: string;
  csrf: string;
  expires: string | null;
}

export interface SignedOut {
  signed_in: false;
  methods: string[];
}

export type Session = SignedIn | SignedOut;

export const session = signal<Session | undefined>(undefined);
export const isAdmin = computed(() => session.value?.signed_in === true && session.value.admin);
export const needsToken = computed(() => session.value?.signed_in === true && session.value.auth !== 'none');

/** Why a sign-in elsewhere has failed. */
export const signInError = signal('');

const PATH = 'console/api/session';

function accept(found: Session): Session {
  if (found.signed_in) setSecret(found.csrf);
  session.value = found;
  return found;
}

export async function loadSession(): Promise<Session> {
  rereadSecret();
  return accept(await json<Session>(PATH));
}

/** A sign-in elsewhere comes back with the secret of the session, or an error, in the fragment. */
export function takeFragment(): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const secret = fragment.get('csrf');
  const error = fragment.get('sign_in_error') ?? undefined;
  if (secret !== null) setSecret(secret);
  if (secret !== null || error) history.replaceState(null, '', location.pathname + location.search);
  return error;
}

export async function signIn(authorization: string): Promise<Session> {
  return accept(await json<Session>(PATH, { method: 'POST', headers: { Authorization: authorization } }));
}

export async function signOut(): Promise<void> {
  await send(PATH, { method: 'DELETE' });
  setSecret('');
  await loadSession();
}

/** Several requests may be refused at once: one look at the session is enough. */
export function watchSession(): void {
  let looking = false;
  const look = (): void => {
    if (looking) return;
    looking = true;
    loadSession()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  };
  whenSignedOut(look);
  // Another tab has signed in or out: this one has the same session.
  addEventListener('storage', ({ key }) => key === SECRET_KEY && look());
}
