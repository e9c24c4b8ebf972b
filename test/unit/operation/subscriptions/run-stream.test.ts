import { makeExecutableSchema } from '@graphql-tools/schema';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Graph } from '../../../../src/graph/generation.ts';
import { createOperationRunner } from '../../../../src/operation/operation-runner.ts';
import { ResultStream } from '../../../../src/operation/subscriptions/result-stream.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';
import { admitForTest, createTestServer, quietTurns } from '../../../support/test-operation.ts';

interface Source {
  /** Of each item that was executed. */
  readonly contexts: OperationContext[];
  isClosed: boolean;
  /** Gives the next item. */
  next: (item: unknown) => void;
  break: (error: unknown) => void;
}

/** A graph whose stream a test feeds. With `isJoined` its items are executed as if they asked the ledger. */
function open({
  isJoined = false,
  charge = async (): Promise<Error | null> => null,
  text = 'subscription { ticks { n } }',
  requestBytes = 0,
} = {}) {
  const waiting: ((step: IteratorResult<unknown> | Promise<never>) => void)[] = [];
  const source: Source = {
    contexts: [],
    isClosed: false,
    next: (ticks) => waiting.shift()?.({ done: false, value: { ticks } }),
    break: (error) => waiting.shift()?.(Promise.reject(error)),
  };
  const items: AsyncIterableIterator<unknown> = {
    next: () => new Promise((resolve) => waiting.push(resolve)),
    async return() {
      source.isClosed = true;
      for (const resolve of waiting.splice(0)) resolve({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => items,
  };
  const schema = makeExecutableSchema({
    typeDefs: 'type Query { a: Int } type Subscription { ticks(fails: Boolean): Tick } type Tick { n: Int bad: Int }',
    resolvers: {
      Subscription: {
        ticks: {
          subscribe(_: unknown, { fails }: { fails?: boolean }) {
            if (fails) throw new GraphQLError('no such stream', { extensions: { code: 'BAD_USER_INPUT' } });
            return items;
          },
        },
      },
      Tick: {
        n(tick: { n: number }, _: unknown, context: OperationContext) {
          source.contexts.push(context);
          return tick.n;
        },
        bad() {
          throw new Error('broken');
        },
      },
    },
  });
  const graph: Graph = {
    schema,
    ownSchema: schema,
    ownership: { ownSchema: schema, hasUsualRootNames: true, ownerOf: () => 'own' },
    idInputs: new Map(),
    operationJoins: null,
  };
  const server = createTestServer();
  const runner = createOperationRunner({
    timeouts: { queryMs: 30, mutationMs: 30 },
    turns: quietTurns(),
    maskError: (error) => {
      const { message, path = null, extensions } = error as GraphQLError;
      return message === 'broken' ? new GraphQLError('masked', { path }) : new GraphQLError(message, { extensions });
    },
    charge,
    runPlan: () => Promise.reject(new Error('a stream has no plan')),
    ledger: () => {
      throw new Error('a stream is not passed on');
    },
  });
  const admitted = admitForTest(graph, { text });
  const operation = isJoined ? { ...admitted.operation, plan: 'STITCHED' as const } : admitted.operation;
  return { source, server, result: runner.run({ ...admitted, operation }, { ...server, requestBytes }) };
}

const asStream = async (result: Promise<unknown>) => (await result) as AsyncGenerator<ExecutionResult>;

describe('a subscription', () => {
  it('executes each item for itself, has no deadline, and is recorded once, with all its errors, when it ends', async () => {
    const { source, server, result } = open({ text: 'subscription { ticks { n bad } }' });
    const stream = await asStream(result);
    const first = stream.next();
    // Longer than a query may take.
    await new Promise((resolve) => setTimeout(resolve, 60));
    source.next({ n: 1 });
    expect((await first).value).toMatchObject({
      data: { ticks: { n: 1, bad: null } },
      errors: [{ message: 'masked', path: ['ticks', 'bad'] }],
    });
    const second = stream.next();
    source.next({ n: 2 });
    expect((await second).value).toMatchObject({ data: { ticks: { n: 2 } } });
    expect(server.operations).toEqual([]);
    await stream.return(undefined);
    expect(server.operations).toMatchObject([{ type: 'subscription', errors: 2 }]);
    expect(source.isClosed).toBe(true);
  });

  it.each<[string, (stream: AsyncGenerator, leave: () => void) => unknown]>([
    ['is completed', (stream) => stream.return(undefined)],
    ['loses its client', (_, leave) => leave()],
  ])('closes its source at once when it %s, even while it waits', async (_, end) => {
    const { source, server, result } = open();
    const stream = await asStream(result);
    const waiting = stream.next();
    await end(stream, server.leave);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(source.isClosed).toBe(true);
    expect(server.operations).toHaveLength(1);
  });

  it('closes its source where the client had left before it was open', async () => {
    const { source, server, result } = open();
    server.leave();
    const stream = await asStream(result);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(source.isClosed).toBe(true);
  });

  it('that fails as nobody foresaw tells clients nothing of that, and is over', async () => {
    const { source, server, result } = open();
    const stream = await asStream(result);
    const waiting = stream.next();
    source.break(new Error('broken'));
    await expect(waiting).rejects.toMatchObject({ message: 'masked' });
    expect(source.isClosed).toBe(true);
    expect(server.operations).toMatchObject([{ errors: 1 }]);
  });

  it('says the same to a reader that it is pushed to', () => {
    const told: unknown[] = [];
    const items = {
      pushTo: (reader: { fail(error: unknown): void }) => reader.fail(new Error('broken')),
      resume() {},
      next: async () => ({ done: true as const, value: undefined }),
    };
    const stream = new ResultStream({
      items,
      toResult: async () => ({}),
      shared: { results: { textOf: () => null, leave() {} }, print: () => null },
      toFault: () => 'masked',
      onEnd: (errors) => told.push(errors),
    });
    const fail = (error: unknown) => told.push(error);
    stream.pushTo({ isReady: true, takeText() {}, takeResult() {}, end() {}, fail });
    expect(told).toEqual(['masked', 1]);
  });

  it('that is refused is one result', async () => {
    const { server, result } = open({ text: 'subscription { ticks(fails: true) { n } }' });
    expect(await result).toMatchObject({ errors: [{ message: 'no such stream' }] });
    expect(server.operations).toMatchObject([{ errors: 1 }]);
  });

  it('that comes in more than a stream may keep is refused before it is opened', async () => {
    for (const [bytes, isRefused] of [
      [64 * 1024, false],
      [64 * 1024 + 1, true],
    ] as const) {
      const { result } = open({ requestBytes: bytes });
      const answer = await result;
      expect(Symbol.asyncIterator in answer).toBe(!isRefused);
      if (isRefused) expect(answer).toMatchObject({ errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] });
      else await (answer as AsyncGenerator).return(undefined);
    }
  });
});

describe('a subscription with joins', () => {
  it('gives each item a context and a time of its own, and counts it once for the caller', async () => {
    let charged = 0;
    const { source, result } = open({
      isJoined: true,
      charge: async () => {
        charged += 1;
        return null;
      },
    });
    const stream = await asStream(result);
    for (const n of [1, 2]) {
      const step = stream.next();
      source.next({ n });
      expect((await step).value).toEqual({ data: { ticks: { n } } });
    }
    expect(charged).toBe(2);
    const [one, two] = source.contexts;
    expect(one).not.toBe(two);
    expect(one?.cancellation).not.toBe(two?.cancellation);
    await stream.return(undefined);
  });

  it('waits while the caller is over its limit, and no longer than until it leaves', async () => {
    const refusal = new GraphQLError('too many', { extensions: { retryAfterSeconds: 1_000 } });
    const { source, server, result } = open({ isJoined: true, charge: async () => refusal });
    const stream = await asStream(result);
    const step = stream.next();
    source.next({ n: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(source.contexts).toEqual([]);
    server.leave();
    expect(await step).toEqual({ done: true, value: undefined });
  });
});
