import type { ExecutionResult } from 'graphql';

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
  const end = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const stream: AsyncGenerator<ExecutionResult> = {
    async next() {
      try {
        const step = await results.next();
        if (step.done) end();
        else onResult(step.value);
        return step;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
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
