import type { ExecutionResult } from 'graphql';
import type { ResultText, SharedResults } from './shared-results.ts';

/** One who is handed results as soon as they are there. */
export interface ResultReader {
  /** Does it take another one now? When it does again, it calls `resume` of the stream. */
  readonly isReady: boolean;
  /** A result without errors, printed for all who are told the same. */
  takeText(text: ResultText): void;
  /** One that is this stream's alone. */
  takeResult(result: ExecutionResult): void;
  /** The stream has ended by itself. */
  end(): void;
  /** The same, for a fault. */
  fail(error: unknown): void;
}

/** Items that can be handed on as they come; the same item is the same object for all who get it. */
export interface PushedItems extends AsyncIterator<unknown> {
  pushTo(reader: {
    readonly isReady: boolean;
    take(item: object): void;
    end(): void;
    fail(error: unknown): void;
  }): void;
  resume(): void;
}

/** Items that can be told to end. They say where to go on if they can, and else why they end. */
export interface StoppableItems {
  stop(why: Error): void;
}

function areStoppable(items: AsyncIterator<unknown>): items is AsyncIterator<unknown> & StoppableItems {
  return 'stop' in items;
}

export function arePushed(items: AsyncIterator<unknown>): items is PushedItems {
  return 'pushTo' in items;
}

export interface ResultStreamOptions {
  readonly items: AsyncIterator<unknown>;
  readonly toResult: (item: unknown) => Promise<ExecutionResult>;
  /** Where items are pushed, and their results may be shared: joins those that are told the same, and prints a result for all of them. */
  readonly shared: SharedPrinting | null;
  /** What clients see of a fault that nobody foresaw, and the log has. */
  readonly toFault: (error: unknown) => unknown;
  /** Called once, when it ends by itself or is left, with how many errors it told. */
  readonly onEnd: (errors: number) => void;
}

export interface SharedPrinting {
  readonly results: SharedResults;
  /** `null` = the result is this stream's alone, or is not there at once. */
  readonly print: (item: object) => ResultText | null;
}

/**
 * The results of a subscription. Written by hand, because an `async function*` that waits for its next item would hear of its
 * reader's leaving only with that item.
 */
export class ResultStream implements AsyncGenerator<ExecutionResult, undefined> {
  readonly #items: AsyncIterator<unknown>;
  readonly #toResult: ResultStreamOptions['toResult'];
  readonly #shared: SharedPrinting | null;
  readonly #toFault: ResultStreamOptions['toFault'];
  readonly #onEnd: ResultStreamOptions['onEnd'];
  #reader: ResultReader | null = null;
  /** Is an item being executed for this stream alone? */
  #isBusy = false;
  /** The last item of a stream that was stopped meanwhile. */
  #behind: object | null = null;
  /** Have the items ended meanwhile? */
  #isEnding = false;
  #errors = 0;
  #isOver = false;

  constructor({ items, toResult, shared, toFault, onEnd }: ResultStreamOptions) {
    this.#items = items;
    this.#toResult = toResult;
    this.#shared = shared;
    this.#toFault = toFault;
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
      throw this.#toFault(error);
    }
  }

  /** Can it hand on its results as they come? */
  get isPushed(): boolean {
    return this.#shared !== null;
  }

  /** Hands on its results from now on; `next` must not be called any more. Only where `isPushed`. */
  pushTo(reader: ResultReader): void {
    if (this.#isOver) {
      reader.end();
      return;
    }
    this.#reader = reader;
    (this.#items as PushedItems).pushTo(this);
  }

  /** Its reader is ready again. */
  resume(): void {
    (this.#items as PushedItems).resume();
  }

  get isReady(): boolean {
    return !this.#isBusy && this.#reader !== null && this.#reader.isReady;
  }

  /** The next item, for the reader. */
  take(item: object): void {
    if (this.#isBusy) {
      this.#behind = item;
      return;
    }
    const { results, print } = this.#shared as SharedPrinting;
    const text = results.textOf(item, print);
    if (text) this.#reader?.takeText(text);
    else void this.#takeAlone(item);
  }

  async #takeAlone(item: object): Promise<void> {
    this.#isBusy = true;
    try {
      const result = await this.#toResult(item);
      if (this.#isOver) return;
      this.#errors += result.errors?.length ?? 0;
      this.#reader?.takeResult(result);
    } catch (error) {
      this.fail(error);
    }
    this.#isBusy = false;
    const behind = this.#behind;
    this.#behind = null;
    if (behind) this.take(behind);
    if (this.#isEnding) this.end();
    else this.resume();
  }

  /** There are no more items. */
  end(): void {
    this.#isEnding = true;
    if (this.#isBusy || this.#isOver) return;
    this.#end();
    this.#reader?.end();
  }

  /** Has it end by itself, before its items do. */
  stop(why: Error): void {
    if (areStoppable(this.#items)) this.#items.stop(why);
    else this.fail(why);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#errors += 1;
    this.#reader?.fail(this.#toFault(error));
    void this.return();
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    const wasOver = this.#isOver;
    const end = this.#end();
    if (!wasOver) this.#reader?.end();
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
      this.#shared?.results.leave();
      this.#onEnd(this.#errors);
    }
    return { done: true, value: undefined };
  }
}
