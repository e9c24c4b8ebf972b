import type { Buffer } from 'node:buffer';
import { maxAnswerNesting } from '../../json/json-size.ts';
import type { RawResponse } from '../../upstream/raw-call.ts';

/** A body in the chunks in which it arrived. */
export type ChunkedBody = Pick<RawResponse, 'chunks' | 'size' | 'from' | 'recycle'>;

const [quote, backslash] = [0x22, 0x5c];
/** Braces. A bracket with `lowerBit` set becomes the brace of its side, so that one comparison finds both. */
const [opening, closing] = [0x7b, 0x7d];
const lowerBit = 0x20;
/** Maximum nesting of the data and of the response around it. */
const maxDepth = maxAnswerNesting + 1;

/**
 * Follows the bytes of a response, to distinguish its real end from a truncation that looks the same. The data must come first.
 * Costs more than a nanosecond per byte: a buffered response is checked by its last bytes, and read so only in doubt.
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

const read = new WeakMap<readonly Buffer[], DataExtent>();

/** Reads a whole response, once for all requests that share it. */
export function extentOf({ chunks }: ChunkedBody): DataExtent {
  const known = read.get(chunks);
  if (known) return known;
  const extent = new DataExtent();
  for (const chunk of chunks) extent.read(chunk);
  read.set(chunks, extent);
  return extent;
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
