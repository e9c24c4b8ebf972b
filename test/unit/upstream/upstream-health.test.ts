import { expect, test } from 'vitest';
import { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';
import {
  createHealthWatch,
  createProbes,
  type HealthWatch,
  type Probe,
  type UpstreamHealth,
} from '../../../src/upstream/upstream-health.ts';

/** One upstream that was never heard of, and a clock. */
function start() {
  const world = { nowMs: 1_000_000, asked: 0, answer: () => {} };
  const probe: Probe = {
    health: () => ({ state: 'unknown', lastSeenMs: null, detail: null }),
    ask: () => {
      world.asked += 1;
      return new Promise<void>((resolve) => {
        world.answer = resolve;
      });
    },
  };
  return { world, ask: createProbes([probe], () => world.nowMs) };
}

test('concurrent requests for health wait for the same probes', async () => {
  const { world, ask } = start();
  const told: string[] = [];
  const both = ['first', 'second'].map((name) => ask().then(() => told.push(name)));
  await new Promise(setImmediate);
  expect([told, world.asked]).toEqual([[], 1]);
  world.answer();
  await Promise.all(both);
  expect([told, world.asked]).toEqual([['first', 'second'], 1]);
});

test('upstreams are probed at most once in two seconds', async () => {
  const { world, ask } = start();
  for (const passedMs of [0, 1_999, 1]) {
    world.nowMs += passedMs;
    const asked = ask();
    world.answer();
    await asked;
  }
  expect(world.asked).toBe(2);
});

/** Probes three upstreams whose health a test sets, and counts their probes. */
function startThree(health: readonly Partial<UpstreamHealth>[], answer: (index: number) => Promise<unknown>) {
  const asked: number[] = [];
  const probes = health.map((each, index) => ({
    health: () => ({ state: 'up' as const, lastSeenMs: 10_000, detail: null, ...each }),
    ask: (timeoutMs: number) => {
      asked.push(index);
      expect(timeoutMs).toBe(2_000);
      return answer(index);
    },
  }));
  return { asked, ask: createProbes(probes, () => 12_000) };
}

test('a probe that fails delays and rejects nothing', async () => {
  const unknown = { state: 'unknown', lastSeenMs: null } as const;
  const { asked, ask } = startThree([unknown, unknown, unknown], async (index) => {
    if (index === 1) throw new Error('down');
  });
  await ask();
  expect(asked).toEqual([0, 1, 2]);
});

test('an upstream that is up and answered within two seconds is not probed', async () => {
  const { asked, ask } = startThree(
    [{ lastSeenMs: 10_000 }, { lastSeenMs: 9_999 }, { lastSeenMs: 12_000, state: 'degraded' }],
    async () => {},
  );
  await ask();
  expect(asked).toEqual([1, 2]);
});

test.each<[string, (watch: HealthWatch) => void, Partial<UpstreamHealth>]>([
  ['nothing', () => {}, { state: 'unknown', lastSeenMs: null, detail: null }],
  ['an answer', ({ answered }) => answered(200, 5), { state: 'up', lastSeenMs: 7, detail: null }],
  ['a rejected request', ({ answered }) => answered(499, 5), { state: 'up', lastSeenMs: 7 }],
  ['an answer of a failing server', ({ answered }) => answered(500, 5), { state: 'degraded', lastSeenMs: 7 }],
  ['a timeout', ({ failed }) => failed(new UpstreamCallError('timeout', 'late'), 5), { state: 'down', detail: 'late' }],
  ['too much', ({ failed }) => failed(new UpstreamCallError('too-large', 'long'), 5), { state: 'degraded' }],
  ['a client that left', ({ failed }) => failed(new UpstreamCallError('aborted', 'left'), 5), { state: 'unknown' }],
])('the health after %s', (_, happens, health) => {
  const ended: unknown[] = [];
  const watch = createHealthWatch(
    () => 7,
    (...facts) => void ended.push(facts),
  );
  happens(watch);
  expect(watch.health()).toMatchObject(health);
  expect(ended).toHaveLength(_ === 'nothing' ? 0 : 1);
});
