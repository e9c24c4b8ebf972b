import { expect, test } from 'vitest';
import { createClientRegistry, diffClients } from '../../../../src/callers/credentials/client-registry.ts';
import { type Client, hashApiKey, toApiKey } from '../../../../src/config/client.ts';

const key = toApiKey('web', new Uint8Array(32).fill(1)).reveal();
const web: Client = {
  id: 'web',
  hash: hashApiKey(key),
  scopes: ['read'],
  perMinute: null,
  origins: null,
  gasPerDay: null,
  moveCalls: null,
  documents: null,
};

test('a key is found only by the hash of its whole text', () => {
  const book = createClientRegistry([web], 'token');
  expect(book.find(hashApiKey(key))?.caller).toMatchObject({ id: 'client:web', kind: 'API_KEY' });
  const near = [...Array.from(key, (_, end) => key.slice(0, end)), `${key}x`, key.toLowerCase(), web.hash];
  // What is looked at is a hash, and those of near keys have nothing in common with the key's.
  const alike = near.map((each) => {
    const hash = hashApiKey(each);
    expect(book.find(hash)).toBeNull();
    return Array.from(hash).findIndex((digit, at) => digit !== web.hash[at]);
  });
  expect(Math.max(...alike.slice(Math.floor(key.length / 2)))).toBeLessThan(6);
});

test('a caller is created once per client, not per request', () => {
  const book = createClientRegistry([web], 'token');
  expect(book.find(web.hash)).toBe(book.find(web.hash));
});

test('new clients replace all previous ones immediately', () => {
  const book = createClientRegistry([web], 'token');
  const hash = hashApiKey('another key');
  book.replace([{ ...web, id: 'other', hash }]);
  expect([book.find(web.hash), book.find(hash)?.caller.id]).toEqual([null, 'client:other']);
});

const client = (id: string, about: Partial<Client> = {}): Client => ({
  id,
  hash: id.repeat(64).slice(0, 64),
  scopes: ['read', 'sponsor'],
  perMinute: null,
  origins: ['https://a.example', 'https://b.example'],
  gasPerDay: null,
  moveCalls: null,
  documents: null,
  ...about,
});

test('added, removed and changed clients are reported by id', () => {
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

test('the order of a list does not matter', () => {
  const turned = client('a', { scopes: ['sponsor', 'read'], origins: ['https://b.example', 'https://a.example'] });
  expect(diffClients([client('a'), client('b')], [client('b'), turned])).toEqual({
    added: [],
    removed: [],
    changed: [],
  });
});
