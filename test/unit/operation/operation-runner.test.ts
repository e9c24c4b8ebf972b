import { buildSchema, type ExecutionResult, GraphQLError } from 'graphql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Graph } from '../../../src/graph/generation.ts';
import type { AnswerWriter } from '../../../src/ledger/answers/answer-stream.ts';
import { createForwardToLedger } from '../../../src/ledger/ledger-executor.ts';
import type { RawLedger, RawLedgerAnswer } from '../../../src/ledger/raw-ledger.ts';
import type { UnreadOutcome } from '../../../src/operation/open-operation.ts';
import { createOperationRunner } from '../../../src/operation/operation-runner.ts';
import type { ForwardForm, OperationParts } from '../../../src/operation/prepared-operation.ts';
import { createRunPlan } from '../../../src/operation/run-plan.ts';
import { admitForTest, createTestServer, quietTurns, runParsed } from '../../support/test-operation.ts';

const schema = buildSchema('type Query { a: Int }');
const graph: Graph = {
  schema,
  ownSchema: schema,
  ownership: { ownSchema: schema, hasUsualRootNames: true, ownerOf: () => 'own' },
  idInputs: new Map(),
  operationJoins: null,
  inForce: {},
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
  return { server, admitted, runner, result: runParsed(runner, admitted, server) };
}

const failing: ExecutionResult = { data: { a: null }, errors: [new GraphQLError('a fault', { path: ['a'] })] };

const fault = new GraphQLError('a fault');
const bytes = { chunks: [Buffer.from('{"data":{"a":1}}')], size: 16 };
const plain = {
  kind: 'plain',
  body: bytes,
  plainEnd: 15,
  read: () => ({ data: { a: 1 } }),
} as unknown as RawLedgerAnswer;
const other = (read: () => ExecutionResult): RawLedgerAnswer => ({ kind: 'other', size: 0, read });
/** A large response that ends at once. */
const streamed = (end: (writer: AnswerWriter) => void): RawLedgerAnswer => ({
  kind: 'stream',
  body: { start: end, resume() {} },
});
const whole: ForwardForm = { queryJson: '"{ a }"', ledgerVariables: null };
const split = (execute: () => ExecutionResult = () => ({ data: { b: 2 } })): OperationParts => ({
  kind: 'both',
  ledger: { text: '{ a }', variables: new Set<string>(), amend: (answer: ExecutionResult) => answer },
  execute,
  order: 'ledger first',
});
const fails = (error: Error = fault) => {
  throw error;
};

/** Runs an operation for a transport that writes bytes. `answer` is the ledger's, or that of its plan. */
function runUnparsed(
  given: ForwardForm | OperationParts | null,
  answer: RawLedgerAnswer | (() => Promise<ExecutionResult>) | null,
  waitedMs = 0,
  hasLeft = false,
) {
  const server = { ...createTestServer(), arrivedAt: -waitedMs };
  if (hasLeft) server.leave();
  const cancelled: string[] = [];
  const outcomes: UnreadOutcome[] = [];
  const seen = { calls: 0, server, cancelled, outcomes, answer: (_: RawLedgerAnswer) => {} };
  const ledger: RawLedger = (_, answered) => {
    seen.calls += 1;
    seen.answer = answered;
    if (answer && typeof answer !== 'function') answered(answer);
    return (cause) => void cancelled.push(cause);
  };
  const turns = quietTurns();
  const runner = createOperationRunner({
    timeouts: { queryMs: 10_000, mutationMs: 10_000 },
    turns,
    runPlan: typeof answer === 'function' ? answer : createRunPlan(createForwardToLedger(ledger, turns), turns),
    ledger,
  });
  const admitted = admitForTest(graph, { text: '{ a }' });
  const prepared = given && ('kind' in given ? { parts: () => given } : { unread: given });
  const operation = { ...admitted.operation, ...prepared };
  const running = runner.runUnparsed({ ...admitted, operation }, server, true, (outcome) => {
    if (outcome.kind === 'stream') outcome.body.start({ write: () => true, end() {}, fail() {} });
    outcomes.push(outcome);
  });
  return Object.assign(seen, { running });
}

const ends: readonly [string, Parameters<typeof runUnparsed>, UnreadOutcome['kind'], number][] = [
  ['its plan, with data', [null, async () => ({ data: { a: 1 } })], 'result', 0],
  ['its plan, with an error', [null, async () => ({ data: null, errors: [fault] })], 'result', 1],
  ['its plan, that fails', [null, async () => fails()], 'result', 1],
  ['its plan, too late', [null, async () => fails(), 10_000], 'result', 1],
  ['the ledger, as bytes', [whole, plain], 'bytes', 0],
  ['the ledger, with errors', [whole, other(() => ({ data: null, errors: [fault] }))], 'result', 1],
  ['the ledger, that fails', [whole, other(fails)], 'result', 1],
  ['the ledger, too late', [whole, plain, 10_000], 'result', 1],
  ['a stream', [whole, streamed((writer) => writer.end(0))], 'stream', 0],
  ['a stream with errors', [whole, streamed((writer) => writer.end(3))], 'stream', 3],
  ['a stream that breaks', [whole, streamed((writer) => writer.fail())], 'stream', 1],
  ['both parts of a split, as bytes', [split(), plain], 'bytes', 0],
  ['both parts of a split, merged', [split(), other(() => ({ data: { a: 1 } }))], 'result', 0],
  ['a split whose own part has errors', [split(() => ({ data: { b: null }, errors: [fault] })), plain], 'result', 1],
  ['a split whose own part fails', [split(() => fails()), plain], 'result', 1],
];

describe('an operation for a transport that writes bytes', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it.each(ends)('answered by %s: one outcome, one record, no timer', async (_, args, kind, errors) => {
    const { running, server, outcomes } = runUnparsed(...args);
    await running;
    await expect.poll(() => outcomes.map((each) => each.kind)).toEqual([kind]);
    expect(vi.getTimerCount()).toBe(0);
    // The end of its connection adds nothing.
    server.leave();
    expect(outcomes).toHaveLength(1);
    expect(server.operations).toMatchObject([{ type: 'query', errors }]);
  });

  it.each([
    ['the ledger', whole, plain],
    ['both parts of a split', split(), other(() => fails())],
  ] as const)('is cancelled at %s if its client leaves, and recorded without an error', async (_, unread, answer) => {
    const run = runUnparsed(unread, null);
    await Promise.resolve();
    run.server.leave();
    expect([run.cancelled, run.server.operations]).toMatchObject([['aborted'], [{ errors: 0 }]]);
    run.answer(answer);
    await run.running;
    expect(run.outcomes).toEqual([{ kind: 'gone' }]);
    expect([run.server.operations.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it.each([
    ['not awaited if it is forwarded', whole, plain, false],
    ['awaited if it is executed', null, async () => ({ data: { a: 1 } }), true],
  ] as const)('is %s', async (_, unread, answer, isAwaited) => {
    const { running, outcomes } = runUnparsed(unread, answer);
    expect([running instanceof Promise, outcomes.length]).toEqual([isAwaited, isAwaited ? 0 : 1]);
    await running;
    expect(outcomes).toHaveLength(1);
  });

  it('at the ledger has the rest of its time, counted from its arrival', async () => {
    const run = runUnparsed(whole, null, 4_000);
    await run.running;
    const pass = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await pass(5_999);
    expect(run.cancelled).toEqual([]);
    await pass(1);
    expect(run.cancelled).toEqual(['timeout']);
    run.answer(other(() => fails()));
    await expect.poll(() => run.outcomes.map(({ kind }) => kind)).toEqual(['result']);
  });

  it.each([
    ['its bytes', plain],
    ['its errors', other(() => ({ data: null, errors: [fault] }))],
    ['a stream', streamed((writer) => writer.end(0))],
    ['a stream that breaks', streamed((writer) => writer.fail())],
  ])('that waited for its turn leaves no timer behind %s', async (_, answer) => {
    const run = runUnparsed(whole, null, 4_000);
    await run.running;
    expect(vi.getTimerCount()).toBe(1);
    run.answer(answer);
    await expect.poll(() => run.server.operations.length).toBe(1);
    expect([vi.getTimerCount(), run.cancelled]).toEqual([0, []]);
  });

  it.each([
    ['the client has left', 0],
    ['its time is up', 10_000],
  ])('does not begin at the ledger if %s', async (_, waitedMs) => {
    const run = runUnparsed(whole, plain, waitedMs, waitedMs === 0);
    await run.running;
    expect([run.calls, run.outcomes.map(({ kind }) => kind)]).toEqual([0, [waitedMs === 0 ? 'gone' : 'result']]);
  });
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

  it.each<[string, () => Promise<ExecutionResult>]>([
    ['with data', async () => ({ data: { a: 1 } })],
    ['with errors', async () => failing],
    ['without a result', () => Promise.reject(new Error('broken'))],
  ])('leaves no timer if it ends %s', async (_, answer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { result } = run(answer);
    expect(vi.getTimerCount()).toBe(1);
    await result.catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('is recorded with an error when it cannot be executed', async () => {
    const { server, result } = run(() => Promise.reject(new Error('broken')));
    expect(await result).toMatchObject({ errors: [{ message: 'masked: broken' }] });
    expect(server.operations).toMatchObject([{ errors: 1 }]);
  });

  it('has a result even if it throws before it begins', async () => {
    const { runner, admitted, server } = run(async () => failing);
    const broken = { ...admitted, operation: { ...admitted.operation, coerce: () => fails() } };
    expect(await runner.runWhole(broken, server)).toMatchObject({ errors: [{ message: 'masked: a fault' }] });
  });

  it.each<[string, () => Promise<ExecutionResult>, object, number]>([
    ['data', async () => ({ data: { a: 1 } }), { kind: 'result', result: { data: { a: 1 } } }, 0],
    ['errors', async () => failing, { kind: 'result', result: { errors: [{ message: 'masked: a fault' }] } }, 1],
    [
      'nothing',
      () => Promise.reject(new Error('broken')),
      { kind: 'result', result: { errors: [{ message: 'masked: broken' }] } },
      1,
    ],
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
