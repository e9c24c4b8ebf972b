import { buildSchema, type ExecutionResult, GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Graph } from '../../../src/graph/generation.ts';
import { createOperationRunner } from '../../../src/operation/operation-runner.ts';
import { admitForTest, createTestServer, quietTurns } from '../../support/test-operation.ts';

const schema = buildSchema('type Query { a: Int }');
const graph: Graph = {
  schema,
  ownSchema: schema,
  ownership: { ownSchema: schema, hasUsualRootNames: true, ownerOf: () => 'own' },
  idInputs: new Map(),
  operationJoins: null,
};
const usage = { inputNodes: 1, outputNodes: 1, depth: 1, variables: 0, fragments: 0, queryPayload: 5 };

/** Runs an operation whose plan gives this. */
function run(answer: () => Promise<ExecutionResult>, { showUsage = false } = {}) {
  const server = { ...createTestServer(), showUsage };
  const runner = createOperationRunner({
    timeouts: { queryMs: 10_000, mutationMs: 10_000 },
    turns: quietTurns(),
    maskError: (error) => new GraphQLError(`masked: ${(error as Error).message}`),
    runPlan: answer,
    ledger: () => {
      throw new Error('answers are read here');
    },
  });
  const admitted = { ...admitForTest(graph, { text: '{ a }' }), usage };
  return { server, admitted, runner, result: runner.run(admitted, server) };
}

const failing: ExecutionResult = { data: { a: null }, errors: [new GraphQLError('a fault', { path: ['a'] })] };

it('an operation of the ledger is not begun for a client that has left', async () => {
  const server = createTestServer();
  let asked = 0;
  const runner = createOperationRunner({
    timeouts: { queryMs: 10_000, mutationMs: 10_000 },
    turns: quietTurns(),
    runPlan: () => Promise.reject(new Error('not here')),
    ledger: () => {
      asked += 1;
      return () => {};
    },
  });
  const admitted = admitForTest(graph, { text: '{ a }' });
  const operation = { ...admitted.operation, unread: () => ({ kind: 'whole', queryJson: '"{ a }"' }) as const };
  server.leave();
  const outcomes: unknown[] = [];
  await runner.runUnparsed({ ...admitted, operation }, server, true, (each) => outcomes.push(each));
  expect([asked, outcomes]).toEqual([0, [{ kind: 'gone' }]]);
});

it('a SPLIT operation leaves no timer', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = countTimers();
  const runner = createOperationRunner({
    timeouts: { queryMs: 10_000, mutationMs: 10_000 },
    turns: quietTurns(),
    runPlan: () => Promise.reject(new Error('not here')),
    ledger: (_, answered) => {
      answered({ kind: 'other', read: () => ({ data: { a: 1 } }) });
      return () => {};
    },
  });
  const admitted = admitForTest(graph, { text: '{ a }' });
  const unread = {
    kind: 'split',
    queryJson: '"{ a }"',
    ledgerVariables: (sent: Readonly<Record<string, unknown>>) => sent,
    isLedgerFirst: true,
    executeOwn: () => ({ data: { b: 2 } }),
  } as const;
  const operation = { ...admitted.operation, unread: () => unread };
  const outcomes: unknown[] = [];
  for (let count = 0; count < 3; count += 1)
    await runner.runUnparsed({ ...admitted, operation }, createTestServer(), true, (each) => outcomes.push(each));
  expect([outcomes.length, countTimers()]).toEqual([3, before]);
});

describe('an executed operation', () => {
  it('is recorded when it is complete', async () => {
    let answer: (result: ExecutionResult) => void = () => {};
    const { server, result } = run(() => new Promise((resolve) => (answer = resolve)));
    expect(server.operations).toEqual([]);
    answer(failing);
    expect((await result) as ExecutionResult).toMatchObject({ errors: [{ message: 'masked: a fault' }] });
    expect(server.operations).toMatchObject([{ type: 'query', errors: 1 }]);
  });

  it('contains its usage only if the client requests it', async () => {
    const answer = () => Promise.resolve({ data: { a: 1 }, extensions: { tracing: {} } });
    expect(await run(answer, { showUsage: true }).result).toEqual({ data: { a: 1 }, extensions: { usage } });
  });

  it('is recorded with an error when it cannot be executed', async () => {
    const { server, result } = run(() => Promise.reject(new Error('broken')));
    await expect(result).rejects.toThrow('broken');
    expect(server.operations).toMatchObject([{ errors: 1 }]);
  });

  it.each<[string, () => Promise<ExecutionResult>, object, number]>([
    ['data', async () => ({ data: { a: 1 } }), { kind: 'result', result: { data: { a: 1 } } }, 0],
    ['errors', async () => failing, { kind: 'result', result: { errors: [{ message: 'masked: a fault' }] } }, 1],
    ['nothing', () => Promise.reject(new Error('broken')), { kind: 'failed', error: new Error('broken') }, 1],
  ])('is recorded for a shell that writes bytes too, with %s', async (_, answer, outcome, errors) => {
    const { server, runner, admitted, result } = run(answer);
    await result.catch(() => {});
    server.operations.length = 0;
    const outcomes: unknown[] = [];
    await runner.runUnparsed(admitted, server, true, (each) => outcomes.push(each));
    expect(outcomes).toMatchObject([outcome]);
    expect(server.operations).toMatchObject([{ errors }]);
  });
});
