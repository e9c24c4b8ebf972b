import type { ExecutionResult } from 'graphql';
import { ResultStream } from '../../src/operation/subscriptions/result-stream.ts';
import type { ItemReader, PushedItems } from '../../src/upstream/operation-context.ts';

/** Reads pushed items one by one. */
export function pull<Item>(items: Omit<PushedItems<Item>, 'stop'>): AsyncGenerator<Item, undefined> {
  type Step = IteratorResult<Item, undefined>;
  const unread: (() => Promise<Step>)[] = [];
  let waiting: ((step: Promise<Step>) => void) | null = null;
  let go = () => {
    go = () => items.resume();
    items.pushTo(reader);
  };
  let isOver = false;
  const done = async (): Promise<Step> => ({ done: true, value: undefined });
  const tell = (step: () => Promise<Step>) => {
    if (!waiting) {
      unread.push(step);
      return;
    }
    const resolve = waiting;
    waiting = null;
    resolve(step());
  };
  const end = (step = done) => {
    if (isOver) return;
    isOver = true;
    tell(step);
  };
  const reader: ItemReader<Item> = {
    get isReady() {
      return waiting !== null;
    },
    take: (value) => tell(async () => ({ done: false, value })),
    end: () => end(),
    fail: (error) => end(() => Promise.reject(error)),
  };
  const generator: AsyncGenerator<Item, undefined> = {
    next() {
      const known = unread.shift();
      if (known) return known();
      if (isOver) return done();
      return new Promise((resolve) => {
        waiting = resolve;
        go();
      });
    },
    async return() {
      unread.length = 0;
      items.leave();
      end();
      unread.length = 0;
      return done();
    },
    throw: (error) => Promise.reject(error),
    [Symbol.asyncIterator]: () => generator,
    async [Symbol.asyncDispose]() {
      await generator.return(undefined);
    },
  };
  return generator;
}

/** Reads the next one alone, as a new reader. */
export function next<Item>(items: Omit<PushedItems<Item>, 'stop'>): Promise<IteratorResult<Item, undefined>> {
  return pull(items).next();
}

/** Reads the results of a stream one by one. */
export function pullResults(stream: ResultStream): AsyncGenerator<ExecutionResult, undefined> {
  return pull<ExecutionResult>({
    pushTo: (reader) =>
      stream.pushTo({
        get isReady() {
          return reader.isReady;
        },
        takeText: ({ bytes }) => reader.take(JSON.parse(Buffer.from(bytes, 'latin1').toString())),
        takeResult: (result) => reader.take(result),
        end: () => reader.end(),
        fail: (error) => reader.fail(error),
      }),
    resume: () => stream.resume(),
    leave: () => stream.leave(),
  });
}

/** Pushes the items of an iterator. */
export function push(items: AsyncIterator<unknown> & { readonly stop?: (why: Error) => void }): PushedItems {
  let reader: ItemReader<object> | null = null;
  let isReading = false;
  let isStopped = false;
  const read = async () => {
    if (isStopped) return reader?.end();
    while (reader?.isReady && !isReading) {
      isReading = true;
      try {
        const step = await items.next();
        isReading = false;
        if (step.done) return reader.end();
        reader.take(step.value as object);
      } catch (error) {
        return reader.fail(error);
      }
    }
  };
  const leave = () => void items.return?.();
  return {
    pushTo(given) {
      reader = given;
      void read();
    },
    resume: () => void read(),
    leave,
    stop(why) {
      if (items.stop) {
        items.stop(why as Error);
        return;
      }
      isStopped = true;
      leave();
      reader?.end();
    },
  };
}

/** A stream of the results of an iterator. */
export function streamResults(results: AsyncIterator<ExecutionResult>): ResultStream {
  return new ResultStream({
    items: push(results),
    toResult: async (item) => item,
    shared: null,
    toFault: (error) => error,
    onEnd() {},
  });
}
