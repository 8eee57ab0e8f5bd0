// Where the page is: one path segment below /console/ and a query.
import { signal } from '@preact/signals';
import { root } from '../api/http';

export const PAGES = [
  'overview',
  'calls',
  'catalog',
  'playground',
  'approvals',
  'upstreams',
  'sandboxes',
  'bus',
  'clients',
  'configuration',
  'connect',
  'setup',
] as const;
export type PageName = (typeof PAGES)[number];

export interface Route {
  page: PageName | undefined;
  query: URLSearchParams;
}

const base = new URL('console/', root).pathname;

function current(): Route {
  const name = location.pathname.slice(base.length).replace(/\/$/, '');
  const page = name === '' ? 'overview' : PAGES.find((candidate) => candidate === name);
  return { page, query: new URLSearchParams(location.search) };
}

export const route = signal<Route>(current());

export type Query = Record<string, string | undefined>;

export function href(page: PageName, query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given).toString();
  return `${base}${page === 'overview' ? '' : page}${search ? `?${search}` : ''}`;
}

export function navigate(page: PageName, query: Query = {}): void {
  history.pushState(null, '', href(page, query));
  route.value = current();
  scrollTo(0, 0);
}

/** Changes the query of this page without a step in the history. */
export function setQuery(changes: Query): void {
  const query = Object.fromEntries(route.value.query);
  history.replaceState(null, '', href(route.value.page ?? 'overview', { ...query, ...changes }));
  route.value = current();
}

/** Links of the page are followed without loading it again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    route.value = current();
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target || link.download || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(base) || link.pathname.slice(base.length).includes('.')) return;
    event.preventDefault();
    if (link.href !== location.href) history.pushState(null, '', link.href);
    route.value = current();
    if (!link.hash) scrollTo(0, 0);
  });
}
