import type { ExecutionResult } from 'graphql';

/**
 * The results of a subscription. Written by hand, because an `async function*` that waits for its next item would hear of its
 * reader's leaving only with that item.
 */
export class ResultStream implements AsyncGenerator<ExecutionResult, undefined> {
  readonly #items: AsyncIterator<unknown>;
  readonly #toResult: (item: unknown) => Promise<ExecutionResult>;
  readonly #onEnd: (errors: number) => void;
  #errors = 0;
  #isOver = false;

  /** @param onEnd called once, when it ends by itself or is left, with how many errors it told */
  constructor(
    items: AsyncIterator<unknown>,
    toResult: (item: unknown) => Promise<ExecutionResult>,
    onEnd: (errors: number) => void,
  ) {
    this.#items = items;
    this.#toResult = toResult;
    this.#onEnd = onEnd;
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    try {
      const step = this.#isOver ? { done: true, value: undefined } : await this.#items.next();
      if (step.done || this.#isOver) return this.#end();
      const value = await this.#toResult(step.value);
      if (this.#isOver) return this.#end();
      this.#errors += value.errors?.length ?? 0;
      return { done: false, value };
    } catch (error) {
      this.#errors += 1;
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    const end = this.#end();
    await this.#items.return?.();
    return end;
  }

  async throw(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #end(): IteratorResult<ExecutionResult, undefined> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#onEnd(this.#errors);
    }
    return { done: true, value: undefined };
  }
}
