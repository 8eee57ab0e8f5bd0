// The card of what is tried: its name and description, then the form.
import type { ComponentChildren, JSX } from 'preact';
import { cut } from '../../logic/format';
import { Card } from '../../parts/basics';
import { PanelHead } from '../../parts/panel_head';
import type { Entry } from '../../state/catalog';
import { href } from '../../state/router';

interface PanelCardProps {
  name: string;
  entry: Entry | undefined;
  children: ComponentChildren;
  actions?: ComponentChildren;
}

export function PanelCard({ name, entry, children, actions }: PanelCardProps): JSX.Element {
  return (
    <Card>
      <div class="stack">
        <PanelHead
          name={name}
          link={entry && href('catalog', { kind: entry.kind, id: entry.id })}
          about={entry && <p class="small muted lines">{cut(entry.description || entry.title, 600)}</p>}
          actions={actions}
        />
        {children}
      </div>
    </Card>
  );
}
