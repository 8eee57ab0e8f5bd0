// What both scripts of SDK v2 share: the walk in each way of agreeing on a revision.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';

import { clientInfo, walk } from './walk.mjs';

const STATELESS = '2026-07-28';
const ERAS = { session: 'legacy', stateless: 'modern' }; // The SDK's terms.

const modes = [
  { name: 'session', mode: 'legacy', protocol: 'session' },
  { name: 'auto', mode: 'auto', protocol: 'stateless' },
  { name: 'pinned', mode: { pin: STATELESS }, protocol: 'stateless' },
];

// `makeTransport()` makes a new, unconnected one for each round.
export async function walkAllModes(title, makeTransport) {
  for (const { name, mode, protocol } of modes) {
    const client = new Client(clientInfo, { versionNegotiation: { mode } });
    await walk({
      title: `${title} ${name}`,
      protocol,
      client,
      connect: async () => {
        await client.connect(makeTransport());
        assert.equal(client.getProtocolEra(), ERAS[protocol]);
        assert.equal(client.getNegotiatedProtocolVersion() === STATELESS, protocol === 'stateless');
      },
      call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    });
  }
}
