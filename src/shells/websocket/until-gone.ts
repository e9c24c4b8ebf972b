/**
 * Tells when the client completes an operation or disconnects: graphql-ws then calls `return` on what it was given as
 * the iterator of the operation, and it calls nothing else.
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
