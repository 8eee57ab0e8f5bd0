// The keys of the whole page: `/`, `?`, `t`, and `g` with a letter.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { navigate, type PageName } from '../state/router';
import { switchTheme } from '../state/theme';

export const GO_TO: Record<string, PageName> = {
  o: 'overview',
  c: 'calls',
  t: 'catalog',
  p: 'playground',
  a: 'approvals',
  u: 'upstreams',
  b: 'sandboxes',
  k: 'bus',
  f: 'configuration',
  l: 'clients',
  n: 'connect',
  s: 'setup',
};

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}

export function useKeyboard(actions: { search: () => void; help: () => void }): void {
  const current = useRef(actions);
  current.current = actions;
  // Before the first paint: the keys work as soon as the page is there.
  useLayoutEffect(() => {
    let going = false;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const page = going ? GO_TO[event.key] : undefined;
      going = false;
      if (page) navigate(page);
      else if (event.key === 'g') going = true;
      else if (event.key === '/') current.current.search();
      else if (event.key === '?') current.current.help();
      else if (event.key === 't') switchTheme();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
