import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimeQueue } from '../../../../src/sponsor/store/time-queue.ts';

interface Item {
  readonly id: number;
  isAwaited: boolean;
}

const newQueue = () => createTimeQueue<Item>(({ isAwaited }) => isAwaited);

/** All that is left, in the order in which it comes out. */
function drain(queue: ReturnType<typeof newQueue>) {
  const drained: { readonly atMs: number; readonly item: Item }[] = [];
  for (let due = queue.popDue(Number.MAX_VALUE); due; due = queue.popDue(Number.MAX_VALUE)) drained.push(due);
  return drained;
}

test('removed entries take no more room than live ones, except for a few', () => {
  const queue = newQueue();
  const kept = Array.from({ length: 200 }, (_, id): Item => ({ id, isAwaited: true }));
  for (const item of kept) queue.push(1_000 - item.id, item);
  for (let id = 0; id < 10_000; id += 1) {
    const item: Item = { id, isAwaited: true };
    queue.push(id % 2_000, item);
    item.isAwaited = false;
    queue.forget();
  }
  const left = drain(queue);
  expect(left.length).toBeLessThan(2 * kept.length + 64);
  expect(left.filter(({ item }) => item.isAwaited)).toHaveLength(kept.length);
});

test('entries that remain after many removals are returned in order of time', () => {
  const queue = newQueue();
  const items = Array.from({ length: 400 }, (_, id): Item => ({ id, isAwaited: true }));
  // 400 is no multiple of 7: each time occurs once.
  for (const item of items) queue.push((item.id * 7) % 400, item);
  for (const item of items.slice(0, 200)) {
    item.isAwaited = false;
    queue.forget();
  }
  const times = drain(queue).map(({ atMs }) => atMs);
  expect(times).toHaveLength(200);
  expect(times).toEqual([...times].sort((one, other) => one - other));
});

test('entries are returned in order of time, whatever was removed in between', () => {
  const step = fc.record({ atMs: fc.nat(50), isForgotten: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const queue = newQueue();
      const items = steps.map(({ atMs, isForgotten }, id) => {
        const item: Item = { id, isAwaited: true };
        queue.push(atMs, item);
        if (isForgotten) {
          item.isAwaited = false;
          queue.forget();
        }
        return { atMs, item };
      });
      const awaited = items.filter(({ item }) => item.isAwaited).map(({ item }) => item.id);
      const left = drain(queue);
      const times = left.map(({ atMs }) => atMs);
      expect(times).toEqual([...times].sort((one, other) => one - other));
      const found = left.filter(({ item }) => item.isAwaited).map(({ item }) => item.id);
      expect(found.sort((one, other) => one - other)).toEqual(awaited);
    }),
  );
});
