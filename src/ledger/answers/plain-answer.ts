import { Buffer } from 'node:buffer';
import { toUsageMember, type Usage } from '../../documents/cost/usage.ts';
import type { RawResponse } from '../../upstream/raw-call.ts';
import { type ChunkedBody, extentOf, isSpace } from './data-extent.ts';

const plainJson = /^application\/(?:graphql-response\+)?json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;
/** Includes the quote of a first member: empty data is left to the parser. */
const head = Buffer.from('{"data":{"');
/** Bytes before the first member of a plain response's data. */
const headBytes = head.length - 1;
/** How far from the end to search for `errors`, in bytes: errors of any usual size begin within this range. */
const errorsWithinBytes = 4_096;
/** How far from the end to search for `extensions`, in bytes. */
const extensionsWithinBytes = 64 * 1024;
/** Maximum of consecutive closing brackets; more means that the data nests deeper than any allowed document. */
const maxClosingBrackets = 128;
const [errorsKey, extensionsKey] = [Buffer.from('"errors"'), Buffer.from('"extensions"')];
/** Rare parts of the keys, searched for first: `indexOf` finds up to seven bytes five times as fast as more. */
const [partOfErrorsKey, partOfExtensionsKey] = [Buffer.from('rrors"'), Buffer.from('xtensio')];
const [openingBrace, closingBrace, openingBracket, closingBracket, colon] = [0x7b, 0x7d, 0x5b, 0x5d, 0x3a];

/**
 * May the response be checked by its bytes? Only HTTP framing proves it complete, so a response that ends with its connection
 * is parsed instead.
 */
export function isPlain({ status, headers }: Pick<RawResponse, 'status' | 'headers'>): boolean {
  const type = headers.get('content-type');
  return (
    status === 200 &&
    typeof type === 'string' &&
    (type === 'application/json' || plainJson.test(type)) &&
    headers.get('content-encoding') === undefined &&
    (headers.get('content-length') !== undefined || headers.get('transfer-encoding') !== undefined)
  );
}

/**
 * Finds the end of a response that has data and nothing else: its length without the closing brace; `null` for any other
 * response. Reads both ends of the bytes, and the whole only if the word `extensions` leaves a doubt. HTTP framing
 * proves that the response is complete: one that the ledger itself truncated within its data is forwarded unchanged.
 */
export function findPlainEnd(body: ChunkedBody): number | null {
  if (!hasPlainHead(body)) return null;
  const end = toEnd(body);
  const last = skipSpaceBack(end, end.length - 1);
  const dataEnd = skipSpaceBack(end, last - 1);
  if (end[last] !== closingBrace || end[dataEnd] !== closingBrace) return null;
  if (nestsTooDeep(end, last) || hasErrors(end)) return null;
  const before = body.size - end.length;
  return !hasExtensions(body) || hasOnlyData(body, before + dataEnd) ? before + last : null;
}

/** Does a response begin with `data` that is an object with members? */
export function hasPlainHead({ chunks, size }: ChunkedBody): boolean {
  if (size < head.length) return false;
  const first = chunks[0];
  if (first && first.length >= head.length) return first.compare(head, 0, head.length, 0, head.length) === 0;
  return Buffer.concat(chunks as Buffer[], head.length).equals(head);
}

/** The last bytes of a body, Copies them only if the last chunk is too small. */
function toEnd({ chunks }: ChunkedBody): Buffer {
  let from = chunks.length - 1;
  let size = chunks[from]?.length ?? 0;
  while (from > 0 && size < errorsWithinBytes) {
    from -= 1;
    size += chunks[from]?.length ?? 0;
  }
  const end = from === chunks.length - 1 ? chunks[from] : Buffer.concat(chunks.slice(from), size);
  return end?.subarray(-errorsWithinBytes) ?? Buffer.alloc(0);
}

/** Is the key `extensions` near the end of a body? Copies only the bytes around the seams of chunks. */
function hasExtensions({ chunks }: ChunkedBody): boolean {
  let next: Buffer | null = null;
  let missing = extensionsWithinBytes;
  for (let at = chunks.length - 1; at >= 0 && missing > 0; at -= 1) {
    const part: Buffer = (chunks[at] as Buffer).subarray(-missing);
    if (part.includes(partOfExtensionsKey) && part.includes(extensionsKey)) return true;
    const seam: Buffer = next ? Buffer.concat([part.subarray(1 - extensionsKey.length), next]) : part;
    if (next && seam.includes(extensionsKey)) return true;
    next = (part.length < extensionsKey.length ? seam : part).subarray(0, extensionsKey.length - 1);
    missing -= part.length;
  }
  return false;
}

/**
 * May the response have errors of its own? Data fields named `errors` are common too, so only a list or an object counts: a
 * list may be the response's own, and a broken server may send an object.
 */
function hasErrors(tail: Buffer): boolean {
  if (!tail.includes(partOfErrorsKey)) return false;
  for (let at = tail.indexOf(errorsKey); at >= 0; at = tail.indexOf(errorsKey, at + 1)) {
    const afterKey = skipSpace(tail, at + errorsKey.length);
    const value = tail[skipSpace(tail, afterKey + 1)];
    if (tail[afterKey] === colon && (value === openingBracket || value === openingBrace)) return true;
  }
  return false;
}

/**
 * Do more objects and lists close here than any document requests? Parsing them could overflow the stack.
 * @param last index of the response's last brace
 */
function nestsTooDeep(end: Buffer, last: number): boolean {
  let index = last;
  while (end[index] === closingBrace || end[index] === closingBracket) index -= 1;
  return last - index > maxClosingBrackets;
}

/** Does a response end with the data's own brace, at this offset? Reads the whole response. */
function hasOnlyData(body: ChunkedBody, dataEnd: number): boolean {
  const extent = extentOf(body);
  return extent.isWhole && extent.dataEnd === dataEnd;
}

/** Index of the last byte up to `from` that is not white space. */
function skipSpaceBack(bytes: Buffer, from: number): number {
  let index = from;
  while (isSpace(bytes[index])) index -= 1;
  return index;
}

function skipSpace(bytes: Buffer, from: number): number {
  let index = from;
  while (isSpace(bytes[index])) index += 1;
  return index;
}

/** Adds usage to a plain response without parsing it. @param plainEnd from `findPlainEnd` */
export function spliceUsage(body: ChunkedBody, plainEnd: number, usage: Usage): ChunkedBody {
  const end = Buffer.from(`${toUsageMember(usage)}}`);
  return { chunks: [...cutAt(body, plainEnd), end], size: plainEnd + end.length, recycle: body.recycle };
}

export interface OwnMembers {
  /** JSON of an object with at least one member, without its braces; the response must have none of its keys. */
  readonly members: readonly Buffer[];
  /** Do our members come after the ledger's? */
  readonly isLast: boolean;
}

/**
 * Adds the gateway's own members to those of a plain response, without parsing it.
 * @param plainEnd from `findPlainEnd`
 */
export function spliceData(body: ChunkedBody, plainEnd: number, own: OwnMembers, usage: Usage | null): ChunkedBody {
  const end = Buffer.from(`}${toUsageMember(usage)}}`);
  const comma = Buffer.from(',');
  const ledgerMembers = withoutLastBrace(cutAt(body, plainEnd));
  const chunks = own.isLast
    ? [...ledgerMembers, comma, ...own.members, end]
    : [Buffer.from('{"data":{'), ...own.members, comma, ...withoutHead(ledgerMembers), end];
  return { chunks, size: chunks.reduce((sum, { length }) => sum + length, 0), recycle: body.recycle };
}

/** The first bytes of a body. @param length at most the body's */
export function cutAt({ chunks }: ChunkedBody, length: number): Buffer[] {
  const parts: Buffer[] = [];
  let left = length;
  for (const chunk of chunks) {
    const part = chunk.length <= left ? chunk : chunk.subarray(0, left);
    parts.push(part);
    left -= part.length;
    if (left === 0) break;
  }
  return parts;
}

/** Drops the brace that closes the data, and any white space after it. */
function withoutLastBrace(chunks: Buffer[]): Buffer[] {
  for (let last = chunks.pop(); last; last = chunks.pop()) {
    const at = last.lastIndexOf(closingBrace);
    if (at < 0) continue;
    chunks.push(last.subarray(0, at));
    break;
  }
  return chunks;
}

function withoutHead(chunks: Buffer[]): Buffer[] {
  const [first, ...rest] = chunks;
  if (!first || first.length < headBytes) return [Buffer.concat(chunks).subarray(headBytes)];
  return [first.subarray(headBytes), ...rest];
}
