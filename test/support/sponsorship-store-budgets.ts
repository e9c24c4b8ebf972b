import { expect, test } from 'vitest';
import {
  dayMs,
  dayOf,
  type EndExecution,
  lingerMs,
  type StoreBounds,
  textLifeMs,
} from '../../src/sponsor/store/sponsorship-store.ts';
import {
  allowanceOf,
  midnight,
  newFlow,
  newName,
  noon,
  reserve,
  type StorePair,
  type Stores,
} from './sponsorship-flow.ts';

export function describeBudgets(stores: Stores): void {
  test('a budget is held, settled by what was used, and free again where nothing was', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 350 };
    const left = (nowMs = noon) => allowanceOf(other, gas, nowMs);
    const facts = { limit: 350, resetsAtMs: midnight };
    expect(await left()).toEqual({ ...facts, held: 0, settled: 0, free: 350 });
    const first = await reserve(one, { gas });
    const second = await reserve(one, { gas });
    await reserve(one, { gas, expiresAtMs: noon + 10 });
    expect(await left()).toEqual({ ...facts, held: 300, settled: 0, free: 50 });
    expect(await one.beginReservation(newFlow().reservation({ gas }))).toEqual({
      kind: 'denied',
      rule: 'gas.perDay',
      allowance: { ...facts, held: 300, settled: 0, free: 50 },
      // The first of them expires at 10: with it there is room.
      roomAtMs: noon + 10,
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
    expect(await allowanceOf(other, gas, later)).toMatchObject({ held: 100, settled: 0 });
    await one.endExecution(executionEnd({ kind: 'unknown' }));
    expect(await allowanceOf(other, gas, later)).toMatchObject({ held: 100, settled: 0 });
    await other.endExecution(executionEnd({ kind: 'executed', gasUsed: 1_000 }, { nowMs: later }));
    expect(await allowanceOf(other, gas, later)).toMatchObject({ held: 0, settled: 100 });
  });

  test('a hold whose lease expired by a clock that is ahead is taken again when it is executed', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution, executionEnd } = await reserve(one, { gas });
    expect(await allowanceOf(other, gas, noon + 60_000)).toMatchObject({ held: 0 });
    expect(await one.beginExecution(execution({ nowMs: noon + 59_999 }))).toEqual({ kind: 'begun' });
    expect(await allowanceOf(other, gas, noon + 60_000)).toMatchObject({ held: 100, settled: 0 });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 40 }));
    expect(await allowanceOf(other, gas, noon + 60_000)).toMatchObject({ held: 0, settled: 40 });
  });

  test('a hold that another step has released, by a clock that is ahead, is taken again when it is executed', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution } = await reserve(one, { gas });
    await reserve(other, { gas, nowMs: noon + 60_000, expiresAtMs: noon + 120_000, amount: 30 });
    expect(await one.beginExecution(execution({ nowMs: noon + 59_999 }))).toEqual({ kind: 'begun' });
    expect(await allowanceOf(other, gas, noon + 60_000)).toMatchObject({ held: 130 });
  });

  test('of many holds that expire at once, all room is free immediately', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_500 };
    for (let count = 0; count < 150; count += 1) await one.beginReservation(newFlow().reservation({ gas, amount: 10 }));
    const nowMs = noon + 60_000;
    const whole = newFlow().reservation({ gas, amount: 1_500, nowMs, expiresAtMs: nowMs + 1 });
    expect(await other.beginReservation(whole)).toEqual({ kind: 'begun' });
    expect(await allowanceOf(one, gas, nowMs)).toMatchObject({ held: 1_500, free: 0 });
  });

  test('an attempt that sent nothing leaves its hold to expire with the lease', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution, executionEnd } = await reserve(one, { gas });
    await one.beginExecution(execution({ attempt: 'mine' }));
    await one.endExecution(executionEnd({ kind: 'not-sent', attempt: 'mine' }));
    expect(await allowanceOf(other, gas, noon + 59_999)).toMatchObject({ held: 100 });
    expect(await allowanceOf(other, gas, noon + 60_000)).toMatchObject({ held: 0 });
    const late = await reserve(one, { gas });
    await one.beginExecution(late.execution({ attempt: 'mine' }));
    await one.endExecution(late.executionEnd({ kind: 'not-sent', attempt: 'mine' }, { nowMs: noon + 60_001 }));
    expect(await allowanceOf(other, gas, noon + 60_001)).toMatchObject({ held: 0 });
  });

  test('refused and lost reservations give back at once, and at their expiry', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const [refused, lost, refusedLate] = [newFlow(), newFlow(), newFlow()];
    for (const { reservation } of [refused, lost, refusedLate]) await one.beginReservation(reservation({ gas }));
    await one.endReservation(refused.reservationEnd({ kind: 'refused' }));
    await one.endReservation(refused.reservationEnd({ kind: 'refused' }));
    await one.endReservation(lost.reservationEnd({ kind: 'lost' }));
    expect(await allowanceOf(other, gas, noon)).toMatchObject({ held: 200 });
    expect(await allowanceOf(other, gas, noon + 60_000)).toMatchObject({ held: 0 });
    await one.endReservation(refusedLate.reservationEnd({ kind: 'refused' }, noon + 60_000));
    expect(await allowanceOf(other, gas, noon + 60_000)).toMatchObject({ held: 0 });
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
    expect(starts.filter(({ kind }) => kind === 'denied')).toHaveLength(23);
  });

  test('a new day begins with all of it, and what was held the day before counts there alone', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    const { execution, executionEnd } = await reserve(one, {
      gas,
      nowMs: midnight - 1,
      expiresAtMs: midnight + 60_000,
    });
    expect(await allowanceOf(other, gas, midnight)).toEqual({
      limit: 1_000,
      held: 0,
      settled: 0,
      free: 1_000,
      resetsAtMs: midnight + 86_400_000,
    });
    expect(await one.beginExecution(execution({ nowMs: midnight + 1 }))).toEqual({ kind: 'begun' });
    await one.endExecution(executionEnd({ kind: 'executed', gasUsed: 60 }, { nowMs: midnight + 2 }));
    expect(await allowanceOf(other, gas, midnight + 3)).toMatchObject({ held: 0, settled: 0, free: 1_000 });
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
    const beginNow = () => one.beginExecution(flow.execution({ attempt, nowMs: beginMs ?? 0 }));
    await one.beginReservation(flow.reservation({ gas, nowMs: midnight - 2, expiresAtMs: midnight + 60_000 }));
    if (outcome) await one.endReservation(flow.reservationEnd({ kind: 'reserved', answer: 'coins' }, midnight - 2));
    if (beginMs !== null && beginMs < midnight) await beginNow();
    await reserve(other, { gas, nowMs: midnight + 1, expiresAtMs: midnight + 120_000, amount: 30 });
    if (beginMs !== null && beginMs > midnight) await beginNow();
    const nowMs = midnight + end;
    if (outcome) await one.endExecution(flow.executionEnd(outcome, { nowMs }));
    else await one.endReservation(flow.reservationEnd({ kind: 'refused' }, nowMs));
    for (const atMs of [nowMs, midnight + 60_000, midnight + 119_999])
      expect(await allowanceOf(other, gas, atMs)).toMatchObject({ held: 30, settled: 0 });
    expect(await allowanceOf(other, gas, midnight + 120_000)).toMatchObject({ held: 0, settled: 0 });
  });

  test('a step that is late at midnight does not renew the budget of the new day', async () => {
    const { one, other } = stores();
    const gas = { key: newName('gas'), perDay: 1_000 };
    await reserve(one, { gas, nowMs: midnight, expiresAtMs: midnight + 60_000 });
    await allowanceOf(other, gas, midnight - 1);
    expect(await allowanceOf(one, gas, midnight + 1)).toMatchObject({ held: 100, free: 900 });
  });

  test('a budget that was lowered is less than nothing until the day is over, and numbers are exact', async () => {
    const { one, other } = stores();
    const key = newName('gas');
    const huge = 2 ** 53 - 1;
    const flow = await reserve(one, { gas: { key, perDay: huge }, amount: huge - 1 });
    expect(await allowanceOf(other, { key, perDay: huge }, noon)).toMatchObject({ held: huge - 1, free: 1 });
    expect(await allowanceOf(other, { key, perDay: 5 }, noon)).toMatchObject({ limit: 5, free: 6 - huge });
    await one.beginExecution(flow.execution());
    await one.endExecution(flow.executionEnd({ kind: 'executed', gasUsed: huge - 2 }));
    expect(await allowanceOf(other, { key, perDay: huge }, noon)).toMatchObject({
      settled: huge - 2,
      held: 0,
      free: 2,
    });
  });
}

export function describeBounds(open: (bounds: StoreBounds) => StorePair | Promise<StorePair>): void {
  const small: StoreBounds = {
    maxLeasesPerCaller: 3,
    maxLeases: 1_000,
    maxKeysPerCaller: 3,
    maxKeys: 1_000,
    maxAnswerBytes: 100,
    maxAnswerBytesPerCaller: 150,
    maxAnswerBytesInAll: 10_000,
    maxSpendingRows: 3,
    maxSendersPerVisitor: 2,
  };

  test('one visitor that names sender after sender leaves rows of spending to others', async () => {
    const { one, other } = await open({ ...small, maxSpendingRows: 50, maxLeasesPerCaller: 100 });
    const client = newName('client:page');
    const spend = (visitor: string, sender: string) =>
      reserve(one, { spending: { client, visitor, amount: 1 }, sender });
    for (let count = 0; count < 60; count += 1) await spend('many', `0x${count}`);
    await spend('few', '0xa');
    // A server has no visitors, and tells its senders apart.
    for (let count = 0; count < 3; count += 1) await spend(client, `0x${count}`);
    const { rows } = await other.findSpending({ day: dayOf(noon), client, from: 0, nowMs: noon });
    expect(rows.map(({ visitor, sender, reserved }) => [visitor, sender, reserved])).toEqual([
      ['many', '0x0', 1],
      ['many', '0x1', 1],
      ['many', null, 58],
      ['few', '0xa', 1],
      ...['0x0', '0x1', '0x2'].map((sender) => [client, sender, 1]),
    ]);
  });

  test('spending is told by client, visitor and sender, until further ones share a row, for two days', async () => {
    const { one, other } = await open(small);
    const [page, shop] = [newName('client:page'), newName('client:shop')];
    const day = dayOf(noon);
    const rowsOf = async (client: string, nowMs = noon) =>
      (await other.findSpending({ day, client, from: 0, nowMs })).rows.map(({ visitor, sender, reserved, held }) => ({
        visitor,
        sender,
        reserved,
        held,
      }));
    for (const [index, client] of [page, page, page, page, page, shop].entries())
      await reserve(one, { spending: { client, visitor: `v${index}`, amount: 10 }, sender: '0xa' });
    const row = (visitor: string) => ({ visitor, sender: '0xa', reserved: 10, held: 10 });
    const shared = { visitor: null, sender: null, reserved: 20 };
    expect(await rowsOf(page)).toEqual([row('v0'), row('v1'), row('v2'), { ...shared, held: 20 }]);
    expect(await rowsOf(shop)).toEqual([row('v5')]);
    const { clients } = await one.findSpending({ day, client: null, from: 0, nowMs: noon });
    expect(clients).toEqual(expect.arrayContaining([page, shop]));
    // Executed for another sender than any that has a row.
    const { execution } = await reserve(one, { spending: { client: page, visitor: 'v0', amount: 5 } });
    await one.beginExecution(execution({ sender: '0xb' }));
    expect((await rowsOf(page)).at(-1)).toEqual({ ...shared, reserved: 25, held: 25 });
    expect((await rowsOf(page, noon + 120_000)).map(({ held }) => held)).toEqual([0, 0, 0, 5]);
    // Redis expires by its own clock.
    const until = (day + 2) * dayMs;
    expect((await rowsOf(page, until - 1)).length).toBe(4);
  });

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
        one.findReservation({ caller, leaseId, nowMs: noon + 5 }),
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
    expect(await one.findReservation({ caller, leaseId: flows[1]?.leaseId ?? '', nowMs: noon + 5 })).toBeNull();
    expect(await one.findReservation({ caller, leaseId: '77', nowMs: noon + 5 })).toMatchObject({
      answer: 'new coins',
      state: 'active',
    });
  });

  test.each([90, 80])(
    'a reservation keeps its answer of %d bytes, if an expired one had its number and an answer of 90 bytes',
    async (bytes) => {
      const { one, other } = await open({ ...small, maxLeasesPerCaller: 100 });
      const caller = newName('client:caller');
      const reserveAt = async (nowMs: number, answer: string, knownAs?: string) => {
        const { reservation, reservationEnd } = newFlow(caller);
        await one.beginReservation(reservation({ nowMs, expiresAtMs: nowMs + 60_000 }));
        await one.endReservation(reservationEnd({ kind: 'reserved', answer, knownAs }, nowMs));
      };
      await reserveAt(noon, 'x'.repeat(90), '77');
      const answer = 'y'.repeat(bytes);
      const againMs = noon + textLifeMs - 1;
      await reserveAt(againMs, answer, '77');
      expect(await other.findReservation({ caller, leaseId: '77', nowMs: againMs })).toEqual({
        answer,
        state: 'active',
      });
      await reserveAt(againMs + 1, 'short');
      expect(await other.findReservation({ caller, leaseId: '77', nowMs: againMs + 1 })).toEqual({
        answer,
        state: 'active',
      });
    },
  );

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
