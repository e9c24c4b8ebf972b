import type { Buffer } from 'node:buffer';
import { maxAnswerNesting } from '../../transport/exceeds-nesting.ts';
import { isSpace } from './read-back.ts';

const [quote, backslash] = [0x22, 0x5c];
/** Of both kinds of brackets, with the bit set that tells braces from brackets. */
const [opening, closing] = [0x7b, 0x7d];
const lowerBit = 0x20;
/** As deep as data may be, in the answer that is around them. */
const maxDepth = maxAnswerNesting + 1;

/**
 * Follows an answer whose data come first, while it is passed on, so that its end can be told from a place where it was
 * cut off that looks the same. Costs more than a nanosecond a byte: an answer that is all in hand is judged by its end,
 * and read if that leaves a doubt.
 */
export class DataExtent {
  /** Where the data's closing brace is, in bytes; `null` while they go on. */
  dataEnd: number | null = null;
  /** What has been read, in bytes. */
  size = 0;
  /** Objects and lists that are open; the answer itself is from the beginning. */
  #depth = 1;
  #isInText = false;
  #isEscaped = false;
  #isBroken = false;

  /** Is what has been read one object, and nothing behind it? */
  get isWhole(): boolean {
    return this.#depth === 0 && !this.#isBroken;
  }

  /** @param chunk the first one begins with the brace that opens the answer */
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

  /** Returns where the text ends, or the chunk. */
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

/** Those that stand before a place in a text. */
function countBackslashes(chunk: Buffer, from: number, before: number): number {
  let at = before - 1;
  while (at >= from && chunk[at] === backslash) at -= 1;
  return before - 1 - at;
}
