import { expect, test } from 'vitest';
import { decide } from '../../../../src/sponsor/store/decide.ts';
import type { Records } from '../../../../src/sponsor/store/draft.ts';
import { createMemoryRecords } from '../../../../src/sponsor/store/memory-records.ts';
import { defaultStoreBounds } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { newFlow, noon } from '../../../support/sponsorship-flow.ts';

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

test('what a step answers and changes depends on its records and itself alone', () => {
  const records = createMemoryRecords();
  const { reservation } = newFlow();
  const idempotency = { key: 'once', bodyHash: 'body' };
  const decideOnce = () => decide(records, 'beginReservation', reservation({ idempotency }), bounds);
  expect(decideOnce()).toEqual(decideOnce());
  expect(records.size).toBe(0);
});
