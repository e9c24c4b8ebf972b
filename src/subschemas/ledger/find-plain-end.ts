import { Buffer } from 'node:buffer';
import { exceedsNesting, maxAnswerNesting } from '../../transport/exceeds-nesting.ts';
import type { AnswerEnding } from './answer-ending.ts';
import { endsAsAsked } from './ends-as-asked.ts';
import { isSpace, skipSpaceBack } from './read-back.ts';
import type { ChunkedBody } from './splice-usage.ts';

/** With the quote of a first member: data without any is left to the parser. */
const head = Buffer.from('{"data":{"');
/** Of what comes before the members of every plain answer, in bytes. */
export const headBytes = head.length - 1;
/** What has an answer's errors behind its data has their name here, if they are of any usual size. */
const tailBytes = 4_096;
/**
 * Where extensions are looked for by their name, in bytes from the end. Larger ones would still have to end with the key
 * that data of this operation end with, as many objects deep.
 */
const extensionsBytes = 64 * 1024;
/** Objects and lists that may end in one place. */
const maxClosers = 128;
const extensionsKey = Buffer.from('"extensions"');
const errorsKey = Buffer.from('"errors"');
/**
 * What is in them and hardly anywhere else. Seven bytes and fewer are searched for five times as fast as more, those that
 * begin with a rare one faster still, at a fifteenth of a nanosecond a byte.
 */
const partOfExtensionsKey = Buffer.from('xtensio');
const partOfErrorsKey = Buffer.from('rrors"');
const closingBrace = 0x7d;
const openingBrace = 0x7b;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const colon = 0x3a;

/**
 * Where an answer that has data and nothing else ends: its length without the closing brace. `null` for any other, and for
 * one that is no JSON. Told by its two ends where they leave no doubt; else the answer is read.
 * @param ending of answers to the operation that was asked
 */
export function findPlainEnd(body: ChunkedBody, ending: AnswerEnding): number | null {
  if (!hasPlainHead(body)) return null;
  const end = toEnd(body);
  const last = skipSpaceBack(end, end.length - 1);
  const dataEnd = skipSpaceBack(end, last - 1);
  if (end[last] !== closingBrace || end[dataEnd] !== closingBrace) return null;
  if (isBottomless(end, last) || hasErrors(end.subarray(Math.max(0, end.length - tailBytes)))) return null;
  const isCertain = endsAsAsked(end, dataEnd, ending) && !hasExtensions(body);
  return isCertain || hasDataAlone(body) ? body.size - end.length + last : null;
}

/** Does an answer begin with data that is an object? */
export function hasPlainHead({ chunks, size }: ChunkedBody): boolean {
  if (size < head.length) return false;
  const first = chunks[0];
  if (first && first.length >= head.length) return first.compare(head, 0, head.length, 0, head.length) === 0;
  return Buffer.concat(chunks as Buffer[], head.length).equals(head);
}

/** The last piece, or the last ones if it is small. */
function toEnd({ chunks }: ChunkedBody): Buffer {
  let from = chunks.length - 1;
  let size = chunks[from]?.length ?? 0;
  while (from > 0 && size < tailBytes) {
    from -= 1;
    size += chunks[from]?.length ?? 0;
  }
  return from === chunks.length - 1 ? (chunks[from] ?? Buffer.alloc(0)) : Buffer.concat(chunks.slice(from), size);
}

/** Their name may be cut in two, or in many. */
function hasExtensions({ chunks }: ChunkedBody): boolean {
  let behind: Buffer | null = null;
  let searched = 0;
  for (let index = chunks.length - 1; index >= 0 && searched < extensionsBytes; index -= 1) {
    const chunk = (chunks[index] as Buffer).subarray(searched - extensionsBytes);
    if (chunk.includes(partOfExtensionsKey) && chunk.includes(extensionsKey)) return true;
    if (behind) {
      const seam: Buffer = Buffer.concat([chunk.subarray(-extensionsKey.length), behind]);
      if (seam.includes(extensionsKey)) return true;
      behind = chunk.length < extensionsKey.length ? seam : chunk;
    } else behind = chunk;
    behind = behind.subarray(0, extensionsKey.length);
    searched += chunk.length;
  }
  return false;
}

/** Fields named `errors` are common on a ledger; a list of that name may be the answer's own, an object a broken one. */
function hasErrors(tail: Buffer): boolean {
  if (!tail.includes(partOfErrorsKey)) return false;
  for (let at = tail.indexOf(errorsKey); at >= 0; at = tail.indexOf(errorsKey, at + 1)) {
    const afterKey = skipSpace(tail, at + errorsKey.length);
    const value = tail[skipSpace(tail, afterKey + 1)];
    if (tail[afterKey] === colon && (value === openingBracket || value === openingBrace)) return true;
  }
  return false;
}

/** Nested deeper than any document asks for: what reads it may run out of stack. @param last where its closers end */
function isBottomless(end: Buffer, last: number): boolean {
  let index = last;
  while (end[index] === closingBrace || end[index] === closingBracket) index -= 1;
  return last - index > maxClosers;
}

/** Read as a whole: some three nanoseconds a byte. */
function hasDataAlone({ chunks, size }: ChunkedBody): boolean {
  try {
    const answer: unknown = JSON.parse(Buffer.concat(chunks as Buffer[], size).toString());
    const members = Object.entries(answer as object);
    return members.length === 1 && members[0]?.[0] === 'data' && !exceedsNesting(members[0][1], maxAnswerNesting);
  } catch {
    return false;
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let index = from;
  while (isSpace(bytes[index])) index += 1;
  return index;
}
