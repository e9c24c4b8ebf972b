import type { Buffer } from 'node:buffer';
import type { AnswerEnding, LastKeys, ValueKind } from './answer-ending.ts';

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** How far back to look for the beginning of an object or list, in bytes. Texts are searched without a bound. */
const maxValueBytes = 4_096;
/** Up to so many bytes a text is searched byte by byte: a call of `lastIndexOf` costs as much as a few dozen steps. */
const shortText = 32;

/**
 * Do an answer's data, which close at `dataEnd`, end as those of a whole answer to its operation? Reads from the end:
 * exactly as many objects must close there as surround the last key. Data that was cut off closes fewer or ends with
 * another key, and so does a member other than `data`. If in doubt, the answer is no.
 * @param bytes the last bytes of the answer, as many as are at hand
 */
export function endsAsAsked(bytes: Buffer, dataEnd: number, ending: AnswerEnding): boolean {
  let closing = dataEnd;
  for (const level of ending) {
    const end = skipSpaceBack(bytes, closing - 1);
    const inner = skipListEnds(bytes, end);
    if (bytes[inner] !== closeBrace) return isLastValue(bytes, end, level);
    // A custom scalar may be an object, so this brace may end its value.
    if (level.hasCustom && isLastValue(bytes, end, level)) return true;
    closing = inner;
  }
  return false;
}

/** Is the value that ends at `end` of the right kind, under a key that may come last? */
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

/**
 * Where the object or list that closes at `end` begins; `null` if that is too far back. Reading backwards, every
 * quote that is not escaped ends a text.
 */
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

/** Skips the closing brackets of lists, back to the end of the last item. */
function skipListEnds(bytes: Buffer, from: number): number {
  let index = from;
  while (bytes[index] === closeBracket) index = skipSpaceBack(bytes, index - 1);
  return index;
}

/** Is it a byte of a number, `true`, `false` or `null`? */
function isOfWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

/** Index of the last byte up to `from` that is not white space. */
export function skipSpaceBack(bytes: Buffer, from: number): number {
  let index = from;
  while (isSpace(bytes[index])) index -= 1;
  return index;
}

/**
 * Index of the opening quote of the text whose closing quote is at `end`; `null` if it is not in these bytes, or if
 * the quote at `end` is escaped.
 */
function findTextStart(bytes: Buffer, end: number): number | null {
  if (isEscaped(bytes, end)) return null;
  for (let at = end - 1; at > end - shortText; at -= 1) {
    if (bytes[at] === quote && !isEscaped(bytes, at)) return at;
  }
  for (let at = end - shortText + 1; at > 0; ) {
    at = bytes.lastIndexOf(quote, at - 1);
    if (at < 0) return null;
    if (!isEscaped(bytes, at)) return at;
  }
  return null;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
