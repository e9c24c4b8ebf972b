import type { ConfigTable } from './config-key.ts';
import { type NetworkProfileName, networkProfiles } from './network-profile.ts';
import { bearerToken, boolean, integer, jsonObject, oneOf, secretFilePath, signingKeys, url } from './value-types.ts';

export const upstreamKeys = {
  NETWORK_PROFILE: {
    type: oneOf('auto', ...(Object.keys(networkProfiles) as NetworkProfileName[])),
    fallback: 'auto',
    description:
      'The network, which decides the names of headers, JSON-RPC methods, filters and root fields, and how documents are counted. `auto`: the network whose schema the ledger has, read at start, else from `SCHEMA_CACHE_FILE`; `ledger` if neither can be read, until the ledger answers. The log names a profile that does not fit, and the one that does.',
  },
  PROFILE_OVERRIDES: {
    type: jsonObject,
    description:
      'Overrides single names of the profile, for a network that differs: `{"headers":{"version":"x-my-rpc-version"}}`. A root field that joins read may be a list; the gateway reads the first one that the ledger has: `{"joins":{"transaction":{"field":["transactionBlock","tx"]}}}`. In a configuration file it may be a nested object. An unknown path is a mistake.',
  },
  LEDGER_GRAPHQL_URL: {
    type: url('http', 'https'),
    isAddress: true,
    description:
      'The ledger’s GraphQL endpoint. Unset: the gateway runs on an embedded simulated network and logs that.',
  },
  LEDGER_GRAPHQL_WS_URL: {
    type: url('ws', 'wss', 'http', 'https'),
    isAddress: true,
    needs: 'LEDGER_GRAPHQL_URL',
    fallbackText:
      '`LEDGER_GRAPHQL_URL`, as `ws` or `wss` where the network has WebSocket, followed by the path of subscriptions in the network profile',
    description:
      'The ledger’s endpoint for GraphQL subscriptions: `graphql-transport-ws` at `ws` and `wss`, server-sent events at `http` and `https`. The gateway connects when the first subscription needs it.',
  },
  LEDGER_RPC_URL: {
    type: url('http', 'https'),
    isAddress: true,
    needs: 'LEDGER_GRAPHQL_URL',
    description:
      'The ledger’s JSON-RPC endpoint, for event and transaction queries. Unset: the gateway reads them from the ledger’s GraphQL. Needs `LEDGER_GRAPHQL_URL`.',
  },
  LEDGER_RPC_WS_URL: {
    type: url('ws', 'wss'),
    isAddress: true,
    needs: 'LEDGER_RPC_URL',
    fallbackText: '`LEDGER_RPC_URL` as `ws` or `wss`',
    description:
      'The node’s endpoint for its deprecated JSON-RPC subscriptions, used with `LIVE_SOURCE=websocket`. Needs `LEDGER_RPC_URL`.',
  },
  EVENTS_SOURCE: {
    type: oneOf('auto', 'rpc', 'graphql'),
    fallback: 'auto',
    description:
      'Where `queryEvents`, `queryTransactionBlocks`, `liveEvents` and `liveTransactions` read. `rpc`: `LEDGER_RPC_URL`. `graphql`: `LEDGER_GRAPHQL_URL`. `auto`: `LEDGER_RPC_URL` if it is set and the network has JSON-RPC, else `LEDGER_GRAPHQL_URL`.',
  },
  LIVE_POLL_MIN_MS: {
    type: integer(10, 60_000, 'milliseconds'),
    // People do not notice this delay; it limits polling to five calls per second.
    fallback: 200,
    description:
      'Polling interval of a live stream’s reader while events arrive. A value above `LIVE_POLL_MAX_MS` is lowered to it.',
  },
  LIVE_POLL_MAX_MS: {
    type: integer(10, 60_000, 'milliseconds'),
    // The delay of the first event after a quiet time.
    fallback: 2_000,
    description: 'Polling interval after a quiet time. Streams that one query of the node can serve share a reader.',
  },
  LIVE_SOURCE: {
    type: oneOf('auto', 'graphql', 'poll', 'websocket'),
    fallback: 'auto',
    description:
      'What triggers a read of `LEDGER_RPC_URL` for live streams. `poll`: only the polling interval. `auto`: the ledger’s GraphQL subscriptions where they can express the filter, else polling. `graphql`: those subscriptions even where they match more than the filter. `websocket`: the deprecated subscriptions of `LEDGER_RPC_WS_URL`.',
  },
} as const satisfies ConfigTable;

export const sponsorshipKeys = {
  SPONSOR_URL: {
    type: url('http', 'https'),
    isAddress: true,
    needs: 'LEDGER_GRAPHQL_URL',
    description:
      'The base URL of the gas sponsoring service. Unset: sponsorship fields fail with `NOT_CONFIGURED`. Needs `LEDGER_GRAPHQL_URL`.',
  },
  SPONSOR_AUTH: {
    type: oneOf('forward', 'token'),
    fallbackText:
      '`token` when `SPONSOR_TOKEN` or `SPONSOR_TOKEN_FILE` is set and on the embedded network, else `forward`',
    description:
      'Who holds the sponsor’s token. `forward`: each caller; the gateway sends their `Authorization` header to the sponsor and nowhere else. `token`: the gateway, so that no browser sees it.',
  },
  SPONSOR_TOKEN: {
    type: bearerToken,
    description:
      'The sponsor’s bearer token, without the word Bearer. On the embedded network: the token that its sponsor accepts (unset: a random one). It never appears in logs or responses.',
  },
  SPONSOR_TOKEN_FILE: {
    type: secretFilePath,
    holds: 'SPONSOR_TOKEN',
    description:
      'A file that holds the token instead; the gateway reloads it when it changes. Setting both is a mistake.',
  },
  SPONSOR_ALLOW_ANONYMOUS: {
    type: boolean,
    fallbackText: '`false`; `true` on the embedded network',
    description:
      'With `token`: whether callers without a credential may spend the sponsor’s gas. Everyone who can reach the gateway then can, so with a real sponsor `CORS_ORIGINS` must name the origins.',
  },
  SPONSOR_MAX_GAS_BUDGET: {
    type: integer(2, 2_000_000_000, 'of the smallest unit of the gas coin'),
    // The sponsor rejects budgets from this size on; asking it would only cost a call.
    fallback: 2_000_000_000,
    description: 'The limit that every gas budget must stay below; larger budgets are rejected without a sponsor call.',
  },
  SPONSOR_PREFLIGHT: {
    type: oneOf('enforce', 'warn', 'off'),
    fallbackText: '`enforce` with `token`, `warn` with `forward`',
    description:
      'Whether the gateway checks a transaction against its reservation before it goes to the sponsor. `enforce`: a transaction that does not fit, or cannot be read, is rejected. `warn`: it is sent and logged. `off`: it is not checked. In every mode a client’s `moveCalls` apply, and for a client with a gas budget the transaction’s budget must not exceed the reserved one.',
  },
  LEASE_KEYS: {
    type: signingKeys,
    description:
      'Keys that sign reservation ids where the gateway holds the sponsor’s token, separated by commas: the first signs, all verify. Unset: a key is made at start, and earlier reservations can no longer be executed after a restart. Several instances or workers need it.',
  },
  LEASE_KEYS_FILE: {
    type: secretFilePath,
    holds: 'LEASE_KEYS',
    description:
      'A file that holds the keys instead; the gateway reloads it when it changes. Setting both is a mistake.',
  },
} as const satisfies ConfigTable;
