// The tokens with which the gateway uses an upstream, and signing in to it.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { cut, duration } from '../../logic/format';
import { Badge, Card, type Tone } from '../../parts/basics';
import { report } from '../../parts/toasts';
import { text } from '../../text';

const words = text.upstreams;
const TONES: Record<control.Tokens['state'], Tone> = {
  token: 'ok',
  sign_in_needed: 'warn',
  failed: 'bad',
  unused: '',
};

function SignIn({ name, signedIn }: { name: string; signedIn: boolean }): JSX.Element {
  const [link, setLink] = useState('');
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      report('bad', text.failed(messageOf(error)));
    }
  };
  const begin = async (): Promise<void> => {
    const { protocol, href } = new URL((await control.beginSignIn(name)).url);
    // What the gateway offers is a page of its own; anything else is no link.
    if (protocol === 'http:' || protocol === 'https:') setLink(href);
  };
  const end = async (): Promise<void> => {
    await control.endSignIn(name);
    setLink('');
    report('ok', words.signedOut(name));
  };
  if (link && !signedIn) {
    return (
      <div class="stack tight">
        <p class="small foreign mono lines">{cut(link, 400)}</p>
        <p>
          <a class="button primary" href={link} target="_blank" rel="noopener noreferrer">
            {words.openLink}
          </a>
        </p>
        <p class="small muted">{words.linkHint}</p>
      </div>
    );
  }
  return (
    <div class="row">
      {signedIn ? (
        <button type="button" class="button danger" onClick={() => attempt(end)}>
          {words.signOut}
        </button>
      ) : (
        <button type="button" class="button primary" onClick={() => attempt(begin)}>
          {words.signIn}
        </button>
      )}
    </div>
  );
}

export function TokensCard({ name, tokens }: { name: string; tokens: control.Tokens }): JSX.Element {
  const { tokenFacts } = words;
  const expires = tokens.expires_in_s;
  const rows: [string, ComponentChildren][] = [
    [tokenFacts.kind, tokens.kind],
    [tokenFacts.owner, tokens.per_caller ? words.perCaller : words.sharedToken],
    [tokenFacts.expires, expires !== undefined && duration(expires * 1000)],
    [tokenFacts.holders, tokens.holders],
    [words.detail, tokens.detail && cut(tokens.detail, 600)],
  ];
  return (
    <Card title={words.tokensTitle}>
      <div class="stack">
        <div class="row">
          <Badge tone={TONES[tokens.state]}>{words.tokenStates[tokens.state]}</Badge>
        </div>
        <dl class="facts">
          {rows
            .filter(([, value]) => value !== undefined && value !== false && value !== '')
            .map(([title, value]) => (
              <>
                <dt>{title}</dt>
                <dd class="foreign">{value}</dd>
              </>
            ))}
        </dl>
        {tokens.may_sign_in && <SignIn name={name} signedIn={tokens.state === 'token'} />}
      </div>
    </Card>
  );
}
