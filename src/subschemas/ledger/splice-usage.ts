import { Buffer } from 'node:buffer';
import type { Usage } from '../../limits/usage.ts';

/** A body in the pieces it came in. */
export interface ChunkedBody {
  readonly chunks: readonly Buffer[];
  /** In bytes. */
  readonly size: number;
}

/** With the quote of a first member: data without any is left to the parser. */
const head = Buffer.from('{"data":{"');
/** Of what comes before the members of every plain answer, in bytes. */
export const headBytes = head.length - 1;
/** What has an answer's extensions or errors behind its data has their names here, if they are of any usual size. */
const tailBytes = 4_096;
/** Objects and lists that may end in one place. */
const maxClosers = 128;
const extensionsKey = Buffer.from('"extensions"');
const errorsKey = Buffer.from('"errors"');
/** What is in them and hardly anywhere else: seven bytes and fewer are searched for five times as fast as more. */
const partOfExtensionsKey = Buffer.from('xtensio');
const partOfErrorsKey = Buffer.from('rrors"');
const closingBrace = 0x7d;
const openingBrace = 0x7b;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const colon = 0x3a;

/**
 * Where an answer that has data and nothing else ends, told by its two ends alone: the length without its closing brace.
 * `null` for anything that may be otherwise, which is for a parser to find out. The text between is taken on trust.
 */
export function findPlainEnd(body: ChunkedBody): number | null {
  return hasPlainHead(body) ? findPlainTail(body) : null;
}

/** Does an answer begin with data that is an object? */
export function hasPlainHead(body: ChunkedBody): boolean {
  return startsWith(body, head);
}

/** What `findPlainEnd` finds, of an answer whose head has been seen and may be gone. */
export function findPlainTail(body: ChunkedBody): number | null {
  const tail = toTail(body);
  const last = skipSpaceBack(tail, tail.length - 1);
  const before = skipSpaceBack(tail, last - 1);
  if (tail[last] !== closingBrace || tail[before] !== closingBrace) return null;
  if (hasExtensions(tail) || hasErrors(tail) || isBottomless(tail, last)) return null;
  return body.size - tail.length + last;
}

/** Adds usage to a plain answer without reading it. @param plainEnd from `findPlainEnd` */
export function spliceUsage(body: ChunkedBody, plainEnd: number, usage: Usage): ChunkedBody {
  const end = Buffer.from(`,"extensions":{"usage":${JSON.stringify(usage)}}}`);
  const chunks = cutAt(body, plainEnd);
  chunks.push(end);
  return { chunks, size: plainEnd + end.length };
}

/** The first bytes of a body. @param length at most that of the body */
export function cutAt({ chunks }: ChunkedBody, length: number): Buffer[] {
  const parts: Buffer[] = [];
  let size = 0;
  for (const chunk of chunks) {
    const part = size + chunk.length <= length ? chunk : chunk.subarray(0, length - size);
    parts.push(part);
    size += part.length;
    if (size === length) break;
  }
  return parts;
}

function startsWith({ chunks, size }: ChunkedBody, bytes: Buffer): boolean {
  if (size < bytes.length) return false;
  const first = chunks[0];
  if (first && first.length >= bytes.length) return first.compare(bytes, 0, bytes.length, 0, bytes.length) === 0;
  return Buffer.concat(chunks as Buffer[], bytes.length).equals(bytes);
}

function toTail({ chunks }: ChunkedBody): Buffer {
  let from = chunks.length - 1;
  let size = chunks[from]?.length ?? 0;
  while (from > 0 && size < tailBytes) {
    from -= 1;
    size += chunks[from]?.length ?? 0;
  }
  const end = from === chunks.length - 1 ? chunks[from] : Buffer.concat(chunks.slice(from), size);
  return end ? end.subarray(Math.max(0, end.length - tailBytes)) : Buffer.alloc(0);
}

/** The last byte up to `from` that is no space. */
export function skipSpaceBack(bytes: Buffer, from: number): number {
  let index = from;
  while (isSpace(bytes[index])) index -= 1;
  return index;
}

function hasExtensions(tail: Buffer): boolean {
  return tail.includes(partOfExtensionsKey) && tail.includes(extensionsKey);
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
export function isBottomless(tail: Buffer, last: number): boolean {
  let index = last;
  while (tail[index] === closingBrace || tail[index] === closingBracket) index -= 1;
  return last - index > maxClosers;
}

function skipSpace(bytes: Buffer, from: number): number {
  let index = from;
  while (isSpace(bytes[index])) index += 1;
  return index;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
