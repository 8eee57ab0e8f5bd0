// What both scripts of SDK v2 share: the walk in each way of agreeing on a revision.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';

import { clientInfo, walk } from './walk.mjs';

const MODERN = '2026-07-28';

const modes = [
  { name: 'legacy', mode: 'legacy', era: 'legacy' },
  { name: 'auto', mode: 'auto', era: 'modern' },
  { name: 'pinned', mode: { pin: MODERN }, era: 'modern' },
];

// `makeTransport()` makes a new, unconnected one for each round.
export async function walkAllModes(title, makeTransport) {
  for (const { name, mode, era } of modes) {
    const client = new Client(clientInfo, { versionNegotiation: { mode } });
    await walk({
      title: `${title} ${name}`,
      era,
      client,
      connect: async () => {
        await client.connect(makeTransport());
        assert.equal(client.getProtocolEra(), era);
        assert.equal(client.getNegotiatedProtocolVersion() === MODERN, era === 'modern');
      },
      call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    });
  }
}
