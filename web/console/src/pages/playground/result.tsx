// What a request is doing, and how it ended.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Json, JsonObject } from '../../api/mcp';
import { cut, duration, pretty } from '../../logic/format';
import { isObject, ownText } from '../../logic/schema';
import { validate } from '../../logic/validate';
import { Badge, Card, Code, Notice } from '../../parts/basics';
import { href } from '../../state/router';
import { cancel, type Progress, run } from '../../state/run';
import { text } from '../../text';
import { Content, Resource } from './content';

const words = text.playground;

function ProgressBar({ progress }: { progress: Progress }): JSX.Element {
  const { total } = progress;
  const name = cut(progress.message, 200) || words.progress;
  return (
    <div class="stack tight">
      <progress aria-label={name} max={total} value={total === undefined ? undefined : progress.progress} />
      <span class="small muted foreign">
        {name} {total === undefined ? progress.progress : `${progress.progress}/${total}`}
      </span>
    </div>
  );
}

function Running(): JSX.Element {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 200);
    return () => clearInterval(timer);
  }, []);
  const { started, progress } = run.value;
  return (
    <div class="stack">
      <div class="row">
        <span class="spinner" aria-hidden="true" />
        <span class="grow">{words.running(duration(Math.max(0, now - started)))}</span>
        <button type="button" class="button" onClick={cancel}>
          {words.cancel}
        </button>
      </div>
      {progress && <ProgressBar progress={progress} />}
    </div>
  );
}

function Structured({ value, schema }: { value: Json; schema: Json | undefined }): JSX.Element {
  const faults = schema === undefined ? undefined : validate(value, schema).length;
  return (
    <div class="stack tight">
      <div class="row">
        <h3>{words.structured}</h3>
        {faults === 0 && <Badge tone="ok">{words.conforms}</Badge>}
        {faults !== undefined && faults > 0 && <Badge tone="bad">{words.conformsNot(faults)}</Badge>}
      </div>
      <Code value={pretty(value)} label={words.structured} />
    </div>
  );
}

function Messages({ messages }: { messages: Json[] }): JSX.Element {
  return (
    <div class="stack">
      {messages
        .filter(isObject)
        .slice(0, 100)
        .map((message, i) => (
          <div key={String(i)} class="stack tight">
            <Badge>{cut(ownText(message.role), 40)}</Badge>
            <Content parts={message.content} />
          </div>
        ))}
    </div>
  );
}

function Answer({ result, schema }: { result: JsonObject; schema: Json | undefined }): JSX.Element {
  const { content, structuredContent, contents, messages } = result;
  return (
    <div class="stack">
      {result.isError === true && <Notice tone="bad">{words.toolError}</Notice>}
      {Array.isArray(contents) &&
        contents
          .filter(isObject)
          .slice(0, 100)
          .map((resource, i) => <Resource key={String(i)} resource={resource} />)}
      {Array.isArray(messages) && <Messages messages={messages} />}
      {content !== undefined && <Content parts={content} />}
      {structuredContent !== undefined && <Structured value={structuredContent} schema={schema} />}
      <Raw result={result} />
    </div>
  );
}

/** Made only when it is opened: a result may be large. */
function Raw({ result }: { result: JsonObject }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.rawResult}</summary>
      {open && <Code value={pretty(result)} label={words.rawResult} />}
    </details>
  );
}

function Outcome(): JSX.Element {
  const { result, error, cancelled } = run.value;
  const failed = error !== undefined || cancelled || result?.isError === true;
  return <Badge tone={failed ? 'bad' : 'ok'}>{failed ? words.error : words.ok}</Badge>;
}

export function Result({ schema }: { schema: Json | undefined }): JSX.Element | null {
  const { phase, name, took, events, result, error, cancelled, traceId } = run.value;
  if (phase === 'idle') return null;
  const actions = phase === 'done' && (
    <>
      <Outcome />
      <span class="small muted">{words.took(duration(took))}</span>
      <a class="small" href={href('calls', { of: traceId })}>
        {words.trace}
      </a>
    </>
  );
  return (
    <div class="result" aria-live="polite">
      <Card title={words.resultOf(cut(name, 120))} actions={actions}>
        {phase === 'running' && <Running />}
        {cancelled && <Notice tone="warn">{words.cancelled}</Notice>}
        {error && (
          <Notice tone="bad">
            <span class="foreign">{cut(error.message, 4000)}</span>
            {error.code !== undefined && <span class="small muted"> ({words.code(error.code)})</span>}
          </Notice>
        )}
        {result && <Answer result={result} schema={schema} />}
        {events.length > 0 && (
          <div class="stack tight events">
            <h3>{words.events}</h3>
            <Code value={events.join('\n')} label={words.events} />
          </div>
        )}
      </Card>
    </div>
  );
}
