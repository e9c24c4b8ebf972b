import { expect, test } from 'vitest';
import { decide } from '../../../../src/sponsor/store/decide.ts';
import type { Records } from '../../../../src/sponsor/store/draft.ts';
import { createMemoryRecords } from '../../../../src/sponsor/store/memory-records.ts';
import { defaultStoreBounds, keyIdOf } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { holdOf, newFlow, noon } from '../../../support/sponsorship-flow.ts';

const bounds = defaultStoreBounds;

/** Records that note what was read of them. */
function observed(records: Records) {
  const read = new Map<string, unknown>();
  const get = (name: string) => {
    const value = records.get(name);
    read.set(name, value);
    return value;
  };
  return {
    view: { ...records, get },
    isUnchanged: () => [...read].every(([name, value]) => records.get(name) === value),
  };
}

test('a begin that arrives after its undo finds that its records have changed, and sets no fence', () => {
  const records = createMemoryRecords();
  const { reservation, reservationEnd, execution, executionEnd } = newFlow();
  records.apply(decide(records, 'beginReservation', reservation(), bounds).changes);
  records.apply(
    decide(records, 'endReservation', reservationEnd({ kind: 'reserved', answer: 'coins' }), bounds).changes,
  );
  const late = observed(records);
  expect(decide(late.view, 'beginExecution', execution({ attempt: 'mine' }), bounds).answer).toEqual({ kind: 'begun' });
  expect(late.isUnchanged()).toBe(true);
  const undo = executionEnd({ kind: 'not-sent', attempt: 'mine' });
  records.apply(decide(records, 'endExecution', undo, bounds).changes);
  expect(late.isUnchanged()).toBe(false);
});

test('a reservation that arrives after its undo finds a record in its place, and holds nothing', () => {
  const records = createMemoryRecords();
  const { caller, leaseId, reservation, reservationEnd } = newFlow();
  const late = observed(records);
  const gas = { key: 'gas', perDay: 1_000 };
  expect(decide(late.view, 'beginReservation', reservation({ gas }), bounds).answer).toEqual({ kind: 'begun' });
  const undo = reservationEnd({ kind: 'refused', isUndo: true });
  records.apply(decide(records, 'endReservation', undo, bounds).changes);
  expect(late.isUnchanged()).toBe(false);
  const found = decide(records, 'findReservation', { caller, leaseId, nowMs: noon }, bounds);
  expect(found.answer).toBeNull();
});

test('of many records that expire at once none is found, before all are dropped', () => {
  const records = createMemoryRecords();
  const names = Array.from({ length: 300 }, (_, index) => `lease:${index}`);
  records.apply(names.map((name) => ({ kind: 'put', name, value: {}, untilMs: noon })));
  records.sweep(noon - 1);
  expect(names.every((name) => records.get(name) !== null)).toBe(true);
  records.sweep(noon);
  expect(names.filter((name) => records.get(name) !== null)).toEqual([]);
});

test('an execution that was not sent leaves no idempotency key behind', () => {
  const records = createMemoryRecords();
  const { caller, reservation, execution, executionEnd } = newFlow();
  const mine = execution({ attempt: 'mine', idempotency: { key: 'once', bodyHash: 'body-1' } });
  records.apply(decide(records, 'beginReservation', reservation(), bounds).changes);
  records.apply(decide(records, 'beginExecution', mine, bounds).changes);
  const name = `key:${keyIdOf('execute', caller, 'once')}`;
  expect(records.get(name)).not.toBeNull();
  const undo = executionEnd({ kind: 'not-sent', attempt: 'mine' });
  records.apply(decide(records, 'endExecution', undo, bounds).changes);
  expect(records.get(name)).toBeNull();
});

test('a budget whose record was evicted counts the holds that are left, and no hold of before is released from it', () => {
  const records = createMemoryRecords();
  const gas = { key: 'gas', perDay: 1_000 };
  const hold = holdOf(gas, 0, noon);
  const evict = () => records.apply([{ kind: 'delete', name: `account:${hold.account}` }]);
  const allowance = () => decide(records, 'gasAllowance', { bounds: [hold], nowMs: noon + 1 }, bounds).answer;
  const [spent, later] = [newFlow(), newFlow()];
  records.apply(decide(records, 'beginReservation', spent.reservation({ gas }), bounds).changes);
  evict();
  expect(allowance()).toMatchObject({ held: 100, free: 900 });
  records.apply(decide(records, 'beginExecution', spent.execution(), bounds).changes);
  evict();
  records.apply(decide(records, 'beginReservation', later.reservation({ gas }), bounds).changes);
  const end = spent.executionEnd({ kind: 'executed', gasUsed: 30 });
  records.apply(decide(records, 'endExecution', end, bounds).changes);
  expect(allowance()).toMatchObject({ held: 100, settled: 30, free: 870 });
});

test('what has expired leaves the memory, some of it with each step, whether or not it is read again', () => {
  const records = createMemoryRecords();
  const put = (name: string, untilMs: number) => records.apply([{ kind: 'put', name, value: {}, untilMs }]);
  for (let index = 0; index < 300; index += 1) put(`account:${index}`, noon + index);
  records.apply([{ kind: 'add', set: 'holds:7', member: 'lease:1', score: noon }]);
  put('lease:later', noon + 600_000);
  put('account:8', noon + 600_000);
  for (let sweeps = 0; sweeps < 5; sweeps += 1) records.sweep(noon + 61_000);
  expect(records.size).toBeGreaterThan(2);
  expect(records.size).toBeLessThan(120);
  records.sweep(noon + 61_000);
  expect(records.size).toBe(2);
  // A clock that is corrected drops nothing too early, and nothing is forgotten later.
  put('lease:early', noon);
  records.sweep(noon - 1);
  expect([records.size, records.get('lease:early')]).toEqual([3, {}]);
  records.sweep(noon + 661_000);
  records.sweep(noon + 661_000);
  expect(records.size).toBe(0);
});

test('what a step answers and changes depends on its records and itself alone', () => {
  const records = createMemoryRecords();
  const { reservation } = newFlow();
  const idempotency = { key: 'once', bodyHash: 'body' };
  const decideOnce = () => decide(records, 'beginReservation', reservation({ idempotency }), bounds);
  expect(decideOnce()).toEqual(decideOnce());
  expect(records.size).toBe(0);
});
