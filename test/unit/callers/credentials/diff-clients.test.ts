import { expect, test } from 'vitest';
import { diffClients } from '../../../../src/callers/credentials/diff-clients.ts';
import type { Client } from '../../../../src/config/client.ts';

const client = (id: string, about: Partial<Client> = {}): Client => ({
  id,
  hash: id.repeat(64).slice(0, 64),
  scopes: ['read', 'sponsor'],
  perMinute: null,
  origins: ['https://a.example', 'https://b.example'],
  gasPerDay: null,
  moveCalls: null,
  ...about,
});

test('what is new, what is gone and what is another are told by id', () => {
  const before = [client('a'), client('b'), client('c')];
  expect(diffClients(before, [client('d'), client('c', { hash: 'f'.repeat(64) }), client('a')])).toEqual({
    added: ['d'],
    removed: ['b'],
    changed: ['c'],
  });
});

test.each<Partial<Client>>([
  { hash: '0'.repeat(64) },
  { scopes: ['read'] },
  { perMinute: 0 },
  { origins: null },
  { gasPerDay: 1 },
  { moveCalls: [] },
])('a client with other %j is another', (about) => {
  expect(diffClients([client('a')], [client('a', about)])).toEqual({ added: [], removed: [], changed: ['a'] });
});

test('the order in which something is listed says nothing', () => {
  const turned = client('a', { scopes: ['sponsor', 'read'], origins: ['https://b.example', 'https://a.example'] });
  expect(diffClients([client('a'), client('b')], [client('b'), turned])).toEqual({
    added: [],
    removed: [],
    changed: [],
  });
});
