import { expect, test } from 'vitest';
import type { BeginExecution } from '../../src/sponsor/store/sponsorship-store.ts';
import { claimOf, newFlow, noon, reserve, type Stores } from './sponsorship-flow.ts';

export function describeFence(stores: Stores): void {
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
    expect(await other.findReservation({ caller, leaseId, nowMs: noon + 4 })).toMatchObject({ state: 'consumed' });
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
    const overdue = {
      caller,
      leaseId,
      digest: 'digest-1',
      amount: 100,
      budget: null,
      bodyHash: 'body-1',
      requestId: 'request-1',
      coin: null,
      sentAtMs: noon + 1,
    };
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
    expect(await other.findReservation({ caller, leaseId, nowMs })).toMatchObject({ state: 'consumed' });
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
    expect(await other.findReservation({ caller, leaseId, nowMs: noon })).toMatchObject({ state: 'active' });
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
    const begin = (more: Partial<BeginExecution> = {}) => execution({ mustBeKnown: false, ...more });
    expect(await one.beginExecution(begin({ attempt: 'first' }))).toEqual({ kind: 'begun' });
    expect(await other.beginExecution(begin())).toMatchObject({ kind: 'in-progress' });
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'first' }));
    expect(await other.beginExecution(begin())).toEqual({ kind: 'begun' });
    expect(await other.beginExecution(begin({ caller: `${caller} 2` }))).toEqual({ kind: 'begun' });
  });
}
