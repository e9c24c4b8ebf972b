import { expect, test } from 'vitest';
import { createClientBook } from '../../../../src/callers/credentials/client-book.ts';
import type { Client } from '../../../../src/config/client.ts';
import { hashApiKey, toApiKey } from '../../../../src/config/client.ts';

const key = toApiKey('web', new Uint8Array(32).fill(1)).reveal();
const web: Client = {
  id: 'web',
  hash: hashApiKey(key),
  scopes: ['read'],
  perMinute: null,
  origins: null,
  gasPerDay: null,
  moveCalls: null,
};

test('a key is found by the hash of all of it: no part of it, and nothing beside it, comes nearer', () => {
  const book = createClientBook([web], 'token');
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

test('a caller is made once for each client, not for each request', () => {
  const book = createClientBook([web], 'token');
  expect(book.find(web.hash)).toBe(book.find(web.hash));
});

test('others in its place are in force at once, whole', () => {
  const book = createClientBook([web], 'token');
  const hash = hashApiKey('another key');
  book.replace([{ ...web, id: 'other', hash }]);
  expect([book.find(web.hash), book.find(hash)?.caller.id]).toEqual([null, 'client:other']);
});
