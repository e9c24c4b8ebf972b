import { networkProfiles } from './network-profile.ts';
import {
  addedHeaders,
  bearerToken,
  boolean,
  type ConfigTable,
  integer,
  jsonObject,
  nameOrFile,
  oneOf,
  secretFilePath,
  signingKeys,
  signingSecret,
  url,
  urls,
  urlWithoutCredentials,
} from './value-types.ts';

export const upstreamKeys = {
  NETWORK_PROFILE: {
    type: nameOrFile('auto', ...Object.keys(networkProfiles)),
    fallback: 'auto',
    description:
      'The network, which sets names and the rules for counting documents. `auto`: the gateway recognises it by the ledger’s schema, or by `SCHEMA_CACHE_FILE` if the ledger is unavailable. If the profile does not fit, the log names the one that does. A path: the file describes [a network of its own](networks.md).',
  },
  PROFILE_OVERRIDES: {
    type: jsonObject,
    description:
      'Overrides single names of the profile, for a network that differs: `{"headers":{"version":"x-my-rpc-version"}}`. For the root field of a join, you may give a list; the gateway uses the first one that the ledger has: `{"joins":{"transaction":{"field":["transactionBlock","tx"]}}}`. In a configuration file, the value may be a nested object. An unknown path is a mistake.',
  },
  LEDGER_GRAPHQL_URL: {
    type: urls('http', 'https'),
    isAddress: true,
    description:
      'The ledger’s GraphQL endpoint. Several addresses, separated by commas, [share the load](several-addresses.md). Unset: the gateway runs on an embedded simulated network and logs that.',
  },
  LEDGER_GRAPHQL_URL_FILE: {
    type: secretFilePath,
    holds: 'LEDGER_GRAPHQL_URL',
    description:
      'A file with `LEDGER_GRAPHQL_URL`, for an address that contains a key. The gateway reads it at the start. Setting both is a mistake.',
  },
  LEDGER_GRAPHQL_HEADERS: {
    type: addedHeaders,
    needs: 'LEDGER_GRAPHQL_URL',
    description:
      'Headers that the gateway adds to every request to the ledger’s GraphQL, subscriptions included, for a hosted node that wants a key: `x-api-key: …`, one header per line. They never appear in logs or responses.',
  },
  LEDGER_GRAPHQL_HEADERS_FILE: {
    type: secretFilePath,
    holds: 'LEDGER_GRAPHQL_HEADERS',
    description:
      'A file with `LEDGER_GRAPHQL_HEADERS`. The gateway reloads it when it changes. Setting both is a mistake.',
  },
  LEDGER_GRAPHQL_WS_URL: {
    type: url('ws', 'wss', 'http', 'https'),
    isAddress: true,
    needs: 'LEDGER_GRAPHQL_URL',
    fallbackText:
      '`LEDGER_GRAPHQL_URL` (as `ws` or `wss` if the network uses WebSocket) with the network profile’s path for subscriptions',
    description:
      'The ledger’s endpoint for GraphQL subscriptions: `graphql-transport-ws` at `ws` and `wss`, server-sent events at `http` and `https`. The gateway connects when the first subscription needs it.',
  },
  LEDGER_RPC_URL: {
    type: urls('http', 'https'),
    isAddress: true,
    needs: 'LEDGER_GRAPHQL_URL',
    description:
      'The ledger’s JSON-RPC endpoint, for event and transaction queries. Several addresses, separated by commas, [share the load](several-addresses.md). Unset: the gateway reads them from the ledger’s GraphQL. Needs `LEDGER_GRAPHQL_URL`.',
  },
  LEDGER_RPC_HEADERS: {
    type: addedHeaders,
    needs: 'LEDGER_RPC_URL',
    description:
      'Headers that the gateway adds to every JSON-RPC request and WebSocket, as in `LEDGER_GRAPHQL_HEADERS`.',
  },
  LEDGER_RPC_HEADERS_FILE: {
    type: secretFilePath,
    holds: 'LEDGER_RPC_HEADERS',
    description: 'A file with `LEDGER_RPC_HEADERS`. The gateway reloads it when it changes. Setting both is a mistake.',
  },
  LEDGER_RPC_WS_URL: {
    type: urls('ws', 'wss'),
    isAddress: true,
    needs: 'LEDGER_RPC_URL',
    fallbackText: '`LEDGER_RPC_URL` as `ws` or `wss`',
    description:
      'The node’s endpoint for its deprecated JSON-RPC subscriptions, used with `LIVE_SOURCE=websocket`. Of several addresses, separated by commas, the gateway tries the next one if a connection is lost. Needs `LEDGER_RPC_URL`.',
  },
  UPSTREAM_HEDGE_MS: {
    type: integer(0, 60_000, 'milliseconds'),
    fallback: 0,
    description:
      'Time after which a read without a response is also sent to a second address, if `LEDGER_GRAPHQL_URL` or `LEDGER_RPC_URL` has several; the first response counts. A useful value is the p95 latency of the upstream. `0`: only if the address is silent, or after half of `REQUEST_TIMEOUT_MS`.',
  },
  EVENTS_SOURCE: {
    type: oneOf('auto', 'rpc', 'graphql'),
    fallback: 'auto',
    description:
      'Where `queryEvents`, `queryTransactionBlocks`, `liveEvents` and `liveTransactions` read. `rpc`: `LEDGER_RPC_URL`. `graphql`: `LEDGER_GRAPHQL_URL`. `auto`: `LEDGER_RPC_URL` if it is set and the network has JSON-RPC, else `LEDGER_GRAPHQL_URL`; events whose filter the JSON-RPC rejects are read from `LEDGER_GRAPHQL_URL`.',
  },
  LIVE_POLL_MIN_MS: {
    type: integer(10, 60_000, 'milliseconds'),
    // People do not notice this delay; it limits polling to five calls per second.
    fallback: 200,
    description: 'Polling interval of a reader while events arrive. A value above `LIVE_POLL_MAX_MS` is lowered to it.',
  },
  LIVE_POLL_MAX_MS: {
    type: integer(10, 60_000, 'milliseconds'),
    // The delay of the first event after a quiet time.
    fallback: 2_000,
    description:
      'Polling interval of a reader while no events arrive. Streams with the same node query share a reader.',
  },
  LIVE_SOURCE: {
    type: oneOf('auto', 'graphql', 'poll', 'websocket'),
    fallback: 'auto',
    description:
      'What [triggers a read](live-events.md#readers) for live streams. `poll`: the polling interval only. `auto`: the ledger’s GraphQL subscriptions if they support the filter, else polling. `graphql`: the same, even if they match more than the filter. `websocket`: those of `LEDGER_RPC_WS_URL`.',
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
  SPONSOR_HEADERS: {
    type: addedHeaders,
    needs: 'SPONSOR_URL',
    description:
      'Headers that the gateway adds to every request to the sponsor, as in `LEDGER_GRAPHQL_HEADERS`. Set the bearer token in `SPONSOR_TOKEN`: an `authorization` header here is used only for requests without one.',
  },
  SPONSOR_HEADERS_FILE: {
    type: secretFilePath,
    holds: 'SPONSOR_HEADERS',
    description: 'A file with `SPONSOR_HEADERS`. The gateway reloads it when it changes. Setting both is a mistake.',
  },
  SPONSOR_AUTH: {
    type: oneOf('forward', 'token'),
    fallbackText:
      '`token` when `SPONSOR_TOKEN` or `SPONSOR_TOKEN_FILE` is set and on the embedded network, else `forward`',
    description:
      'Who holds the sponsor’s token. `forward`: each caller; the gateway forwards the caller’s `Authorization` header to the sponsor only. `token`: the gateway, which hides it from browsers.',
  },
  SPONSOR_TOKEN: {
    type: bearerToken,
    description:
      'The sponsor’s bearer token, without the word Bearer. On the embedded network: the token that its sponsor accepts (unset: a random one). It never appears in logs or responses.',
  },
  SPONSOR_TOKEN_FILE: {
    type: secretFilePath,
    holds: 'SPONSOR_TOKEN',
    description: 'A file with `SPONSOR_TOKEN`. The gateway reloads it when it changes. Setting both is a mistake.',
  },
  SPONSOR_ALLOW_ANONYMOUS: {
    type: boolean,
    fallbackText: '`false`; `true` on the embedded network',
    description:
      'Whether callers without a credential may spend the sponsor’s gas if the gateway holds the sponsor’s token. With `true`, anyone who can reach the gateway may spend it, so a real sponsor requires a list of origins in `CORS_ORIGINS`.',
  },
  SPONSOR_MAX_GAS_BUDGET: {
    type: integer(2, Number.MAX_SAFE_INTEGER, 'of the smallest unit of the gas coin'),
    // Sponsors with default settings reject larger budgets; asking them would only cost a call.
    fallback: 2_000_000_000,
    description:
      'Every gas budget must be below this limit. Other budgets are rejected without a sponsor call. Set it above the maximum of a sponsor that accepts larger budgets.',
  },
  SPONSOR_MAX_OPEN_RESERVATIONS: {
    type: integer(1, 1_000_000, 'reservations'),
    fallbackText: 'no bound',
    description:
      'How many reservations all callers together may have open: neither expired nor executed. Set it below the number of the sponsor’s coins. A client alone may have three quarters. Applies with `SPONSOR_AUTH=token`.',
  },
  SPONSOR_PREFLIGHT: {
    type: oneOf('enforce', 'warn', 'off'),
    fallbackText: '`enforce` with `token`, `warn` with `forward`',
    description:
      'What happens to a transaction that does not match its reservation or cannot be parsed. `enforce`: rejected. `warn`: sent and logged. `off`: sent. [Some checks](operating-sponsorship.md#preflight) always apply.',
  },
  SPONSOR_UNREADABLE: {
    type: oneOf('refuse', 'dry-run'),
    fallback: 'refuse',
    description:
      'What the gateway does with a transaction that it cannot parse. `refuse`: `SPONSOR_PREFLIGHT` decides. `dry-run`: the gateway checks what [the ledger’s simulation](operating-sponsorship.md#simulations) says.',
  },
  SPONSOR_DRY_RUN: {
    type: oneOf('off', 'failing', 'strict'),
    fallback: 'off',
    description:
      'Whether the ledger simulates each transaction before the gateway sends it to the sponsor, at one more call each. `failing`: rejects a transaction that would fail. `strict`: also rejects it if the ledger cannot simulate it.',
  },
  SPONSOR_POLICY_URL: {
    type: urlWithoutCredentials('http', 'https'),
    description:
      'A service of yours that decides about each sponsored transaction within 500 ms: see [policies](policies.md#your-own-service). Needs `SPONSOR_POLICY_SECRET`.',
  },
  SPONSOR_POLICY_SECRET: {
    type: signingSecret,
    description: 'The secret that signs requests to `SPONSOR_POLICY_URL`.',
  },
  SPONSOR_POLICY_SECRET_FILE: {
    type: secretFilePath,
    holds: 'SPONSOR_POLICY_SECRET',
    description: 'A file with `SPONSOR_POLICY_SECRET`, reloaded when it changes. Setting both is a mistake.',
  },
  SPONSOR_POLICY_FAIL: {
    type: oneOf('closed', 'open'),
    fallback: 'closed',
    description:
      'What happens to a transaction if `SPONSOR_POLICY_URL` gives no valid answer. `closed`: it is rejected, and nothing is spent. `open`: it is sponsored.',
  },
  SPONSOR_SENDS_CALLER: {
    type: boolean,
    fallback: false,
    description:
      'Whether requests that reserve or execute tell the sponsor the request’s id (`x-request-id`) and the client’s id (`x-ledger-gateway-client`), for its own rules and hooks. Anonymous callers are `anonymous`.',
  },
  SPONSORSHIP_JOURNAL: {
    type: boolean,
    fallback: true,
    description:
      'Whether `serve` keeps sponsorship in a [journal](operating-sponsorship.md#without-redis), so that it survives restarts and crashes. Without effect with `REDIS_URL`, without `SPONSOR_URL` and on the embedded network.',
  },
  LEASE_KEYS: {
    type: signingKeys,
    description:
      'Keys that sign reservation ids if the gateway holds the sponsor’s token, separated by commas: the first signs, all verify. Several instances need this key. Unset: the gateway generates a key, and keeps it beside its [journal](operating-sponsorship.md#without-redis).',
  },
  LEASE_KEYS_FILE: {
    type: secretFilePath,
    holds: 'LEASE_KEYS',
    description: 'A file with `LEASE_KEYS`. The gateway reloads it when it changes. Setting both is a mistake.',
  },
} as const satisfies ConfigTable;
