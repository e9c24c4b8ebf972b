import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createMemoryRateStore,
  createOutage,
  createRateLimiter,
  type RateStore,
} from '../../../src/callers/rate-limiter.ts';
import { describeRateLimiter } from '../../support/rate-limiter-suite.ts';

const quiet = createOutage({ began: () => {}, ended: () => {} });
const caller = { rate: { key: 'somebody', perMinute: null } };

describeRateLimiter('in memory', async () => ({
  open: async (perMinute) =>
    createRateLimiter({ store: createMemoryRateStore(), perMinute, outage: quiet, now: Date.now }),
  close: async () => {},
}));

describe('a window', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  test('begins with the first attempt and ends a minute later', async () => {
    const limiter = createRateLimiter({
      store: createMemoryRateStore(),
      perMinute: 1,
      outage: quiet,
      now: Date.now,
    });
    expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: true, resetsAtMs: 1_060_000 });
    vi.setSystemTime(1_059_500);
    expect(await limiter.peek(caller)).toEqual({ limit: 1, remaining: 0, resetsAtMs: 1_060_000 });
    expect(await limiter.consume(caller, 1)).toEqual({
      isGranted: false,
      limit: 1,
      remaining: 0,
      resetsAtMs: 1_060_000,
      retryAfterSeconds: 1,
    });
    vi.setSystemTime(1_060_000);
    expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: true, resetsAtMs: 1_120_000 });
  });
});

describe('while its store is unavailable', () => {
  /** Counts until it is broken; may then refuse of its own accord, as one does that remembers who has used up everything. */
  function createBreakable(): RateStore & { isBroken: boolean; refuses: boolean; msBeforeNext: number } {
    const store = {
      isBroken: false,
      refuses: false,
      msBeforeNext: 1_000,
      countersOf(points: number) {
        const counters = new RateLimiterMemory({ points, duration: 60 });
        const { consume, get } = counters;
        const orFail = <T>(work: () => Promise<T>) =>
          store.refuses
            ? Promise.reject(new RateLimiterRes(0, store.msBeforeNext))
            : store.isBroken
              ? Promise.reject(new Error('gone\nwith details'))
              : work();
        counters.consume = (...args) => orFail(() => consume.apply(counters, args));
        counters.get = (...args) => orFail(() => get.apply(counters, args));
        return counters;
      },
      close() {},
    };
    return store;
  }

  function start(perMinute: number, sharedBy?: number) {
    const seen: string[] = [];
    const store = createBreakable();
    const outage = createOutage({ began: (reason) => seen.push(reason), ended: () => seen.push('back') });
    const options = { store, perMinute, outage, now: Date.now };
    return { store, seen, limiter: createRateLimiter(sharedBy ? { ...options, sharedBy } : options) };
  }

  test('it grants its share, rounded up, and no more', async () => {
    const { store, limiter } = start(10, 3);
    store.isBroken = true;
    const answers = await Promise.all(Array.from({ length: 50 }, () => limiter.consume(caller, 1)));
    expect(answers.filter((answer) => answer?.isGranted)).toHaveLength(4);
    expect(answers[0]).toMatchObject({ limit: 4, remaining: 3 });
    expect(await limiter.peek(caller)).toMatchObject({ limit: 4, remaining: 0 });
  });

  test('it grants an operation that costs more than the share all of it', async () => {
    const { store, limiter } = start(10, 3);
    store.isBroken = true;
    expect(await limiter.consume(caller, 7)).toMatchObject({ isGranted: true, limit: 4, remaining: 0 });
  });

  test('an outage that comes and goes does not renew the share', async () => {
    const { store, limiter } = start(2, 2);
    const granted = { away: 0, there: 0 };
    for (let round = 0; round < 20; round++) {
      store.isBroken = round % 2 === 0;
      if ((await limiter.consume(caller, 1))?.isGranted) granted[store.isBroken ? 'away' : 'there'] += 1;
    }
    expect(granted).toEqual({ away: 1, there: 2 });
  });

  test('it reports the outage once, and its end once', async () => {
    const { store, seen, limiter } = start(10);
    store.isBroken = true;
    await limiter.consume(caller, 1);
    await limiter.consume(caller, 1);
    store.isBroken = false;
    await limiter.consume(caller, 1);
    await limiter.consume(caller, 1);
    expect(seen).toEqual(['gone', 'back']);
  });

  test('a rejection without a store call does not end the outage', async () => {
    const { store, seen, limiter } = start(2, 2);
    await limiter.consume(caller, 2);
    const other = { rate: { key: 'another', perMinute: null } };
    store.isBroken = true;
    await limiter.consume(other, 1);
    store.refuses = true;
    await limiter.consume(caller, 1);
    store.refuses = false;
    await limiter.consume(other, 1);
    expect(seen).toEqual(['gone']);
  });

  test('a rejection at the very end of a window says to retry in a second', async () => {
    const { store, limiter } = start(1);
    store.refuses = true;
    store.msBeforeNext = 0;
    const refusal = await limiter.consume(caller, 1);
    expect(refusal).toMatchObject({ isGranted: false, retryAfterSeconds: 1, remaining: 0 });
    expect(refusal?.resetsAtMs).toBeLessThanOrEqual(Date.now());
  });

  test('a rejection is not an outage', async () => {
    const { seen, limiter } = start(1);
    await limiter.consume(caller, 1);
    await limiter.consume(caller, 1);
    expect(seen).toEqual([]);
  });
});
