import { Buffer } from 'node:buffer';
import type { GraphQLError } from 'graphql';
import { type Usage, withUsage } from '../../documents/cost/usage.ts';
import { parseJson, printJson } from '../../json/exact-json.ts';
import type { RawResponse, RawSink } from '../../upstream/raw-call.ts';
import { type ChunkedBody, DataExtent } from './data-extent.ts';
import { type ReadText, type TransientErrors, toGraphqlErrors } from './ledger-answer.ts';
import { cutAt } from './plain-answer.ts';

/** Destination of a large response: the client's connection. */
export interface AnswerWriter {
  /** @returns `false` if it is full: write nothing more until `resume` is called */
  write(bytes: Buffer): boolean;
  /** @param errorCount how many errors the response has */
  end(errorCount: number): void;
  /** Breaks the connection, so that the client cannot take the response for a complete one. */
  fail(): void;
}

/** A large response that is still arriving. */
export interface StreamedAnswer {
  /** Writes what has arrived, then what arrives. Call as soon as the response is handed over. */
  start(writer: AnswerWriter): void;
  /** Call when the writer has room again. */
  resume(): void;
}

/** Formats the errors of a streamed response as in any other response. */
export type SettleErrors = (errors: readonly GraphQLError[]) => readonly GraphQLError[];

interface EndOptions {
  /** Usage to append; `null` = not requested. */
  readonly usage: Usage | null;
  /** Returns the document's text if the client wrote it; `null` if the gateway did. */
  readonly readText: ReadText | null;
  readonly transient?: TransientErrors | undefined;
  readonly settle?: SettleErrors | undefined;
}

/**
 * Bytes of the response's end that are held back: enough that everything after the data, such as an error for each of
 * thousands of items, can be checked in one piece.
 */
export const heldBackBytes = 1024 * 1024;

/** Forwards a response as it arrives, but holds back its end until the response is complete and checked. */
export class AnswerStream implements RawSink, StreamedAnswer {
  readonly #options: EndOptions;
  readonly #resume: () => void;
  readonly #extent = new DataExtent();
  #writer: AnswerWriter | null = null;
  #held: Buffer[] = [];
  #heldSize = 0;
  #isFull = false;

  constructor(begun: RawResponse, resume: () => void, options: EndOptions) {
    this.#options = options;
    this.#resume = resume;
    for (const chunk of begun.chunks) this.#hold(chunk);
  }

  start(writer: AnswerWriter): void {
    this.#writer = writer;
    this.#isFull = !this.#forward();
  }

  resume(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#resume();
  }

  data(chunk: Buffer): boolean {
    this.#hold(chunk);
    if (!this.#forward()) this.#isFull = true;
    return !this.#isFull;
  }

  end(): void {
    const end = checkEnd({ chunks: this.#held, size: this.#heldSize }, this.#extent, this.#options);
    const writer = this.#release();
    if (!end) {
      writer?.fail();
      return;
    }
    for (const chunk of end.body.chunks) writer?.write(chunk);
    writer?.end(end.errorCount);
  }

  failed(): void {
    this.#release()?.fail();
  }

  #hold(chunk: Buffer): void {
    this.#held.push(chunk);
    this.#heldSize += chunk.length;
    this.#extent.read(chunk);
  }

  /** Writes all but the last `heldBackBytes`. @returns whether the writer has room for more */
  #forward(): boolean {
    let hasRoom = true;
    for (let first = this.#held[0]; first && this.#heldSize - first.length >= heldBackBytes; first = this.#held[0]) {
      this.#held.shift();
      this.#heldSize -= first.length;
      hasRoom = this.#writer?.write(first) ?? true;
    }
    return hasRoom;
  }

  /** Drops the writer and the bytes: a caller may keep this object for long, to resume or cancel it. */
  #release(): AnswerWriter | null {
    const writer = this.#writer;
    this.#writer = null;
    this.#held = [];
    this.#heldSize = 0;
    this.#isFull = false;
    return writer;
  }
}

/** The end of a large response, ready to be sent. */
export interface AnswerEnd {
  readonly body: ChunkedBody;
  readonly errorCount: number;
}

const onlyBrace = /^\s*\}\s*$/;

/**
 * Prepares the end of a response whose beginning has been sent: adds usage if requested, and formats its errors as in any
 * other response. `null` for a malformed end.
 * @param tail the last bytes of the response, with everything that follows its data
 * @param extent has read the whole response
 */
export function checkEnd(
  tail: ChunkedBody,
  extent: DataExtent,
  { usage, readText, transient, settle = (errors) => errors }: EndOptions,
): AnswerEnd | null {
  const dataEnd = (extent.dataEnd ?? 0) - (extent.size - tail.size);
  if (!extent.isWhole || extent.dataEnd === null || dataEnd < 0) return null;
  const data = cutAt(tail, dataEnd + 1);
  const behind = textFrom(tail, dataEnd + 1);
  const isPlain = onlyBrace.test(behind);
  if (isPlain && !usage) return { body: tail, errorCount: 0 };
  const found = isPlain ? [] : readErrors(behind, readText, transient);
  if (!found) return null;
  const errors = settle(found);
  const members = printJson(withUsage(errors.length > 0 ? { errors } : {}, usage));
  const end = Buffer.from(members === '{}' ? '}' : `,${members.slice(1)}`);
  return { body: { chunks: [...data, end], size: dataEnd + 1 + end.length }, errorCount: errors.length };
}

/** The text from an offset on, without a copy of what is before it. */
function textFrom({ chunks }: ChunkedBody, offset: number): string {
  const rest: Buffer[] = [];
  let skipped = 0;
  for (const chunk of chunks) {
    if (skipped + chunk.length > offset) rest.push(chunk.subarray(Math.max(0, offset - skipped)));
    skipped += chunk.length;
  }
  return Buffer.concat(rest).toString('utf8');
}

/** @param behind what follows the data, from the comma on. @returns `null` if it is malformed */
function readErrors(
  behind: string,
  readText: ReadText | null,
  transient: TransientErrors | undefined,
): readonly GraphQLError[] | null {
  try {
    const members = parseJson(behind.replace(/^\s*,/, '{')) as Readonly<Record<string, unknown>>;
    // Drop members other than errors, as for any response. A second `data` would replace the first: reject the response.
    if ('data' in members) return null;
    return toGraphqlErrors(members.errors ?? [], readText, transient);
  } catch {
    return null;
  }
}
