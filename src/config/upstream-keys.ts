import { configKey } from './config-key.ts';
import { defaults } from './defaults.ts';
import { type NetworkProfileName, networkProfiles } from './network-profile.ts';
import { integer, jsonObject, oneOf, url } from './value-kinds.ts';

const profileNames = Object.keys(networkProfiles) as NetworkProfileName[];

export const upstreamKeys = {
  NETWORK_PROFILE: configKey({
    group: 'Network and upstreams',
    kind: oneOf(...profileNames),
    fallback: 'ledger',
    description: 'How the network spells its headers, JSON-RPC methods, filters and root fields.',
    inForce: true,
  }),
  PROFILE_OVERRIDES: configKey({
    group: 'Network and upstreams',
    kind: jsonObject,
    fallback: null,
    description:
      'Single wire names of the profile, for a network that differs in them: `{"headers":{"version":"x-my-rpc-version"}}`. A root field that joins read may be a list, of which the first that the ledger has is read: `{"joins":{"transaction":{"field":["transactionBlock","tx"]}}}`. In a configuration file it may be a nested object. An unknown path is a mistake.',
    inForce: true,
  }),
  LEDGER_GRAPHQL_URL: configKey({
    group: 'Network and upstreams',
    kind: url('http', 'https'),
    fallback: null,
    description:
      "The ledger's GraphQL endpoint. Unset: the gateway runs on an embedded, simulated network, and says so loudly.",
    inForce: true,
  }),
  LEDGER_GRAPHQL_WS_URL: configKey({
    group: 'Network and upstreams',
    kind: url('ws', 'wss'),
    fallback: null,
    fallbackText: '`LEDGER_GRAPHQL_URL` as `ws` or `wss`; on IOTA and Sui with `/subscriptions` behind it',
    description:
      'Where the ledger takes its own GraphQL subscriptions (`graphql-transport-ws`), once one is asked for.',
    inForce: true,
  }),
  LEDGER_RPC_URL: configKey({
    group: 'Network and upstreams',
    kind: url('http', 'https'),
    fallback: null,
    description:
      "The ledger's JSON-RPC endpoint: event and transaction queries. Unset: those fields answer `NOT_CONFIGURED`. Needs `LEDGER_GRAPHQL_URL`.",
    inForce: true,
  }),
  LEDGER_RPC_WS_URL: configKey({
    group: 'Network and upstreams',
    kind: url('ws', 'wss'),
    fallback: null,
    fallbackText: '`LEDGER_RPC_URL` as `ws` or `wss`',
    description:
      "Where the ledger's nodes take their deprecated JSON-RPC subscriptions, for `LIVE_SOURCE=websocket`. Needs `LEDGER_RPC_URL`.",
    inForce: true,
  }),
  LIVE_POLL_MIN_MS: configKey({
    group: 'Network and upstreams',
    kind: integer(10, 60_000, 'milliseconds'),
    fallback: defaults.livePollMinMs,
    description:
      'How long the reader of a live stream waits between two looks at the node while something happens. More than `LIVE_POLL_MAX_MS` counts as that.',
    inForce: true,
  }),
  LIVE_POLL_MAX_MS: configKey({
    group: 'Network and upstreams',
    kind: integer(10, 60_000, 'milliseconds'),
    fallback: defaults.livePollMaxMs,
    description:
      'The same when nothing has happened for a while. Streams that one query of the node can serve share a reader.',
    inForce: true,
  }),
  LIVE_SOURCE: configKey({
    group: 'Network and upstreams',
    kind: oneOf('auto', 'graphql', 'poll', 'websocket'),
    fallback: 'auto',
    description:
      'Who tells when it is worth asking `LEDGER_RPC_URL` what there is for live streams. `poll`: nobody, it is asked again and again. `auto`: the ledger’s GraphQL subscriptions where they can say the same as the filter, else nobody. `graphql`: those also where they tell of more than the filter wants. `websocket`: the deprecated subscriptions of `LEDGER_RPC_WS_URL`.',
    inForce: true,
  }),
};
