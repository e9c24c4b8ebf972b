import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import {
  dayMs,
  defaultStoreBounds,
  keyLifeMs,
  lingerMs,
  textLifeMs,
} from '../../../../src/sponsor/store/sponsorship-store.ts';
import { untilNothingIsLeft } from '../../../support/count-live-objects.ts';
import { runs } from '../../../support/runs.ts';
import { allowanceOf, newFlow, noon, reserve } from '../../../support/sponsorship-flow.ts';
import { arbitrarySteps, newWorld, takeStep } from '../../../support/sponsorship-steps.ts';
import { describeSponsorshipStore } from '../../../support/sponsorship-store-suite.ts';

describeSponsorshipStore('in memory', () => ({
  open(bounds) {
    const store = createMemoryStore(bounds);
    return { one: store, other: store };
  },
  close: () => {},
}));

test('whatever callers do, held, settled and free add up to the budget, as their history says', async () => {
  let names = 0;
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async (steps) => {
      const world = newWorld([createMemoryStore()], `${++names}`);
      for (const [index, step] of steps.entries()) await takeStep(world, step, index);
    }),
    { numRuns: runs(100) },
  );
});

test('of many leases that expire at once, none is found, and each makes room when it is dropped', async () => {
  const store = createMemoryStore({ ...defaultStoreBounds, maxLeases: 1_000, maxLeasesPerCaller: 600 });
  const begin = (caller: string, leaseId: string, nowMs: number) =>
    store.beginReservation({
      caller,
      leaseId,
      expiresAtMs: nowMs + 1_000,
      sender: null,
      holds: [],
      idempotency: null,
      answerByMs: nowMs + 100,
      nowMs,
    });
  const range = Array.from({ length: 500 }, (_, index) => `${index}`);
  for (const caller of ['a', 'b']) {
    for (const leaseId of range) {
      expect(await begin(caller, leaseId, 0)).toEqual({ kind: 'begun' });
      await store.endReservation({ caller, leaseId, nowMs: 0, outcome: { kind: 'reserved', answer: leaseId } });
    }
  }
  expect(await begin('c', 'one more', 0)).toEqual({ kind: 'full' });
  const overAtMs = 1_000 + lingerMs;
  expect(await store.findReservation({ caller: 'b', leaseId: '499', nowMs: overAtMs - 1 })).toMatchObject({
    answer: '499',
  });
  expect(await store.findReservation({ caller: 'b', leaseId: '499', nowMs: overAtMs })).toBeNull();
  expect(await begin('b', 'one more', overAtMs)).toEqual({ kind: 'full' });
  // Its memory is free again some seconds after its answer has expired.
  const freeAtMs = textLifeMs + 10_000;
  for (const caller of ['b', 'c'])
    for (const leaseId of range) expect(await begin(caller, leaseId, freeAtMs)).toEqual({ kind: 'begun' });
  expect(await begin('d', 'one more', freeAtMs)).toEqual({ kind: 'full' });
});

test.each([
  ['without a key', textLifeMs, null],
  ['under a key', keyLifeMs, { key: 'once', bodyHash: 'body-1' }],
])(
  'of many answers %s that expire at once, none is returned before all are dropped',
  async (_, lifeMs, idempotency) => {
    const store = createMemoryStore();
    const flows = await Promise.all(Array.from({ length: 200 }, () => reserve(store, { expiresAtMs: noon + 600_000 })));
    for (const { execution } of flows) await store.beginExecution(execution({ idempotency }));
    const end = { answer: 'effects', nowMs: noon + lifeMs - 1 };
    for (const { executionEnd } of flows) await store.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, end));
    const { caller, leaseId } = flows.at(-1) as (typeof flows)[0];
    const find = (nowMs: number) => store.findExecution({ caller, leaseId, bodyHash: 'body-1', nowMs });
    expect(await find(end.nowMs)).toEqual({ kind: 'replay', answer: 'effects' });
    expect(await find(noon + 1 + lifeMs)).toEqual({ kind: 'spent', digest: 'digest-1' });
  },
);

test('the hold of an execution that was not sent expires, although many others were dispatched meanwhile', async () => {
  const store = createMemoryStore();
  const gas = { key: 'gas', perDay: 100_000 };
  const flows = await Promise.all(Array.from({ length: 100 }, () => reserve(store, { gas })));
  for (const { execution } of flows) await store.beginExecution(execution({ attempt: 'mine' }));
  await store.endExecution(flows[0]!.executionEnd({ kind: 'not-sent', attempt: 'mine' }));
  expect(await allowanceOf(store, gas, noon + 59_999)).toMatchObject({ held: 10_000 });
  expect(await allowanceOf(store, gas, noon + 60_000)).toMatchObject({ held: 9_900 });
});

test.each([
  ['keys', { maxKeys: 20, maxKeysPerCaller: 10 }],
  ['bytes', { maxAnswerBytesInAll: 2_000, maxAnswerBytesPerCaller: 1_000 }],
])('callers at their limit of %s displace only one another', async (_, bounds) => {
  const store = createMemoryStore({ ...defaultStoreBounds, ...bounds });
  const ask = async (caller: string, key: string) => {
    const { reservation, reservationEnd } = newFlow(caller);
    const { kind } = await store.beginReservation(reservation({ idempotency: { key, bodyHash: 'body' } }));
    await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'x'.repeat(100) }));
    return kind;
  };
  await ask('rare', 'once');
  for (let index = 0; index < 30; index += 1) for (const caller of ['a', 'b', 'c']) await ask(caller, `${index}`);
  expect(await ask('rare', 'once')).toBe('replay');
  expect(await Promise.all(['a', 'b', 'c'].map((caller) => ask(caller, '29')))).toEqual(Array(3).fill('replay'));
  expect(await ask('a', '0')).toBe('begun');
});

test('keys of any number of callers, one each, leave room for leases', async () => {
  const store = createMemoryStore({ ...defaultStoreBounds, maxLeases: 40, maxKeys: 20 });
  for (let minute = 0; minute < 80; minute += 1) {
    const nowMs = noon + minute * 60_000;
    const { reservation, reservationEnd } = newFlow(`caller ${minute}`);
    const idempotency = { key: 'once', bodyHash: 'body' };
    const begin = reservation({ idempotency, nowMs, expiresAtMs: nowMs + 60_000 });
    expect(await store.beginReservation(begin)).toEqual({ kind: 'begun' });
    await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins' }, nowMs));
  }
});

test('a clock that ran far ahead and is corrected keeps no budget for longer than its day', async () => {
  const store = createMemoryStore();
  const gas = { key: 'gas', perDay: 100 };
  const aheadMs = noon + 400 * dayMs;
  await reserve(store, { gas, nowMs: aheadMs, expiresAtMs: aheadMs + 60_000 });
  expect(await allowanceOf(store, gas, aheadMs)).toMatchObject({ free: 0 });
  expect(await allowanceOf(store, gas, noon)).toMatchObject({ free: 100, resetsAtMs: noon + dayMs / 2 });
  await reserve(store, { gas });
  // A step that was late at midnight begins no day anew.
  expect(await allowanceOf(store, gas, noon + dayMs)).toMatchObject({ free: 100 });
  await reserve(store, { gas, nowMs: noon + dayMs, expiresAtMs: noon + dayMs + 60_000 });
  expect(await allowanceOf(store, gas, noon)).toMatchObject({ free: 0 });
});

test('callers without leases and keys leave nothing behind', async () => {
  const store = createMemoryStore();
  const round = async () => {
    for (let index = 0; index < 500; index += 1) {
      const { reservation, reservationEnd } = newFlow();
      await store.beginReservation(reservation({ idempotency: { key: 'once', bodyHash: 'body' } }));
      await store.endReservation(reservationEnd({ kind: 'refused' }));
    }
  };
  await expect(untilNothingIsLeft(500, round)).resolves.toBeUndefined();
});
