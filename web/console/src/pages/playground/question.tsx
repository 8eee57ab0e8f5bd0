// Questions of an upstream during a call, answered by the person at the page.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Json, JsonObject, Question } from '../../api/mcp';
import { webUrl } from '../../logic/content';
import { cut } from '../../logic/format';
import { initialValue, isObject, ownText } from '../../logic/schema';
import { type Fault, validate } from '../../logic/validate';
import { Card, Code, Notice } from '../../parts/basics';
import { text } from '../../text';
import { Content } from './content';
import { SchemaForm } from './form';

const words = text.playground.question;

interface QuestionProps {
  question: Question;
  tool: string;
  onAnswer: (answer: JsonObject) => void;
  onRefuse: () => void;
}

function Elicitation({ question, onAnswer }: QuestionProps): JSX.Element {
  const schema: Json = question.params.requestedSchema ?? { type: 'object' };
  const [value, setValue] = useState<JsonObject>(() => {
    const first = initialValue(schema, schema);
    return isObject(first) ? first : {};
  });
  const [faults, setFaults] = useState<Fault[]>([]);
  const submit = (event: Event): void => {
    event.preventDefault();
    const found = validate(value, schema);
    setFaults(found);
    if (found.length === 0) onAnswer({ action: 'accept', content: value });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p class="foreign message">{cut(ownText(question.params.message), 4000)}</p>
      <SchemaForm schema={schema} value={value} faults={faults} onChange={setValue} />
      <p class="small muted">{words.warning}</p>
      <div class="row">
        <button type="submit" class="button primary">
          {words.accept}
        </button>
        <button type="button" class="button" onClick={() => onAnswer({ action: 'decline' })}>
          {words.decline}
        </button>
        <button type="button" class="button plain" onClick={() => onAnswer({ action: 'cancel' })}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}

function OpenUrl({ question, onAnswer }: QuestionProps): JSX.Element {
  const address = ownText(question.params.url);
  const url = webUrl(address);
  return (
    <div class="stack">
      <p class="foreign message">{cut(ownText(question.params.message), 4000)}</p>
      <Code value={cut(address, 2000)} label={words.url} />
      {!url && <Notice tone="warn">{words.badUrl}</Notice>}
      <div class="row">
        {url && (
          <a class="button primary" href={url} target="_blank" rel="noopener noreferrer">
            {words.openUrl}
          </a>
        )}
        <button type="button" class="button" onClick={() => onAnswer({ action: 'accept' })}>
          {words.opened}
        </button>
        <button type="button" class="button plain" onClick={() => onAnswer({ action: 'decline' })}>
          {words.decline}
        </button>
      </div>
    </div>
  );
}

function Sampling({ question, onAnswer, onRefuse }: QuestionProps): JSX.Element {
  const [answer, setAnswer] = useState('');
  const { messages, systemPrompt, maxTokens } = question.params;
  const list = Array.isArray(messages) ? messages.filter(isObject).slice(0, 50) : [];
  const submit = (event: Event): void => {
    event.preventDefault();
    onAnswer({
      role: 'assistant',
      content: { type: 'text', text: answer },
      model: 'a person at the console',
      stopReason: 'endTurn',
    });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p class="small muted">{words.samplingHint}</p>
      {systemPrompt !== undefined && (
        <div class="stack tight">
          <h3>{words.system}</h3>
          <Code value={ownText(systemPrompt)} label={words.system} />
        </div>
      )}
      <div class="stack tight">
        <h3>{words.messages}</h3>
        {list.map((message, i) => (
          <div key={String(i)} class="stack tight">
            <span class="small muted">{ownText(message.role)}</span>
            <Content parts={message.content} />
          </div>
        ))}
      </div>
      <label class="label">
        <span>
          {words.answer}
          {typeof maxTokens === 'number' && `, ${words.maxTokens(maxTokens)}`}
        </span>
        <textarea
          rows={4}
          required
          value={answer}
          onInput={(event) => setAnswer(event.currentTarget.value)}
        />
      </label>
      <div class="row">
        <button type="submit" class="button primary">
          {words.accept}
        </button>
        <button type="button" class="button" onClick={onRefuse}>
          {words.decline}
        </button>
      </div>
    </form>
  );
}

export function QuestionCard(props: QuestionProps): JSX.Element {
  const { question, tool, onRefuse } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  const elicits = question.method === 'elicitation/create';
  const url = elicits && question.params.mode === 'url';
  const samples = question.method === 'sampling/createMessage';
  const title = url
    ? words.url
    : elicits
      ? words.elicitation
      : samples
        ? words.sampling
        : words.unknown(question.method);
  return (
    <div ref={box} tabIndex={-1} class="question">
      <Card title={cut(title, 120)}>
        <p class="small muted">{words.from(cut(tool, 120))}</p>
        {url ? (
          <OpenUrl {...props} />
        ) : elicits ? (
          <Elicitation {...props} />
        ) : samples ? (
          <Sampling {...props} />
        ) : (
          <button type="button" class="button" onClick={onRefuse}>
            {words.decline}
          </button>
        )}
      </Card>
    </div>
  );
}
