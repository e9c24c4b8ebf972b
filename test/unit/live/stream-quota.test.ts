import { expect, test } from 'vitest';
import { createStreamQuota } from '../../../src/live/stream-quota.ts';
import { QuotaShare } from '../../../src/upstream/quota.ts';

/** What becomes of a stream of this caller: its places, or the code of the refusal. */
function openPlaces(max: number, maxPerCaller: number) {
  const places = createStreamQuota({ max, maxPerCaller });
  return (caller: string, weight?: number) => {
    try {
      return places.take(caller, weight);
    } catch (error) {
      return (error as { extensions: { code: string } }).extensions.code;
    }
  };
}
const giveBack = (taken: ReturnType<ReturnType<typeof openPlaces>>) => (taken as QuotaShare).leave();

test('a caller has as many places as one may, and one more as soon as one is given back', () => {
  const take = openPlaces(100, 2);
  const first = take('a');
  take('a');
  expect(take('a')).toBe('RATE_LIMITED');
  expect(take('b')).toBeInstanceOf(QuotaShare);
  giveBack(first);
  expect(take('a')).toBeInstanceOf(QuotaShare);
  expect(take('a')).toBe('RATE_LIMITED');
});

test('all callers together have as many places as the process', () => {
  const take = openPlaces(3, 2);
  const taken = [take('a'), take('b'), take('c')];
  expect(take('d')).toBe('UNAVAILABLE');
  giveBack(taken[1] as QuotaShare);
  expect(take('d')).toBeInstanceOf(QuotaShare);
  expect(take('a')).toBe('UNAVAILABLE');
});

test('a stream that weighs more takes and gives back as many places, its caller’s and the process’s', () => {
  const take = openPlaces(10, 8);
  const heavy = take('a', 6);
  expect(take('a', 3)).toBe('RATE_LIMITED');
  expect(take('b', 5)).toBe('UNAVAILABLE');
  const other = take('b', 4);
  expect(take('c')).toBe('UNAVAILABLE');
  giveBack(heavy);
  expect(take('c', 7)).toBe('UNAVAILABLE');
  expect(take('a', 6)).toBeInstanceOf(QuotaShare);
  giveBack(other);
  expect(take('b', 4)).toBeInstanceOf(QuotaShare);
});

test('a refusal says what the limit is, what a heavy filter counts as, and when to come again', () => {
  const places = createStreamQuota({ max: 10, maxPerCaller: 2 });
  expect(() => places.take('a', 3)).toThrow(
    expect.objectContaining({
      message:
        'Over the limit of 2 live streams of one caller at once. This one counts as 3, for the size of its filter.',
      extensions: expect.objectContaining({ retryAfterMs: 10_000 }),
    }),
  );
});

test('visitors of one key have their own places within those of the key', () => {
  const places = createStreamQuota({ max: 100, maxPerCaller: 50 });
  const group = { key: 'client:page', max: 5, perVisitor: 2 };
  const take = (visitor: string) => places.take(visitor, 1, group);
  take('a');
  const given = take('a');
  expect(() => take('a')).toThrow('Over the limit of 2 live streams of one caller');
  take('b');
  take('c');
  take('c');
  expect(() => take('d')).toThrow('Over the limit of 5 live streams of all visitors of one key');
  expect(places.take('of another key')).toBeInstanceOf(QuotaShare);
  given.leave();
  expect(take('d')).toBeInstanceOf(QuotaShare);
});
