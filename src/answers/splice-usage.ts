import { Buffer } from 'node:buffer';
import type { Usage } from '../limits/usage.ts';
import { toUsageMember } from '../limits/usage-extension.ts';

/** A body in the chunks it arrived in. */
export interface ChunkedBody {
  readonly chunks: readonly Buffer[];
  /** In bytes. */
  readonly size: number;
}

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
