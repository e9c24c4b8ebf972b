import fc from 'fast-check';
import type { ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { type ResultReader, ResultStream, ResultText } from '../../../../src/operation/subscriptions/result-stream.ts';
import { runs } from '../../../support/runs.ts';
import { until } from '../../../support/until.ts';

/** How often a stream has left those that are told the same, and has ended. */
function open(toResult: (item: object) => Promise<ExecutionResult> = async () => ({ data: null })) {
  const counts = { left: 0, ended: 0 };
  const count = (what: keyof typeof counts) => {
    counts[what] += 1;
  };
  const stream = new ResultStream({
    items: { pushTo() {}, resume() {}, leave() {}, stop() {} },
    toResult,
    shared: { results: { textOf: () => null, leave: () => count('left') }, print: () => null },
    toFault: (error) => error,
    onEnd: () => count('ended'),
  });
  return { stream, counts };
}

it.each<[string, (stream: ResultStream) => unknown]>([
  ['is left', (stream) => stream.leave()],
  ['ends by itself', (stream) => stream.end()],
  ['fails', (stream) => stream.fail(new Error('broken'))],
])('a stream that %s leaves those that are told the same, once', async (_, end) => {
  const { stream, counts } = open();
  end(stream);
  stream.leave();
  expect(counts).toEqual({ left: 1, ended: 1 });
});

it('a stream whose items end while one is executed ends behind its result', async () => {
  const told: string[] = [];
  let execute = (_: ExecutionResult) => {};
  const { stream, counts } = open(() => new Promise((resolve) => (execute = resolve)));
  const reader = { isReady: true, takeResult: () => told.push('result'), end: () => told.push('end') };
  stream.pushTo(reader as unknown as ResultReader);
  stream.take({});
  stream.end();
  expect(told).toEqual([]);
  execute({ data: null });
  await until(() => told.length > 0, 'the result');
  expect([told, counts]).toEqual([['result', 'end'], { left: 1, ended: 1 }]);
});

it('an item that arrives while another is executed is delivered after it, once', async () => {
  const told: unknown[] = [];
  const reader = {
    isReady: true,
    takeText() {},
    takeResult: ({ data }: ExecutionResult) => told.push(data),
    end() {},
    fail() {},
  };
  const { stream } = open(async (item) => ({
    data: item as Record<string, unknown>,
  }));
  stream.pushTo(reader as unknown as ResultReader);
  const [first, second, third] = [{ n: 1 }, { n: 2 }, { n: 3 }];
  stream.take(first);
  stream.take(second);
  await until(() => told.length === 2, 'two results');
  stream.take(third);
  await until(() => told.length >= 3, 'three results');
  expect(told).toEqual([first, second, third]);
});

it('delivers everything once, in order, and ends once, whatever happens between items', async () => {
  const step = fc.constantFrom(
    'shared',
    'alone',
    'alone',
    'executed',
    'executed',
    'ready',
    'ready',
    'stop',
    'fail',
    'leave',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const told: unknown[] = [];
      const executing: (() => void)[] = [];
      const queue: { n: number; isShared: boolean }[] = [];
      const counts = { left: 0, ended: 0, returned: 0 };
      let pushed = 0;
      let isEnded = false;
      // As a live stream does: pushes while the reader is ready, and the last item in any case.
      const flush = () => {
        while (!isEnded && queue.length > 0 && stream.isReady) stream.take(queue.shift() as object);
      };
      const items = {
        pushTo: flush,
        resume: flush,
        leave() {
          counts.returned += 1;
          isEnded = true;
        },
        stop() {},
      };
      const print = (item: object) =>
        (item as { isShared: boolean }).isShared ? new ResultText(JSON.stringify(item)) : null;
      const stream = new ResultStream({
        items,
        toResult: (item) =>
          new Promise((resolve) => executing.push(() => resolve({ data: item as Record<string, unknown> }))),
        shared: { results: { textOf: (item, printer) => printer.print(item), leave: () => (counts.left += 1) }, print },
        toFault: () => 'fault',
        onEnd: () => (counts.ended += 1),
      });
      let isReady = false;
      const take = (value: unknown) => {
        isReady = false;
        told.push((value as { n: number }).n);
      };
      stream.pushTo({
        get isReady() {
          return isReady;
        },
        takeText: ({ bytes }) => take(JSON.parse(bytes)),
        takeResult: ({ data }) => take(data),
        // A failure is followed by the end.
        end: () => told.at(-1) !== 'fault' && told.push('end'),
        fail: (error) => told.push(error),
      });
      const run = async (each: string) => {
        if (each === 'shared' || each === 'alone') {
          if (isEnded) return;
          pushed += 1;
          queue.push({ n: pushed, isShared: each === 'shared' });
          flush();
        } else if (each === 'executed') executing.shift()?.();
        else if (each === 'ready') {
          isReady = true;
          stream.resume();
        } else if (each === 'stop' && !isEnded) {
          isEnded = true;
          stream.take({ n: 1_000, isShared: false });
          stream.end();
        } else if (each === 'fail') stream.fail(new Error('broken'));
        else if (each === 'leave') stream.leave();
        await new Promise((resolve) => setImmediate(resolve));
      };
      for (const each of steps) await run(each);
      while (executing.length > 0 || (!isEnded && queue.length > 0)) {
        await run('executed');
        await run('ready');
      }
      const ends = steps.filter((each) => each === 'stop' || each === 'fail' || each === 'leave');
      const numbers = told.filter((each) => typeof each === 'number');
      const order = Array.from({ length: pushed }, (_, index) => index + 1);
      if (ends.length === 0) expect(told).toEqual(order);
      else if (ends.every((each) => each === 'stop')) expect(told.slice(-2)).toEqual([1_000, 'end']);
      const firstNumbers = numbers.filter((each) => each !== 1_000);
      expect(firstNumbers).toEqual(order.slice(0, firstNumbers.length));
      const endings = told.filter((each) => typeof each === 'string');
      expect(endings).toHaveLength(ends.length > 0 ? 1 : 0);
      if (ends.length > 0) expect(told.at(-1)).toBe(endings[0]);
      expect([counts.left, counts.ended]).toEqual(ends.length > 0 ? [1, 1] : [0, 0]);
      if (ends.length > 0 && ends[0] !== 'stop') expect(counts.returned).toBeGreaterThan(0);
    }),
    { numRuns: runs(100) },
  );
});

it('a stream that has ended ends each reader that comes later', async () => {
  const { stream } = open();
  stream.leave();
  const told: string[] = [];
  stream.pushTo({ isReady: true, end: () => told.push('end') } as unknown as ResultReader);
  expect(told).toEqual(['end']);
});
