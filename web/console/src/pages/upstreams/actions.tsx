// What admins do to an upstream: restart it, or override its configuration.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as control from '../../api/control';
import { messageOf } from '../../api/http';
import { Confirm } from '../../parts/confirm';
import { report } from '../../parts/toasts';
import { upstreams } from '../../state/gateway';
import { text } from '../../text';

const words = text.upstreams;
type Asked = Exclude<control.UpstreamAction, 'enable'>;

async function apply(name: string, action: control.UpstreamAction): Promise<void> {
  try {
    await control.changeUpstream(name, action);
    report('ok', words.done[action](name));
    upstreams.value = { data: await control.upstreams(), error: undefined };
  } catch (error) {
    report('bad', text.failed(messageOf(error)));
  }
}

/** What can be done to an upstream that is in this mode. */
const CHOICES: Record<control.Mode, Asked[]> = {
  enabled: ['restart', 'drain', 'disable'],
  drained: ['disable'],
  disabled: [],
};

export function UpstreamActions({ name, mode }: { name: string; mode: control.Mode }): JSX.Element {
  const [asked, setAsked] = useState<Asked>();
  return (
    <>
      {mode !== 'enabled' && (
        <button type="button" class="button primary" onClick={() => apply(name, 'enable')}>
          {words.actions.enable}
        </button>
      )}
      {CHOICES[mode].map((action) => (
        <button key={action} type="button" class="button" onClick={() => setAsked(action)}>
          {words.actions[action]}
        </button>
      ))}
      {asked && (
        <Confirm
          question={words.confirm[asked](name)}
          action={words.actions[asked]}
          onDone={(confirmed) => {
            setAsked(undefined);
            if (confirmed) void apply(name, asked);
          }}
        />
      )}
    </>
  );
}
