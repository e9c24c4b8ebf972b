import { expect, test } from 'vitest';
import { createProbes, type Probe } from '../../../src/upstream/upstream-health.ts';

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
