// The file in an editor: what has changed, whether it may change here, and applying it. Secrets are
// masked; a mask that stays where it is keeps its secret.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { Card, Notice, Pending } from '../../parts/basics';
import { Dialog } from '../../parts/dialog';
import { SideBySide } from '../../parts/side_by_side';
import { report } from '../../parts/toasts';
import { text } from '../../text';
import { Faults, Marked } from './faults';
import { TextField } from './text_field';

const words = text.configuration;
const { edit } = words;
/** Lines around a change. */
const CONTEXT = 3;
const STORED: readonly control.EditOutcome[] = ['applied', 'unchanged', 'applying'];

function Difference({ before, after }: { before: string; after: string }): JSX.Element {
  return (
    <SideBySide label={edit.difference} titles={edit.sides} before={before} after={after} context={CONTEXT} />
  );
}

function Outcome({ answer }: { answer: control.EditAnswer }): JSX.Element {
  const { outcome, changes, faults, error, backup } = answer;
  if (STORED.includes(outcome)) {
    return (
      <Notice tone="ok">
        {edit.outcomes[outcome]} {changes.length > 0 && edit.changed(changes.slice(0, 50).join(', '))}{' '}
        {backup && edit.backup(backup)}
      </Notice>
    );
  }
  if (outcome === 'permitted') {
    return (
      <Notice tone="ok">
        {changes.length > 0 ? edit.permitted(changes.slice(0, 50).join(', ')) : edit.nothing}
      </Notice>
    );
  }
  return (
    <>
      <Notice tone="bad">{error ?? outcome}</Notice>
      {faults && faults.length > 0 && <Faults found={faults} />}
    </>
  );
}

interface ApplyProps {
  before: string;
  after: string;
  onDone: (confirmed: boolean) => void;
}

function Apply({ before, after, onDone }: ApplyProps): JSX.Element {
  return (
    <Dialog title={edit.apply} onClose={() => onDone(false)}>
      <div class="stack">
        <p>{edit.question}</p>
        <Difference before={before} after={after} />
        <div class="row">
          <button type="button" class="button danger" onClick={() => onDone(true)}>
            {edit.apply}
          </button>
          <button type="button" class="button" onClick={() => onDone(false)}>
            {text.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function Draft({ file, onRead }: { file: control.ConfigurationFile; onRead: () => void }): JSX.Element {
  const [draft, setDraft] = useState(file.text);
  const [tried, setTried] = useState<{ draft: string; answer: control.EditAnswer }>();
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState('');
  const changed = draft !== file.text;
  const send = async (onlyCheck: boolean): Promise<void> => {
    setBusy(true);
    setError('');
    try {
      const answer = await control.editConfiguration(draft, file.etag, onlyCheck);
      setTried({ draft, answer });
      if (!onlyCheck && STORED.includes(answer.outcome)) {
        report('ok', edit.outcomes[answer.outcome] ?? '');
        onRead();
      }
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  const answer = tried?.answer;
  return (
    <>
      <TextField value={draft} onInput={setDraft}>
        <div class="row">
          <button type="button" class="button" disabled={busy} onClick={() => send(true)}>
            {busy ? words.checking : words.check}
          </button>
          <button
            type="button"
            class="button primary"
            disabled={busy || !changed}
            onClick={() => setAsking(true)}
          >
            {edit.applyThis}
          </button>
          {changed && (
            <button type="button" class="button" onClick={() => setDraft(file.text)}>
              {edit.discard}
            </button>
          )}
          {answer?.outcome === 'stale' && (
            <button type="button" class="button" onClick={onRead}>
              {edit.readAgain}
            </button>
          )}
        </div>
      </TextField>
      {error && <Notice tone="bad">{text.failed(error)}</Notice>}
      <div role="status" class="stack tight">
        {answer && <Outcome answer={answer} />}
      </div>
      {tried && answer?.faults?.some((fault) => fault.line) && (
        <Marked value={tried.draft} found={answer.faults} />
      )}
      {changed && (
        <section class="stack tight">
          <h3>{edit.difference}</h3>
          <Difference before={file.text} after={draft} />
        </section>
      )}
      {asking && (
        <Apply
          before={file.text}
          after={draft}
          onDone={(confirmed) => {
            setAsking(false);
            if (confirmed) void send(false);
          }}
        />
      )}
    </>
  );
}

export function Editor(): JSX.Element {
  const [file, setFile] = useState<control.ConfigurationFile>();
  const [error, setError] = useState('');
  const read = (): void => {
    control.configurationFile().then(
      (found) => {
        setFile(found);
        setError('');
      },
      (failure) => setError(messageOf(failure)),
    );
  };
  useEffect(read, []);
  return (
    <Card title={words.text}>
      <div class="stack">
        <p class="muted">{edit.hint}</p>
        {error && <Notice tone="warn">{error}</Notice>}
        {!file && !error && <Pending error={undefined} />}
        {file && <Draft file={file} onRead={read} />}
      </div>
    </Card>
  );
}
