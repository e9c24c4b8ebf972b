/**
 * Tells when the client completes an operation or disconnects: graphql-ws then calls `return` on what it was given as the iterator
 * of the operation, and it calls nothing else.
 */
export class Departure implements AsyncGenerator<never, undefined> {
  /** Among those of its connection; for them alone. */
  place = 0;
  #listeners: (() => void)[] = [];
  #isGone = false;

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Calls back when it is gone, at once if it is. */
  onGone(then: () => void): void {
    if (this.#isGone) then();
    else this.#listeners.push(then);
  }

  async return(): Promise<IteratorResult<never, undefined>> {
    const listeners = this.#listeners;
    this.#isGone = true;
    this.#listeners = [];
    for (const then of listeners) then();
    return this.next();
  }

  async next(): Promise<IteratorResult<never, undefined>> {
    return { done: true, value: undefined };
  }

  throw(error: unknown): Promise<never> {
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/**
 * What graphql-ws waits for behind an operation that is gone. Whatever it did next it would do to the one that has the same id by
 * then: tell it what is not its own, complete it, and forget it while it goes on.
 */
export function nothingMore(): Promise<never> {
  return new Promise(() => {});
}
