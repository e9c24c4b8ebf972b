import { expect, onTestFinished, test, vi } from 'vitest';
import type { SponsorshipStore } from '../../../../src/sponsor/store/decide.ts';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import {
  type AbandonedOutcome,
  createRetryingStore,
  type RetryingStoreOptions,
} from '../../../../src/sponsor/store/retrying-store.ts';
import { StoreUnavailableError } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { failingStore, type StoreFault } from '../../../support/failing-store.ts';
import { allowanceOf, newFlow, noon, reserve } from '../../../support/sponsorship-flow.ts';
import { until } from '../../../support/until.ts';

function open(options: Partial<RetryingStoreOptions> = {}) {
  const memory = createMemoryStore();
  const away: { fault: StoreFault } = { fault: null };
  let steps = 0;
  const failing = failingStore(memory, () => {
    steps += 1;
    return away.fault;
  });
  const givenUp: AbandonedOutcome[] = [];
  const store = createRetryingStore(failing, {
    now: () => noon + 10,
    givenUp: (end) => givenUp.push(end),
    firstPauseMs: 1,
    maxPauseMs: 4,
    closeWithinMs: 20,
    ...options,
  });
  return { memory, store, away, givenUp, stepsTaken: () => steps };
}

const gas = { key: 'gas', perDay: 1_000 };

test('an outcome is written when the store is back', async () => {
  const { memory, store, away, givenUp } = open();
  const { caller, leaseId, reservation, reservationEnd, execution, executionEnd } = newFlow();
  await store.beginReservation(reservation({ gas }));
  away.fault = 'before';
  await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins' }));
  expect(await memory.findReservation({ caller, leaseId, nowMs: noon })).toBeNull();
  away.fault = null;
  await until(
    async () => (await memory.findReservation({ caller, leaseId, nowMs: noon })) !== null,
    'the reservation is noted',
  );
  await store.beginExecution(execution());
  away.fault = 'before';
  await store.endExecution(executionEnd({ kind: 'executed', gasUsed: 30 }));
  expect(await allowanceOf(memory, gas, noon)).toMatchObject({ held: 100, settled: 0 });
  away.fault = null;
  await until(async () => (await allowanceOf(memory, gas, noon)).settled === 30, 'the gas is settled');
  await store.close();
  expect(givenUp).toEqual([]);
});

test.each(['before', 'after'] as const)(
  'an unconfirmed reservation is rejected and undone (lost %s the step)',
  async (fault) => {
    const { memory, store, away } = open();
    const { reservation, leaseId } = newFlow();
    const idempotency = { key: 'once', bodyHash: 'body' };
    away.fault = fault;
    await expect(store.beginReservation(reservation({ gas, idempotency }))).rejects.toThrow(StoreUnavailableError);
    away.fault = null;
    await until(async () => (await allowanceOf(memory, gas, noon)).held === 0, 'nothing is held');
    const again = reservation({ gas, idempotency, leaseId: `${leaseId} again` });
    expect(await store.beginReservation(again)).toEqual({ kind: 'begun' });
    await store.close();
  },
);

test.each(['before', 'after'] as const)(
  'an unconfirmed execution is rejected, and its lease can be executed (lost %s the step)',
  async (fault) => {
    const { memory, store, away } = open();
    const { execution } = await reserve(memory);
    away.fault = fault;
    await expect(store.beginExecution(execution())).rejects.toThrow(StoreUnavailableError);
    away.fault = null;
    await until(async () => (await store.beginExecution(execution())).kind === 'begun', 'the lease is given back');
    expect(await store.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
    await store.close();
  },
);

test('what another attempt began meanwhile is not undone', async () => {
  const { memory, store, away } = open();
  const { execution } = await reserve(memory);
  away.fault = 'before';
  await expect(store.beginExecution(execution())).rejects.toThrow(StoreUnavailableError);
  expect(await memory.beginExecution(execution())).toEqual({ kind: 'begun' });
  away.fault = null;
  await store.close();
  expect(await memory.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
});

test('beyond the maximum, the oldest waiting outcomes are given up and named', async () => {
  const { memory, store, away, givenUp } = open({ maxWaiting: 2 });
  const flows = [await reserve(memory), await reserve(memory), await reserve(memory)];
  for (const { execution } of flows) await store.beginExecution(execution());
  away.fault = 'before';
  for (const { executionEnd } of flows) await store.endExecution(executionEnd({ kind: 'refused' }));
  expect(givenUp).toMatchObject([{ kind: 'execution', end: { leaseId: flows[0]?.leaseId } }]);
  away.fault = null;
  await store.close();
  const kinds = flows.map(async ({ execution }) => (await memory.beginExecution(execution())).kind);
  expect(await Promise.all(kinds)).toEqual(['in-progress', 'refused', 'refused']);
});

test('waiting results are bounded in characters; beyond the bound only the outcome is written', async () => {
  const { memory, store, away, givenUp } = open({ maxWaitingCharacters: 1_000 });
  const answer = 'x'.repeat(400);
  const flows = [await reserve(memory), await reserve(memory), await reserve(memory)];
  const { reservation, reservationEnd } = newFlow();
  const idempotency = { key: 'once', bodyHash: 'body' };
  for (const { execution } of flows) await store.beginExecution(execution());
  await store.beginReservation(reservation({ idempotency }));
  const find = ({ caller, leaseId }: (typeof flows)[0]) =>
    memory.findExecution({ caller, leaseId, bodyHash: 'body-1', nowMs: noon });
  const writeAll = async () => {
    away.fault = null;
    await until(
      async () => (await Promise.all(flows.map(find))).every((end) => end?.kind !== 'in-progress'),
      'all ended',
    );
  };
  away.fault = 'before';
  for (const { executionEnd } of flows)
    await store.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { answer }));
  await store.endReservation(reservationEnd({ kind: 'reserved', answer }));
  await writeAll();
  expect((await Promise.all(flows.map(find))).map((end) => end?.kind)).toEqual(['replay', 'replay', 'spent']);
  expect(givenUp).toEqual([]);
  // Under its key nothing is reserved again.
  const repeat = () => memory.beginReservation(reservation({ leaseId: 'another', idempotency }));
  await until(async () => (await repeat()).kind === 'lost', 'the reservation has ended');
  // What was written makes room.
  const later = await reserve(memory);
  await store.beginExecution(later.execution());
  away.fault = 'before';
  await store.endExecution(later.executionEnd({ kind: 'executed', gasUsed: 1 }, { answer }));
  away.fault = null;
  await store.close();
  expect(await find(later)).toEqual({ kind: 'replay', answer });
});

test('uncertain begins are given up before outcomes, and what was never sent needs no undo', async () => {
  const { memory, store, away, givenUp } = open({ maxWaiting: 2 });
  const [ended, begun, other] = [await reserve(memory), await reserve(memory), await reserve(memory)];
  await store.beginExecution(ended.execution());
  away.fault = 'before';
  await store.endExecution(ended.executionEnd({ kind: 'refused' }));
  const begin = async ({ execution }: typeof begun) =>
    expect(store.beginExecution(execution())).rejects.toThrow(StoreUnavailableError);
  await begin(begun);
  away.fault = 'unsent';
  for (let count = 0; count < 5; count += 1) await begin(other);
  expect(givenUp).toEqual([]);
  away.fault = 'before';
  await begin(other);
  expect(givenUp).toMatchObject([{ end: { leaseId: begun.leaseId, outcome: { kind: 'not-sent' } } }]);
  away.fault = null;
  await store.close();
  expect(await memory.beginExecution(ended.execution())).toMatchObject({ kind: 'refused' });
});

test('after an outage, the next outage begins with short pauses again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { memory, store, away } = open({ firstPauseMs: 100, maxPauseMs: 3_600_000 });
  const gasOf = () => allowanceOf(memory, gas, noon);
  for (const awayMs of [60_000, 50]) {
    const { execution, executionEnd } = await reserve(memory, { gas });
    await store.beginExecution(execution());
    const { held } = await gasOf();
    away.fault = 'before';
    await store.endExecution(executionEnd({ kind: 'refused' }));
    await vi.advanceTimersByTimeAsync(awayMs);
    away.fault = null;
    expect((await gasOf()).held).toBe(held);
    // As long again at most; the second time the first pause is enough.
    await vi.advanceTimersByTimeAsync(awayMs + 60);
    expect((await gasOf()).held).toBe(0);
  }
  await store.close();
});

test('a write in flight at the close is not repeated beside it', async () => {
  const { memory, away, givenUp } = open();
  let [writing, most] = [0, 0];
  let write = () => {};
  const slow: SponsorshipStore = {
    ...memory,
    async endExecution(end) {
      if (away.fault) throw new StoreUnavailableError();
      writing += 1;
      most = Math.max(most, writing);
      await new Promise<void>((resolve) => (write = resolve));
      writing -= 1;
      return memory.endExecution(end);
    },
  };
  const store = createRetryingStore(slow, {
    ...{ now: () => noon + 10, givenUp: (end) => givenUp.push(end) },
    ...{ firstPauseMs: 1, maxPauseMs: 4, closeWithinMs: 20_000 },
  });
  const { execution, executionEnd } = await reserve(memory);
  await store.beginExecution(execution());
  away.fault = 'before';
  await store.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }));
  away.fault = null;
  await until(() => writing === 1, 'it is being written');
  const closing = store.close();
  await new Promise(setImmediate);
  write();
  await closing;
  expect([most, writing, givenUp]).toEqual([1, 0, []]);
});

test('retries become rarer during an outage', async () => {
  const { memory, store, away, stepsTaken } = open({ maxPauseMs: 3_600_000 });
  const flows = await Promise.all(Array.from({ length: 50 }, () => reserve(memory)));
  for (const { execution } of flows) await store.beginExecution(execution());
  away.fault = 'before';
  const before = stepsTaken();
  for (const { executionEnd } of flows) await store.endExecution(executionEnd({ kind: 'refused' }));
  // One at a time, and no attempt for each of those that wait.
  await until(() => stepsTaken() - before >= 50 + 4, 'four attempts were made');
  expect(stepsTaken() - before).toBeLessThan(50 + 16);
  away.fault = null;
  await store.close();
});

test('closing writes what waits, and gives up what cannot be written in time', async () => {
  const { memory, store, away, givenUp } = open();
  const { execution, executionEnd } = await reserve(memory);
  await store.beginExecution(execution());
  away.fault = 'before';
  await store.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }));
  await store.close();
  expect(givenUp).toMatchObject([{ kind: 'execution', end: { outcome: { kind: 'executed', gasUsed: 1 } } }]);

  const patient = open({ closeWithinMs: 20_000 });
  const other = await reserve(patient.memory);
  await patient.store.beginExecution(other.execution());
  patient.away.fault = 'before';
  await patient.store.endExecution(other.executionEnd({ kind: 'refused' }));
  const closing = patient.store.close();
  patient.away.fault = null;
  await closing;
  expect(patient.givenUp).toEqual([]);
  expect(await patient.memory.beginExecution(other.execution())).toMatchObject({ kind: 'refused' });
});

test('closing retries with pauses, gives up uncertain begins too, and writes nothing afterwards', async () => {
  const { memory, store, away, givenUp, stepsTaken } = open({ firstPauseMs: 5, closeWithinMs: 20 });
  const { execution, executionEnd } = await reserve(memory);
  await store.beginExecution(execution());
  away.fault = 'before';
  await store.endExecution(executionEnd({ kind: 'refused' }));
  await expect(store.beginReservation(newFlow().reservation())).rejects.toThrow(StoreUnavailableError);
  const before = stepsTaken();
  await store.close();
  // A few for each pause, and without pauses thousands.
  expect(stepsTaken() - before).toBeLessThan(200);
  expect(givenUp.map(({ kind }) => kind)).toEqual(['execution', 'reservation']);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const after = stepsTaken();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(stepsTaken()).toBe(after);
});

test('closing closes the store behind it, after the last write', async () => {
  const memory = createMemoryStore();
  const calls: string[] = [];
  const behind = { ...memory, close: () => void calls.push('closed') };
  const store = createRetryingStore(behind, { now: () => 0, givenUp: () => calls.push('given up') });
  await store.close();
  expect(calls).toEqual(['closed']);
});

test('in forward mode an uncertain begin is not undone: the execution continues, and writes its own end', async () => {
  const { memory, store, away, stepsTaken } = open();
  const { execution, executionEnd } = newFlow();
  const forward = execution({ mustBeKnown: false, attempt: 'mine' });
  away.fault = 'after';
  await expect(store.beginExecution(forward)).rejects.toThrow(StoreUnavailableError);
  away.fault = null;
  const taken = stepsTaken();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(stepsTaken()).toBe(taken);
  expect(await memory.beginExecution(forward)).toMatchObject({ kind: 'in-progress' });
  await store.endExecution(executionEnd({ kind: 'refused', attempt: 'mine' }));
  expect(await memory.beginExecution(forward)).toMatchObject({ kind: 'refused' });
  await store.close();
});

test('a late write is dated when it is written, so that what it keeps lives as long as what was written in time', async () => {
  const time = { nowMs: noon };
  const memory = createMemoryStore();
  const away: { fault: StoreFault } = { fault: null };
  const dated: number[] = [];
  const noting: SponsorshipStore = {
    ...memory,
    endReservation: (end) => {
      dated.push(end.nowMs);
      return memory.endReservation(end);
    },
  };
  const options = { now: () => time.nowMs, givenUp: () => {}, firstPauseMs: 1, maxPauseMs: 4, closeWithinMs: 20 };
  const store = createRetryingStore(
    failingStore(noting, () => away.fault),
    options,
  );
  const { reservation, reservationEnd } = newFlow();
  await store.beginReservation(reservation());
  away.fault = 'before';
  await store.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins' }));
  time.nowMs = noon + 5_000;
  away.fault = null;
  await until(() => dated.length > 0, 'the late write');
  expect(dated).toEqual([noon + 5_000]);
  await store.close();
});

test('an end that comes after the close is reported, and not retried', async () => {
  const { store, away, givenUp, stepsTaken } = open();
  const { reservation, reservationEnd } = newFlow();
  await store.beginReservation(reservation({ gas }));
  await store.close();
  away.fault = 'before';
  const end = reservationEnd({ kind: 'reserved', answer: 'coins' });
  await store.endReservation(end);
  expect(givenUp).toEqual([{ kind: 'reservation', end }]);
  const steps = stepsTaken();
  await store.close();
  expect(stepsTaken()).toBe(steps);
});
