import { describe, expect, it } from 'vitest';
import { EntityBudget, type EntityRequest, type ReadEntities } from '../../../../src/graph/joins/entity-lookups.ts';

/** Reads each representation as a lookup with this text. */
const read: ReadEntities = (representations) =>
  representations.map((text) => ({ kind: 'ledger', lookup: { text }, selected: {} }) as unknown as EntityRequest);
const createBudget = (perRequest: number) =>
  new EntityBudget((lookups) => Array.from({ length: Math.ceil(lookups.length / perRequest) }));
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => `0x${from + index}`);

describe('the entities of one operation', () => {
  it('are at most 1,000, in all its fields together', () => {
    const budget = createBudget(1_000);
    expect(budget.take(range(0, 600), read)).toHaveLength(600);
    expect(budget.take(range(600, 400), read)).toHaveLength(400);
    expect(() => budget.take(range(0, 1), read)).toThrow(
      'The entities take 1001 representations, which exceeds max of 1000',
    );
  });

  it('take at most 32 requests, in which the same one is looked up once', () => {
    const budget = createBudget(2);
    budget.take(range(0, 64), read);
    budget.take(range(0, 64), read);
    expect(budget.lookups).toHaveLength(64);
    expect(() => budget.take(range(64, 1), read)).toThrow(
      'The entities take 33 requests to the ledger, which exceeds max of 32',
    );
  });

  it('that the ledger is not asked for take no request', () => {
    const budget = createBudget(1);
    budget.take(range(0, 100), (all) => all.map((id) => ({ kind: 'reservation', id: String(id) })));
    expect(budget.lookups).toEqual([]);
  });
});
