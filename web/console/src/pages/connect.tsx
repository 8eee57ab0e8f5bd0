// The lines and files that connect each client to this gateway.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MadeToken } from '../api/control';
import { urlOf } from '../api/http';
import {
  CONNECTORS,
  type Connector,
  connectCommand,
  entryText,
  plainCommand,
  withToken,
} from '../logic/connectors';
import { tokenCommand } from '../logic/snippets';
import { Card, Code, Notice, PageHead } from '../parts/basics';
import { route, setQuery } from '../state/router';
import { isAdmin, needsToken } from '../state/session';
import { text } from '../text';
import { CallerTokens } from './caller_tokens';

const words = text.connect;

interface LinesProps {
  connector: Connector;
  /** A token that was made just now. */
  made?: string | undefined;
}

export function ConnectorLines({ connector, made }: LinesProps): JSX.Element {
  const url = urlOf('mcp');
  const token = needsToken.value;
  const link = connector.link?.(url, token);
  return (
    <div class="stack">
      <div class="stack tight">
        <h3>{words.command}</h3>
        <Code value={connectCommand(connector, url, token)} label={words.command} />
      </div>
      {link && (
        <div class="row">
          <a class="button primary" href={link} target="_self">
            {words.deepLink(connector.name)}
          </a>
          <span class="small muted">{words.deepLinkHint}</span>
        </div>
      )}
      {connector.router(token) && <p class="small muted">{words.stdioHint}</p>}
      <div class="stack tight">
        <h3>
          {words.file}: <code class="foreign">{connector.file}</code>
        </h3>
        <Code value={withToken(entryText(connector, url, token), made)} label={connector.file} />
      </div>
    </div>
  );
}

export function TokenLine(): JSX.Element {
  const [name, setName] = useState('');
  const [role, setRole] = useState('reader');
  return (
    <div class="stack">
      <div class="filters">
        <label class="label">
          {words.tokenName}
          <input
            type="text"
            maxLength={100}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="label">
          {words.tokenRole}
          <input
            type="text"
            maxLength={100}
            value={role}
            onInput={(event) => setRole(event.currentTarget.value)}
          />
        </label>
      </div>
      <Code value={tokenCommand(name, role)} label={words.token} />
      <p class="small muted">{words.tokenPlace}</p>
    </div>
  );
}

function Addresses({ made }: { made: string | undefined }): JSX.Element {
  const openapi = urlOf('openapi.json');
  return (
    <div class="halves">
      <Card title={words.address}>
        <Code value={urlOf('mcp')} label={words.address} />
      </Card>
      <Card title={words.rest}>
        <div class="stack">
          <p class="small muted">{words.restHint}</p>
          <Code
            value={withToken(plainCommand(urlOf('mcp/v1/tools'), needsToken.value), made)}
            label={words.rest}
          />
          <p>
            <a href={openapi} target="_blank" rel="noopener noreferrer">
              {words.openapi}
            </a>
          </p>
        </div>
      </Card>
    </div>
  );
}

export function Connect(): JSX.Element {
  const [made, setMade] = useState<MadeToken>();
  const wanted = route.value.query.get('client');
  const connector = CONNECTORS.find(({ id }) => id === wanted) ?? CONNECTORS[0];
  return (
    <>
      <PageHead title={text.pages.connect} />
      <p class="muted">{words.intro}</p>
      <div class="connectors">
        <Card title={words.clients}>
          <ul class="choices">
            {CONNECTORS.map(({ id, name }) => (
              <li key={id}>
                <button
                  type="button"
                  aria-pressed={id === connector?.id}
                  onClick={() => setQuery({ client: id })}
                >
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </Card>
        {connector && (
          <Card title={connector.name}>
            <ConnectorLines connector={connector} made={made?.token} />
          </Card>
        )}
      </div>
      <Card title={words.token}>
        {!needsToken.value && <Notice>{words.tokenNotNeeded}</Notice>}
        {needsToken.value && (
          <div class="stack">
            {isAdmin.value && <CallerTokens made={made} onMade={setMade} />}
            <p>{words.tokenNeeded}</p>
            <TokenLine />
          </div>
        )}
      </Card>
      <Addresses made={made?.token} />
    </>
  );
}
