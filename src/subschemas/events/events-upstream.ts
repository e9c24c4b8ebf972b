import { readFileSync } from 'node:fs';
import { countPageCalls } from '../../limits/called-pages.ts';
import { configKeys } from '../../settings/keys.ts';
import type { OwnFieldsUpstream } from '../upstream.ts';
import { eventFilterCapabilities } from './event-filter-capabilities.ts';
import { createEventsClient } from './events-client.ts';
import { createEventsResolvers } from './events-resolvers.ts';
import { openCursorKeys } from './open-cursor-keys.ts';

const setting = { name: 'LEDGER_RPC_URL', key: configKeys.LEDGER_RPC_URL } as const;

/** The ledger's JSON-RPC endpoint: its events and transactions in the ledger's own order, page by page. */
export const eventsUpstream: OwnFieldsUpstream = {
  role: 'own fields',
  name: 'events',
  setting,
  addressOnDevnet: ({ rpcUrl }) => rpcUrl,
  typeDefs: () => readFileSync(new URL('../../../schema/events.graphql', import.meta.url), 'utf8'),

  async connect(connection, { config, shareSecret }) {
    const { profile, pages, timeouts } = config;
    const client =
      connection &&
      createEventsClient({
        call: connection.call,
        path: connection.path,
        methods: profile.events.methods,
        timeoutMs: timeouts.queryMs,
      });
    const { keys, close } = await openCursorKeys(config.cursorKeys, shareSecret);
    return {
      resolvers: createEventsResolvers({ client, missingSetting: setting.name, profile, pages, cursorKeys: keys }),
      capabilities: eventFilterCapabilities(profile, { events: client !== null, missingSetting: setting.name }),
      close,
    };
  },

  callsOf({ readArguments }, { pages }) {
    // A page whose arguments are refused, or that is empty anyway, asks nobody.
    const calls = countPageCalls(readArguments(), pages);
    return calls > 0 ? { calls } : null;
  },
};
