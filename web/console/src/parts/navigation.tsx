// The list of pages, and who is signed in.
import type { JSX } from 'preact';
import { messageOf } from '../api/http';
import { status, waiting } from '../state/gateway';
import { href, PAGES, route } from '../state/router';
import { isAdmin, session, signOut } from '../state/session';
import { text } from '../text';
import { Badge, Dot, type Tone } from './basics';
import { Icon, Logo } from './icons';
import { report } from './toasts';

const TONES: Record<string, Tone> = { ready: 'ok', degraded: 'warn', 'not ready': 'bad' };

function State(): JSX.Element | null {
  const { data } = status.value;
  if (!data) return null;
  return (
    <div class="row">
      <span class="row">
        <Dot tone={TONES[data.status] ?? ''} />
        {text.state[data.status] ?? data.status}
      </span>
      <span class="clip" title={data.version}>
        {data.version}
      </span>
    </div>
  );
}

function Person({ onHelp }: { onHelp: () => void }): JSX.Element {
  const current = session.value;
  const leave = async (): Promise<void> => {
    try {
      await signOut();
    } catch (error) {
      report('bad', text.failed(messageOf(error)));
    }
  };
  return (
    <div class="side-foot">
      <State />
      {current?.signed_in && (
        <div class="row">
          <span class="clip grow" title={text.signedInAs(current.caller)}>
            {current.caller}
          </span>
          {isAdmin.value && <Badge>{text.admin}</Badge>}
        </div>
      )}
      <div class="row">
        <button type="button" class="button plain" onClick={onHelp}>
          <Icon name="keyboard" /> {text.help}
        </button>
        {current?.signed_in && current.csrf !== '' && current.auth !== 'none' && (
          <button type="button" class="button plain square" aria-label={text.signOut} onClick={leave}>
            <Icon name="leave" />
          </button>
        )}
      </div>
    </div>
  );
}

export function Navigation({ open, onHelp }: { open: boolean; onHelp: () => void }): JSX.Element {
  const count = waiting.value.length;
  return (
    <nav class={`side ${open ? 'open' : ''}`} aria-label={text.navigation}>
      <a class="brand" href={href('overview')}>
        <Logo />
        {text.product}
      </a>
      <div class="nav">
        <ul>
          {PAGES.map((page) => (
            <li key={page}>
              <a href={href(page)} aria-current={route.value.page === page ? 'page' : undefined}>
                <Icon name={page} />
                {text.pages[page]}
                {page === 'approvals' && count > 0 && (
                  <span class="count">
                    <Badge tone="warn">{count}</Badge>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </div>
      <Person onHelp={onHelp} />
    </nav>
  );
}
