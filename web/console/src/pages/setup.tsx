// The first use: a server, its tools, a client, a token, a call. Each step is checked off by itself.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as control from '../api/control';
import { CONNECTORS } from '../logic/connectors';
import { compact } from '../logic/format';
import { addCommand } from '../logic/snippets';
import { Badge, Code, Dot, PageHead, Tabs } from '../parts/basics';
import { Icon } from '../parts/icons';
import { catalog, readCatalog } from '../state/catalog';
import { status, upstreams } from '../state/gateway';
import { recentCalls, useLiveCalls } from '../state/live_calls';
import { usePolled } from '../state/poll';
import { href } from '../state/router';
import { needsToken } from '../state/session';
import { text } from '../text';
import { ConnectorLines, TokenLine } from './connect';

const words = text.setup;
const EVERY_MS = 3000;
const MOST_TOOLS = 12;
const OWN_CLIENT = 'patchbay-console';

interface StepProps {
  number: number;
  title: string;
  hint: string;
  done: boolean;
  children: ComponentChildren;
}

function Step({ number, title, hint, done, children }: StepProps): JSX.Element {
  return (
    <li class="card step">
      <span class={`step-number ${done ? 'done' : ''}`} aria-hidden="true">
        {done ? <Icon name="setup" /> : number}
      </span>
      <div class="stack grow">
        <div class="row">
          <h2>{title}</h2>
          <Badge tone={done ? 'ok' : ''}>{done ? words.done : words.open}</Badge>
        </div>
        <p class="muted">{hint}</p>
        {children}
      </div>
    </li>
  );
}

const EXAMPLES: [string, 'command' | 'url', string][] = [
  ['files', 'command', 'npx -y @modelcontextprotocol/server-filesystem .'],
  ['everything', 'command', 'npx -y @modelcontextprotocol/server-everything'],
  ['search', 'url', 'https://mcp.example.com/mcp'],
];

function AddServer(): JSX.Element {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'command' | 'url'>('command');
  const [value, setValue] = useState('');
  const kinds = [
    ['command', words.server.kinds.command],
    ['url', words.server.kinds.url],
  ] as const;
  return (
    <div class="stack">
      <Tabs label={words.server.kind} choices={kinds} value={kind} onChange={setKind} />
      <div class="filters">
        <label class="label">
          {words.server.name}
          <input
            type="text"
            maxLength={60}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="label">
          {kind === 'url' ? words.server.url : words.server.command}
          <input
            type="text"
            maxLength={2000}
            spellcheck={false}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        </label>
      </div>
      <p class="row small muted">
        {words.server.examples}
        {EXAMPLES.map(([example, exampleKind, line]) => (
          <button
            key={example}
            type="button"
            class="button"
            onClick={() => {
              setName(example);
              setKind(exampleKind);
              setValue(line);
            }}
          >
            {example}
          </button>
        ))}
      </p>
      <Code value={addCommand(name, kind, value)} label={words.server.title} />
      <p class="small muted">{words.server.noConfig}</p>
      <Code value="patchbay init && patchbay serve" label={words.server.noConfig} />
      <Live />
    </div>
  );
}

function Live(): JSX.Element {
  return (
    <div class="stack tight">
      <h3>{words.server.live}</h3>
      <ul class="brief" aria-live="polite">
        {(upstreams.value.data ?? []).slice(0, 12).map((upstream) => (
          <li key={upstream.name}>
            <Dot tone={upstream.state === 'up' ? 'ok' : 'bad'} />
            <a class="clip" href={href('upstreams', { name: upstream.name })}>
              {upstream.name}
            </a>
            <span class="clip grow muted small">{upstream.detail || upstream.kind}</span>
            <span class="number">{compact(upstream.tools)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Tools(): JSX.Element {
  const tools = catalog.value.entries.filter((entry) => entry.kind === 'tool');
  if (tools.length === 0) return <p class="muted">{words.tools.none}</p>;
  return (
    <div class="row">
      {tools.slice(0, MOST_TOOLS).map((tool) => (
        <a key={tool.id} class="badge accent" href={href('catalog', { id: tool.id })}>
          {tool.id}
        </a>
      ))}
      {tools.length > MOST_TOOLS && (
        <a href={href('catalog')}>{words.tools.more(tools.length - MOST_TOOLS)}</a>
      )}
    </div>
  );
}

function ConnectClient(): JSX.Element {
  const [chosen, setChosen] = useState('claude-code');
  const connector = CONNECTORS.find(({ id }) => id === chosen);
  return (
    <div class="stack">
      <label class="label narrow">
        {text.connect.choose}
        <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          {CONNECTORS.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {connector && <ConnectorLines connector={connector} />}
    </div>
  );
}

/** Whether a client other than this page has been there. */
function useClientSeen(): boolean {
  const { data } = usePolled(() => control.clients(), EVERY_MS);
  const open = (data?.clients ?? []).some((client) => client.client && !client.client.startsWith(OWN_CLIENT));
  return open || recentCalls.value.some((call) => call.client && !call.client.startsWith(OWN_CLIENT));
}

export function Setup(): JSX.Element {
  useLiveCalls();
  const clientSeen = useClientSeen();
  const known = upstreams.value.data ?? [];
  const tools = status.value.data?.tools ?? 0;
  useEffect(() => void readCatalog(), [tools]);
  const called = recentCalls.value.filter((call) => call.method === 'tools/call').length;
  const steps: [{ title: string; hint: string }, boolean, JSX.Element][] = [
    [
      words.server,
      known.some((upstream) => upstream.kind !== 'builtin' && upstream.state === 'up'),
      <AddServer />,
    ],
    [words.tools, tools > 0, <Tools />],
    [words.client, clientSeen, <ConnectClient />],
    [words.token, needsToken.value, <TokenLine />],
    [
      words.call,
      called > 0,
      <div class="row">
        <a class="button primary" href={href('playground')}>
          {words.call.open}
        </a>
        {called > 0 && <span class="muted">{words.call.made(compact(called))}</span>}
      </div>,
    ],
  ];
  return (
    <>
      <PageHead title={text.pages.setup} />
      <p class="muted">{words.intro}</p>
      <ol class="steps">
        {steps.map(([step, done, body], i) => (
          <Step key={step.title} number={i + 1} title={step.title} hint={step.hint} done={done}>
            {body}
          </Step>
        ))}
      </ol>
    </>
  );
}
