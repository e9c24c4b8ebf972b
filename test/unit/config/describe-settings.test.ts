import { expect, it } from 'vitest';
import { describeSettings } from '../../../src/config/describe-config.ts';
import { withAddresses } from '../../../src/config/keys.ts';

const token = 'the-token-of-the-sponsor';
const source = {
  env: {
    CONFIG_FILE: 'gateway.yaml',
    PORT: '8080',
    LEDGER_GRAPHQL_URL: 'https://me:secret@ledger.example/',
    HOST: ' ',
  },
  readFile: () => `PORT: 9090\nLOG_LEVEL: warn\nSPONSOR_TOKEN: ${token}`,
};
const described = describeSettings(source, withAddresses([]));
const settingOf = (name: string) => described.find((each) => each.name === name);

it.each([
  ['PORT', '8080', 'environment'],
  ['LOG_LEVEL', 'warn', 'file'],
  ['HOST', '127.0.0.1', 'default'],
  ['SPONSOR_URL', null, 'default'],
  ['SPONSOR_TOKEN', '[redacted]', 'file'],
  ['LEDGER_GRAPHQL_URL', 'https://[redacted]@ledger.example/', 'environment'],
  ['LIMIT_MAX_QUERY_DEPTH', 'the ledger’s own', 'default'],
])('%s is %s by %s', (name, value, from) => {
  expect(settingOf(name)).toEqual({ name, value, from });
});

it('shows no secret', () => {
  expect(JSON.stringify(described)).not.toMatch(new RegExp(`${token}|secret@`));
});
