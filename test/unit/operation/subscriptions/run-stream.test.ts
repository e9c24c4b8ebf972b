import { makeExecutableSchema } from '@graphql-tools/schema';
import { GraphQLError } from 'graphql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Graph } from '../../../../src/graph/generation.ts';
import { createOperationRunner } from '../../../../src/operation/operation-runner.ts';
import { ResultStream } from '../../../../src/operation/subscriptions/result-stream.ts';
import { FairTurns, thisEventLoop } from '../../../../src/upstream/fair-turns.ts';
import type { OperationContext } from '../../../../src/upstream/operation-context.ts';
import { pullResults, push } from '../../../support/pushed-items.ts';
import { toTestCaller } from '../../../support/test-caller.ts';
import { admitForTest, createTestServer, quietTurns } from '../../../support/test-operation.ts';
import { until } from '../../../support/until.ts';

interface Source {
  /** Of each item that was executed. */
  readonly contexts: OperationContext[];
  isClosed: boolean;
  /** Why its items were told to end; only with `canStop`. */
  stopped: Error | null;
  /** Gives the next item. */
  next: (item: unknown) => void;
  break: (error: unknown) => void;
}

/** A graph whose stream a test feeds. With `isJoined` its items are executed as if they asked the ledger. */
function open({
  isJoined = false,
  charge = async (): Promise<GraphQLError | null> => null,
  text = 'subscription { ticks { n } }',
  requestBytes = 0,
  caller = toTestCaller(),
  canStop = false,
  turns = quietTurns(),
  spend = () => {},
} = {}) {
  const waiting: ((step: IteratorResult<unknown> | Promise<never>) => void)[] = [];
  const source: Source = {
    contexts: [],
    isClosed: false,
    stopped: null,
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
  if (canStop) {
    const stop = (why: Error) => {
      source.stopped = why;
      source.next({ n: 0 });
      items.next = async () => ({ done: true, value: undefined });
    };
    Object.assign(items, { stop });
  }
  const schema = makeExecutableSchema({
    typeDefs: 'type Query { a: Int } type Subscription { ticks(fails: Boolean): Tick } type Tick { n: Int bad: Int }',
    resolvers: {
      Subscription: {
        ticks: {
          subscribe(_: unknown, { fails }: { fails?: boolean }) {
            if (fails) throw new GraphQLError('no such stream', { extensions: { code: 'BAD_USER_INPUT' } });
            return push(items);
          },
        },
      },
      Tick: {
        n(tick: { n: number }, _: unknown, context: OperationContext) {
          source.contexts.push(context);
          spend();
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
    inForce: {},
  };
  const server = createTestServer();
  const runner = createOperationRunner({
    timeouts: { queryMs: 30, mutationMs: 30 },
    turns,
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
  // Whose results are not printed for several streams.
  const operation = { ...admitted.operation, plan: 'STITCHED' as const, hasJoins: isJoined };
  return { source, server, result: runner.subscribe({ ...admitted, caller, operation }, { ...server, requestBytes }) };
}

afterEach(() => void vi.useRealTimers());

const asStream = async (result: Promise<unknown>) => pullResults((await result) as ResultStream);

describe('a subscription', () => {
  it('executes its items in turns of its caller, so many of them do not block the event loop', async () => {
    let clockMs = 0;
    const turns = new FairTurns({ ...thisEventLoop, now: () => clockMs });
    const opened = Array.from({ length: 100 }, () => open({ turns, spend: () => (clockMs += 2) }));
    const streams = await Promise.all(opened.map(({ result }) => asStream(result)));
    const items = streams.map((stream) => stream.next());
    let longestTurnMs = 0;
    let isOver = false;
    let turnBeganMs = clockMs;
    const watch = () => {
      longestTurnMs = Math.max(longestTurnMs, clockMs - turnBeganMs);
      turnBeganMs = clockMs;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    for (const { source } of opened) source.next({ n: 1 });
    const results = await Promise.all(items);
    await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
    expect(results.filter(({ value }) => value?.data !== undefined)).toHaveLength(100);
    expect([clockMs, longestTurnMs > 10]).toEqual([200, false]);
    await Promise.all(streams.map((stream) => stream.return(undefined)));
  });

  it('executes each item separately, has no deadline, and is recorded once, with all its errors, when it ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { source, server, result } = open({ text: 'subscription { ticks { n bad } }' });
    const stream = await asStream(result);
    const first = stream.next();
    // Far longer than a query may take.
    vi.advanceTimersByTime(3_600_000);
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

  it.each<[string, (stream: AsyncGenerator, leave: () => void) => unknown]>([
    ['is completed', (stream) => stream.return(undefined)],
    ['loses its client', (_, leave) => leave()],
  ])('takes its item out of the queue when it %s, and does not execute it', async (_, end) => {
    const queue = { isUsed: false, length: 0 };
    const run: FairTurns['run'] = (_key, client, work) => {
      if (!queue.isUsed) return work();
      queue.length += 1;
      return new Promise((resolve) => client?.onGone(() => resolve(work())));
    };
    const { source, server, result } = open({ turns: { run, now: () => 0 } as FairTurns });
    const stream = await asStream(result);
    queue.isUsed = true;
    const step = stream.next();
    source.next({ n: 1 });
    await until(() => queue.length > 0, 'the item to wait');
    await end(stream, server.leave);
    expect(await step).toEqual({ done: true, value: undefined });
    expect(source.contexts).toEqual([]);
  });

  it('closes its source if the client left before it was open', async () => {
    const { source, server, result } = open();
    server.leave();
    const stream = await asStream(result);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(source.isClosed).toBe(true);
  });

  it('that fails unexpectedly hides the reason from clients, and ends', async () => {
    const { source, server, result } = open();
    const stream = await asStream(result);
    const waiting = stream.next();
    source.break(new Error('broken'));
    await expect(waiting).rejects.toMatchObject({ message: 'masked' });
    expect(source.isClosed).toBe(true);
    expect(server.operations).toMatchObject([{ errors: 1 }]);
  });

  it('delivers the same to a reader that is pushed to', () => {
    const told: unknown[] = [];
    const items = {
      pushTo: (reader: { fail(error: unknown): void }) => reader.fail(new Error('broken')),
      resume() {},
      leave() {},
      stop() {},
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

  it('that is rejected has one result', async () => {
    const { server, result } = open({ text: 'subscription { ticks(fails: true) { n } }' });
    expect(await result).toMatchObject({ errors: [{ message: 'no such stream' }] });
    expect(server.operations).toMatchObject([{ errors: 1 }]);
  });

  it('whose request exceeds what a stream may keep is rejected before it is opened', async () => {
    for (const [bytes, isRefused] of [
      [64 * 1024, false],
      [64 * 1024 + 1, true],
    ] as const) {
      const { result } = open({ requestBytes: bytes });
      const answer = await result;
      expect(answer instanceof ResultStream).toBe(!isRefused);
      if (isRefused) expect(answer).toMatchObject({ errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] });
      else (answer as ResultStream).leave();
    }
  });
});

describe('a subscription of a caller whose credential may expire', () => {
  /** How many wait for its end. */
  function createValidity() {
    const waiting = new Set<() => void>();
    const onEnd = (then: () => void) => {
      waiting.add(then);
      return () => void waiting.delete(then);
    };
    return { waiting, validity: { onEnd }, end: () => [...waiting].map((then) => then()) };
  }

  it('ends with it, and closes its source', async () => {
    const { validity, end, waiting } = createValidity();
    const { source, server, result } = open({ caller: toTestCaller({ validity }) });
    const stream = await asStream(result);
    const step = stream.next();
    end();
    expect(await step).toEqual({ done: true, value: undefined });
    expect([source.isClosed, server.operations.length, waiting.size]).toEqual([true, 1, 0]);
  });

  it('ends if the credential expired before the stream was open', async () => {
    const validity = {
      onEnd(then: () => void) {
        then();
        return () => {};
      },
    };
    const { source, result } = open({ caller: toTestCaller({ validity }) });
    const stream = await asStream(result);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(source.isClosed).toBe(true);
  });

  it('whose items can end the stream themselves lets them do so', async () => {
    const { validity, end } = createValidity();
    const { source, result } = open({ caller: toTestCaller({ validity }), canStop: true });
    const stream = await asStream(result);
    const step = stream.next();
    end();
    expect((await step).value).toEqual({ data: { ticks: { n: 0 } } });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(source.stopped).toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } });
  });

  it.each<[string, (stream: AsyncGenerator, server: { leave(): void }) => unknown]>([
    ['is completed', (stream) => stream.return(undefined)],
    ['loses its client', (_, server) => server.leave()],
  ])('leaves nothing that waits for its end when it %s', async (_, finish) => {
    const { validity, waiting } = createValidity();
    const { server, result } = open({ caller: toTestCaller({ validity }) });
    const stream = await asStream(result);
    expect(waiting.size).toBe(1);
    await finish(stream, server);
    expect(waiting.size).toBe(0);
  });
});

describe('a subscription with joins', () => {
  it('gives each item its own context and timeout, and counts it once for the caller', async () => {
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

  it('cancels the calls of its joins when its client completes it', async () => {
    const { source, result } = open({ isJoined: true });
    const stream = await asStream(result);
    void stream.next();
    source.next({ n: new Promise(() => {}) });
    await until(() => source.contexts.length > 0, 'the item to be executed');
    expect(source.contexts[0]?.cancellation.cause).toBeNull();
    await stream.return(undefined);
    expect(source.contexts[0]?.cancellation.cause).toBe('aborted');
  });

  it('waits while the caller is over its limit, or until the caller leaves', async () => {
    const refusal = new GraphQLError('too many', { extensions: { retryAfterSeconds: 1_000 } });
    let asked = 0;
    const { source, server, result } = open({
      isJoined: true,
      charge: async () => {
        asked += 1;
        return refusal;
      },
    });
    const stream = await asStream(result);
    const step = stream.next();
    source.next({ n: 1 });
    await until(() => asked > 0, 'the caller to be counted');
    server.leave();
    expect(await step).toEqual({ done: true, value: undefined });
    // Nothing was executed before it left, and it is not counted again.
    expect(source.contexts.filter(({ cancellation }) => cancellation.cause === null)).toEqual([]);
    expect(asked).toBe(1);
  });
});
