import type { Buffer } from 'node:buffer';
import type { Usage } from '../../limits/usage.ts';
import type { RawResponse, RawSink } from '../../transport/raw-call.ts';
import { DataExtent } from './data-extent.ts';
import { judgeTail, type SettleErrors } from './judge-tail.ts';
import type { ReadText } from './ledger-answer.ts';

/** Where a large answer is written to, by whoever has the client's connection. */
export interface AnswerWriter {
  /** @returns `false` when it is full: nothing more should come until `resume` is called */
  write(bytes: Buffer): boolean;
  /** @param errorCount of the errors that the answer has */
  end(errorCount: number): void;
  /** What has been written cannot be finished and must not look as if it were. */
  fail(): void;
}

/** A large answer that has begun. */
export interface StreamedAnswer {
  /** To be called at once: what has come is written, and all that comes. */
  start(writer: AnswerWriter): void;
  /** The writer can take more. */
  resume(): void;
}

/**
 * So much is held back that what follows an answer's data, an error for each of thousands of items, is in one hand when its
 * end has come, in bytes.
 */
export const heldBackBytes = 1024 * 1024;

/** Passes an answer on as it comes, but for its end, which is judged when it is all there. */
export class AnswerStream implements RawSink, StreamedAnswer {
  readonly #usage: Usage | null;
  readonly #settle: SettleErrors | undefined;
  readonly #resume: () => void;
  readonly #readText: ReadText | null;
  #writer: AnswerWriter | null = null;
  #held: Buffer[];
  #heldSize: number;
  readonly #extent = new DataExtent();
  #isFull = false;

  /**
   * @param usage added at the end; `null` = not asked for
   * @param readText gives the client's own text, if that was asked
   */
  constructor(
    begun: RawResponse,
    usage: Usage | null,
    resume: () => void,
    readText: ReadText | null,
    settle?: SettleErrors,
  ) {
    this.#readText = readText;
    this.#usage = usage;
    this.#settle = settle;
    this.#resume = resume;
    this.#held = [...begun.chunks];
    this.#heldSize = begun.size;
    for (const chunk of begun.chunks) this.#extent.read(chunk);
  }

  start(writer: AnswerWriter): void {
    this.#writer = writer;
    this.#isFull = !this.#pass();
  }

  resume(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#resume();
  }

  data(chunk: Buffer): boolean {
    this.#held.push(chunk);
    this.#heldSize += chunk.length;
    this.#extent.read(chunk);
    if (!this.#pass()) this.#isFull = true;
    return !this.#isFull;
  }

  end(): void {
    const tail = { chunks: this.#held, size: this.#heldSize };
    const end = judgeTail(tail, this.#extent, this.#usage, this.#readText, this.#settle);
    const writer = this.#release();
    if (!writer) return;
    if (!end) {
      writer.fail();
      return;
    }
    for (const chunk of end.body.chunks) writer.write(chunk);
    writer.end(end.errorCount);
  }

  failed(): void {
    this.#release()?.fail();
  }

  /** Writes what need not be held back. */
  #pass(): boolean {
    let hasRoom = true;
    for (let first = this.#held[0]; first && this.#heldSize - first.length >= heldBackBytes; first = this.#held[0]) {
      this.#held.shift();
      this.#heldSize -= first.length;
      hasRoom = this.#writer?.write(first) ?? true;
    }
    return hasRoom;
  }

  /** Whoever may still resume or give up holds nothing of the answer. */
  #release(): AnswerWriter | null {
    const writer = this.#writer;
    this.#writer = null;
    this.#held = [];
    this.#heldSize = 0;
    this.#isFull = false;
    return writer;
  }
}
