// Everything that the page writes, in one module, so that it can be translated.
import { common, shortcuts, signIn } from './common';
import { bus, configuration, sandboxes } from './operate';
import { catalog, connect, playground, setup, tokens } from './use';
import { approvals, calls, clients, overview, upstreams } from './watch';

export const text = {
  ...common,
  shortcuts,
  signIn,
  overview,
  calls,
  upstreams,
  sandboxes,
  bus,
  configuration,
  clients,
  approvals,
  catalog,
  playground,
  connect,
  tokens,
  setup,
};
