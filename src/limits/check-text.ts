import type { Limits } from './limits.ts';
import { payloadRefusal, type Refusal } from './refusal.ts';

/** Refuses a text that is too long whatever it says, before it is parsed. */
export function checkText(text: string, limits: Limits): Refusal | null {
  const max = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
  // No character is more than three bytes per UTF-16 unit, so a short text need not be encoded to be known as short.
  if (text.length * 3 <= max) return null;
  const actual = Buffer.byteLength(text);
  if (actual <= max) return null;
  return payloadRefusal(
    `Overall request too large: ${actual} bytes`,
    { name: 'maxQueryPayloadSize', max, actual },
    limits,
  );
}
