// Small parts of every page.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ago, bytes, cut } from '../logic/format';
import { now } from '../state/gateway';
import { text } from '../text';
import { report } from './toasts';

export type Tone = 'ok' | 'warn' | 'bad' | 'accent' | '';

export function Badge({ tone = '', children }: { tone?: Tone; children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Dot({ tone }: { tone: Tone }): JSX.Element {
  return <span class={`dot ${tone}`} aria-hidden="true" />;
}

/** A relative time with the exact one as its title. */
export function When({ at }: { at: string }): JSX.Element {
  const then = Date.parse(at);
  const seconds = (now.value - then) / 1000;
  return (
    <time dateTime={at} title={exactTime(at)}>
      {seconds < 1 ? text.justNow : text.ago(ago(then, now.value))}
    </time>
  );
}

export function exactTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

export function ExactTime({ at }: { at: string }): JSX.Element {
  return (
    <span>
      <time dateTime={at}>{exactTime(at)}</time>{' '}
      <span class="muted">
        (<When at={at} />)
      </span>
    </span>
  );
}

export function Empty(props: { title: string; hint?: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <strong>{props.title}</strong>
      {props.hint && <p>{props.hint}</p>}
      {props.children}
    </div>
  );
}

export function Notice({ tone = '', children }: { tone?: Tone; children: ComponentChildren }): JSX.Element {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** What a list shows before it has data, or when it has failed. */
export function Pending({ error }: { error: string | undefined }): JSX.Element {
  return error ? <Notice tone="bad">{text.failed(error)}</Notice> : <p class="muted">{text.loading}</p>;
}

interface CardProps {
  title?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** Without padding, for tables. */
  flush?: boolean;
  class?: string;
}

export function Card({ title, actions, children, flush, class: more = '' }: CardProps): JSX.Element {
  return (
    <section class={`card ${more}`} aria-label={title}>
      {title && (
        <header>
          <h2>{title}</h2>
          {actions && <div class="actions">{actions}</div>}
        </header>
      )}
      <div class={flush ? '' : 'body'}>{children}</div>
    </section>
  );
}

export function PageHead({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="page-head">
      <h1 class="foreign">{title}</h1>
      {children}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  choices: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
}

export function Tabs<T extends string>({ label, choices, value, onChange }: ChoiceProps<T>): JSX.Element {
  return (
    <fieldset class="tabs plain-set" aria-label={label}>
      {choices.map(([choice, name]) => (
        <button key={choice} type="button" aria-pressed={choice === value} onClick={() => onChange(choice)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

const FIRST_SHOWN = 20_000;

/** Foreign text in a bounded box; the rest of a long one on request. */
export function Code({ value, label }: { value: string; label?: string }): JSX.Element {
  const [all, setAll] = useState(false);
  const long = value.length > FIRST_SHOWN && !all;

  return (
    <div class="code">
      <CopyButton value={value} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0} role="group" aria-label={label ?? text.codeLabel}>
        {long ? cut(value, FIRST_SHOWN) : value}
      </pre>
      {long && (
        <button type="button" class="button plain" onClick={() => setAll(true)}>
          {text.showAll(bytes(value.length))}
        </button>
      )}
    </div>
  );
}

export function CopyButton({ value }: { value: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    if (!(await copyText(value))) return;
    setCopied(true);
    timer.current = setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="button copy" onClick={copy}>
      {copied ? text.copied : text.copy}
    </button>
  );
}

/** The clipboard is there only on secure origins; elsewhere a selection is copied. */
async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = value;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (!done) report('bad', text.failed('clipboard'));
    return done;
  }
}
