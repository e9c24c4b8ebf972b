import type { ExecutionResult } from 'graphql';
import { nothingMore } from './departure.ts';

/**
 * A stream that says when it is over, whichever way: its source ended, its client left, or it failed.
 * @param onResult called with each result
 * @param onEnd called once
 */
export function untilEnd(
  source: AsyncIterable<ExecutionResult>,
  onResult: (result: ExecutionResult) => void,
  onEnd: () => void,
): AsyncGenerator<ExecutionResult> {
  const results = source[Symbol.asyncIterator]();
  let isOver = false;
  let isLeft = false;
  const end = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const stream: AsyncGenerator<ExecutionResult> = {
    async next() {
      try {
        const step = await results.next();
        if (isLeft) return await nothingMore();
        if (step.done) end();
        else onResult(step.value);
        return step;
      } catch (error) {
        end();
        if (isLeft) return await nothingMore();
        throw error;
      }
    },
    async return() {
      isLeft = true;
      await results.return?.();
      end();
      return { done: true, value: undefined };
    },
    throw: (error) => Promise.reject(error),
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: async () => void (await stream.return(undefined)),
  };
  return stream;
}
