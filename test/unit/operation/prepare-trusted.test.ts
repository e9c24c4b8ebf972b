import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { shippedLimits } from '../../../src/documents/cost/limits.ts';
import { createDocumentStore } from '../../../src/documents/document-store.ts';
import { createPrepareTrusted, type PrepareAheadOptions } from '../../../src/operation/prepare-ahead.ts';
import { ledgersOnly } from '../../support/documents.ts';

const invalid = (id: string) => ({ id, name: id, text: `query ${id} { gone }` });
const valid = (id: string) => ({ id, name: id, text: `query ${id} { a }` });

/** Runs only the step of the preparation that is asked for. */
function setUp() {
  const store = createDocumentStore({
    schema: buildSchema('type Query { a: Int }'),
    limits: shippedLimits,
    rules: [],
    hidesSuggestions: false,
    ownership: ledgersOnly,
    prepareOperation: () => ({ refusal: null }),
  });
  const told: string[][] = [];
  const steps: (() => void)[] = [];
  const trusted = { documents: [invalid('one'), invalid('two')] };
  const prepare = createPrepareTrusted(trusted, {
    generation: () => ({ origin: 'ledger', limits: shippedLimits, documents: store }),
    turns: {
      run: (_key: string, _client: object, work: () => unknown) =>
        new Promise((resolve) => steps.push(() => resolve(work()))),
    },
    telemetry: {
      documentsBroken: (texts: string[]) => void told.push(texts),
      errorMasked: (error: unknown) => {
        throw error;
      },
    },
  } as unknown as PrepareAheadOptions);
  const next = async () => {
    steps.shift()?.();
    await nextTurn();
  };
  return { prepare, trusted, store, told, steps, next };
}

test('all documents of the manifest are prepared, one in a turn, and those that the schema breaks are named once', async () => {
  const { prepare, store, told, steps, next } = setUp();
  for (const _run of ['first', 'again']) {
    prepare.start();
    await nextTurn();
    // One for each document, and one to report.
    for (let step = 0; step < 3; step += 1) {
      expect(steps).toHaveLength(1);
      await next();
    }
    expect(steps).toHaveLength(0);
  }
  expect(told).toEqual([[expect.stringMatching(/^one: .*gone/), expect.stringMatching(/^two: .*gone/)]]);
  expect(store.sizes.trusted).toBe(2);
});

test.each(['start', 'stop'] as const)(
  'a preparation ends at the next %s, and pins and reports nothing',
  async (end) => {
    const { prepare, trusted, store, told, steps, next } = setUp();
    prepare.start();
    await nextTurn();
    trusted.documents = [valid('three')];
    prepare[end]();
    await next();
    expect(steps).toHaveLength(end === 'start' ? 1 : 0);
    await next();
    await next();
    expect(told).toEqual([]);
    expect(store.sizes.trusted).toBe(end === 'start' ? 1 : 0);
  },
);
