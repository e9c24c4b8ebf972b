import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import { deriveSecret, type Shared, workerShareOf } from '../../../../src/start/siblings.ts';

const shared = (workers: number, secret = 'of the whole'): Shared => ({ workers, network: null, secret });
const siblings = (workers: number) => ({
  shared: shared(workers),
  store: createMemoryStore(),
  isReplaced: () => false,
  serving: () => workers,
  ready: () => {},
  schemaReplaced: () => {},
  onSchemaCheck: () => {},
  onMetrics: () => {},
  metricsPage: async () => '',
  onLists: () => {},
});

test('workers get equal parts of a shared limit, rounded up so that none gets zero', () => {
  expect([1, 10, 128].map((whole) => workerShareOf(whole, siblings(4)))).toEqual([1, 3, 32]);
  expect(workerShareOf(0, siblings(4))).toBe(0);
  expect(workerShareOf(128, null)).toBe(128);
});

test('workers of one gateway derive the same secret for a name, and other gateways another one', () => {
  const derive = (secret: string, name: string) => deriveSecret(shared(2, secret), name).reveal();
  expect(derive('one', 'cursors')).toBe(derive('one', 'cursors'));
  expect(new Set([derive('one', 'cursors'), derive('two', 'cursors'), derive('one', 'leases')]).size).toBe(3);
  expect(derive('one', 'cursors')).toMatch(/^[\w-]{43}$/);
});
