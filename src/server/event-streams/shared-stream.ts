import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { printResult } from '../whole-answer.ts';
import { eventFraming } from './framing.ts';
import type { Heart } from './heart.ts';

/** In bytes. If so much waits for a client to read it, it may begin nothing more until it has caught up. */
const holdBytes = 1024 * 1024;
/** In bytes: as much as the largest answer of an upstream. If so much waits, the next result ends the stream. */
const maxWaitingBytes = 64 * 1024 * 1024;

/** One operation of a stream. */
export interface SharedOperation {
  /** Was it stopped by its client, or is its client gone? */
  readonly isLeft: boolean;
  /** Calls back when it is left, at once if it is. */
  onLeft(then: () => void): void;
  /** Ends it. Safe to call twice. */
  leave(): void;
  /** Tells its results, as fast as the client reads, and then its end. Never rejects. */
  tell(
    answer: ExecutionResult | AsyncIterable<ExecutionResult>,
    onResult: (result: ExecutionResult) => void,
  ): Promise<void>;
}

export interface SharedStreamOptions {
  /** At one time. */
  readonly maxOperations: number;
  readonly heart: Heart;
  /**
   * Calls back when its answer is complete, or its client gone, at once if it is. The response itself would not say so while
   * it waits for its turn on the connection.
   */
  readonly onGone: (then: () => void) => void;
}

/**
 * An event stream that carries the results of several operations, as the "single connection mode" of GraphQL over SSE has it:
 * `next` with an operation's id and a result, `complete` with its id.
 */
export class SharedStream {
  readonly #res: ServerResponse;
  readonly #maxOperations: number;
  readonly #operations = new Map<string, OpenOperation>();
  #waiting: (() => void)[] = [];
  #isStopping = false;
  #isOver = false;

  constructor(res: ServerResponse, { maxOperations, heart, onGone }: SharedStreamOptions) {
    this.#res = res;
    this.#maxOperations = maxOperations;
    res.writeHead(200, eventFraming.headers);
    res.write(eventFraming.beat);
    const stopBeating = heart.onBeat(() => {
      // Nothing is put behind what the client has not read yet, nor behind the end, which may wait for its turn on the connection:
      // that would end the process.
      if (!res.writableNeedDrain && !res.writableEnded) res.write(eventFraming.beat);
    });
    res.on('drain', () => this.#wakeAll());
    onGone(() => {
      stopBeating();
      this.#isOver = true;
      for (const operation of [...this.#operations.values()]) operation.leave();
      this.#wakeAll();
    });
  }

  /** Begins an operation. @returns why not, if it may not */
  begin(id: string): OpenOperation | 'stopping' | 'taken' | 'too-many' | 'unread' {
    if (this.#isStopping) return 'stopping';
    if (this.#operations.has(id)) return 'taken';
    if (this.#operations.size >= this.#maxOperations) return 'too-many';
    if (this.#res.writableLength > holdBytes) return 'unread';
    const operation = new OpenOperation(id, this);
    this.#operations.set(id, operation);
    return operation;
  }

  /** Ends an operation that its client has enough of; nothing if there is none of this id. */
  leave(id: string): void {
    this.#operations.get(id)?.leave();
  }

  /** Ends when the operations under way have; they are told to by others. */
  stop(): void {
    this.#isStopping = true;
    this.#endIfIdle();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the client has read what was sent, or is gone. */
  room(): Promise<void> | undefined {
    if (this.#isOver || !this.#res.writableNeedDrain) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  send(text: string): void {
    if (this.#isOver) return;
    if (this.#res.writableLength > maxWaitingBytes) this.#res.destroy();
    else this.#res.write(text);
  }

  ended(id: string): void {
    this.#operations.delete(id);
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (this.#isStopping && this.#operations.size === 0 && !this.#isOver) this.#res.end();
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const then of waiting) then();
  }
}

class OpenOperation implements SharedOperation {
  readonly #id: string;
  readonly #stream: SharedStream;
  #results: AsyncIterator<ExecutionResult> | null = null;
  #onLeft: (() => void)[] = [];
  isLeft = false;

  constructor(id: string, stream: SharedStream) {
    this.#id = id;
    this.#stream = stream;
  }

  onLeft(then: () => void): void {
    if (this.isLeft) then();
    else this.#onLeft.push(then);
  }

  leave(): void {
    if (this.isLeft) return;
    this.isLeft = true;
    this.#stream.ended(this.#id);
    const told = this.#onLeft;
    this.#onLeft = [];
    for (const then of told) then();
    void this.#results?.return?.();
  }

  async tell(
    answer: ExecutionResult | AsyncIterable<ExecutionResult>,
    onResult: (result: ExecutionResult) => void,
  ): Promise<void> {
    const tellOne = (result: ExecutionResult) => {
      onResult(result);
      const payload = printResult(result);
      this.#stream.send(eventFraming.next(`{"id":${JSON.stringify(this.#id)},"payload":${payload}}`, null));
    };
    if (Symbol.asyncIterator in answer) await this.#tellAll(answer[Symbol.asyncIterator](), tellOne);
    else if (!this.isLeft) tellOne(answer);
    if (this.isLeft) return;
    this.#stream.send(`event: complete\ndata: {"id":${JSON.stringify(this.#id)}}\n\n`);
    this.leave();
  }

  /** Asks for a result only when the client has read those before it. */
  async #tellAll(results: AsyncIterator<ExecutionResult>, tellOne: (result: ExecutionResult) => void): Promise<void> {
    this.#results = results;
    if (this.isLeft) return void results.return?.();
    for (;;) {
      await this.#stream.room();
      if (this.isLeft) return;
      const { done, value } = await results.next();
      if (done || this.isLeft) return;
      tellOne(value);
    }
  }
}
