import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Generation } from '../../../src/graph/generation.ts';
import { createRunPlan } from '../../../src/operation/run-plan.ts';

const local = buildSchema('type Query { gateway: String }');
const generation = {
  local,
  ownership: { local, hasUsualRootNames: true, ownerOf: () => 'ledger' },
} as unknown as Generation;
/** What is reachable, in bytes. */
function settledHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

const nobody = () => Promise.reject(new Error('planning asks nobody'));

describe('what was planned of a document', () => {
  it('is kept for its operations', () => {
    const { operationOf } = createRunPlan(nobody);
    const document = parse('query A { epoch } query B { chainIdentifier }');
    expect(operationOf(generation, document, 'A')?.plan).toBe('PASS_THROUGH');
    expect(operationOf(generation, document, 'A')).toBe(operationOf(generation, document, 'A'));
    expect(operationOf(generation, document, 'B')).not.toBe(operationOf(generation, document, 'A'));
  });

  it('is nothing for names it has not, which callers invent without number, and does not spoil the others', () => {
    const { operationOf } = createRunPlan(nobody);
    const document = parse('{ epoch }');
    for (const name of ['', 'A', '__proto__']) expect(operationOf(generation, document, name)).toBeNull();
    expect(operationOf(generation, document, null)?.plan).toBe('PASS_THROUGH');
  });

  it('is not kept of the names it has not', () => {
    const { operationOf } = createRunPlan(nobody);
    const document = parse('{ epoch }');
    const invent = (count: number) => {
      for (let each = 0; each < count; each += 1) operationOf(generation, document, `${each}`.padStart(1_000, 'x'));
    };
    invent(1_000);
    const before = settledHeapBytes();
    invent(50_000);
    // Kept, the names alone would be 50 MB.
    expect(settledHeapBytes() - before).toBeLessThan(10_000_000);
    expect(operationOf(generation, document, null)?.plan).toBe('PASS_THROUGH');
  }, 60_000);
});
