// Asks before something that cannot be undone.
import type { JSX } from 'preact';
import { cut } from '../logic/format';
import { text } from '../text';
import { Dialog } from './dialog';

interface ConfirmProps {
  question: string;
  action: string;
  onDone: (confirmed: boolean) => void;
}

export function Confirm({ question, action, onDone }: ConfirmProps): JSX.Element {
  return (
    <Dialog title={action} onClose={() => onDone(false)}>
      <div class="stack">
        <p class="foreign">{cut(question, 400)}</p>
        <div class="row">
          <button type="button" class="button danger" onClick={() => onDone(true)}>
            {action}
          </button>
          <button type="button" class="button" onClick={() => onDone(false)}>
            {text.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
