import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createDocumentStore } from '../../../src/documents/document-store.ts';
import type { ValidOperation } from '../../../src/documents/prepared-document.ts';
import { shippedLimits } from '../../../src/limits/limits.ts';

const options = {
  schema: buildSchema('type Query { a: Int }'),
  limits: shippedLimits,
  rules: [],
  hidesSuggestions: false,
  prepareOperation: ({ operation }: ValidOperation) => ({ name: operation.name?.value ?? null }),
};
const text = (index: number) => `query Q${index} { a }`;
/** Each of these documents counts for some 10,000 bytes. */
const room = (documents: number) => documents * 11_000;

describe('prepared documents', () => {
  it('are made once and kept', () => {
    const store = createDocumentStore(options);
    expect(store.find(text(1))).toBeUndefined();
    const made = store.prepare(text(1));
    expect(made).toMatchObject({ kind: 'readable' });
    expect(store.prepare(text(1))).toBe(made);
    expect(store.find(text(1))).toBe(made);
  });

  it('that are in use stay, whatever flood of others comes once', () => {
    const store = createDocumentStore(options, { maxTrialBytes: room(4), maxProvenBytes: room(4) });
    const hot = [1, 2, 3].map((index) => store.prepare(text(index)));
    for (const index of [1, 2, 3]) store.find(text(index));
    for (let index = 100; index < 1_100; index += 1) store.prepare(text(index));
    expect([1, 2, 3].map((index) => store.find(text(index)))).toEqual(hot);
    expect([1, 2, 3].every((index) => store.find(text(index)) === hot[index - 1])).toBe(true);
  });

  it('that were seen once make room for others', () => {
    const store = createDocumentStore(options, { maxTrialBytes: room(4), maxProvenBytes: room(4) });
    for (let index = 0; index < 100; index += 1) store.prepare(text(index));
    const kept = Array.from({ length: 100 }, (_, index) => store.find(text(index))).filter(Boolean);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThanOrEqual(4);
  });

  it('that came into use leave their room to those seen once', () => {
    const store = createDocumentStore(options, { maxTrialBytes: room(2), maxProvenBytes: room(4) });
    store.prepare(text(1));
    const used = store.prepare(text(2));
    expect(store.find(text(2))).toBe(used);
    store.prepare(text(3));
    expect([1, 2, 3].map((index) => store.find(text(index)) !== undefined)).toEqual([true, true, true]);
  });

  it('with transactions written out in them are not kept', () => {
    const store = createDocumentStore(options);
    const long = `{ a } #${'x'.repeat(20_000)}`;
    store.prepare(long);
    expect(store.find(long)).toBeUndefined();
  });

  it('that are only asked about are neither found nor kept', () => {
    const store = createDocumentStore(options);
    store.read(text(1));
    expect(store.find(text(1))).toBeUndefined();
  });
});

/** What is reachable, in bytes. */
function settledHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

describe('what is worked out of an operation', () => {
  const operationsOf = (document: string) => {
    const prepared = createDocumentStore(options).prepare(document);
    if (prepared.kind !== 'readable') throw new Error('nothing is refused here');
    return prepared.operation;
  };

  it('is kept for each operation of a document', () => {
    const operation = operationsOf('query A { a } query B { a }');
    expect(operation('A')).toEqual({ name: 'A' });
    expect(operation('A')).toBe(operation('A'));
    expect(operation('B')).not.toBe(operation('A'));
    expect(operation(null)).toBeNull();
  });

  it('is the same by name and without, where there is one alone', () => {
    const operation = operationsOf('query A { a }');
    expect(operation(null)).toBe(operation('A'));
    expect(operation(null)).toEqual({ name: 'A' });
  });

  it('is nothing of a document that is not valid', () => {
    expect(operationsOf('query A { unknown }')('A')).toBeNull();
  });

  it('is nothing for names it has not, which callers invent without number, and does not spoil the others', () => {
    const operation = operationsOf('{ a }');
    for (const name of ['', 'A', '__proto__']) expect(operation(name)).toBeNull();
    expect(operation(null)).not.toBeNull();
  });

  it('is not kept of the names it has not', () => {
    const operation = operationsOf('{ a }');
    const invent = (count: number) => {
      for (let each = 0; each < count; each += 1) operation(`${each}`.padStart(1_000, 'x'));
    };
    invent(1_000);
    const before = settledHeapBytes();
    invent(50_000);
    // Kept, the names alone would be 50 MB.
    expect(settledHeapBytes() - before).toBeLessThan(10_000_000);
    expect(operation(null)).not.toBeNull();
  }, 60_000);
});
