import type { ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { type ResultReader, ResultStream } from '../../../../src/operation/subscriptions/result-stream.ts';
import { until } from '../../../support/until.ts';

/** How often a stream has left those that are told the same, and has ended. */
function open(
  items: Partial<AsyncIterator<unknown>> = {},
  toResult: (item: unknown) => Promise<ExecutionResult> = async () => ({ data: null }),
) {
  const counts = { left: 0, ended: 0 };
  const count = (what: keyof typeof counts) => {
    counts[what] += 1;
  };
  const stream = new ResultStream({
    items: { next: async () => ({ done: true, value: undefined }), ...items },
    toResult,
    shared: { results: { textOf: () => null, leave: () => count('left') }, print: () => null },
    toFault: (error) => error,
    onEnd: () => count('ended'),
  });
  return { stream, counts };
}

it.each<[string, (stream: ResultStream) => unknown]>([
  ['is left', (stream) => stream.return()],
  ['ends by itself', (stream) => stream.end()],
  ['has no more items', (stream) => stream.next()],
  ['fails', (stream) => stream.fail(new Error('broken'))],
])('a stream that %s leaves those that are told the same, once', async (_, end) => {
  const { stream, counts } = open();
  await end(stream);
  await stream.return();
  expect(counts).toEqual({ left: 1, ended: 1 });
});

it('a stream whose items end while one is executed ends behind its result', async () => {
  const told: string[] = [];
  let execute = (_: ExecutionResult) => {};
  const items = { pushTo() {}, resume() {} } as Partial<AsyncIterator<unknown>>;
  const { stream, counts } = open(items, () => new Promise((resolve) => (execute = resolve)));
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
  const { stream } = open({ pushTo() {}, resume() {} } as Partial<AsyncIterator<unknown>>, async (item) => ({
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
