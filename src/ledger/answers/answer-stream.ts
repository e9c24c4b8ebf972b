import type { Buffer } from 'node:buffer';
import type { Usage } from '../../documents/cost/usage.ts';
import type { RawResponse, RawSink } from '../../upstream/raw-call.ts';
import { DataExtent } from './data-extent.ts';
import { judgeTail, type SettleErrors } from './judge-tail.ts';
import type { ReadText } from './ledger-answer.ts';

/** Where a large answer is written. Whatever holds the client's connection provides it. */
export interface AnswerWriter {
  /** @returns `false` when it is full: write nothing more until `resume` is called */
  write(bytes: Buffer): boolean;
  /** @param errorCount how many errors the answer has */
  end(errorCount: number): void;
  /** Breaks the answer off, so that the client cannot take it for a whole one. */
  fail(): void;
}

/** A large answer that is still arriving. */
export interface StreamedAnswer {
  /** Writes what has arrived, then what arrives. Call it as soon as the answer is handed over. */
  start(writer: AnswerWriter): void;
  /** Call it when the writer can take more. */
  resume(): void;
}

/**
 * How much of the answer's end is held back, in bytes: enough that everything after the data, such as an error for
 * each of thousands of items, can be judged in one piece.
 */
export const heldBackBytes = 1024 * 1024;

/** Passes an answer on as it arrives, but holds back its end until all of it is there and can be judged. */
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
   * @param readText gives the document's text if the client wrote it; `null` if the gateway did
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

  /** Writes all but the last `heldBackBytes`. Returns whether the writer has room for more. */
  #pass(): boolean {
    let hasRoom = true;
    for (let first = this.#held[0]; first && this.#heldSize - first.length >= heldBackBytes; first = this.#held[0]) {
      this.#held.shift();
      this.#heldSize -= first.length;
      hasRoom = this.#writer?.write(first) ?? true;
    }
    return hasRoom;
  }

  /** Forgets the writer and the bytes: a caller may keep this object for long, to resume or cancel it. */
  #release(): AnswerWriter | null {
    const writer = this.#writer;
    this.#writer = null;
    this.#held = [];
    this.#heldSize = 0;
    this.#isFull = false;
    return writer;
  }
}
