import { Buffer } from 'node:buffer';
import type { GraphQLError } from 'graphql';
import { type Usage, withUsage } from '../../documents/cost/usage.ts';
import { parseJson, printJson } from '../../json/exact-json.ts';
import { maxAnswerNesting } from '../../json/json-size.ts';
import type { RawResponse, RawSink } from '../../upstream/raw-call.ts';
import { type ReadText, type TransientErrors, toGraphqlErrors } from './ledger-answer.ts';
import { type ChunkedBody, cutAt, isSpace } from './plain-answer.ts';

const [quote, backslash] = [0x22, 0x5c];
/** Braces. A bracket with `lowerBit` set becomes the brace of its side, so that one comparison finds both. */
const [opening, closing] = [0x7b, 0x7d];
const lowerBit = 0x20;
/** Maximum nesting of the data and of the response around it. */
const maxDepth = maxAnswerNesting + 1;

/**
 * Follows a response while it is forwarded, to distinguish its real end from a truncation that looks the same. The data must
 * come first. Costs more than a nanosecond per byte, so only streams use it: a buffered response is checked by its last bytes,
 * and parsed only in doubt.
 */
export class DataExtent {
  /** Offset of the data's closing brace, in bytes; `null` before it. */
  dataEnd: number | null = null;
  /** Bytes read so far. */
  size = 0;
  /** Open objects and lists, including the response itself. */
  #depth = 1;
  #isInText = false;
  #isEscaped = false;
  #isBroken = false;

  /** Has exactly one complete object been read, and nothing after it? */
  get isWhole(): boolean {
    return this.#depth === 0 && !this.#isBroken;
  }

  /** @param chunk the first one begins with the brace that opens the response */
  read(chunk: Buffer): void {
    const { length } = chunk;
    if (length === 0) return;
    let at = this.#isInText ? this.#skipText(chunk, 0) + 1 : 0;
    if (this.size === 0) at = 1;
    let depth = this.#depth;
    while (at < length && depth > 0) {
      const byte = chunk[at] as number;
      if (byte === quote) at = this.#skipText(chunk, at + 1);
      else if ((byte | lowerBit) === opening) {
        depth += 1;
        if (depth > maxDepth) this.#isBroken = true;
      } else if ((byte | lowerBit) === closing) {
        depth -= 1;
        if (depth === 1) this.dataEnd ??= this.size + at;
      }
      at += 1;
    }
    this.#depth = depth;
    for (; at < length; at += 1) if (!isSpace(chunk[at])) this.#isBroken = true;
    this.size += length;
  }

  /** Returns the index of the closing quote, or the chunk's length if the string continues. */
  #skipText(chunk: Buffer, from: number): number {
    const begin = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    this.#isInText = true;
    for (let at = chunk.indexOf(quote, begin); at >= 0; at = chunk.indexOf(quote, at + 1)) {
      if (chunk[at - 1] === backslash && countBackslashes(chunk, begin, at) % 2 === 1) continue;
      this.#isInText = false;
      return at;
    }
    this.#isEscaped = countBackslashes(chunk, begin, chunk.length) % 2 === 1;
    return chunk.length;
  }
}

/** Counts the backslashes directly before an index. */
function countBackslashes(chunk: Buffer, from: number, before: number): number {
  let at = before - 1;
  while (at >= from && chunk[at] === backslash) at -= 1;
  return before - 1 - at;
}

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
interface AnswerEnd {
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
  const behind = Buffer.concat(tail.chunks as Buffer[], tail.size).toString('utf8', dataEnd + 1);
  const isPlain = onlyBrace.test(behind);
  if (isPlain && !usage) return { body: tail, errorCount: 0 };
  const found = isPlain ? [] : readErrors(behind, readText, transient);
  if (!found) return null;
  const errors = settle(found);
  const members = printJson(withUsage(errors.length > 0 ? { errors } : {}, usage));
  const end = Buffer.from(members === '{}' ? '}' : `,${members.slice(1)}`);
  return { body: { chunks: [...data, end], size: dataEnd + 1 + end.length }, errorCount: errors.length };
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
