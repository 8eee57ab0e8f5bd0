// The frame around every page: navigation, search, keyboard; or the sign-in.
import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { Component } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './api/http';
import { Overview } from './pages/overview/overview';
import { SignIn } from './pages/sign_in';
import { Empty, Notice } from './parts/basics';
import { HelpDialog } from './parts/help';
import { Icon, Logo } from './parts/icons';
import { useKeyboard } from './parts/keyboard';
import { Navigation } from './parts/navigation';
import { SearchDialog } from './parts/search';
import { Toasts } from './parts/toasts';
import { reachable } from './state/poll';
import { href, type PageName, route } from './state/router';
import { session } from './state/session';
import { switchTheme, theme } from './state/theme';
import { text } from './text';

type Loader = () => Promise<ComponentType>;

/** The overview is part of the first view; every other page is loaded when it is opened. */
const LOADERS: Record<Exclude<PageName, 'overview'>, Loader> = {
  calls: async () => (await import('./pages/calls/calls')).Calls,
  catalog: async () => (await import('./pages/catalog/catalog')).CatalogPage,
  playground: async () => (await import('./pages/playground/playground')).Playground,
  approvals: async () => (await import('./pages/approvals')).Approvals,
  upstreams: async () => (await import('./pages/upstreams/upstreams')).Upstreams,
  sandboxes: async () => (await import('./pages/sandboxes')).Sandboxes,
  bus: async () => (await import('./pages/bus/bus')).Buses,
  configuration: async () => (await import('./pages/configuration/configuration')).Configuration,
  clients: async () => (await import('./pages/clients')).Clients,
  connect: async () => (await import('./pages/connect')).Connect,
  setup: async () => (await import('./pages/setup')).Setup,
};

const loaded = signal<Partial<Record<PageName, ComponentType>>>({ overview: Overview });
const loadError = signal('');

async function loadPage(page: PageName): Promise<void> {
  if (page === 'overview' || loaded.value[page]) return;
  try {
    const found = await LOADERS[page]();
    loaded.value = { ...loaded.value, [page]: found };
    loadError.value = '';
  } catch (error) {
    loadError.value = messageOf(error);
  }
}

class Boundary extends Component<{ page: string; children: JSX.Element }, { failed: string }> {
  override state = { failed: '' };

  static override getDerivedStateFromError(error: unknown): { failed: string } {
    return { failed: messageOf(error) };
  }

  override componentDidUpdate({ page }: { page: string }): void {
    if (page !== this.props.page && this.state.failed) this.setState({ failed: '' });
  }

  override render(): JSX.Element {
    if (!this.state.failed) return this.props.children;
    return (
      <Notice tone="bad">
        {text.pageError} {this.state.failed}
      </Notice>
    );
  }
}

function Page(): JSX.Element {
  const { page } = route.value;
  const first = useRef(true);
  useEffect(() => {
    document.title = text.title(page ? text.pages[page] : text.notFound);
    if (page) void loadPage(page);
    // After a change of the page the keyboard continues at its content.
    if (!first.current) document.getElementById('content')?.focus({ preventScroll: true });
    first.current = false;
  }, [page]);
  if (!page) {
    return (
      <Empty title={text.notFound}>
        <a class="button" href={href('overview')}>
          {text.toOverview}
        </a>
      </Empty>
    );
  }
  const Found = loaded.value[page];
  if (!Found)
    return loadError.value ? (
      <Notice tone="bad">{`${text.pageError} ${loadError.value}`}</Notice>
    ) : (
      <p class="muted">{text.loading}</p>
    );
  return (
    <Boundary page={page}>
      <Found />
    </Boundary>
  );
}

type Open = 'search' | 'help' | 'menu' | undefined;

function Frame(): JSX.Element {
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  useKeyboard({ search: () => setOpen('search'), help: () => setOpen('help') });
  // Another page closes what is open.
  useEffect(close, [route.value]);
  const dark = theme.value === 'dark';
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {text.skip}
      </a>
      {open === 'menu' && <div class="veil" onClick={close} aria-hidden="true" />}
      <Navigation open={open === 'menu'} onHelp={() => setOpen('help')} />
      <div class="column">
        <header class="top">
          <button
            type="button"
            class="button plain square menu-button"
            aria-label={text.menu}
            aria-expanded={open === 'menu'}
            onClick={() => setOpen(open === 'menu' ? undefined : 'menu')}
          >
            <Icon name="menu" />
          </button>
          <button type="button" class="search-button" onClick={() => setOpen('search')}>
            <Icon name="search" />
            <span class="clip">{text.search}</span>
            <kbd>/</kbd>
          </button>
          <span class="spacer" />
          <button
            type="button"
            class="button plain square"
            aria-label={dark ? text.theme.light : text.theme.dark}
            onClick={switchTheme}
          >
            <Icon name={dark ? 'sun' : 'moon'} />
          </button>
        </header>
        {!reachable.value && (
          <div class="banner" role="status">
            {text.unreachable}
          </div>
        )}
        <main id="content" tabIndex={-1}>
          <Page />
        </main>
      </div>
      {open === 'search' && <SearchDialog onClose={close} />}
      {open === 'help' && <HelpDialog onClose={close} />}
    </div>
  );
}

export function App(): JSX.Element {
  const current = session.value;
  return (
    <>
      {!current ? (
        <main class="gate">
          <h1 class="brand">
            <Logo /> {text.product}
          </h1>
          <p class="muted" role="status">
            {reachable.value ? text.loading : text.unreachable}
          </p>
        </main>
      ) : current.signed_in ? (
        <Frame />
      ) : (
        <SignIn methods={current.methods} />
      )}
      <Toasts />
    </>
  );
}
