import type { Limits } from './limits.ts';
import { payloadRefusal, type Refusal, uncountedRefusal } from './refusal.ts';

/**
 * Lines a document may have. Each error looks for the line of each of its places from the start of the text, so lines
 * multiply with errors; no query is that long, and transactions are written without lines.
 */
export const maxLines = 1_000;

/** Refuses a text that is too long whatever it says, before it is parsed. */
export function checkText(text: string, limits: Limits): Refusal | null {
  const max = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
  // No character is more than three bytes per UTF-16 unit, so a short text need not be encoded to be known as short.
  const actual = text.length * 3 <= max ? 0 : Buffer.byteLength(text);
  if (actual > max) {
    const limit = { name: 'maxQueryPayloadSize', max, actual } as const;
    return payloadRefusal(`Overall request too large: ${actual} bytes`, limit, limits);
  }
  return text.length > maxLines && hasTooManyLines(text)
    ? uncountedRefusal(`Documents are limited to ${maxLines} lines.`)
    : null;
}

/** Either of CR and LF begins a line, and so do both together; they are counted apart, as nobody writes thousands of them. */
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
