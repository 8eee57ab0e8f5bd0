// The pictures of the page: strokes on a square of 24.
import type { JSX } from 'preact';

const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  calls: 'M4 6h16M4 12h10M4 18h13',
  catalog: 'M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zM5 17a2 2 0 0 1 2-2h12',
  playground: 'M7 4l12 8-12 8z',
  approvals: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
  upstreams: 'M4 5h16v5H4zM4 14h16v5H4zM8 7.5h.01M8 16.5h.01',
  bus: 'M3 12h18M7 12V6h4v6M13 12v6h4v-6',
  configuration: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 4v6M7 14v6',
  sandboxes: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  clients:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.500a3.5 3.5 0 0 1 0 6.500M18 14a6.5 6.5 0 0 1 3.5 6',
  connect: 'M9 15l6-6M10 6l1.5-1.500a4.2 4.2 0 0 1 6 6L16 12M14 18l-1.5 1.500a4.2 4.2 0 0 1-6-6L8 12',
  setup: 'M5 12l4 4L19 6',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.4 1.400M17.6 17.600L19 19M5 19l1.4-1.400M17.6 6.400L19 5',
  moon: 'M20 14.500A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.500z',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h10',
  plus: 'M12 5v14M5 12h14',
  warn: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  back: 'M14 6l-6 6 6 6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo(): JSX.Element {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <circle cx="5" cy="6" r="2.2" />
      <circle cx="5" cy="18" r="2.2" />
      <circle cx="19" cy="12" r="2.2" fill="currentColor" />
      <path d="M7.2 6C13 6 11 12 16.8 12M7.2 18C13 18 11 12 16.8 12" />
    </svg>
  );
}
