import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RateLimiter } from '../../src/callers/rate-limiter.ts';

/** Opens limiters with shared counters; each caller may send `perMinute` requests. */
export interface RateLimiterBench {
  open(perMinute: number): Promise<Pick<RateLimiter, 'consume' | 'peek'>>;
  close(): Promise<void>;
}

/** The rules of every limiter, wherever it counts. */
export function describeRateLimiter(name: string, start: () => Promise<RateLimiterBench>): void {
  describe(`a limiter that counts ${name}`, () => {
    let bench: RateLimiterBench;
    let callers = 0;
    const newCaller = (perMinute: number | null = null) => ({ rate: { key: `caller-${++callers}`, perMinute } });

    beforeAll(async () => {
      bench = await start();
    });
    afterAll(() => bench?.close());

    test('grants of many attempts at once exactly as many as allowed', async () => {
      const limiter = await bench.open(50);
      const caller = newCaller();
      const answers = await Promise.all(Array.from({ length: 200 }, () => limiter.consume(caller, 1)));
      expect(answers.filter((answer) => answer?.isGranted)).toHaveLength(50);
      expect(answers.filter((answer) => answer?.isGranted === false)).toHaveLength(150);
    });

    test('counts down to the end of the window', async () => {
      const limiter = await bench.open(50);
      const caller = newCaller();
      const before = Date.now();
      const first = await limiter.consume(caller, 1);
      const second = await limiter.consume(caller, 3);
      expect([first, second]).toMatchObject([
        { isGranted: true, limit: 50, remaining: 49 },
        { isGranted: true, limit: 50, remaining: 46 },
      ]);
      expect(first?.resetsAtMs).toBeGreaterThan(before + 50_000);
      expect(first?.resetsAtMs).toBeLessThanOrEqual(Date.now() + 60_000);
    });

    test('tells who is refused when to come back', async () => {
      const limiter = await bench.open(1);
      const caller = newCaller();
      await limiter.consume(caller, 1);
      const refusal = await limiter.consume(caller, 1);
      expect(refusal).toMatchObject({ isGranted: false, limit: 1, remaining: 0 });
      expect(refusal && 'retryAfterSeconds' in refusal && refusal.retryAfterSeconds).toSatisfy(
        (seconds) => Number.isInteger(seconds) && Number(seconds) > 50 && Number(seconds) <= 60,
      );
    });

    test('keeps callers apart', async () => {
      const limiter = await bench.open(1);
      expect(await limiter.consume(newCaller(), 1)).toMatchObject({ isGranted: true });
      expect(await limiter.consume(newCaller(), 1)).toMatchObject({ isGranted: true });
    });

    test('lets a caller have a limit of its own, or none', async () => {
      const limiter = await bench.open(1);
      const richer = newCaller(3);
      const free = newCaller(0);
      const answers = [];
      for (let attempt = 0; attempt < 4; attempt++) answers.push(await limiter.consume(richer, 1));
      expect(answers.map((answer) => answer?.isGranted)).toEqual([true, true, true, false]);
      expect(await limiter.consume(free, 1)).toBeNull();
      expect(await limiter.peek(free)).toBeNull();
    });

    test('with no limit limits only those who have one of their own', async () => {
      const limiter = await bench.open(0);
      expect(await limiter.consume(newCaller(), 1)).toBeNull();
      expect(await limiter.consume(newCaller(5), 1)).toMatchObject({ limit: 5, remaining: 4 });
    });

    test('counts what it refuses, too', async () => {
      const limiter = await bench.open(10);
      const caller = newCaller();
      await limiter.consume(caller, 8);
      expect(await limiter.consume(caller, 5)).toMatchObject({ isGranted: false });
      expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: false });
    });

    test('lets the dearest operation through once a window, however small the limit', async () => {
      const limiter = await bench.open(5);
      const caller = newCaller();
      expect(await limiter.consume(caller, 21)).toMatchObject({ isGranted: true, remaining: 0 });
      expect(await limiter.consume(caller, 1)).toMatchObject({ isGranted: false });
    });

    test('shows where a caller stands without taking anything', async () => {
      const limiter = await bench.open(10);
      const caller = newCaller();
      expect(await limiter.peek(caller)).toMatchObject({ limit: 10, remaining: 10 });
      await limiter.consume(caller, 4);
      expect(await limiter.peek(caller)).toMatchObject({ limit: 10, remaining: 6 });
      expect(await limiter.peek(caller)).toMatchObject({ limit: 10, remaining: 6 });
      await limiter.consume(caller, 6);
      expect(await limiter.peek(caller)).toMatchObject({ limit: 10, remaining: 0 });
    });
  });
}
