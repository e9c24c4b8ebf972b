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
    quietMs: () => Number.POSITIVE_INFINITY,
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
function startThree(
  facts: readonly (Pick<UpstreamHealth, 'state'> & { readonly quietMs: number })[],
  answer: (index: number) => Promise<unknown>,
) {
  const asked: number[] = [];
  const probes = facts.map(({ state, quietMs }, index) => ({
    health: () => ({ state, lastSeenMs: null, detail: null }),
    quietMs: () => quietMs,
    ask: (timeoutMs: number) => {
      asked.push(index);
      expect(timeoutMs).toBe(2_000);
      return answer(index);
    },
  }));
  return { asked, ask: createProbes(probes, () => 12_000) };
}

test('a probe that fails delays and rejects nothing', async () => {
  const unknown = { state: 'unknown', quietMs: Number.POSITIVE_INFINITY } as const;
  const { asked, ask } = startThree([unknown, unknown, unknown], async (index) => {
    if (index === 1) throw new Error('down');
  });
  await ask();
  expect(asked).toEqual([0, 1, 2]);
});

test('an upstream that is up and answered within two seconds is not probed', async () => {
  const { asked, ask } = startThree(
    [
      { state: 'up', quietMs: 2_000 },
      { state: 'up', quietMs: 2_001 },
      { state: 'degraded', quietMs: 0 },
    ],
    async () => {},
  );
  await ask();
  expect(asked).toEqual([1, 2]);
});

test('an upstream is probed again although the wall clock was set back by an hour', async () => {
  const time = { clockMs: 5_000, wallMs: 7_200_000 };
  const watch = createHealthWatch(
    () => time.wallMs,
    () => {},
    () => time.clockMs,
  );
  let asked = 0;
  const ask = async () => {
    asked += 1;
    watch.answered(200, 1);
  };
  const probe = createProbes([{ health: watch.health, quietMs: watch.quietMs, ask }], () => time.clockMs);
  await probe();
  time.wallMs -= 3_600_000;
  time.clockMs += 2_001;
  await probe();
  expect(asked).toBe(2);
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
