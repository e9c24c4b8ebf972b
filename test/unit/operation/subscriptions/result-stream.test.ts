import { expect, it } from 'vitest';
import { ResultStream } from '../../../../src/operation/subscriptions/result-stream.ts';

/** How often a stream has left those that are told the same, and has ended. */
function open(items: Partial<AsyncIterator<unknown>> = {}) {
  const counts = { left: 0, ended: 0 };
  const count = (what: keyof typeof counts) => {
    counts[what] += 1;
  };
  const stream = new ResultStream({
    items: { next: async () => ({ done: true, value: undefined }), ...items },
    toResult: async () => ({ data: null }),
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
