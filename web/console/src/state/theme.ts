// Dark or light: as the system prefers, until somebody chooses.
import { effect, signal } from '@preact/signals';
import { readStored, writeStored } from './stored';

export type Theme = 'dark' | 'light';

const preferred = matchMedia('(prefers-color-scheme: light)');
const chosen = signal(readStored('theme'));
const system = signal<Theme>(preferred.matches ? 'light' : 'dark');
export const theme = signal<Theme>('dark');

export function startTheme(): void {
  preferred.addEventListener('change', () => {
    system.value = preferred.matches ? 'light' : 'dark';
  });
  effect(() => {
    const value = chosen.value === 'dark' || chosen.value === 'light' ? chosen.value : system.value;
    document.documentElement.dataset.theme = value;
    theme.value = value;
  });
}

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark';
  writeStored('theme', next);
  chosen.value = next;
}
