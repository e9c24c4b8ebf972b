import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TrialCache } from '../../../src/documents/trial-cache.ts';

const open = (maxBytes = 8, maxProvenBytes = 6) => new TrialCache<{ bytes: number }>({ maxBytes, maxProvenBytes });
const one = { bytes: 1 };

it('a flood of values that are never used evicts only others like it', () => {
  const cache = open();
  for (const key of ['a', 'b', 'c']) cache.set(key, one);
  cache.find('a');
  for (let index = 0; index < 1_000; index += 1) cache.set(`flood ${index}`, one);
  expect([cache.find('a'), cache.find('b'), cache.find('c')]).toEqual([one, undefined, undefined]);
  expect(cache.bytes).toEqual({ all: 8, onTrial: 7 });
});

it('the proven value used longest ago is on trial again when their part is full', () => {
  const cache = open(8, 2);
  for (const key of ['a', 'b', 'c']) {
    cache.set(key, one);
    cache.find(key);
  }
  expect(cache.sizes).toEqual({ onTrial: 1, proven: 2 });
  for (let index = 0; index < 6; index += 1) cache.set(`flood ${index}`, one);
  expect([cache.peek('a'), cache.peek('b'), cache.peek('c')]).toEqual([undefined, one, one]);
});

it('a look proves nothing', () => {
  const cache = open();
  cache.set('a', one);
  expect(cache.peek('a')).toBe(one);
  expect(cache.sizes).toEqual({ onTrial: 1, proven: 0 });
});

it('a value that is replaced is on trial again, and one that is deleted is gone', () => {
  const cache = open();
  const other = { bytes: 2 };
  cache.set('a', one);
  cache.find('a');
  cache.set('a', other);
  expect([cache.sizes, cache.peek('a')]).toEqual([{ onTrial: 1, proven: 0 }, other]);
  cache.find('a');
  cache.delete('a');
  expect([cache.find('a'), cache.bytes.all]).toEqual([undefined, 0]);
});

it('nothing is kept that does not fit beside the proven values', () => {
  const cache = open(8, 6);
  cache.set('a', { bytes: 6 });
  cache.find('a');
  cache.set('b', { bytes: 3 });
  expect([cache.peek('a'), cache.peek('b')]).toEqual([{ bytes: 6 }, undefined]);
  cache.clear();
  expect(cache.bytes).toEqual({ all: 0, onTrial: 0 });
});

it('whatever is set, used and deleted, no more bytes are held than allowed, and each value once', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const step = fc.oneof(
    fc.record({ do: fc.constant('set'), key, bytes: fc.integer({ min: 1, max: 10 }) }),
    fc.record({ do: fc.constantFrom('find', 'delete', 'peek'), key, bytes: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = open(10, 7);
      const last = new Map<string, number>();
      for (const { do: kind, key, bytes } of steps) {
        if (kind === 'set') {
          cache.set(key, { bytes });
          last.set(key, bytes);
        } else if (kind === 'delete') cache.delete(key);
        else {
          const found = kind === 'find' ? cache.find(key) : cache.peek(key);
          if (found) expect(found.bytes).toBe(last.get(key));
        }
        const kept = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((each) => cache.peek(each) ?? []);
        expect(cache.bytes.all).toBeLessThanOrEqual(10);
        expect(kept.reduce((sum, each) => sum + each.bytes, 0)).toBe(cache.bytes.all);
        expect(cache.sizes.onTrial + cache.sizes.proven).toBe(kept.length);
      }
    }),
  );
});
