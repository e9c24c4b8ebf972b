import { configKey } from './config-key.ts';
import { defaults } from './defaults.ts';
import { moveCallTargets } from './move-call.ts';
import { anyText, filePath, integer, oneOf, url, urlWithoutCredentials } from './value-kinds.ts';

export const callerKeys = {
  CLIENTS_FILE: configKey({
    group: 'Callers',
    kind: filePath,
    fallback: null,
    description:
      'A JSON or YAML list of the clients that have an API key: `id`, `hash` of the key, `scopes` of `read`, `sponsor` and `admin` (unset: `read`), `rate.perMinute`, `origins`, `gas.perDay` of the smallest unit of the gas coin, and `moveCalls` that its sponsored transactions may make. `ledger-gateway keys new` makes a key and its entry. Keys are sent as `x-api-key` or, with `SPONSOR_AUTH=token`, as `Authorization: Bearer`; callers without one may then only read, unless `SPONSOR_ALLOW_ANONYMOUS` lets them sponsor. Looked at again and again: a change is in force within seconds, or at once with SIGHUP; one with mistakes is refused and logged.',
    inForce: true,
  }),
  JWT_JWKS_URL: configKey({
    group: 'Callers',
    kind: urlWithoutCredentials('http', 'https'),
    fallback: null,
    description:
      'Where the keys are published that verify the JWTs of callers. A JWT is sent where a key may be: as `x-api-key`, or, with `SPONSOR_AUTH=token`, as `Authorization: Bearer`. Needs `JWT_ISSUER` and `JWT_AUDIENCE`. Use `https` unless the network in between is yours: who can change the answer can be anybody.',
    inForce: true,
  }),
  JWT_ISSUER: configKey({
    group: 'Callers',
    kind: anyText,
    fallback: null,
    description: 'The issuer that a JWT must name, in `iss`, letter by letter.',
    inForce: true,
  }),
  JWT_AUDIENCE: configKey({
    group: 'Callers',
    kind: anyText,
    fallback: null,
    description: 'The audience that a JWT must name, alone or among others, in `aud`.',
    inForce: true,
  }),
  JWT_SCOPES_CLAIM: configKey({
    group: 'Callers',
    kind: anyText,
    fallback: null,
    fallbackText: '`scope`, else `scopes`, else `scp`',
    description:
      'The claim of a JWT that lists what its holder may do, of `read`, `sponsor` and `admin`: a text with spaces, or a list. Others in it are passed over; without the claim the holder may read.',
    inForce: true,
  }),
  JWT_GAS_PER_DAY: configKey({
    group: 'Callers',
    kind: integer(1, 999_999_999_999_999, 'of the smallest unit of the gas coin'),
    fallback: null,
    fallbackText: 'no budget',
    description: "How much of the sponsor's gas each holder of a JWT may use in one UTC day.",
    inForce: true,
  }),
  JWT_MOVE_CALLS: configKey({
    group: 'Callers',
    kind: moveCallTargets,
    fallback: null,
    fallbackText: 'anything',
    description: 'What the sponsored transactions of holders of a JWT may call: packages, modules or functions.',
    inForce: true,
  }),
  REDIS_URL: configKey({
    group: 'Callers',
    kind: url('redis', 'rediss'),
    fallback: null,
    description:
      'A Redis that several instances share, so that their limits are one total, and live streams have one reader for all. While it does not answer, each instance counts and reads for itself.',
    inForce: true,
  }),
  REDIS_SHARED_BY: configKey({
    group: 'Callers',
    kind: integer(1, 10_000, 'instances'),
    fallback: defaults.redisSharedBy,
    description:
      'How many instances share it. While it does not answer, each grants every caller this part of the limit, rounded up, so that all together stay near one total.',
    inForce: true,
  }),
  RATE_LIMIT_PER_MINUTE: configKey({
    group: 'Callers',
    kind: integer(0, 1_000_000_000, 'attempts a minute'),
    fallback: defaults.rateLimitPerMinute,
    description:
      'How much one caller may ask: a client by its key, everybody else by address (IPv6: by /64). Refused attempts count too. `0`: no limit.',
    inForce: true,
  }),
  RATE_LIMIT_COST: configKey({
    group: 'Callers',
    kind: oneOf('request', 'usage'),
    fallback: 'request',
    description:
      'What an operation counts for. `request`: 1. `usage`: from 1 to 21 by how near it comes to the limits of input and output nodes. Each mutation of the gateway’s own beyond the first, such as a `reserveGas` under another alias, counts 1 more either way. So does each thousand fields that `__schema` and `__type` answer.',
    inForce: true,
  }),
};
