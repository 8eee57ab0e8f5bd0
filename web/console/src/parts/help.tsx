// The list of keys.
import type { JSX } from 'preact';
import { text } from '../text';
import { Dialog } from './dialog';
import { GO_TO } from './keyboard';

export function HelpDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const keys: [string[], string][] = [
    [['/'], text.shortcuts.search],
    [['?'], text.shortcuts.help],
    [['t'], text.shortcuts.theme],
    ...Object.entries(GO_TO).map(([key, page]): [string[], string] => [
      ['g', key],
      text.shortcuts.goTo(text.pages[page]),
    ]),
    [['Ctrl', 'Enter'], text.shortcuts.run],
    [['Esc'], text.shortcuts.close],
  ];
  return (
    <Dialog title={text.shortcuts.title} onClose={onClose}>
      <dl class="facts">
        {keys.map(([pressed, meaning]) => (
          <>
            <dt>
              {pressed.map((key) => (
                <>
                  <kbd>{key}</kbd>{' '}
                </>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
