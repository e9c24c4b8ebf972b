import { expect, test } from 'vitest';
import { configKeyNames } from '../../../src/settings/keys.ts';
import { nearestName } from '../../../src/settings/nearest-name.ts';

test.each([
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['sponsor.token', 'SPONSOR_TOKEN'],
  ['LEDGER_GRAPHQL', 'LEDGER_GRAPHQL_URL'],
  ['REQUEST_TIMEOUT', 'REQUEST_TIMEOUT_MS'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['zzzzzzzz', undefined],
  ['', undefined],
])('%s most likely meant %s', (typed, meant) => {
  expect(nearestName(typed, configKeyNames)).toBe(meant);
});
