import { Buffer } from 'node:buffer';
import { toUsageMember, type Usage } from '../../documents/cost/usage.ts';
import { type ChunkedBody, headBytes } from './find-plain-end.ts';

/**
 * Adds usage to a plain answer, without parsing it.
 * @param plainEnd from `findPlainEnd`
 */
export function spliceUsage(body: ChunkedBody, plainEnd: number, usage: Usage): ChunkedBody {
  const end = Buffer.from(`${toUsageMember(usage)}}`);
  const chunks = cutAt(body, plainEnd);
  chunks.push(end);
  return { chunks, size: plainEnd + end.length };
}

/**
 * The first bytes of a body.
 * @param length at most the body's
 */
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

export interface OwnMembers {
  /** JSON of an object with at least one member; the answer must have none of its keys. */
  readonly json: string;
  /** Do they come after the ledger's members? */
  readonly isLast: boolean;
}

const closingBrace = 0x7d;

/**
 * Puts the gateway's own members beside those of a plain answer, without parsing it.
 * @param plainEnd from `findPlainEnd`
 */
export function spliceData(body: ChunkedBody, plainEnd: number, own: OwnMembers, usage: Usage | null): ChunkedBody {
  const members = own.json.slice(1, -1);
  const end = `}${toUsageMember(usage)}}`;
  const theirs = withoutLastBrace(cutAt(body, plainEnd));
  const chunks = own.isLast
    ? [...theirs, Buffer.from(`,${members}${end}`)]
    : [Buffer.from(`{"data":{${members},`), ...withoutHead(theirs), Buffer.from(end)];
  return { chunks, size: chunks.reduce((sum, { length }) => sum + length, 0) };
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
