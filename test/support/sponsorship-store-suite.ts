import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  BeginExecution,
  BeginReservation,
  EndExecution,
  EndReservation,
  SponsorshipStore,
} from '../../src/sponsor/store/sponsorship-store.ts';
import {
  lingerMs,
  maxKeysPerExecution,
  type StoreBounds,
  textLifeMs,
} from '../../src/sponsor/store/sponsorship-store.ts';

/** Stores that share one memory, like two processes with one Redis. */
export interface StorePair {
  readonly one: SponsorshipStore;
  readonly other: SponsorshipStore;
}

export interface StoreBench {
  open(bounds?: StoreBounds): StorePair | Promise<StorePair>;
  close(): unknown;
}

/** Noon UTC, far from the ends of the day. */
export const noon = Date.UTC(2027, 4, 5, 12);
const midnight = Date.UTC(2027, 4, 6);

let named = 0;
/** A unique name, since all tests may share one Redis. */
const newName = (what: string) => `${what}-${++named}`;

/** Values that differ only by caller; a test sets those it is about. */
export function newFlow(caller = newName('client:caller')) {
  const leaseId = newName('lease');
  const reservation = (more: Partial<BeginReservation> = {}): BeginReservation => ({
    caller,
    leaseId,
    amount: 100,
    expiresAtMs: noon + 60_000,
    gas: null,
    idempotency: null,
    answerByMs: noon + 15_000,
    nowMs: noon,
    ...more,
  });
  const reservationEnd = (outcome: EndReservation['outcome'], nowMs = noon): EndReservation => ({
    caller,
    leaseId,
    nowMs,
    outcome,
  });
  const execution = (more: Partial<BeginExecution> = {}): BeginExecution => ({
    caller,
    leaseId,
    digest: 'digest-1',
    expiresAtMs: noon + 60_000,
    mustBeKnown: true,
    gas: null,
    amount: 100,
    idempotency: null,
    bodyHash: 'body-1',
    attempt: newName('attempt'),
    answerByMs: noon + 30_000,
    budget: 100,
    requestId: 'request-1',
    needsReservation: false,
    nowMs: noon + 1,
    ...more,
  });
  const executionEnd = (outcome: EndExecution['outcome'], more: Partial<EndExecution> = {}): EndExecution => ({
    caller,
    leaseId,
    digest: 'digest-1',
    nowMs: noon + 2,
    answer: null,
    outcome,
    ...more,
  });
  return { caller, leaseId, reservation, reservationEnd, execution, executionEnd };
}

/** A reserved lease. */
export async function reserve(store: SponsorshipStore, more: Partial<BeginReservation> = {}, caller?: string) {
  const flow = newFlow(caller);
  expect(await store.beginReservation(flow.reservation(more))).toEqual({ kind: 'begun' });
  await store.endReservation(flow.reservationEnd({ kind: 'reserved', answer: 'coins' }));
  return flow;
}

/** Overdue executions of this caller, since all tests may share one Redis. */
const claimOf = async (caller: string, store: SponsorshipStore, nowMs: number) =>
  (await store.claimOverdue({ most: 1_000, nowMs })).filter((overdue) => overdue.caller === caller);

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
    describeFence(() => ({ one, other }));
    describeKeys(() => ({ one, other }));
    describeBudgets(() => ({ one, other }));
    describeBounds((bounds) => bench.open(bounds));
  });
}

type Stores = () => StorePair;

function describeReservations(stores: Stores): void {
  test('a reservation is found by its caller alone, until some minutes after its expiry', async () => {
    const { one, other } = stores();
    const { caller, leaseId } = await reserve(one);
    const kept = { answer: 'coins', state: 'active' };
    expect(await other.findReservation(caller, leaseId, noon + 5)).toEqual(kept);
    expect(await other.findReservation(caller, leaseId, noon + 60_000 + lingerMs - 1)).toEqual(kept);
    expect(await other.findReservation('somebody else', leaseId, noon)).toBeNull();
    expect(await other.findReservation(caller, 'another lease', noon)).toBeNull();
    expect(await other.findReservation(caller, leaseId, noon + 60_000 + lingerMs)).toBeNull();
  });

  test('a reservation that begins twice, because its first response was lost, holds its budget once', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { reservation, reservationEnd } = newFlow();
    for (const store of [one, other])
      expect(await store.beginReservation(reservation({ gas }))).toEqual({ kind: 'begun' });
    expect(await one.gasAllowance(gas, noon)).toMatchObject({ held: 100 });
    await one.endReservation(reservationEnd({ kind: 'refused' }));
    expect(await one.gasAllowance(gas, noon)).toMatchObject({ held: 0 });
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
    expect(await other.findReservation(caller, leaseId, lastMs)).toMatchObject({ state });
    expect(await begin(lastMs)).toMatchObject({ kind });
    expect(await other.findReservation(caller, leaseId, lastMs + 1)).toBeNull();
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
        other.findReservation(caller, leaseId, nowMs),
      ]);
    expect(await find(endMs + 1)).toMatchObject([{ kind: 'replay', answer: 'effects' }, { answer: 'coins' }]);
    expect(await find(endMs + 2)).toEqual([{ kind: 'spent', digest: 'digest-1' }, null]);
  });

  test('a reservation that nobody was told of yet, that was refused or whose answer was lost is not found', async () => {
    const { one } = stores();
    for (const kind of ['refused', 'lost'] as const) {
      const { caller, leaseId, reservation, reservationEnd } = newFlow();
      await one.beginReservation(reservation());
      expect(await one.findReservation(caller, leaseId, noon)).toBeNull();
      await one.endReservation(reservationEnd({ kind }));
      expect(await one.findReservation(caller, leaseId, noon)).toBeNull();
    }
  });

  test('the end of a reservation counts once: what is said of it later changes nothing', async () => {
    const { one, other } = stores();
    const { caller, leaseId, reservationEnd } = await reserve(one);
    await other.endReservation(reservationEnd({ kind: 'reserved', answer: 'other coins' }));
    await other.endReservation(reservationEnd({ kind: 'refused' }));
    await other.endReservation(reservationEnd({ kind: 'lost' }));
    expect(await other.findReservation(caller, leaseId, noon)).toMatchObject({ answer: 'coins', state: 'active' });
  });

  test('a reservation gets the number that the sponsor gives it, also where another had it before', async () => {
    const { one, other } = stores();
    const { caller, leaseId, reservation, reservationEnd, execution } = newFlow();
    const { caller: _, leaseId: nextId, ...next } = newFlow(caller);
    const gas = { key: newName('gas'), perDay: 1_000 };
    await one.beginReservation(reservation({ gas }));
    await one.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins', knownAs: '77' }));
    expect(await other.findReservation(caller, leaseId, noon)).toBeNull();
    expect(await other.findReservation(caller, '77', noon)).toMatchObject({ answer: 'coins' });
    const idempotency = { key: 'key', bodyHash: 'body-1' };
    expect(await other.beginExecution(execution({ leaseId: '77', idempotency }))).toEqual({ kind: 'begun' });
    // The sponsor's numbers start again.
    await one.beginReservation(next.reservation({ gas }));
    await one.endReservation(next.reservationEnd({ kind: 'reserved', answer: 'new coins', knownAs: '77' }));
    expect(await other.findReservation(caller, '77', noon)).toMatchObject({ answer: 'new coins', state: 'active' });
    expect(await other.gasAllowance(gas, noon)).toMatchObject({ held: 200 });
    const second = { leaseId: '77', digest: 'digest-2', bodyHash: 'body-2' };
    expect(await other.beginExecution(execution(second))).toEqual({ kind: 'begun' });
    // The execution in flight under the old number ends under another name.
    const overdue = await claimOf(caller, one, noon + 30_000);
    expect(overdue.find(({ digest }) => digest === 'digest-1')).toMatchObject({ leaseId: nextId });
    const ended = { leaseId: nextId, answer: 'effects' };
    await one.endExecution(next.executionEnd({ kind: 'executed', gasUsed: 30 }, ended));
    expect(await other.gasAllowance(gas, noon)).toMatchObject({ held: 100, settled: 30 });
    expect(await other.beginExecution(execution({ idempotency }))).toEqual({ kind: 'replay', answer: 'effects' });
    await one.endExecution(next.executionEnd({ kind: 'executed', gasUsed: 5 }, second));
    expect(await other.gasAllowance(gas, noon)).toMatchObject({ held: 0, settled: 35 });
  });
}

function describeFence(stores: Stores): void {
  test('of many executions of one lease at once exactly one begins, wherever they ask', async () => {
    const { one, other } = stores();
    const { execution } = await reserve(one);
    const begins = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : other).beginExecution(execution({ bodyHash: `body-${index % 4}` })),
    );
    const kinds = (await Promise.all(begins)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'begun')).toHaveLength(1);
    // Four of five use other arguments than the first; none learns whose lease it was.
    expect(kinds.filter((kind) => kind === 'in-progress')).toHaveLength(4);
    expect(kinds.filter((kind) => kind === 'spent')).toHaveLength(15);
  });

  test('a twin finds what became of it; another body is told only that the lease is spent', async () => {
    const { one, other } = stores();
    const { caller, leaseId, execution, executionEnd } = await reserve(one);
    const find = (bodyHash = 'body-1') => other.findExecution({ caller, leaseId, bodyHash, nowMs: noon + 3 });
    expect(await find()).toBeNull();
    await one.beginExecution(execution());
    const underWay = { kind: 'in-progress', digest: 'digest-1', answerByMs: noon + 30_000 };
    expect(await other.beginExecution(execution())).toEqual(underWay);
    expect(await find()).toEqual(underWay);
    expect(await find('body-2')).toEqual({ kind: 'spent', digest: 'digest-1' });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 7 }, { answer: 'effects' }));
    expect(await find()).toEqual({ kind: 'replay', answer: 'effects' });
    // A repeated call without a key does not get the first call's result.
    expect(await other.beginExecution(execution())).toEqual({ kind: 'spent', digest: 'digest-1' });
    expect(await other.findReservation(caller, leaseId, noon + 4)).toMatchObject({ state: 'consumed' });
  });

  test('a crashed owner leaves it in progress, and somebody else may end it', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution());
    const late = noon + 3_600_000;
    expect(await other.beginExecution(execution({ nowMs: late }))).toMatchObject({ kind: 'in-progress' });
    await other.endExecution(executionEnd({ kind: 'unknown' }, { nowMs: late }));
    expect(await one.beginExecution(execution({ nowMs: late }))).toMatchObject({ kind: 'in-progress' });
    await other.endExecution(executionEnd({ kind: 'executed', gasUsed: 7 }, { nowMs: late }));
    await other.endExecution(executionEnd({ kind: 'unknown' }, { nowMs: late }));
    expect(await one.beginExecution(execution({ nowMs: late }))).toMatchObject({ kind: 'spent' });
  });

  test('an execution that nobody has ended is given to one who asks, again and again after pauses that grow', async () => {
    const { one, other } = stores();
    const { caller, leaseId, execution, executionEnd } = await reserve(one);
    const dueMs = noon + 30_000;
    await one.beginExecution(execution({ budget: null }));
    expect(await claimOf(caller, other, dueMs - 1)).toEqual([]);
    const overdue = { caller, leaseId, digest: 'digest-1', amount: 100, budget: null, requestId: 'request-1' };
    const claims = await Promise.all([claimOf(caller, one, dueMs), claimOf(caller, other, dueMs)]);
    expect(claims.flat()).toEqual([overdue]);
    const claimedAt: number[] = [];
    for (let minute = 1; minute < 24 * 60; minute += 1)
      if ((await claimOf(caller, other, dueMs + minute * 60_000)).length > 0) claimedAt.push(minute);
    expect(claimedAt.slice(0, 3)).toEqual([1, 2, 3]);
    expect(claimedAt.length).toBeGreaterThan(10);
    expect(claimedAt.length).toBeLessThan(25);
    expect(await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 7 }))).toBe(true);
    expect(await other.endExecution(executionEnd({ kind: 'executed', gasUsed: 7 }))).toBe(false);
  });

  test('what has ended, was taken back or is looked for by its own process is not given to others', async () => {
    const { one, other } = stores();
    const ends = [
      { kind: 'executed', gasUsed: 7 },
      { kind: 'refused' },
      { kind: 'not-sent', attempt: 'mine' },
    ] as const;
    for (const outcome of ends) {
      const { caller, execution, executionEnd } = await reserve(one);
      await one.beginExecution(execution({ attempt: 'mine' }));
      expect(await one.endExecution(executionEnd(outcome))).toBe(true);
      for (const nowMs of [noon + 40_000, noon + 3_600_000]) expect(await claimOf(caller, other, nowMs)).toEqual([]);
    }
    const { caller, execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution());
    await one.endExecution(executionEnd({ kind: 'unknown' }, { nowMs: noon + 29_000 }));
    expect(await claimOf(caller, other, noon + 88_999)).toEqual([]);
    expect(await claimOf(caller, other, noon + 89_000)).toHaveLength(1);
  });

  test('what nobody was sure of is taken back by the attempt that sent nothing after all', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution({ attempt: 'mine' }));
    await other.endExecution(executionEnd({ kind: 'unknown' }));
    await other.endExecution(executionEnd({ kind: 'not-sent', attempt: 'of another' }));
    expect(await other.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }));
    expect(await other.beginExecution(execution())).toEqual({ kind: 'begun' });
  });

  test('a lease that was spent by a transaction nobody here knows names none', async () => {
    const { one, other } = stores();
    const { caller, leaseId, execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution({ attempt: 'mine' }));
    const outcome = { kind: 'refused', isSpentElsewhere: true } as const;
    await other.endExecution(executionEnd({ ...outcome, attempt: 'of another' }));
    expect(await other.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
    await one.endExecution(executionEnd({ ...outcome, attempt: 'mine' }, { answer: 'refused' }));
    expect(await other.beginExecution(execution())).toEqual({ kind: 'spent', digest: '' });
    const { bodyHash, nowMs } = execution();
    expect(await other.findExecution({ caller, leaseId, bodyHash, nowMs })).toEqual({
      kind: 'replay',
      answer: 'refused',
    });
    expect(await other.findReservation(caller, leaseId, nowMs)).toMatchObject({ state: 'consumed' });
  });

  test('of what a credential was refused for that nobody has nothing is kept, but what was reserved here is spent', async () => {
    const { one, other } = stores();
    const nobodys = { kind: 'refused', attempt: 'mine', isOfNobody: true } as const;
    const idempotency = { key: 'once', bodyHash: 'body-1' };
    const foreign = newFlow();
    const begin = { mustBeKnown: false, attempt: 'mine', idempotency };
    await one.beginExecution(foreign.execution(begin));
    await other.endExecution(foreign.executionEnd({ ...nobodys, attempt: 'of another' }));
    expect(await other.beginExecution(foreign.execution(begin))).toMatchObject({ kind: 'in-progress' });
    expect(await one.endExecution(foreign.executionEnd(nobodys, { answer: 'refused' }))).toBe(true);
    const { caller, leaseId, bodyHash, nowMs } = foreign.execution();
    expect(await other.findExecution({ caller, leaseId, bodyHash, nowMs })).toBeNull();
    const others = { ...begin, idempotency: { key: 'once', bodyHash: 'body-2' } };
    expect(await other.beginExecution(foreign.execution(others))).toEqual({ kind: 'begun' });

    const { execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution(begin));
    await one.endExecution(executionEnd(nobodys, { answer: 'refused' }));
    expect(await other.beginExecution(execution())).toEqual({ kind: 'refused', digest: 'digest-1' });
    expect(await other.beginExecution(execution(begin))).toEqual({ kind: 'replay', answer: 'refused' });
  });

  test('a refused execution leaves the lease spent, by a refusal: whoever asks for it is not sent to the ledger', async () => {
    const { one, other } = stores();
    const { caller, leaseId, execution, executionEnd } = await reserve(one);
    const find = (bodyHash: string) => other.findExecution({ caller, leaseId, bodyHash, nowMs: noon + 3 });
    await one.beginExecution(execution());
    await one.endExecution(executionEnd({ kind: 'refused' }));
    const refused = { kind: 'refused', digest: 'digest-1' };
    expect(await other.beginExecution(execution())).toEqual(refused);
    const next = { bodyHash: 'body-2', digest: 'digest-2' };
    expect(await other.beginExecution(execution(next))).toEqual(refused);
    expect([await find('body-1'), await find('body-2')]).toEqual([refused, refused]);
    // A later, different end changes nothing.
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 7 }));
    expect(await find('body-1')).toEqual(refused);
  });

  test('a transaction that the sponsor executed after a refusal, while the store was away, replaces the refusal', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution());
    await one.endExecution(executionEnd({ kind: 'refused' }, { answer: 'refused' }));
    const executed = executionEnd({ kind: 'executed', gasUsed: 1 }, { digest: 'digest-2', answer: 'executed' });
    expect(await one.endExecution(executed)).toBe(true);
    expect(await other.endExecution({ ...executed, digest: 'digest-3' })).toBe(false);
    const next = { digest: 'digest-2', bodyHash: 'body-2' };
    expect(await other.beginExecution(execution(next))).toEqual({ kind: 'spent', digest: 'digest-2' });
    expect(await other.beginExecution(execution())).toEqual({ kind: 'spent', digest: 'digest-2' });
  });

  test('a refusal of an attempt that did not set the fence ends nothing: the one that did may have run', async () => {
    const { one, other } = stores();
    const { execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution({ attempt: 'the one' }));
    await other.endExecution(executionEnd({ kind: 'refused', attempt: 'another' }, { answer: 'refused' }));
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 7 }, { answer: 'executed' }));
    const { caller, leaseId, bodyHash, nowMs } = execution();
    expect(await other.findExecution({ caller, leaseId, bodyHash, nowMs })).toEqual({
      kind: 'replay',
      answer: 'executed',
    });
  });

  test('an attempt that sent nothing gives the lease back, and no other can', async () => {
    const { one, other } = stores();
    const { caller, leaseId, execution, executionEnd } = await reserve(one);
    const idempotency = { key: 'once', bodyHash: 'body-1' };
    await one.beginExecution(execution({ attempt: 'mine', idempotency }));
    await other.endExecution(executionEnd({ kind: 'not-sent', attempt: 'of another' }));
    expect(await other.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }));
    expect(await other.findReservation(caller, leaseId, noon)).toMatchObject({ state: 'active' });
    // The key can be used again.
    const again = { digest: 'digest-2', idempotency: { key: 'once', bodyHash: 'body-2' }, bodyHash: 'body-2' };
    expect(await other.beginExecution(execution({ ...again, attempt: 'second' }))).toEqual({ kind: 'begun' });
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }));
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'second' }));
    expect(await other.beginExecution(execution())).toEqual({ kind: 'spent', digest: 'digest-2' });
  });

  test('an expired lease, and one that the store never heard of, begins nothing', async () => {
    const { one } = stores();
    const { execution } = await reserve(one);
    expect(await one.beginExecution(execution({ nowMs: noon + 60_000 }))).toEqual({ kind: 'expired' });
    const { execution: unheard } = newFlow();
    expect(await one.beginExecution(unheard())).toEqual({ kind: 'unknown' });
    expect(await one.beginExecution(unheard({ nowMs: noon + 60_000 }))).toEqual({ kind: 'expired' });
    expect(await one.beginExecution(unheard({ nowMs: noon + 60_000, mustBeKnown: false }))).toEqual({
      kind: 'expired',
    });
  });

  test('what is kept of a reservation is told with the fence to who asks for it, and where there is any', async () => {
    const { one, other } = stores();
    const { execution } = await reserve(one);
    const begun = { kind: 'begun', reservation: 'coins' };
    expect(await other.beginExecution(execution({ needsReservation: true }))).toEqual(begun);
    const keyed = await reserve(one, { idempotency: { key: 'once', bodyHash: 'body' } });
    expect(await other.beginExecution(keyed.execution({ needsReservation: true }))).toEqual(begun);
    const { execution: unheard } = newFlow();
    expect(await other.beginExecution(unheard({ needsReservation: true, mustBeKnown: false }))).toEqual({
      kind: 'begun',
    });
  });

  test('a lease whose reservation nobody could note as ended is executed all the same', async () => {
    const { one, other } = stores();
    const { reservation, reservationEnd, execution } = newFlow();
    await one.beginReservation(reservation());
    expect(await other.beginExecution(execution())).toEqual({ kind: 'begun' });
    await one.endReservation(reservationEnd({ kind: 'refused' }));
    expect(await other.beginExecution(execution())).toMatchObject({ kind: 'in-progress' });
  });

  test("a sponsor's own number is fenced from its execution on, for its caller", async () => {
    const { one, other } = stores();
    const { caller, execution, executionEnd } = newFlow();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const begin = (more: Partial<BeginExecution> = {}) => execution({ mustBeKnown: false, gas, amount: 300, ...more });
    expect(await one.beginExecution(begin({ attempt: 'first' }))).toEqual({ kind: 'begun' });
    expect(await other.beginExecution(begin())).toMatchObject({ kind: 'in-progress' });
    expect(await other.gasAllowance(gas, noon)).toMatchObject({ held: 300 });
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'first' }));
    expect(await other.gasAllowance(gas, noon)).toMatchObject({ held: 0 });
    expect(await other.beginExecution(begin())).toEqual({ kind: 'begun' });
    expect(await other.beginExecution(begin({ caller: `${caller} 2` }))).toEqual({ kind: 'begun' });
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
    expect(await other.findReservation(caller, leaseId, noon)).toMatchObject({ answer: 'coins' });
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

function describeBudgets(stores: Stores): void {
  test('a budget is held, settled by what was used, and free again where nothing was', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 350 };
    const left = (nowMs = noon) => other.gasAllowance(gas, nowMs);
    const facts = { limit: 350, resetsAtMs: midnight };
    expect(await left()).toEqual({ ...facts, held: 0, settled: 0, free: 350 });
    const first = await reserve(one, { gas });
    const second = await reserve(one, { gas });
    await reserve(one, { gas, expiresAtMs: noon + 10 });
    expect(await left()).toEqual({ ...facts, held: 300, settled: 0, free: 50 });
    expect(await one.beginReservation(newFlow().reservation({ gas }))).toEqual({
      kind: 'over-budget',
      allowance: { ...facts, held: 300, settled: 0, free: 50 },
    });
    await one.beginExecution(first.execution());
    await one.endExecution(first.executionEnd({ kind: 'executed', gasUsed: 30 }));
    await one.endExecution(first.executionEnd({ kind: 'executed', gasUsed: 30 }));
    expect(await left()).toEqual({ ...facts, held: 200, settled: 30, free: 120 });
    await one.beginExecution(second.execution());
    await one.endExecution(second.executionEnd({ kind: 'refused' }));
    expect(await left()).toEqual({ ...facts, held: 100, settled: 30, free: 220 });
    expect(await left(noon + 10)).toEqual({ ...facts, held: 0, settled: 30, free: 320 });
  });

  test('what was dispatched never expires; what is not known of it stays held until it is', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution, executionEnd } = await reserve(one, { gas });
    await one.beginExecution(execution());
    const later = noon + 3_600_000;
    expect(await other.gasAllowance(gas, later)).toMatchObject({ held: 100, settled: 0 });
    await one.endExecution(executionEnd({ kind: 'unknown' }));
    expect(await other.gasAllowance(gas, later)).toMatchObject({ held: 100, settled: 0 });
    await other.endExecution(executionEnd({ kind: 'executed', gasUsed: 1_000 }, { nowMs: later }));
    expect(await other.gasAllowance(gas, later)).toMatchObject({ held: 0, settled: 100 });
  });

  test('a hold whose lease expired by a clock that is ahead is taken again when it is executed', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution, executionEnd } = await reserve(one, { gas });
    expect(await other.gasAllowance(gas, noon + 60_000)).toMatchObject({ held: 0 });
    expect(await one.beginExecution(execution({ nowMs: noon + 59_999 }))).toEqual({ kind: 'begun' });
    expect(await other.gasAllowance(gas, noon + 60_000)).toMatchObject({ held: 100, settled: 0 });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 40 }));
    expect(await other.gasAllowance(gas, noon + 60_000)).toMatchObject({ held: 0, settled: 40 });
  });

  test('an attempt that sent nothing leaves its hold to expire with the lease', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution, executionEnd } = await reserve(one, { gas });
    await one.beginExecution(execution({ attempt: 'mine' }));
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }));
    expect(await other.gasAllowance(gas, noon + 59_999)).toMatchObject({ held: 100 });
    expect(await other.gasAllowance(gas, noon + 60_000)).toMatchObject({ held: 0 });
    const late = await reserve(one, { gas });
    await one.beginExecution(late.execution({ attempt: 'mine' }));
    await one.endExecution(late.executionEnd({ kind: 'not-sent', attempt: 'mine' }, { nowMs: noon + 60_001 }));
    expect(await other.gasAllowance(gas, noon + 60_001)).toMatchObject({ held: 0 });
  });

  test('refused and lost reservations give back at once, and at their expiry', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const [refused, lost] = [newFlow(), newFlow()];
    await one.beginReservation(refused.reservation({ gas }));
    await one.beginReservation(lost.reservation({ gas }));
    await one.endReservation(refused.reservationEnd({ kind: 'refused' }));
    await one.endReservation(refused.reservationEnd({ kind: 'refused' }));
    await one.endReservation(lost.reservationEnd({ kind: 'lost' }));
    expect(await other.gasAllowance(gas, noon)).toMatchObject({ held: 100 });
    expect(await other.gasAllowance(gas, noon + 60_000)).toMatchObject({ held: 0 });
  });

  test('of many reservations at once exactly as many are granted as the budget has room for', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 777 };
    const starts = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? one : other).beginReservation(newFlow().reservation({ gas })),
      ),
    );
    expect(starts.filter(({ kind }) => kind === 'begun')).toHaveLength(7);
    expect(starts.filter(({ kind }) => kind === 'over-budget')).toHaveLength(23);
  });

  test('a new day begins with all of it, and what was held the day before counts there alone', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution, executionEnd } = await reserve(one, {
      gas,
      nowMs: midnight - 1,
      expiresAtMs: midnight + 60_000,
    });
    expect(await other.gasAllowance(gas, midnight)).toEqual({
      limit: 1_000,
      held: 0,
      settled: 0,
      free: 1_000,
      resetsAtMs: midnight + 86_400_000,
    });
    expect(await one.beginExecution(execution({ nowMs: midnight + 1 }))).toEqual({ kind: 'begun' });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 60 }, { nowMs: midnight + 2 }));
    expect(await other.gasAllowance(gas, midnight + 3)).toMatchObject({ held: 0, settled: 0, free: 1_000 });
  });

  const outcomes = [
    { kind: 'executed', gasUsed: 60 },
    { kind: 'refused' },
    { kind: 'unknown' },
    { kind: 'not-sent', attempt: 'mine' },
  ] as const;
  const ends = outcomes.flatMap((outcome) =>
    [midnight - 1, midnight + 2].flatMap((beginMs) =>
      [midnight + 3, midnight + 60_000].map((endMs) => [outcome.kind, beginMs - midnight, endMs - midnight, outcome]),
    ),
  ) as [string, number, number, EndExecution['outcome']][];
  test.each<[string, number | null, number, EndExecution['outcome'] | null]>([
    ['a refused reservation', null, 3, null],
    ...ends,
  ])('a hold of yesterday changes nothing today: %s, begun at %d, ended at %d', async (_, begin, end, outcome) => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const attempt = 'mine';
    const flow = newFlow();
    const beginMs = begin === null ? null : midnight + begin;
    const beginNow = () => one.beginExecution(flow.execution({ attempt, gas, nowMs: beginMs ?? 0 }));
    await one.beginReservation(flow.reservation({ gas, nowMs: midnight - 2, expiresAtMs: midnight + 60_000 }));
    if (outcome) await one.endReservation(flow.reservationEnd({ kind: 'reserved', answer: 'coins' }, midnight - 2));
    if (beginMs !== null && beginMs < midnight) await beginNow();
    await reserve(other, { gas, nowMs: midnight + 1, expiresAtMs: midnight + 120_000, amount: 30 });
    if (beginMs !== null && beginMs > midnight) await beginNow();
    const nowMs = midnight + end;
    if (outcome) await one.endExecution(flow.executionEnd(outcome, { nowMs }));
    else await one.endReservation(flow.reservationEnd({ kind: 'refused' }, nowMs));
    for (const atMs of [nowMs, midnight + 60_000, midnight + 119_999])
      expect(await other.gasAllowance(gas, atMs)).toMatchObject({ held: 30, settled: 0 });
    expect(await other.gasAllowance(gas, midnight + 120_000)).toMatchObject({ held: 0, settled: 0 });
  });

  test('a step that is late at midnight does not renew the budget of the new day', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    await reserve(one, { gas, nowMs: midnight, expiresAtMs: midnight + 60_000 });
    await other.gasAllowance(gas, midnight - 1);
    expect(await one.gasAllowance(gas, midnight + 1)).toMatchObject({ held: 100, free: 900 });
  });

  test('a budget that was lowered is less than nothing until the day is over, and numbers are exact', async () => {
    const { one, other } = stores();
    const key = newName('gas');
    const huge = 2 ** 53 - 1;
    const flow = await reserve(one, { gas: { key, perDay: huge }, amount: huge - 1 });
    expect(await other.gasAllowance({ key, perDay: huge }, noon)).toMatchObject({ held: huge - 1, free: 1 });
    expect(await other.gasAllowance({ key, perDay: 5 }, noon)).toMatchObject({ limit: 5, free: 6 - huge });
    await one.beginExecution(flow.execution());
    await one.endExecution(flow.executionEnd({ kind: 'executed', gasUsed: huge - 2 }));
    expect(await other.gasAllowance({ key, perDay: huge }, noon)).toMatchObject({
      settled: huge - 2,
      held: 0,
      free: 2,
    });
  });
}

function describeBounds(open: (bounds: StoreBounds) => StorePair | Promise<StorePair>): void {
  const small: StoreBounds = {
    maxLeasesPerCaller: 3,
    maxLeases: 1_000,
    maxKeysPerCaller: 3,
    maxKeys: 1_000,
    maxAnswerBytes: 100,
    maxAnswerBytesPerCaller: 150,
    maxAnswerBytesInAll: 10_000,
  };

  test('a caller that has too many leases begins none until some are forgotten; others do', async () => {
    const { one } = await open(small);
    const { caller } = await reserve(one);
    await reserve(one, { expiresAtMs: noon + 90_000 }, caller);
    await reserve(one, { expiresAtMs: noon + 90_000 }, caller);
    const { reservation, execution } = newFlow(caller);
    expect(await one.beginReservation(reservation())).toEqual({ kind: 'full' });
    expect(await one.beginExecution(execution({ mustBeKnown: false }))).toEqual({ kind: 'full' });
    expect(await one.beginReservation(newFlow().reservation())).toEqual({ kind: 'begun' });
    const later = noon + 60_000 + lingerMs;
    expect(await one.beginReservation(reservation({ nowMs: later, expiresAtMs: later + 1 }))).toEqual({
      kind: 'begun',
    });
    expect(await one.beginReservation(newFlow(caller).reservation({ nowMs: later }))).toEqual({ kind: 'full' });
  });

  test('executions that were not sent leave room, where their reservations are not known', async () => {
    const { one } = await open({ ...small, maxLeasesPerCaller: 1 });
    const { caller } = newFlow();
    for (let count = 0; count < 3; count += 1) {
      const { execution, executionEnd } = newFlow(caller);
      const begin = execution({ mustBeKnown: false, attempt: 'mine' });
      expect(await one.beginExecution(begin)).toEqual({ kind: 'begun' });
      expect(await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }))).toBe(true);
    }
  });

  test('an execution that ended leaves room some minutes after its end, however long it was open', async () => {
    const { one } = await open({ ...small, maxLeasesPerCaller: 1 });
    const { caller, execution, executionEnd } = await reserve(one);
    await one.beginExecution(execution());
    const endedMs = noon + 60_000 + lingerMs;
    // The store looks whether the reservation is over, and finds its execution open.
    expect(await one.beginReservation(newFlow(caller).reservation({ nowMs: endedMs }))).toEqual({ kind: 'full' });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { nowMs: endedMs }));
    const nowMs = endedMs + lingerMs;
    const next = newFlow(caller).reservation({ nowMs, expiresAtMs: nowMs + 60_000 });
    expect(await one.beginReservation(next)).toEqual({ kind: 'begun' });
  });

  test('answers in flight together leave no more than their bound, whichever began first', async () => {
    const { one } = await open({ ...small, maxLeasesPerCaller: 100 });
    const caller = newName('client:caller');
    const flows = ['a', 'b', 'c'].map((key) => ({ flow: newFlow(caller), idempotency: { key, bodyHash: 'body' } }));
    for (const { flow, idempotency } of flows) await one.beginReservation(flow.reservation({ idempotency }));
    for (const { flow } of flows)
      await one.endReservation(flow.reservationEnd({ kind: 'reserved', answer: 'x'.repeat(90) }));
    const kinds: string[] = [];
    for (const { idempotency } of flows)
      kinds.push((await one.beginReservation(newFlow(caller).reservation({ idempotency }))).kind);
    expect(kinds.filter((kind) => kind === 'replay').length).toBeLessThanOrEqual(small.maxAnswerBytesPerCaller / 90);
  });

  test('a key that was pushed out is forgotten: what becomes of its reservation is nothing to who has it now', async () => {
    const { one, other } = await open({ ...small, maxLeasesPerCaller: 100, maxKeysPerCaller: 1 });
    const caller = newName('client:caller');
    let nowMs = noon;
    const begin = (key: string) => {
      nowMs += 1;
      const flow = newFlow(caller);
      const begun = one.beginReservation(flow.reservation({ idempotency: { key, bodyHash: 'body' }, nowMs }));
      return begun.then(({ kind }) => ({ ...flow, kind }));
    };
    const [first, , successor] = [await begin('a'), await begin('b'), await begin('a')];
    expect([first.kind, successor.kind]).toEqual(['begun', 'begun']);
    await other.endReservation(first.reservationEnd({ kind: 'refused' }));
    expect((await begin('a')).kind).toBe('in-progress');
    await one.endReservation(successor.reservationEnd({ kind: 'reserved', answer: 'coins' }));
    expect((await begin('a')).kind).toBe('replay');
  });

  test('an execution with several keys keeps its answer until the last of them is pushed out', async () => {
    const { one, other } = await open({ ...small, maxLeasesPerCaller: 100, maxKeysPerCaller: 2 });
    const { caller, leaseId, execution, executionEnd } = await reserve(one);
    let nowMs = noon;
    const pushOutOne = (key: string) => {
      nowMs += 1;
      return one.beginReservation(newFlow(caller).reservation({ idempotency: { key, bodyHash: 'body' }, nowMs }));
    };
    const find = () => other.findExecution({ caller, leaseId, bodyHash: 'body-1', nowMs });
    for (const key of ['first', 'second']) {
      nowMs += 1;
      await one.beginExecution(execution({ idempotency: { key, bodyHash: 'body-1' }, nowMs }));
    }
    await pushOutOne('third');
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 1 }, { answer: 'effects', nowMs }));
    expect(await find()).toEqual({ kind: 'replay', answer: 'effects' });
    await pushOutOne('fourth');
    expect(await find()).toEqual({ kind: 'spent', digest: 'digest-1' });
  });

  test('a key that was pushed out stays free when its reservation gets the number of the sponsor', async () => {
    const { one } = await open({ ...small, maxLeasesPerCaller: 100, maxKeysPerCaller: 1 });
    const { caller, reservation, reservationEnd } = newFlow();
    const keyed = (key: string, bodyHash: string, nowMs: number) => ({ idempotency: { key, bodyHash }, nowMs });
    await one.beginReservation(reservation(keyed('a', 'body', noon)));
    await one.beginReservation(newFlow(caller).reservation(keyed('b', 'body', noon + 1)));
    await one.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins', knownAs: '77' }, noon + 2));
    const again = newFlow(caller).reservation(keyed('a', 'another body', noon + 3));
    expect(await one.beginReservation(again)).toEqual({ kind: 'begun' });
  });

  test('the oldest answers without a key make room for younger ones, and leave their leases spent', async () => {
    const { one } = await open({ ...small, maxLeasesPerCaller: 100 });
    const caller = newName('client:caller');
    const flows = [newFlow(caller), newFlow(caller), newFlow(caller)];
    for (const [index, { reservation, reservationEnd, execution }] of flows.entries()) {
      await one.beginReservation(reservation({ nowMs: noon + index }));
      await one.endReservation(reservationEnd({ kind: 'reserved', answer: 'coins' }, noon + index));
      await one.beginExecution(execution({ nowMs: noon + 3 }));
    }
    for (const { executionEnd } of flows)
      await one.endExecution(
        executionEnd({ kind: 'executed', gasUsed: 1 }, { nowMs: noon + 4, answer: 'x'.repeat(90) }),
      );
    const found = flows.map(({ leaseId }) =>
      Promise.all([
        one.findExecution({ caller, leaseId, bodyHash: 'body-1', nowMs: noon + 5 }),
        one.findReservation(caller, leaseId, noon + 5),
      ]),
    );
    const forgotten = [{ kind: 'spent', digest: 'digest-1' }, null];
    expect(await Promise.all(found)).toMatchObject([forgotten, forgotten, [{ kind: 'replay' }, { answer: 'coins' }]]);
  });

  test('two reservations that exchange their numbers keep their own answers', async () => {
    const { one } = await open({ ...small, maxLeasesPerCaller: 100 });
    const caller = newName('client:caller');
    const flows = [newFlow(caller), newFlow(caller), newFlow(caller), newFlow(caller)];
    const answers = ['old coins', 'new coins', 'x'.repeat(90), 'x'.repeat(50)];
    for (const [index, { reservation, reservationEnd }] of flows.entries()) {
      const outcome = { kind: 'reserved', answer: answers[index] ?? '', ...(index < 2 && { knownAs: '77' }) } as const;
      await one.beginReservation(reservation({ nowMs: noon + index }));
      await one.endReservation(reservationEnd(outcome, noon + index));
    }
    // The last answer pushed out the oldest one, whose lease got the name of the second.
    expect(await one.findReservation(caller, flows[1]?.leaseId ?? '', noon + 5)).toBeNull();
    expect(await one.findReservation(caller, '77', noon + 5)).toMatchObject({ answer: 'new coins', state: 'active' });
  });

  test("a caller's oldest answers make room for that caller's younger ones, and for nobody else's", async () => {
    const { one } = await open({ ...small, maxLeasesPerCaller: 100 });
    const answered = async (caller: string, key: string, answer: string, nowMs: number) => {
      const { reservation, reservationEnd } = newFlow(caller);
      const begin = reservation({ idempotency: { key, bodyHash: 'body' }, nowMs });
      await one.beginReservation(begin);
      await one.endReservation(reservationEnd({ kind: 'reserved', answer }, nowMs));
      return async () => (await one.beginReservation({ ...begin, leaseId: newName('lease'), nowMs: noon + 50 })).kind;
    };
    const other = await answered(newName('client:caller'), 'key', 'x'.repeat(90), noon);
    const caller = newName('client:caller');
    const long = await answered(caller, 'a', 'x'.repeat(100), noon + 1);
    const short = await answered(caller, 'b', 'short', noon + 2);
    const tooLong = await answered(caller, 'c', 'x'.repeat(101), noon + 3);
    expect(await Promise.all([long(), short()])).toEqual(['replay', 'replay']);
    expect(await tooLong()).not.toBe('replay');
    const wide = await answered(caller, 'd', 'ü'.repeat(50), noon + 4);
    expect(await Promise.all([other(), short(), wide()])).toEqual(['replay', 'replay', 'replay']);
    expect(await long()).toBe('begun');
  });
}
