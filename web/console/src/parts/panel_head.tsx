// The head of a chosen entry: its name, a line about it, and what one can do with it.
import type { ComponentChildren, JSX } from 'preact';
import { cut } from '../logic/format';
import { setQuery } from '../state/router';
import { text } from '../text';
import { Icon } from './icons';

interface PanelHeadProps {
  name: string;
  /** Where the name leads. */
  link?: string | undefined;
  about?: ComponentChildren;
  actions?: ComponentChildren;
}

export function PanelHead({ name, link, about, actions }: PanelHeadProps): JSX.Element {
  return (
    <div class="row panel-head">
      <button
        type="button"
        class="button plain square only-narrow"
        aria-label={text.close}
        onClick={() => setQuery({ id: undefined })}
      >
        <Icon name="back" />
      </button>
      <div class="grow">
        <h2 class="detail-name foreign mono">
          {link ? <a href={link}>{cut(name, 300)}</a> : cut(name, 300)}
        </h2>
        {about}
      </div>
      {actions && <div class="row">{actions}</div>}
    </div>
  );
}
