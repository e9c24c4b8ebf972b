import type { Limits } from './limits.ts';
import { type LimitRefusal, payloadRefusal, uncountedRefusal } from './refusal.ts';

/**
 * Lines that a document may have. graphql-js finds the line of each location of an error by reading the text from its
 * start, so many lines and many errors multiply. No real query is that long, and transaction payloads have no line breaks.
 */
export const maxLines = 1_000;

/** Refuses text that is too long, before it is parsed. */
export function checkText(text: string, limits: Limits): LimitRefusal | null {
  const max = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
  // UTF-8 takes at most three bytes per UTF-16 unit: count the bytes only where that bound is not enough.
  const actual = text.length * 3 <= max ? 0 : Buffer.byteLength(text);
  if (actual > max) {
    const limit = { name: 'maxQueryPayloadSize', max, actual } as const;
    return payloadRefusal(`Overall request too large: ${actual} bytes`, limit, limits);
  }
  return text.length > maxLines && hasTooManyLines(text)
    ? uncountedRefusal(`Documents are limited to ${maxLines} lines.`)
    : null;
}

/** Counts CR and LF separately, so CRLF counts twice: simpler, and no real document comes near the bound. */
function hasTooManyLines(text: string): boolean {
  let lines = 1;
  for (const terminator of ['\n', '\r']) {
    for (let at = text.indexOf(terminator); at !== -1; at = text.indexOf(terminator, at + 1)) {
      lines += 1;
      if (lines > maxLines) return true;
    }
  }
  return false;
}
