import type { ExecutionResult } from 'graphql';
import type { ResultText, SharedResults } from './shared-results.ts';

/** Receives results as soon as they exist. */
export interface ResultReader {
  /** Can it take another result now? When it can again, it calls `resume` of the stream. */
  readonly isReady: boolean;
  /** A result without errors, printed once for all streams that send the same. */
  takeText(text: ResultText): void;
  /** A result of this stream alone. */
  takeResult(result: ExecutionResult): void;
  /** The stream has ended. */
  end(): void;
  /** The stream has failed. */
  fail(error: unknown): void;
}

/** Items that are pushed as they come; subscribers of the same item get the same object. */
export interface PushedItems extends AsyncIterator<unknown> {
  pushTo(reader: {
    readonly isReady: boolean;
    take(item: object): void;
    end(): void;
    fail(error: unknown): void;
  }): void;
  resume(): void;
}

/** Items that can be stopped. Their last item says where to resume, if possible, or why they end. */
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
  /** Prints a result once for all streams that send the same; `null` where items are not pushed or results are not shared. */
  readonly shared: SharedPrinting | null;
  /** The error that clients see for an unexpected fault, which the log records. */
  readonly toFault: (error: unknown) => unknown;
  /** Called once, when the stream ends or its client leaves, with the number of errors it sent. */
  readonly onEnd: (errors: number) => void;
}

export interface SharedPrinting {
  readonly results: SharedResults;
  /** `null` = the result belongs to this stream alone, or is not available synchronously. */
  readonly print: (item: object) => ResultText | null;
}

/**
 * The results of a subscription. Not an `async function*`, which would notice that its reader left only with the next item.
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
  /** An item received while another one executes. */
  #behind: object | null = null;
  /** The items ended while an item executes. */
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

  /** Can results be pushed? */
  get isPushed(): boolean {
    return this.#shared !== null;
  }

  /** Pushes results from now on; `next` must not be called any more. Only where `isPushed`. */
  pushTo(reader: ResultReader): void {
    if (this.#isOver) {
      reader.end();
      return;
    }
    this.#reader = reader;
    (this.#items as PushedItems).pushTo(this);
  }

  resume(): void {
    (this.#items as PushedItems).resume();
  }

  get isReady(): boolean {
    return !this.#isBusy && this.#reader !== null && this.#reader.isReady;
  }

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

  end(): void {
    this.#isEnding = true;
    if (this.#isBusy || this.#isOver) return;
    this.#end();
    this.#reader?.end();
  }

  /** Ends the stream before its items do. */
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
