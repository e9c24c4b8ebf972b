import { configKey } from '../config-key.ts';
import { defaults } from '../defaults.ts';
import { anyText, filePath, integer, oneOf, url } from '../value-kinds.ts';

export const callerKeys = {
  CLIENTS_FILE: configKey({
    group: 'Callers',
    kind: filePath,
    fallback: null,
    description: 'API keys of clients, hashed, with their scopes and budgets.',
    inForce: 'refused',
  }),
  JWT_JWKS_URL: configKey({
    group: 'Callers',
    kind: url('http', 'https'),
    fallback: null,
    description: 'Where the keys that verify JWTs of callers are published.',
    inForce: 'refused',
  }),
  JWT_ISSUER: configKey({
    group: 'Callers',
    kind: anyText,
    fallback: null,
    description: 'The issuer that JWTs must name.',
    inForce: 'refused',
  }),
  JWT_AUDIENCE: configKey({
    group: 'Callers',
    kind: anyText,
    fallback: null,
    description: 'The audience that JWTs must name.',
    inForce: 'refused',
  }),
  REDIS_URL: configKey({
    group: 'Callers',
    kind: url('redis', 'rediss'),
    fallback: null,
    description: 'A Redis that several instances share, so that their limits are one total.',
    inForce: false,
  }),
  RATE_LIMIT_PER_MINUTE: configKey({
    group: 'Callers',
    kind: integer(0, 1_000_000_000, 'attempts a minute'),
    fallback: defaults.rateLimitPerMinute,
    description: 'How much one caller may ask. `0`: no limit.',
    inForce: false,
    asAbsent: 0,
  }),
  RATE_LIMIT_COST: configKey({
    group: 'Callers',
    kind: oneOf('request', 'usage'),
    fallback: 'request',
    description: 'What counts as an attempt: each request, or each request weighted by its usage.',
    inForce: false,
    asAbsent: 'request',
  }),
};
