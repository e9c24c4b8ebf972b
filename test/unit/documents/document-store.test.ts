import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { shippedLimits } from '../../../src/documents/cost/limits.ts';
import { createDocumentStore } from '../../../src/documents/document-store.ts';
import { admitDocument, type ValidOperation } from '../../../src/documents/prepared-document.ts';
import { ledgersOnly } from '../../support/documents.ts';

const options = {
  schema: buildSchema('type Query { a: Int }'),
  limits: shippedLimits,
  rules: [],
  hidesSuggestions: false,
  ownership: ledgersOnly,
  prepareOperation: ({ tree }: ValidOperation) => ({ name: tree.operation.name?.value ?? null }),
};
const text = (index: number) => `query Q${index} { a }`;
type Store = ReturnType<typeof createDocumentStore>;
/** All of these documents count for as much. */
const bytesOfOne = createDocumentStore(options).prepare(text(1_000)).bytes;
/** So many of them, and a part of one more. */
const room = (documents: number) => (documents + 0.5) * bytesOfOne;
const hits = (store: Store, indices: readonly number[]) =>
  indices.filter((index) => store.find(text(index)) !== undefined).length;
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

describe('prepared documents', () => {
  it('are created once and kept', () => {
    const store = createDocumentStore(options);
    expect(store.find(text(1_001))).toBeUndefined();
    const made = store.prepare(text(1_001));
    expect(made).toMatchObject({ kind: 'readable' });
    expect(store.prepare(text(1_001))).toBe(made);
    expect(store.find(text(1_001))).toBe(made);
  });

  it('have operations exactly if their length is allowed', () => {
    const { length } = text(1_000);
    const allowed = Array.from({ length: 200 }, (_, index) => {
      const limits = { ...shippedLimits, maxQueryPayloadSize: length - 50 + index };
      const prepared = createDocumentStore({ ...options, limits }).prepare(text(1_000));
      const { errors } = admitDocument(prepared, {}, limits);
      expect(prepared.kind === 'readable' && prepared.operation(null) !== null).toBe(errors.length === 0);
      return errors.length === 0;
    });
    expect(new Set(allowed).size).toBe(2);
  });

  it('in use stay during a flood of documents that come once', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(6) });
    const used = range(1_000, 6);
    for (const index of [...used, ...used]) store.prepare(text(index));
    for (const index of range(2_000, 2_000)) store.prepare(text(index));
    expect(hits(store, used)).toBe(6);
  });

  it('that are pinned stay during any flood, within their own memory, until others are pinned', () => {
    let prepared = 0;
    const prepareOperation = (valid: ValidOperation) => {
      prepared += 1;
      return options.prepareOperation(valid);
    };
    const maxPinnedBytes = 3 * bytesOfOne;
    const bounds = { maxBytes: room(8), maxProvenBytes: room(6), maxPinnedBytes };
    const store = createDocumentStore({ ...options, prepareOperation }, bounds);
    const pin = (indices: readonly number[]) => [...store.pin(indices.map(text))].length;
    const flood = () => {
      for (const index of range(2_000, 2_000)) for (const _ of [1, 2]) store.prepare(text(index));
    };
    // The same text under two ids takes the memory of one, and is prepared once.
    expect([pin([1_000, 1_000, 1_001, 1_002, 1_003]), prepared]).toEqual([5, 4]);
    flood();
    expect(hits(store, range(1_000, 4))).toBe(3);
    pin([1_004]);
    flood();
    expect(hits(store, range(1_000, 5))).toBe(1);
  });

  it('are pinned once all are prepared: requests in between find what was pinned before', () => {
    const store = createDocumentStore(options, { maxBytes: 1, maxProvenBytes: 1 });
    for (const _ of store.pin([text(1_000)]));
    const steps = store.pin([text(1_001), text(1_002)]);
    steps.next();
    expect(hits(store, range(1_000, 3))).toBe(1);
    for (const _ of steps);
    expect([store.find(text(1_000)), store.find(text(1_002))]).toMatchObject([undefined, { kind: 'readable' }]);
  });

  it('are kept at first sight until half of the memory is used, and then at second sight', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(6) });
    for (const index of range(1_000, 100)) store.prepare(text(index));
    expect(hits(store, range(1_004, 96))).toBe(0);
    for (const index of range(2_000, 4)) for (let time = 0; time < 2; time += 1) store.prepare(text(index));
    expect(hits(store, [...range(1_000, 4), ...range(2_000, 4)])).toBe(8);
  });

  it('that never repeat evict nothing once half of the memory is used', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(6) });
    for (const index of range(1_000, 4)) store.prepare(text(index));
    for (const index of range(2_000, 2_000)) store.prepare(text(index));
    expect(hits(store, range(1_000, 4))).toBe(4);
  });

  it('are kept at second sight, even if all others are in use', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(6) });
    for (let time = 0; time < 3; time += 1) for (const index of range(1_000, 8)) store.prepare(text(index));
    for (const index of [2_000, 2_001, 2_000, 2_001]) store.prepare(text(index));
    expect(hits(store, [2_000, 2_001])).toBe(2);
  });

  it('are kept at second sight, also after a thousand others', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(6) });
    for (const _ of [1, 2]) for (const index of range(2_000, 1_000)) store.prepare(text(index));
    expect(hits(store, range(2_996, 4))).toBe(4);
  });

  it('that were not used for long count as seen once again', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(2) });
    const four = range(1_000, 4);
    for (const index of [...four, ...four]) store.prepare(text(index));
    // Two of them were in use the longer ago, and there is room for them.
    expect(hits(store, four)).toBe(4);
    for (const index of range(3_000, 4)) store.prepare(text(index));
    // Each twice: kept, and not in use.
    for (const index of range(2_000, 100)) for (let time = 0; time < 2; time += 1) store.prepare(text(index));
    expect(hits(store, four)).toBe(2);
  });

  it('that are used again no longer count as new', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(6) });
    const used = range(1_000, 4);
    for (const index of [...used, ...used, ...range(2_000, 4)]) store.prepare(text(index));
    expect(hits(store, range(2_000, 4))).toBe(4);
  });

  it('sent in rotation are found from the third round on, if all of them fit', () => {
    const store = createDocumentStore(options, { maxBytes: room(40), maxProvenBytes: room(30) });
    const turn = () =>
      range(1_000, 40).filter((index) => store.find(text(index)) || !store.prepare(text(index))).length;
    turn();
    turn();
    expect([turn(), turn(), turn()]).toEqual([40, 40, 40]);
  });

  it('never exceed their memory limit', () => {
    const store = createDocumentStore(options, { maxBytes: room(8), maxProvenBytes: room(6) });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1_000, max: 1_030 }), { maxLength: 200 }), (indices) => {
        for (const index of indices) store.prepare(text(index));
        expect(hits(store, range(1_000, 31))).toBeLessThanOrEqual(8);
      }),
      { numRuns: 50 },
    );
  });

  it('are not kept if they contain transactions', () => {
    const store = createDocumentStore(options);
    for (const length of [20_000, 20_001]) {
      const long = '{ a } #'.padEnd(length, 'x');
      store.prepare(long);
      expect(store.find(long) !== undefined).toBe(length === 20_000);
    }
  });

  it('that are only explained are neither found nor kept', () => {
    const store = createDocumentStore(options);
    store.read(text(1_001));
    expect(store.find(text(1_001))).toBeUndefined();
  });
});

/** What is reachable, in bytes. */
function settledHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

describe('the prepared operation', () => {
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

  it('of a document with several has its own tree, with positions for its errors', () => {
    const readEach = { ...options, prepareOperation: ({ readTree }: ValidOperation) => readTree().operation };
    const prepared = createDocumentStore(readEach).prepare('query A { a } query B { a }');
    const operation = prepared.kind === 'readable' ? prepared.operation('B') : null;
    expect([operation?.name?.value, operation?.loc?.start]).toEqual(['B', 14]);
  });

  it('is the same with and without its name, if the document has only one', () => {
    const operation = operationsOf('query A { a }');
    expect(operation(null)).toBe(operation('A'));
    expect(operation(null)).toEqual({ name: 'A' });
  });

  it('does not exist for an invalid document', () => {
    expect(operationsOf('query A($unused: Int) { a }')('A')).toBeNull();
  });

  it('does not exist for unknown names, which do not affect the others', () => {
    const operation = operationsOf('{ a }');
    for (const name of ['', 'A', '__proto__']) expect(operation(name)).toBeNull();
    expect(operation(null)).not.toBeNull();
  });

  it('is not stored for unknown names', () => {
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
