import type { Buffer } from 'node:buffer';
import type { AnswerEnding, LastKeys, ValueKind } from './answer-ending.ts';
import { findTextStart, skipSpaceBack } from './read-back.ts';

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** How far back the beginning of an object or list is looked for, in bytes; of a text, as far as there are bytes. */
const maxValueBytes = 4_096;

/**
 * Do the data of an answer, which close at `dataEnd`, end as those of a whole answer to its operation do? Read from the
 * end: as many objects close there as are around the last key. A text that is cut off ends with fewer of them or with
 * another key, and so does another member of the answer. What cannot be told is no.
 * @param bytes the last of an answer, as much of it as is at hand
 */
export function endsAsAsked(bytes: Buffer, dataEnd: number, ending: AnswerEnding): boolean {
  let closing = dataEnd;
  for (const level of ending) {
    const end = skipSpaceBack(bytes, closing - 1);
    const inner = skipListEnds(bytes, end);
    if (bytes[inner] !== closeBrace) return isLastValue(bytes, end, level);
    // A scalar of the ledger's own may be an object too.
    if (level.hasCustom && isLastValue(bytes, end, level)) return true;
    closing = inner;
  }
  return false;
}

/** Does a value that ends there stand under a key that may be the last one, and is it of its kind? */
function isLastValue(bytes: Buffer, end: number, { kinds }: LastKeys): boolean {
  const start = findValueStart(bytes, end);
  if (start === null) return false;
  const separator = skipSpaceBack(bytes, start - 1);
  const keyEnd = skipSpaceBack(bytes, separator - 1);
  if (bytes[separator] !== colon || bytes[keyEnd] !== quote) return false;
  const keyStart = findTextStart(bytes, keyEnd);
  if (keyStart === null) return false;
  const before = bytes[skipSpaceBack(bytes, keyStart - 1)];
  if (before !== comma && before !== openBrace) return false;
  const kind = kinds.get(bytes.toString('latin1', keyStart + 1, keyEnd));
  return kind !== undefined && isOfKind(bytes, start, end, kind);
}

function isOfKind(bytes: Buffer, start: number, end: number, kind: ValueKind): boolean {
  if (kind === 'custom') return true;
  if (kind === 'plain') return bytes[end] !== closeBrace;
  return bytes[end] === closeBracket || bytes.toString('latin1', start, end + 1) === 'null';
}

function findValueStart(bytes: Buffer, end: number): number | null {
  const last = bytes[end];
  if (last === quote) return findTextStart(bytes, end);
  if (last === closeBrace || last === closeBracket) return findOpening(bytes, end);
  let start = end;
  while (isOfWord(bytes[start])) start -= 1;
  return start === end ? null : start + 1;
}

/** Where the object or list begins that closes at `end`. Read backwards, each quote that is not escaped is an end of a text. */
function findOpening(bytes: Buffer, end: number): number | null {
  const limit = Math.max(0, end - maxValueBytes);
  let depth = 0;
  for (let index = end; index >= limit; index -= 1) {
    const byte = bytes[index];
    if (byte === quote) {
      const start = findTextStart(bytes, index);
      if (start === null) return null;
      index = start;
    } else if (byte === closeBrace || byte === closeBracket) depth += 1;
    else if (byte === openBrace || byte === openBracket) {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return null;
}

/** Past the ends of lists, to what is last in them. */
function skipListEnds(bytes: Buffer, from: number): number {
  let index = from;
  while (bytes[index] === closeBracket) index = skipSpaceBack(bytes, index - 1);
  return index;
}

/** Of a number, `true`, `false` or `null`. */
function isOfWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}
