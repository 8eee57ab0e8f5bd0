// A goal in plain text, which the gateway runs as one or more calls: see docs/goals.md.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { cut, pretty } from '../../logic/format';
import { Badge, Card, Code, Empty, Notice } from '../../parts/basics';
import { text } from '../../text';

const words = text.playground.goals;
const MOST_STEPS = 100;

function Step({ step, number }: { step: control.GoalStep; number: number }): JSX.Element {
  const output = typeof step.output === 'string' ? step.output : pretty(step.output);
  return (
    <li class="stack tight">
      <p class="row">
        <strong>{words.step(number)}</strong>
        <span class="foreign mono">{cut(step.skillName, 200)}</span>
        <Badge tone={step.success ? 'ok' : 'bad'}>{step.success ? words.done : words.failed}</Badge>
      </p>
      <Code value={cut(output, 100_000)} label={words.step(number)} />
    </li>
  );
}

export function Goals(): JSX.Element {
  const [goal, setGoal] = useState('');
  const [skills, setSkills] = useState<string[]>();
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<control.GoalAnswer>();
  const [error, setError] = useState('');
  const stopper = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    control.goalSkills().then(setSkills, (failure) => setError(messageOf(failure)));
    return () => stopper.current?.abort();
  }, []);
  const runGoal = async (): Promise<void> => {
    const stop = new AbortController();
    stopper.current = stop;
    setBusy(true);
    setError('');
    setAnswer(undefined);
    try {
      setAnswer(await control.runGoal(goal, stop.signal));
    } catch (failure) {
      setError(stop.signal.aborted ? words.cancelled : messageOf(failure));
    }
    setBusy(false);
  };
  return (
    <div class="stack">
      <Card title={words.title}>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy && goal.trim()) void runGoal();
          }}
        >
          <p class="muted">{words.hint}</p>
          <label class="label">
            {words.goal}
            <input
              type="text"
              placeholder={words.example}
              value={goal}
              onInput={(event) => setGoal(event.currentTarget.value)}
            />
          </label>
          <div class="row">
            <button type="submit" class="button primary" disabled={busy || !goal.trim()}>
              {busy ? words.running : words.run}
            </button>
            {busy && (
              <button type="button" class="button" onClick={() => stopper.current?.abort()}>
                {text.cancel}
              </button>
            )}
          </div>
          {skills && (
            <p class="small muted foreign">
              {skills.length > 0 ? words.skills(skills.slice(0, 50).join(', ')) : words.noSkills}
            </p>
          )}
        </form>
      </Card>
      <div role="status" class="stack">
        {error && <Notice tone="bad">{error}</Notice>}
        {answer && (
          <Card title={words.steps}>
            {answer.trace.length === 0 ? (
              <Empty title={words.noSteps} />
            ) : (
              <ol class="stack plain-list">
                {answer.trace.slice(0, MOST_STEPS).map((step, i) => (
                  <Step key={String(i)} step={step} number={i + 1} />
                ))}
              </ol>
            )}
          </Card>
        )}
      </div>
    </div>
  );
}
