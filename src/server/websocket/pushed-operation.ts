import type { ExecutionResult } from 'graphql';
import { printJson } from '../../json/exact-number.ts';
import type { ResultReader, ResultStream, ResultText } from '../../operation/operation-answer.ts';
import type { FrameWriter } from './frame-writer.ts';

export interface PushedOperationOptions {
  readonly stream: ResultStream;
  /** Of the operation, as its client named it. */
  readonly id: string;
  readonly frames: FrameWriter;
  /** Called with each result that has errors. */
  readonly onResult: (result: ExecutionResult) => void;
  /** Called once, when the stream is over, whichever way. */
  readonly onEnd: () => void;
}

/**
 * A stream whose results go to their client by themselves. For graphql-ws it is one without results that is over when the
 * stream is: its own way of sending takes five promises and a text of its own for each result of each client.
 */
export class PushedOperation implements AsyncGenerator<never, undefined>, ResultReader {
  readonly #stream: ResultStream;
  readonly #frames: FrameWriter;
  readonly #prefix: string;
  readonly #onResult: PushedOperationOptions['onResult'];
  readonly #onEnd: PushedOperationOptions['onEnd'];
  #settle: { resolve: (step: IteratorResult<never, undefined>) => void; reject: (error: unknown) => void } | null =
    null;
  #isOver = false;

  constructor({ stream, id, frames, onResult, onEnd }: PushedOperationOptions) {
    this.#stream = stream;
    this.#frames = frames;
    this.#prefix = toBytes(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
    this.#onResult = onResult;
    this.#onEnd = onEnd;
  }

  /** Begins to send. graphql-ws calls it once, for the first result, and waits for it until the end. */
  next(): Promise<IteratorResult<never, undefined>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#frames.readers.add(this);
      this.#stream.pushTo(this);
    });
  }

  get isReady(): boolean {
    return this.#frames.isReady;
  }

  resume(): void {
    this.#stream.resume();
  }

  takeText({ bytes }: ResultText): void {
    if (!this.#isOver) this.#frames.write(`${this.#prefix}${bytes}}`);
  }

  takeResult({ errors, ...result }: ExecutionResult): void {
    if (this.#isOver) return;
    if (errors) this.#onResult({ errors });
    const payload = errors ? { ...result, errors: errors.map((error) => error.toJSON()) } : result;
    this.#frames.write(`${this.#prefix}${toBytes(printJson(payload))}}`);
  }

  end(): void {
    this.#finish();
    this.#settle?.resolve({ done: true, value: undefined });
  }

  fail(error: unknown): void {
    this.#finish();
    this.#settle?.reject(error);
  }

  /** Its client has completed it, or is gone. */
  async return(): Promise<IteratorResult<never, undefined>> {
    // As `nothingMore`: graphql-ws waits for a step that does not come.
    this.#settle = null;
    await this.#stream.return();
    this.end();
    return { done: true, value: undefined };
  }

  throw(error: unknown): Promise<never> {
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#frames.readers.delete(this);
    // What graphql-ws sends next belongs behind it.
    this.#frames.flush();
    this.#onEnd();
  }
}

/** In UTF-8, each byte as one character. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
