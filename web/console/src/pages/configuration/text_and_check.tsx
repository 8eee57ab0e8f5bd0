// The file and a check of an edited copy. Nothing here changes it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { Card, Code, Notice } from '../../parts/basics';
import { text } from '../../text';
import { Faults, Marked } from './faults';
import { TextField } from './text_field';

const words = text.configuration;

export function TextAndCheck({ page }: { page: control.Configuration }): JSX.Element {
  const [draft, setDraft] = useState(page.text ?? '');
  const [checked, setChecked] = useState<{ text: string; faults: control.TextFault[] }>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const check = async (): Promise<void> => {
    setBusy(true);
    try {
      setChecked({ text: draft, faults: (await control.checkConfiguration(draft)).faults });
      setError('');
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  return (
    <Card title={words.text}>
      <div class="stack">
        {page.no_text && <Notice tone="warn">{words.noText(page.no_text)}</Notice>}
        <p class="muted">{words.textHint}</p>
        <TextField value={draft} onInput={setDraft}>
          <p>
            <button type="button" class="button primary" disabled={busy} onClick={check}>
              {busy ? words.checking : words.check}
            </button>
          </p>
        </TextField>
        {error && <Notice tone="bad">{text.failed(error)}</Notice>}
        {checked && <Faults found={checked.faults} />}
        {checked?.faults.some((fault) => fault.line) && (
          <Marked value={checked.text} found={checked.faults} />
        )}
        <p class="muted">{words.noApply}</p>
        <p class="small muted">{words.wholeCheck}</p>
        <Code value={`patchbay check ${page.file || 'patchbay.yaml'}`} />
      </div>
    </Card>
  );
}
