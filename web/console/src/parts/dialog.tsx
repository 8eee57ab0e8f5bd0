// A modal dialog: the browser holds the focus in it and closes it with Escape.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text';
import { Icon } from './icons';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Without a head of its own. */
  bare?: boolean;
}

export function Dialog({ title, onClose, children, bare }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const label = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={dialog}
      aria-label={bare ? title : undefined}
      aria-labelledby={bare ? undefined : label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {!bare && (
        <header>
          <h2 id={label}>{title}</h2>
          <button type="button" class="button plain square" aria-label={text.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
      )}
      <div class={bare ? '' : 'body'}>{children}</div>
    </dialog>
  );
}
