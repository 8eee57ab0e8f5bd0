// The sign-in: the credentials of the gateway's callers become a session of this browser.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf, RequestError, urlOf } from '../api/http';
import { Code, Notice, Tabs } from '../parts/basics';
import { Logo } from '../parts/icons';
import { signIn, signInError } from '../state/session';
import { text } from '../text';

type Method = 'token' | 'basic';
const words = text.signIn;

function base64(value: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

interface SecretProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
}

function Secret({ label, value, onInput }: SecretProps): JSX.Element {
  return (
    <label class="label">
      {label}
      <input
        type="password"
        autoComplete="current-password"
        required
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

function Credentials({ methods }: { methods: Method[] }): JSX.Element {
  const [method, setMethod] = useState<Method>(methods[0] ?? 'token');
  const [user, setUser] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(method === 'token' ? `Bearer ${secret.trim()}` : `Basic ${base64(`${user}:${secret}`)}`);
    } catch (failure) {
      const refused = failure instanceof RequestError && failure.status === 401;
      setError(refused ? words.refused : text.failed(messageOf(failure)));
    }
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={submit}>
      {methods.length > 1 && (
        <Tabs
          label={words.title}
          choices={methods.map((name) => [name, words.methods[name]] as const)}
          value={method}
          onChange={setMethod}
        />
      )}
      {method === 'basic' && (
        <label class="label">
          {words.user}
          <input
            type="text"
            autoComplete="username"
            required
            value={user}
            onInput={(event) => setUser(event.currentTarget.value)}
          />
        </label>
      )}
      <Secret label={method === 'token' ? words.token : words.password} value={secret} onInput={setSecret} />
      {error && <Notice tone="bad">{error}</Notice>}
      <button type="submit" class="button primary" disabled={busy}>
        {words.submit}
      </button>
      {method === 'token' && (
        <div class="stack tight small muted">
          {words.makeToken}
          <Code value="patchbay token create NAME --role reader --file tokens" />
        </div>
      )}
    </form>
  );
}

export function SignIn({ methods }: { methods: string[] }): JSX.Element {
  const entered = methods.filter((method): method is Method => method === 'token' || method === 'basic');
  const to = location.pathname + location.search;
  return (
    <main class="gate">
      <div class="card">
        <h1 class="brand">
          <Logo />
          {text.product}
        </h1>
        <p class="muted">{words.intro}</p>
        {signInError.value && <Notice tone="bad">{signInError.value}</Notice>}
        {methods.includes('oidc') && (
          <a
            class="button primary"
            href={`${urlOf('console/api/oidc')}?to=${encodeURIComponent(to)}`}
            target="_self"
          >
            {words.oidc}
          </a>
        )}
        {entered.length > 0 && <Credentials methods={entered} />}
        {entered.length === 0 && !methods.includes('oidc') && <Notice tone="warn">{words.none}</Notice>}
      </div>
    </main>
  );
}
