import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CoinReference, hashCoins } from '../../../../src/sponsor/leases.ts';

const coin = {
  objectId: `0x${'0'.repeat(61)}c01`,
  version: '7',
  digest: '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR1',
};
const another = { ...coin, objectId: `0x${'f'.repeat(64)}` };

test('coins have one hash, in any order and spelling of their ids', () => {
  expect(hashCoins([coin, another])).toBe(hashCoins([another, coin]));
  for (const objectId of ['0xC01', '0xc01', '0x0c01'])
    expect(hashCoins([coin])).toBe(hashCoins([{ ...coin, objectId }]));
  expect(hashCoins([coin])).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test('only ids are normalized: other texts of the same length are case-sensitive', () => {
  const long = another.objectId;
  expect(hashCoins([{ ...coin, objectId: long.toUpperCase() }])).toBe(hashCoins([another]));
  expect(hashCoins([{ ...coin, objectId: long.replace(/f$/, 'F') }])).toBe(hashCoins([another]));
  const [small, capital] = [`0x${'g'.repeat(64)}`, `0x${'g'.repeat(63)}G`];
  expect(hashCoins([{ ...coin, objectId: small }])).not.toBe(hashCoins([{ ...coin, objectId: capital }]));
});

test.each<[string, readonly CoinReference[]]>([
  ['no coin', []],
  ['two of them', [coin, coin]],
  ['another coin', [another]],
  ['another version', [{ ...coin, version: '8' }]],
  ['another digest', [{ ...coin, digest: 'x' }]],
])('%s has another hash', (_, coins) => {
  expect(hashCoins(coins)).not.toBe(hashCoins([coin]));
});

test('no text within a coin makes it look like several, or like another one', () => {
  const text = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('","', '"],["', ',', '"'));
  const coins = fc.array(fc.record({ objectId: text, version: text, digest: text }), { maxLength: 3 });
  const told = (each: readonly CoinReference[]) =>
    JSON.stringify(each.map(({ objectId, version, digest }) => [objectId, version, digest]).sort());
  fc.assert(
    fc.property(coins, coins, (left, right) => {
      expect(hashCoins(left) === hashCoins(right)).toBe(told(left) === told(right));
    }),
  );
});
