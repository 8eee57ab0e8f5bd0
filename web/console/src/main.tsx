// Begins: who is there, then the page.
import { render } from 'preact';
import { App } from './app';
import { watchGateway } from './state/gateway';
import { watchApprovals } from './state/notify';
import { followLinks } from './state/router';
import { loadSession, signInError, takeFragment, watchSession } from './state/session';
import { startTheme } from './state/theme';

const RETRY_MS = 3000;

async function begin(): Promise<void> {
  try {
    await loadSession();
  } catch {
    setTimeout(begin, RETRY_MS);
  }
}

const app = document.getElementById('app');
if (app) {
  startTheme();
  signInError.value = takeFragment() ?? '';
  followLinks();
  watchSession();
  render(<App />, app);
  void begin();
  watchGateway();
  watchApprovals();
}
