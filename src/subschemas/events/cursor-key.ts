import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** A key that signs cursors, and knows again what it signed. */
export interface CursorKey {
  /** The signature of a text within a scope, `signatureBytes` long. */
  sign(scope: Uint8Array, text: Uint8Array): Buffer;
  /** In a time that does not tell how much of the signature is right. */
  verify(scope: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean;
}

/** Half of a SHA-256: nobody guesses 128 bits, and cursors stay short. */
export const signatureBytes = 16;

const blockBytes = 64;

/**
 * @param secret any text that others cannot guess. What it signs here is of no use where the same secret signs anything
 *   else.
 */
export function createCursorKey(secret: string): CursorKey {
  const key = createHmac('sha256', secret).update('ledger-gateway cursors').digest();
  const inner = pad(key, 0x36);
  const outer = pad(key, 0x5c);
  // HMAC-SHA256 from two hashes of one call each: an object for every cursor of a page would cost several times as much.
  const sign: CursorKey['sign'] = (scope, text) => {
    const within = hash('sha256', Buffer.concat([inner, scope, text]), 'buffer');
    return hash('sha256', Buffer.concat([outer, within]), 'buffer').subarray(0, signatureBytes);
  };
  return {
    sign,
    verify: (scope, text, signature) =>
      signature.length === signatureBytes && timingSafeEqual(sign(scope, text), signature),
  };
}

/** The key over a block of one byte, as HMAC mixes it in before and after the text. */
function pad(key: Uint8Array, byte: number): Buffer {
  const block = Buffer.alloc(blockBytes, byte);
  for (const [index, each] of key.entries()) block[index] = each ^ byte;
  return block;
}
