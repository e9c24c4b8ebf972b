import { configKey } from './config-key.ts';
import { defaults } from './defaults.ts';
import { bearerToken, boolean, integer, oneOf, secretFilePath, signingKeys, url } from './value-kinds.ts';

export const sponsorshipKeys = {
  SPONSOR_URL: configKey({
    group: 'Sponsorship',
    kind: url('http', 'https'),
    fallback: null,
    description:
      'The base address of the gas sponsoring service. Unset: the fields of sponsorship answer `NOT_CONFIGURED`. Needs `LEDGER_GRAPHQL_URL`.',
    inForce: true,
  }),
  SPONSOR_AUTH: configKey({
    group: 'Sponsorship',
    kind: oneOf('forward', 'token'),
    fallback: null,
    fallbackText:
      '`token` when `SPONSOR_TOKEN` or `SPONSOR_TOKEN_FILE` is set and on the embedded network, else `forward`',
    description:
      "Who holds the sponsor's token. `forward`: each caller; their `Authorization` header goes to the sponsor and nowhere else. `token`: the gateway, so that no browser sees it.",
    inForce: true,
  }),
  SPONSOR_TOKEN: configKey({
    group: 'Sponsorship',
    kind: bearerToken,
    fallback: null,
    description:
      "The sponsor's bearer token, bare. On the embedded network: the one its sponsor accepts (unset: a random one). Never logged, never answered.",
    inForce: true,
  }),
  SPONSOR_TOKEN_FILE: configKey({
    group: 'Sponsorship',
    kind: secretFilePath,
    fallback: null,
    description: 'A file that holds the token instead, looked at again and again. Setting both is a mistake.',
    inForce: true,
  }),
  SPONSOR_ALLOW_ANONYMOUS: configKey({
    group: 'Sponsorship',
    kind: boolean,
    fallback: null,
    fallbackText: '`false`; `true` on the embedded network',
    description:
      'With `token`: whether callers without a credential may spend the sponsor’s gas. Everyone who can reach the gateway then can, so with a real sponsor `CORS_ORIGINS` must name the origins.',
    inForce: true,
  }),
  SPONSOR_MAX_GAS_BUDGET: configKey({
    group: 'Sponsorship',
    kind: integer(2, defaults.maxGasBudgetExclusive, 'of the smallest unit of the gas coin'),
    fallback: defaults.maxGasBudgetExclusive,
    description: 'A gas budget must be below it; others are refused before the sponsor is asked.',
    inForce: true,
  }),
  SPONSOR_PREFLIGHT: configKey({
    group: 'Sponsorship',
    kind: oneOf('enforce', 'warn', 'off'),
    fallback: null,
    fallbackText: '`enforce` with `token`, `warn` with `forward`',
    description:
      'A transaction is read and held against its reservation before it goes to the sponsor. `enforce`: what does not fit, or cannot be read, is refused. `warn`: it is sent, with a line in the log. `off`: nothing is read. A client’s `moveCalls` hold in all of them, and of who has a gas budget that a transaction’s is within the reserved one.',
    inForce: true,
  }),
  LEASE_KEYS: configKey({
    group: 'Sponsorship',
    kind: signingKeys,
    fallback: null,
    description:
      'Keys that sign the ids of reservations where the gateway holds the sponsor’s token, separated by commas: the first signs, all verify. Unset: one is made at start, and what was reserved before cannot be executed any more. Several instances or workers need it.',
    inForce: true,
  }),
  LEASE_KEYS_FILE: configKey({
    group: 'Sponsorship',
    kind: secretFilePath,
    fallback: null,
    description: 'A file that holds the keys instead, looked at again and again. Setting both is a mistake.',
    inForce: true,
  }),
};
