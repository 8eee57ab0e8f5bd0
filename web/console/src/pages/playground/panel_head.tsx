// The name and the description of what is tried.
import type { ComponentChildren, JSX } from 'preact';
import { cut } from '../../logic/format';
import { Card } from '../../parts/basics';
import { Icon } from '../../parts/icons';
import type { Entry } from '../../state/catalog';
import { href, setQuery } from '../../state/router';
import { text } from '../../text';

interface HeadProps {
  name: string;
  entry: Entry | undefined;
  children: ComponentChildren;
  actions?: ComponentChildren;
}

export function PanelCard({ name, entry, children, actions }: HeadProps): JSX.Element {
  return (
    <Card>
      <div class="stack">
        <div class="row">
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
              {entry ? (
                <a href={href('catalog', { kind: entry.kind, id: entry.id })}>{cut(name, 300)}</a>
              ) : (
                cut(name, 300)
              )}
            </h2>
            {entry && <p class="small muted lines">{cut(entry.description || entry.title, 600)}</p>}
          </div>
          {actions}
        </div>
        {children}
      </div>
    </Card>
  );
}
