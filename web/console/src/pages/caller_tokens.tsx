// Tokens of callers: admins make one, which is shown once, and revoke those that are stored.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../api/control';
import { messageOf } from '../api/http';
import { cut } from '../logic/format';
import { Badge, Code, Notice, Pending, When } from '../parts/basics';
import { Confirm } from '../parts/confirm';
import { report } from '../parts/toasts';
import { usePolled } from '../state/poll';
import { text } from '../text';

const words = text.tokens;
const EVERY_MS = 5000;
const SHOWN = 100;
const MOST_NAME = 100;

type Lifetime = keyof typeof words.lifetimes;
const SECONDS: Record<Lifetime, number> = { '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 };

/** The usual lifetimes that the gateway permits; empty: its longest one. */
function lifetimes(most: number): (Lifetime | '')[] {
  const usual = Object.keys(SECONDS) as Lifetime[];
  return [...usual.filter((one) => SECONDS[one] <= most), ''];
}

interface FormProps {
  store: control.TokenStore;
  onMade: (token: control.MadeToken) => void;
}

function TokenForm({ store, onMade }: FormProps): JSX.Element {
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<string[]>([]);
  const [lifetime, setLifetime] = useState<Lifetime | ''>('');
  const [busy, setBusy] = useState(false);
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      onMade(await control.makeToken(name.trim(), roles, lifetime));
      setName('');
      setRoles([]);
    } catch (error) {
      report('bad', text.failed(messageOf(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="stack token-form" onSubmit={make}>
      <div class="filters">
        <label class="label">
          {text.connect.tokenName}
          <input
            type="text"
            required
            autocomplete="off"
            maxLength={MOST_NAME}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="label">
          {words.lifetime}
          <select value={lifetime} onChange={(event) => setLifetime(event.currentTarget.value as Lifetime)}>
            {lifetimes(store.max_lifetime_s ?? 0).map((one) => (
              <option key={one} value={one}>
                {one ? words.lifetimes[one] : words.longest}
              </option>
            ))}
          </select>
        </label>
      </div>
      <fieldset class="plain-set row">
        <legend class="label">{words.roles}</legend>
        {store.roles.length === 0 && <span class="muted">{words.noRoles}</span>}
        {store.roles.slice(0, SHOWN).map((role) => (
          <label key={role} class="check">
            <input
              type="checkbox"
              checked={roles.includes(role)}
              onChange={(event) =>
                setRoles(
                  event.currentTarget.checked ? [...roles, role] : roles.filter((other) => other !== role),
                )
              }
            />
            <span class="foreign">{cut(role, MOST_NAME)}</span>
          </label>
        ))}
      </fieldset>
      <p class="small muted">{words.rolesHint}</p>
      <p>
        <button type="submit" class="button primary" disabled={busy}>
          {words.make}
        </button>
      </p>
    </form>
  );
}

/** The only time that a token is shown. */
export function MadeToken({ made, onClose }: { made: control.MadeToken; onClose: () => void }): JSX.Element {
  return (
    <div class="stack made-token">
      <Notice tone="ok">{words.made(cut(made.name, MOST_NAME))}</Notice>
      <Code value={made.token} label={words.token} />
      <p class="small muted">{words.forShell}</p>
      <Code value={`export PATCHBAY_TOKEN=${made.token}`} label={words.forShell} />
      <p>
        <button type="button" class="button" onClick={onClose}>
          {words.hide}
        </button>
      </p>
    </div>
  );
}

interface TableProps {
  tokens: control.StoredToken[];
  onRevoke: (token: control.StoredToken) => void;
}

function Expiry({ token }: { token: control.StoredToken }): JSX.Element {
  if (token.expired) return <Badge tone="warn">{words.expired}</Badge>;
  return token.expires ? (
    <time dateTime={token.expires}>{words.date(token.expires)}</time>
  ) : (
    <span>{words.never}</span>
  );
}

function TokenTable({ tokens, onRevoke }: TableProps): JSX.Element {
  const { columns } = words;
  return (
    <div class="table-wrap">
      <table class="middle">
        <caption class="hidden-text">{words.stored}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.name}</th>
            <th scope="col" class="wide">
              {columns.id}
            </th>
            <th scope="col" class="wide">
              {columns.roles}
            </th>
            <th scope="col" class="wide">
              {columns.created}
            </th>
            <th scope="col">{columns.expires}</th>
            <th scope="col" class="number">
              {columns.revoke}
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>
                <span class="clip foreign">{cut(token.name, MOST_NAME)}</span>
              </td>
              <td class="wide mono">{cut(token.id, 40)}</td>
              <td class="wide foreign">{cut(token.roles.join(', '), 200) || text.none}</td>
              <td class="wide nowrap">
                <When at={token.created} />
              </td>
              <td class="nowrap">
                <Expiry token={token} />
              </td>
              <td class="number">
                <button
                  type="button"
                  class="button danger"
                  aria-label={words.revokeOf(cut(token.name, MOST_NAME), cut(token.id, 40))}
                  onClick={() => onRevoke(token)}
                >
                  {words.revoke}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TokensProps {
  made: control.MadeToken | undefined;
  onMade: (token: control.MadeToken | undefined) => void;
}

/** For admins of a gateway that requires credentials. */
export function CallerTokens({ made, onMade }: TokensProps): JSX.Element {
  const [changes, setChanges] = useState(0);
  const [revoking, setRevoking] = useState<control.StoredToken>();
  const { data, error } = usePolled(control.tokens, EVERY_MS, String(changes));
  const revoke = async (token: control.StoredToken): Promise<void> => {
    try {
      await control.revokeToken(token.id);
      report('ok', words.revoked(cut(token.name, MOST_NAME)));
      if (made?.id === token.id) onMade(undefined);
    } catch (failure) {
      report('bad', text.failed(messageOf(failure)));
    }
    setChanges(changes + 1);
  };
  return (
    <div class="stack">
      {made && <MadeToken made={made} onClose={() => onMade(undefined)} />}
      {!data && <Pending error={error} />}
      {data?.closed && <Notice>{words.closed(data.closed)}</Notice>}
      {data && !data.closed && (
        <>
          <TokenForm
            store={data}
            onMade={(token) => {
              onMade(token);
              setChanges(changes + 1);
            }}
          />
          <h3>{words.stored}</h3>
          {data.tokens.length === 0 && <p class="muted">{words.none}</p>}
          {data.tokens.length > 0 && (
            <TokenTable tokens={data.tokens.slice(0, SHOWN)} onRevoke={setRevoking} />
          )}
          {data.count > SHOWN && <p class="small muted">{words.more(SHOWN, data.count)}</p>}
        </>
      )}
      {revoking && (
        <Confirm
          question={words.confirmRevoke(cut(revoking.name, MOST_NAME))}
          action={words.revoke}
          onDone={(confirmed) => {
            setRevoking(undefined);
            if (confirmed) void revoke(revoking);
          }}
        />
      )}
    </div>
  );
}
