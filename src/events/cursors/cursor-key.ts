import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** A key that signs cursors and recognises its own signatures. */
export interface CursorKey {
  /** Tells it from other keys, and nothing else about it; `keyIdBytes` long. Stands in each cursor. */
  readonly id: Buffer;
  /** The signature of a text within a scope, `signatureBytes` long. */
  sign(scope: Uint8Array, text: Uint8Array): Buffer;
  /** Takes the same time for every signature, so that a guess cannot be improved byte by byte. */
  verify(scope: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean;
}

/** Half of a SHA-256: 128 bits are more than anybody can guess, and cursors stay short. */
export const signatureBytes = 16;
/** Two of the few keys in force have one id once in 2^32; either is then tried. */
export const keyIdBytes = 4;

const blockBytes = 64;

/**
 * @param secret any text that others cannot guess. The key is derived for cursors alone, so that its signatures prove
 *   nothing where the same secret signs something else.
 */
export function createCursorKey(secret: string): CursorKey {
  const key = createHmac('sha256', secret).update('ledger-gateway cursors').digest();
  const inner = pad(key, 0x36);
  const outer = pad(key, 0x5c);
  // HMAC-SHA256 written as two hash calls: an HMAC object for every cursor of a page would cost several times as much.
  const sign: CursorKey['sign'] = (scope, text) => {
    const within = hash('sha256', Buffer.concat([inner, scope, text]), 'buffer');
    return hash('sha256', Buffer.concat([outer, within]), 'buffer').subarray(0, signatureBytes);
  };
  return {
    id: createHmac('sha256', key).update('id').digest().subarray(0, keyIdBytes),
    sign,
    verify: (scope, text, signature) =>
      signature.length === signatureBytes && timingSafeEqual(sign(scope, text), signature),
  };
}

/** A block filled with one byte, and the key XORed over it, as HMAC pads its key. */
function pad(key: Uint8Array, byte: number): Buffer {
  const block = Buffer.alloc(blockBytes, byte);
  for (const [index, each] of key.entries()) block[index] = each ^ byte;
  return block;
}
