import { expect, test } from 'vitest';
import { configKeyNames } from '../../../src/config/keys.ts';
import { misspeltName, nearestName } from '../../../src/config/nearest-name.ts';

test.each([
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['sponsor.token', 'SPONSOR_TOKEN'],
  ['LEDGER_GRAPHQL', 'LEDGER_GRAPHQL_URL'],
  ['REQUEST_TIMEOUT', 'REQUEST_TIMEOUT_MS'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['zzzzzzzz', undefined],
  ['', undefined],
])('%s is closest to %s', (typed, meant) => {
  expect(nearestName(typed, configKeyNames)).toBe(meant);
});

test.each([
  ['LEDGER_GRAPHQL_ULR', 'LEDGER_GRAPHQL_URL'],
  ['LEDGER_GRAPHQL', 'LEDGER_GRAPHQL_URL'],
  ['RATE_LIMIT_PERMINUTE', 'RATE_LIMIT_PER_MINUTE'],
  ['rate_limit_per_minute', 'RATE_LIMIT_PER_MINUTE'],
  ['REQUEST_TIMEOUT', 'REQUEST_TIMEOUT_MS'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['SPONSER_TOKEN', 'SPONSOR_TOKEN'],
  ['SPONSOR_TOKEN_FLIE', 'SPONSOR_TOKEN_FILE'],
  ['TRUSTED-PROXIES', 'TRUSTED_PROXIES'],
  ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
  ['WORKER', 'WORKERS'],
  ['WORKRES', 'WORKERS'],
  ['PORTT', 'PORT'],
  ['PPORT', 'PORT'],
  ['HOOST', 'HOST'],
])('the variable %s is probably %s', (typed, meant) => {
  expect(misspeltName(typed, configKeyNames)).toBe(meant);
});

test.each([
  // Short words of every environment.
  ...['HOME', 'HOSTS', 'POST', 'PORTS', 'PATH', 'SHELL', 'LOGNAME', 'HOSTNAME', 'LANG', 'TERM', 'USER', 'PWD', ''],
  ...['PROXY', 'HTTP_PROXY', 'NO_PROXY', 'WORKDIR', 'WORKSPACE', 'WORK', 'PORTO', 'SPORT', 'GHOST', 'EDITOR', 'PAGER'],
  ...[
    'HOSTTYPE',
    'OSTYPE',
    'NODE_ENV',
    'NODE_OPTIONS',
    'LOG',
    'DEBUG',
    'CI',
    'REDIS',
    'WEB_CONCURRENCY',
    'INVOCATION_ID',
  ],
  // What a cluster adds for services called redis, sponsor, ledger-rpc and ledger-graphql.
  ...['REDIS_PORT', 'REDIS_HOST', 'REDIS_SERVICE_HOST', 'SPONSOR_PORT', 'SPONSOR_SERVICE_PORT', 'LEDGER_RPC_PORT'],
  ...['LEDGER_GRAPHQL_PORT', 'LEDGER_GRAPHQL_SERVICE_HOST', 'LEDGER_RPC_PORT_80_TCP', 'DATABASE_URL', 'JWT_SECRET'],
  `LEDGER_GRAPHQL_URL${'X'.repeat(100_000)}`,
])('the variable %s belongs to another program', (typed) => {
  expect(misspeltName(typed, configKeyNames)).toBeUndefined();
});
