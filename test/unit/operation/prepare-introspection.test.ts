import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { createPrepareIntrospection, type PrepareAheadOptions } from '../../../src/operation/prepare-ahead.ts';

/** Runs only the step of the preparation that is asked for. */
function setUp() {
  const read: string[] = [];
  const steps: (() => void)[] = [];
  const schema = buildSchema('type Query { a: Int }');
  const prepare = createPrepareIntrospection({
    generation: () => ({ schema, ownSchema: schema, documents: { read: (text: string) => void read.push(text) } }),
    turns: {
      run: (_key: string, _client: object, work: () => unknown) =>
        new Promise((resolve) => steps.push(() => resolve(work()))),
    },
    telemetry: {
      errorMasked: (error: unknown) => {
        throw error;
      },
    },
  } as unknown as PrepareAheadOptions);
  const next = async () => {
    steps.shift()?.();
    await new Promise(setImmediate);
  };
  return { prepare, read, steps, next, types: Object.keys(schema.getTypeMap()).length };
}

test('introspection is prepared after the turn that asks for it, at least two turns for each type', async () => {
  const { prepare, read, steps, next, types } = setUp();
  prepare.start();
  expect(steps).toHaveLength(0);
  await next();
  let turns = 0;
  for (; steps.length > 0; turns += 1) {
    expect(steps).toHaveLength(1);
    await next();
  }
  expect(turns).toBeGreaterThan(2 * types);
  expect(read.at(-1)).toContain('query IntrospectionQuery');
});

test.each(['start', 'stop'] as const)('a preparation ends at the next %s', async (end) => {
  const { prepare, steps, next } = setUp();
  prepare.start();
  await next();
  await next();
  prepare[end]();
  await next();
  await next();
  expect(steps).toHaveLength(end === 'start' ? 1 : 0);
});
