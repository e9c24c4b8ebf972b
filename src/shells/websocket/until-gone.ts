/**
 * What the library of the WebSocket protocol keeps of an operation. It returns from it when the client completes the
 * operation or the connection closes, whatever becomes of its answer, and asks nothing else of it.
 */
export function untilGone(hangUp: () => void): AsyncGenerator<never> {
  const nothingToCome = async () => ({ done: true, value: undefined }) as const;
  const operation: AsyncGenerator<never> = {
    next: nothingToCome,
    async return() {
      hangUp();
      return nothingToCome();
    },
    throw: (error) => Promise.reject(error),
    [Symbol.asyncIterator]: () => operation,
    [Symbol.asyncDispose]: async () => {},
  };
  return operation;
}
