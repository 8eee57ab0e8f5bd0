// Search over everything: pages, upstreams and the catalog.
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { rank } from '../logic/search';
import { catalog, readCatalog } from '../state/catalog';
import { upstreams } from '../state/gateway';
import { href, navigate, PAGES, type PageName, type Query } from '../state/router';
import { text } from '../text';
import { Badge } from './basics';
import { Dialog } from './dialog';

interface Target {
  key: string;
  name: string;
  more: string;
  group: string;
  page: PageName;
  query: Query;
}

const MOST = 40;

function targets(): Target[] {
  const pages = PAGES.map(
    (page): Target => ({ key: `page ${page}`, name: text.pages[page], more: '', group: '', page, query: {} }),
  );
  const known = (upstreams.value.data ?? []).map(
    ({ name, kind }): Target => ({
      key: `upstream ${name}`,
      name,
      more: kind,
      group: text.pages.upstreams,
      page: 'upstreams',
      query: { name },
    }),
  );
  const entries = catalog.value.entries.map(
    ({ kind, id, title, description }): Target => ({
      key: `${kind} ${id}`,
      name: id,
      more: title || description.slice(0, 200),
      group: text.catalog.kinds[kind],
      page: 'catalog',
      query: { kind, id },
    }),
  );
  return [...pages, ...known, ...entries];
}

interface OptionProps {
  id: string;
  target: Target;
  chosen: boolean;
  onClose: () => void;
}

function Option({ id, target, chosen, onClose }: OptionProps): JSX.Element {
  return (
    <a
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      href={href(target.page, target.query)}
      onClick={onClose}
      ref={(element) => {
        if (element && chosen) element.scrollIntoView({ block: 'nearest' });
      }}
    >
      <span class="clip">{target.name}</span>
      <span class="clip muted small grow">{target.more}</span>
      {target.group && <Badge>{target.group}</Badge>}
    </a>
  );
}

export function SearchDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  useEffect(() => {
    if (catalog.value.entries.length === 0) void readCatalog();
  }, []);
  const found = rank(wanted, targets(), (target) => [target.name, target.more], MOST);
  const chosen = found[Math.min(at, found.length - 1)];
  const open = (target: Target | undefined): void => {
    if (!target) return;
    onClose();
    navigate(target.page, target.query);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') open(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={text.searchShort} onClose={onClose} bare>
      <div class="search-box">
        <input
          type="text"
          role="combobox"
          aria-label={text.search}
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={chosen ? `${list}-${found.indexOf(chosen)}` : undefined}
          placeholder={text.search}
          value={wanted}
          maxLength={200}
          onInput={(event) => {
            setWanted(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div id={list} class="search-list" role="listbox" aria-label={text.searchShort}>
        {found.map((target, i) => (
          <Option
            key={target.key}
            id={`${list}-${i}`}
            target={target}
            chosen={target === chosen}
            onClose={onClose}
          />
        ))}
      </div>
      {found.length === 0 && <p class="search-none muted">{text.noMatches}</p>}
    </Dialog>
  );
}
