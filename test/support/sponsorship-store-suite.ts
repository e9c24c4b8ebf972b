import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import {
  type BeginExecution,
  type BeginReservation,
  type EndExecution,
  lingerMs,
  maxKeysPerExecution,
  textLifeMs,
} from '../../src/sponsor/store/sponsorship-store.ts';
import {
  allowanceOf,
  claimOf,
  newFlow,
  newName,
  noon,
  reserve,
  type StoreBench,
  type Stores,
} from './sponsorship-flow.ts';
import { describeBounds, describeBudgets } from './sponsorship-store-budgets.ts';
import { describeFence } from './sponsorship-store-fence.ts';
import { describePolicies } from './sponsorship-store-policies.ts';

/** The rules of every store, wherever it stores. */
export function describeSponsorshipStore(name: string, start: () => StoreBench | Promise<StoreBench>): void {
  describe(`a store of sponsorship ${name}`, () => {
    let bench: StoreBench;
    let one: SponsorshipStore;
    let other: SponsorshipStore;
    beforeAll(async () => {
      bench = await start();
    });
    // Their clocks only move forward.
    beforeEach(async () => {
      ({ one, other } = await bench.open());
    });
    afterAll(() => bench?.close());

    describeReservations(() => ({ one, other }));
    describeLateNumbers(() => ({ one, other }));
    describeFence(() => ({ one, other }));
    describeKeys(() => ({ one, other }));
    describeBudgets(() => ({ one, other }));
    describePolicies(() => ({ one, other }));
    describeBounds((bounds) => bench.open(bounds));
  });
}

function describeReservations(stores: Stores): void {
  test('a reservation is found by its caller alone, until some minutes after its expiry', async () => {
    const { one, other } = stores();
    const { caller, leaseId } = await reserve(one);
    const kept = { answer: 'coins', state: 'active' };
    expect(await other.findReservation({ caller, leaseId, nowMs: noon + 5 })).toEqual(kept);
    expect(await other.findReservation({ caller, leaseId, nowMs: noon + 60_000 + lingerMs - 1 })).toEqual(kept);
    expect(await other.findReservation({ caller: 'somebody else', leaseId, nowMs: noon })).toBeNull();
    expect(await other.findReservation({ caller, leaseId: 'another lease', nowMs: noon })).toBeNull();
    expect(await other.findReservation({ caller, leaseId, nowMs: noon + 60_000 + lingerMs })).toBeNull();
  });

  test('a reservation that begins twice, because its first response was lost, holds its budget once', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { reservation, reservationEnd } = newFlow();
    for (const store of [one, other])
      expect(await store.beginReservation(reservation({ gas }))).toEqual({ kind: 'begun' });
    expect(await allowanceOf(one, gas, noon)).toMatchObject({ held: 100 });
    await one.endReservation(reservationEnd({ kind: 'refused' }));
    expect(await allowanceOf(one, gas, noon)).toMatchObject({ held: 0 });
  });

  const expiresAtMs = noon + 60_000;
  test.each<[string, EndExecution['outcome'], number, number]>([
    ['its expiry, if the transaction was not sent', { kind: 'not-sent', attempt: 'mine' }, noon + 2, expiresAtMs],
    ['its expiry, if it was executed before', { kind: 'executed', gasUsed: 1 }, noon + 2, expiresAtMs],
    ['its expiry, if it was refused before', { kind: 'refused' }, noon + 2, expiresAtMs],
    ['its execution, if that ended later', { kind: 'executed', gasUsed: 1 }, expiresAtMs + 9, expiresAtMs + 9],
  ])('a reservation is known until 5 minutes after %s', async (_, outcome, endMs, fromMs) => {
    const { one, other } = stores();
    const { caller, leaseId, execution, executionEnd } = await reserve(one, { expiresAtMs });
    await one.beginExecution(execution({ attempt: 'mine' }));
    await one.endExecution(executionEnd(outcome, { nowMs: endMs }));
    const kind = { executed: 'spent', refused: 'refused', 'not-sent': 'expired', unknown: '' }[outcome.kind];
    const begin = (nowMs: number) => other.beginExecution(execution({ nowMs, mustBeKnown: false, expiresAtMs: 0 }));
    const state = outcome.kind === 'not-sent' ? 'active' : 'consumed';
    const lastMs = fromMs + lingerMs - 1;
    expect(await other.findReservation({ caller, leaseId, nowMs: lastMs })).toMatchObject({ state });
    expect(await begin(lastMs)).toMatchObject({ kind });
    expect(await other.findReservation({ caller, leaseId, nowMs: lastMs + 1 })).toBeNull();
    expect(await begin(lastMs + 1)).toEqual({ kind: 'expired' });
  });

  test('answers without a key are kept for 15 minutes', async () => {
    const { one, other } = stores();
    const { caller, leaseId, execution, executionEnd } = await reserve(one, { expiresAtMs: noon + 600_000 });
    await one.beginExecution(execution());
    const endMs = noon + textLifeMs - 2;
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { answer: 'effects', nowMs: endMs }));
    const find = (nowMs: number) =>
      Promise.all([
        other.findExecution({ caller, leaseId, bodyHash: 'body-1', nowMs }),
        other.findReservation({ caller, leaseId, nowMs }),
      ]);
    expect(await find(endMs + 1)).toMatchObject([{ kind: 'replay', answer: 'effects' }, { answer: 'coins' }]);
    expect(await find(endMs + 2)).toEqual([{ kind: 'spent', digest: 'digest-1' }, null]);
  });

  test('a reservation that nobody was told of yet, that was refused or whose answer was lost is not found', async () => {
    const { one } = stores();
    for (const kind of ['refused', 'lost'] as const) {
      const { caller, leaseId, reservation, reservationEnd } = newFlow();
      await one.beginReservation(reservation());
      expect(await one.findReservation({ caller, leaseId, nowMs: noon })).toBeNull();
      await one.endReservation(reservationEnd({ kind }));
      expect(await one.findReservation({ caller, leaseId, nowMs: noon })).toBeNull();
    }
  });

  test('the end of a reservation counts once: what is said of it later changes nothing', async () => {
    const { one, other } = stores();
    const { caller, leaseId, reservationEnd } = await reserve(one);
    await other.endReservation(reservationEnd({ kind: 'reserved', answer: 'other coins' }));
    await other.endReservation(reservationEnd({ kind: 'refused' }));
    await other.endReservation(reservationEnd({ kind: 'lost' }));
    expect(await other.findReservation({ caller, leaseId, nowMs: noon })).toMatchObject({
      answer: 'coins',
      state: 'active',
    });
  });

  test('a reservation gets the number that the sponsor gives it, also where another had it before', async () => {
    const { one, other } = stores();
    const { caller, leaseId, reservation, reservationEnd, execution } = newFlow();
    const next = newFlow(caller);
    const gas = { key: newName('gas'), perDay: 1_000 };
    await one.beginReservation(reservation({ gas }));
    await one.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins', knownAs: '77' }));
    expect(await other.findReservation({ caller, leaseId, nowMs: noon })).toBeNull();
    expect(await other.findReservation({ caller, leaseId: '77', nowMs: noon })).toMatchObject({ answer: 'coins' });
    const idempotency = { key: 'key', bodyHash: 'body-1' };
    expect(await other.beginExecution(execution({ leaseId: '77', idempotency }))).toEqual({ kind: 'begun' });
    // The sponsor's numbers start again.
    await one.beginReservation(next.reservation({ gas }));
    await one.endReservation(next.reservationEnd({ kind: 'reserved', answer: 'new coins', knownAs: '77' }));
    expect(await other.findReservation({ caller, leaseId: '77', nowMs: noon })).toMatchObject({
      answer: 'new coins',
      state: 'active',
    });
    expect(await allowanceOf(other, gas, noon)).toMatchObject({ held: 200 });
    const second = { leaseId: '77', digest: 'digest-2', bodyHash: 'body-2' };
    expect(await other.beginExecution(execution(second))).toEqual({ kind: 'begun' });
    // The execution in flight under the old number ends under its first name.
    const overdue = await claimOf(caller, one, noon + 30_000);
    expect(overdue.find(({ digest }) => digest === 'digest-1')).toMatchObject({ leaseId });
    const ended = { leaseId, answer: 'effects' };
    await one.endExecution(next.executionEnd({ kind: 'executed', gasUsed: 30 }, ended));
    expect(await allowanceOf(other, gas, noon)).toMatchObject({ held: 100, settled: 30 });
    expect(await other.beginExecution(execution({ idempotency }))).toEqual({ kind: 'replay', answer: 'effects' });
    await one.endExecution(next.executionEnd({ kind: 'executed', gasUsed: 5 }, second));
    expect(await allowanceOf(other, gas, noon)).toMatchObject({ held: 0, settled: 35 });
  });
}

function describeLateNumbers(stores: Stores): void {
  test('a number that was spent before its reservation was noted stays spent', async () => {
    const { one, other } = stores();
    const { caller, reservation, reservationEnd, execution } = newFlow();
    await one.beginReservation(reservation());
    const forward = { leaseId: '77', mustBeKnown: false };
    expect(await other.beginExecution(execution(forward))).toEqual({ kind: 'begun' });
    await one.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins', knownAs: '77' }, noon + 2));
    const next = execution({ ...forward, digest: 'digest-2', bodyHash: 'body-2', nowMs: noon + 3 });
    expect(await one.beginExecution(next)).toEqual({ kind: 'spent', digest: 'digest-1' });
    expect(await other.findReservation({ caller, leaseId: '77', nowMs: noon + 3 })).toBeNull();
  });
}

function describeKeys(stores: Stores): void {
  test('a key replays the answer of a reservation for a day, to its caller', async () => {
    const { one, other } = stores();
    const idempotency = { key: 'once', bodyHash: 'body' };
    const { caller, leaseId, reservation } = await reserve(one, { idempotency });
    const again = (more: Partial<BeginReservation> = {}) =>
      other.beginReservation(reservation({ leaseId: newName('lease'), idempotency, ...more }));
    const replay = { kind: 'replay', answer: 'coins' };
    expect(await again()).toEqual(replay);
    expect(await other.findReservation({ caller, leaseId, nowMs: noon })).toMatchObject({ answer: 'coins' });
    expect(await again({ idempotency: { key: 'once', bodyHash: 'other' } })).toEqual({ kind: 'conflict' });
    expect(await again({ caller: newName('client:caller') })).toEqual({ kind: 'begun' });
    expect(await again({ nowMs: noon + 86_399_999 })).toEqual(replay);
    expect(await again({ nowMs: noon + 86_400_000 })).toEqual({ kind: 'begun' });
  });

  test('of many reservations under one key at once one begins, and the others hear until when', async () => {
    const { one, other } = stores();
    const caller = newName('client:caller');
    const idempotency = { key: 'once', bodyHash: 'body' };
    const starts = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? one : other).beginReservation(newFlow(caller).reservation({ idempotency })),
      ),
    );
    expect(starts.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    const waiting = starts.filter(({ kind }) => kind !== 'begun');
    expect(waiting).toEqual(waiting.map(() => ({ kind: 'in-progress', answerByMs: noon + 15_000 })));
  });

  test('a key whose reservation was lost, or whose owner crashed, is free when the coins are', async () => {
    const { one, other } = stores();
    for (const isCrash of [true, false]) {
      const idempotency = { key: 'once', bodyHash: 'body' };
      const { reservation, reservationEnd } = newFlow();
      await one.beginReservation(reservation({ idempotency }));
      const nowMs = isCrash ? noon + 15_000 : noon + 2;
      if (!isCrash) await one.endReservation(reservationEnd({ kind: 'lost' }));
      const again = (at: number) =>
        other.beginReservation(reservation({ leaseId: newName('lease'), idempotency, nowMs: at }));
      expect(await again(nowMs)).toEqual({ kind: 'lost', untilMs: noon + 60_000 });
      expect(await again(noon + 60_000)).toEqual({ kind: 'begun' });
      // A late response to the first execution is not a response to the second.
      await one.endReservation(reservationEnd({ kind: 'reserved', answer: 'late coins' }, noon + 60_001));
      expect(await again(noon + 60_002)).not.toMatchObject({ kind: 'replay' });
    }
  });

  test('a key whose lost reservation is over replays the next reservation for a day', async () => {
    const { one, other } = stores();
    const idempotency = { key: 'once', bodyHash: 'body' };
    const { caller, reservation, reservationEnd } = newFlow();
    await one.beginReservation(reservation({ idempotency }));
    await one.endReservation(reservationEnd({ kind: 'lost' }));
    const begin = (nowMs: number, flow = newFlow(caller)) =>
      other.beginReservation(
        flow.reservation({ idempotency, nowMs, answerByMs: nowMs + 15_000, expiresAtMs: nowMs + 60_000 }),
      );
    const next = newFlow(caller);
    const laterMs = noon + 3_600_000;
    expect(await begin(laterMs, next)).toEqual({ kind: 'begun' });
    expect(await begin(laterMs)).toMatchObject({ kind: 'in-progress' });
    await one.endReservation(next.reservationEnd({ kind: 'reserved', answer: 'coins' }, laterMs));
    for (const nowMs of [noon + 86_400_000, laterMs + 86_399_999])
      expect(await begin(nowMs)).toEqual({ kind: 'replay', answer: 'coins' });
    expect(await begin(laterMs + 86_400_000)).toEqual({ kind: 'begun' });
  });

  test('a refused reservation frees its key', async () => {
    const { one, other } = stores();
    const { reservation, reservationEnd } = newFlow();
    await one.beginReservation(reservation({ idempotency: { key: 'once', bodyHash: 'body' } }));
    await one.endReservation(reservationEnd({ kind: 'refused' }));
    const idempotency = { key: 'once', bodyHash: 'another' };
    expect(await other.beginReservation(reservation({ leaseId: newName('lease'), idempotency }))).toEqual({
      kind: 'begun',
    });
  });

  test('a key replays the answer of an execution for a day, however long its lease has expired', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = await reserve(one);
    const idempotency = { key: 'once', bodyHash: 'body-1' };
    await one.beginExecution(execution({ idempotency }));
    expect(await other.beginExecution(execution({ idempotency }))).toMatchObject({ kind: 'in-progress' });
    const conflicting = { key: 'once', bodyHash: 'body-2' };
    expect(await other.beginExecution(execution({ idempotency: conflicting }))).toEqual({ kind: 'conflict' });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { answer: 'effects' }));
    const replay = { kind: 'replay', answer: 'effects' };
    expect(await other.beginExecution(execution({ idempotency }))).toEqual(replay);
    expect(await other.beginExecution(execution({ idempotency, nowMs: noon + 80_000_000 }))).toEqual(replay);
    expect(await other.beginExecution(execution({ idempotency, nowMs: noon + 86_400_001 }))).toEqual({
      kind: 'expired',
    });
  });

  test('a key that joins an execution under way replays its answer for a day, whoever began it and under whichever key', async () => {
    const { one, other } = stores();
    for (const own of [null, { key: 'own', bodyHash: 'body-1' }]) {
      const { execution, executionEnd } = await reserve(one);
      const join = (key: string, more: Partial<BeginExecution> = {}) =>
        other.beginExecution(execution({ idempotency: { key, bodyHash: 'body-1' }, ...more }));
      await one.beginExecution(execution({ idempotency: own }));
      expect(await join('first')).toMatchObject({ kind: 'in-progress' });
      expect(await join('second')).toMatchObject({ kind: 'in-progress' });
      expect(await join('first')).toMatchObject({ kind: 'in-progress' });
      await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { answer: 'effects' }));
      const { caller, leaseId, bodyHash, nowMs } = execution();
      const replay = { kind: 'replay', answer: 'effects' };
      expect(await other.findExecution({ caller, leaseId, bodyHash, nowMs })).toEqual(replay);
      for (const key of ['first', 'second']) {
        expect(await join(key)).toEqual(replay);
        expect(await join(key, { nowMs: noon + 80_000_000 })).toEqual(replay);
        expect(await join(key, { idempotency: { key, bodyHash: 'body-2' } })).toEqual({ kind: 'conflict' });
      }
    }
  });

  test('keys that joined an execution that was not sent are free again', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution({ attempt: 'mine' }));
    await other.beginExecution(execution({ idempotency: { key: 'joined', bodyHash: 'body-1' } }));
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }));
    const idempotency = { key: 'joined', bodyHash: 'body-2' };
    expect(await other.beginExecution(execution({ idempotency, bodyHash: 'body-2' }))).toEqual({ kind: 'begun' });
  });

  test('so many keys may join one execution; its answer is kept under no more', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = await reserve(one);
    const join = async (number: number) =>
      (await other.beginExecution(execution({ idempotency: { key: `key ${number}`, bodyHash: 'body-1' } }))).kind;
    await one.beginExecution(execution());
    for (let number = 0; number <= maxKeysPerExecution; number += 1) expect(await join(number)).toBe('in-progress');
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { answer: 'effects' }));
    expect(await join(maxKeysPerExecution - 1)).toBe('replay');
    expect(await join(maxKeysPerExecution)).toBe('spent');
  });

  test('a key without an answer that begins another execution replays that one for a day', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = newFlow();
    const idempotency = { key: 'once', bodyHash: 'body-1' };
    const begin = (nowMs: number) =>
      other.beginExecution(execution({ mustBeKnown: false, idempotency, nowMs, expiresAtMs: nowMs + 60_000 }));
    expect(await begin(noon)).toEqual({ kind: 'begun' });
    await one.endExecution(executionEnd({ kind: 'refused' }));
    const laterMs = noon + 3_600_000;
    expect(await begin(laterMs)).toEqual({ kind: 'begun' });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { nowMs: laterMs, answer: 'effects' }));
    for (const nowMs of [noon + 86_400_000, laterMs + 86_399_999])
      expect(await begin(nowMs)).toEqual({ kind: 'replay', answer: 'effects' });
    expect(await begin(laterMs + 86_400_000)).toEqual({ kind: 'begun' });
  });

  test('the same key of a reservation and of an execution are two', async () => {
    const { one } = stores();
    const { execution } = await reserve(one, { idempotency: { key: 'once', bodyHash: 'body' } });
    expect(await one.beginExecution(execution({ idempotency: { key: 'once', bodyHash: 'body-1' } }))).toEqual({
      kind: 'begun',
    });
  });

  test('answers are kept letter by letter', async () => {
    const { one, other } = stores();
    const answer = JSON.stringify({ text: 'ä "\u2028\u0000 😀', number: 2 ** 53 - 1 });
    const { execution, executionEnd } = await reserve(one);
    const idempotency = { key: 'ü\n\0', bodyHash: 'body-1' };
    await one.beginExecution(execution({ idempotency }));
    await one.endExecution(executionEnd({ kind: 'refused' }, { answer }));
    expect(await other.beginExecution(execution({ idempotency }))).toEqual({ kind: 'replay', answer });
  });
}
