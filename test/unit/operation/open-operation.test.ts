import { buildSchema, GraphQLError } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Graph } from '../../../src/graph/generation.ts';
import { createOpenOperation } from '../../../src/operation/open-operation.ts';
import { FairTurns, thisEventLoop } from '../../../src/upstream/fair-turns.ts';
import { toTestCaller } from '../../support/test-caller.ts';
import { admitForTest, createTestServer, quietTurns } from '../../support/test-operation.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timeouts = { queryMs: 1_000, mutationMs: 2_000 };
const schema = buildSchema('type Query { a: Int b: Int } type Mutation { a: Int b: Int }');
const graph: Graph = {
  schema,
  ownSchema: schema,
  ownership: { ownSchema: schema, hasUsualRootNames: true, ownerOf: () => 'own' },
  idInputs: new Map(),
  operationJoins: null,
  inForce: {},
};

function open(
  text: string,
  operationName: string | null = null,
  openOperation = createOpenOperation({ timeouts, turns: quietTurns() }),
  server = createTestServer(),
) {
  const run = openOperation(server, admitForTest(graph, { text, operationName }));
  return { run, server, causeOf: () => run.context.cancellation.cause };
}

describe('an operation', () => {
  it.each([
    ['query', '{ a }', 1_000],
    ['mutation', 'mutation { a }', 2_000],
  ])('that is a %s has its own timeout', (_, text, timeMs) => {
    const { causeOf } = open(text);
    vi.advanceTimersByTime(timeMs - 1);
    expect(causeOf()).toBe(null);
    vi.advanceTimersByTime(2);
    expect(causeOf()).toBe('timeout');
  });

  it('that waited for its turn has the rest of its time', () => {
    const turns = new FairTurns({ ...thisEventLoop, now: () => 600 });
    const server = Object.assign(createTestServer(), { arrivedAt: 0 });
    const { causeOf } = open('{ a }', null, createOpenOperation({ timeouts, turns }), server);
    vi.advanceTimersByTime(399);
    expect(causeOf()).toBe(null);
    vi.advanceTimersByTime(2);
    expect(causeOf()).toBe('timeout');
  });

  it('is charged to its own caller, as are its calls', async () => {
    const caller = toTestCaller({ id: 'client:shop', rate: { key: 'client:shop', perMinute: 5 } });
    const charged: unknown[] = [];
    const openOperation = createOpenOperation({
      timeouts,
      turns: quietTurns(),
      charge: async (_, by, points) => {
        charged.push([by.id, points]);
        return null;
      },
    });
    const { context } = openOperation(createTestServer(), { ...admitForTest(graph, { text: '{ a }' }), caller });
    await context.charge?.(3);
    expect([charged, context.caller, context.cancellation.caller]).toEqual([
      [['client:shop', 3]],
      caller,
      'client:shop',
    ]);
  });

  it('is chosen by name in a document with several', () => {
    const { run, server, causeOf } = open('query A { a } mutation B { b }', 'B');
    run.complete(0);
    expect(server.operations).toMatchObject([{ caller: toTestCaller().id, name: 'B', type: 'mutation', errors: 0 }]);
    vi.advanceTimersByTime(1_000);
    expect(causeOf()).toBe(null);
  });

  it('counts the memory of its request until its calls have ended', () => {
    const held = { keep() {}, release() {} };
    const { run } = open('mutation { a }', null, undefined, Object.assign(createTestServer(), { held }));
    expect(run.context.cancellation.held).toBe(held);
  });

  it.each([
    ['query', '{ a }'],
    ['mutation', 'mutation { a }'],
  ])('that is a %s ends when its caller disconnects: it begins nothing more', (_, text) => {
    const { server, causeOf } = open(text);
    server.leave();
    expect(causeOf()).toBe('aborted');
  });

  it('leaves no timer behind, and ends once', () => {
    const { run, server, causeOf } = open('{ a }');
    run.end();
    run.end();
    expect(vi.getTimerCount()).toBe(0);
    server.leave();
    expect(causeOf()).toBe(null);
  });
});

describe('its record', () => {
  it('is written once, when it is complete', () => {
    const { run, server } = open('{ a }');
    expect(server.operations).toEqual([]);
    run.complete(2);
    run.complete(3);
    server.leave();
    expect(server.operations).toMatchObject([{ errors: 2 }]);
  });

  it('is written when its caller leaves, without later errors', () => {
    const { run, server } = open('{ a }');
    server.leave();
    run.complete(1);
    expect(server.operations).toMatchObject([{ errors: 0 }]);
  });
});

describe('its result', () => {
  it('has all its errors masked', () => {
    const maskError = (_error: unknown, requestId: string) => new GraphQLError(`masked in ${requestId}`);
    const { run } = open('{ a b }', null, createOpenOperation({ timeouts, turns: quietTurns(), maskError }));
    const errors = ['the address of a', 'the address of b'].map((message) => new GraphQLError(message));
    const result = run.tidy({ data: { a: null, b: null }, errors });
    expect(result.errors?.map(({ message }) => message)).toEqual(['masked in r', 'masked in r']);
  });

  it('without errors stays as it is', () => {
    const { run } = open('{ a }');
    const result = { data: { a: 1 } };
    expect(run.tidy(result)).toEqual(result);
  });
});

describe('a caller that has disconnected', () => {
  it('ends the operation, even if it left before', () => {
    const before = createTestServer();
    before.leave();
    const [first, second] = [open('{ a }', null, undefined, before), open('{ a }')];
    expect([first.causeOf(), second.causeOf()]).toEqual(['aborted', null]);
    second.server.leave();
    expect(second.causeOf()).toBe('aborted');
  });
});
