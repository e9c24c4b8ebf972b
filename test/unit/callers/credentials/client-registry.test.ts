import { expect, test } from 'vitest';
import { createClientRegistry, diffClients } from '../../../../src/callers/credentials/client-registry.ts';
import { type Client, hashApiKey, toApiKey } from '../../../../src/config/client.ts';
import { toClientsFile, toTestClient, toTestRules } from '../../../support/test-policy.ts';

const registry = { auth: 'token', perMinute: 600 } as const;
const key = toApiKey('web', new Uint8Array(32).fill(1)).reveal();
const web = toTestClient({ hash: hashApiKey(key) });

test('a key is found only by the hash of its whole text', () => {
  const book = createClientRegistry(toClientsFile(web), registry);
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
  const book = createClientRegistry(toClientsFile(web), registry);
  expect(book.find(web.hash)).toBe(book.find(web.hash));
});

test('new clients replace all previous ones immediately', () => {
  const book = createClientRegistry(toClientsFile(web), registry);
  const hash = hashApiKey('another key');
  book.replace(toClientsFile({ ...web, id: 'other', hash }));
  expect([book.find(web.hash), book.find(hash)?.caller.id]).toEqual([null, 'client:other']);
});

const client = (id: string, about: Partial<Client> = {}): Client =>
  toTestClient({
    id,
    hash: id.repeat(64).slice(0, 64),
    scopes: ['read', 'sponsor'],
    origins: ['https://a.example', 'https://b.example'],
    ...about,
  });
const diff = (before: readonly Client[], after: readonly Client[]) =>
  diffClients(toClientsFile(...before), toClientsFile(...after));

test('added, removed and changed clients are reported by id', () => {
  const before = [client('a'), client('b'), client('c')];
  expect(diff(before, [client('d'), client('c', { hash: 'f'.repeat(64) }), client('a')])).toEqual({
    added: ['d'],
    removed: ['b'],
    changed: ['c'],
  });
});

test.each<Partial<Client>>([
  { hash: '0'.repeat(64) },
  { scopes: ['read'] },
  { rate: { perMinute: 0, perVisitorPerMinute: null } },
  { origins: null },
  { policy: toTestRules({ gas: { perDay: 1 } }) },
  { policy: toTestRules({ moveCalls: [] }) },
  { visitors: 'one' },
])('a client with other %j is another', (about) => {
  expect(diff([client('a')], [client('a', about)])).toEqual({ added: [], removed: [], changed: ['a'] });
});

test('the order of a list does not matter', () => {
  const turned = client('a', { scopes: ['sponsor', 'read'], origins: ['https://b.example', 'https://a.example'] });
  expect(diff([client('a'), client('b')], [client('b'), turned])).toEqual({
    added: [],
    removed: [],
    changed: [],
  });
});
