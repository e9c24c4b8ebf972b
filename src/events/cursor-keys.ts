import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import type { UpstreamHost } from '../upstream/upstream.ts';

/** A key that signs cursors and recognises its own signatures. */
export interface CursorKey {
  /** Derived from the key; `keyIdBytes` long. Part of each cursor. */
  readonly id: Buffer;
  /** The signature of a text within a scope, `signatureBytes` long. */
  sign(scope: Uint8Array, text: Uint8Array): Buffer;
  /** Takes the same time for every signature, so that attackers cannot guess it byte by byte. */
  verify(scope: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean;
}

/** Half of a SHA-256: 128 bits cannot be guessed, and cursors stay short. */
export const signatureBytes = 16;
/** If two keys have the same id, both are tried. */
export const keyIdBytes = 4;

const blockBytes = 64;

/**
 * @param secret any unguessable text. A key for cursors alone is derived from it, so that its signatures are invalid where the
 * same secret signs other data
 */
export function createCursorKey(secret: string): CursorKey {
  const key = createHmac('sha256', secret).update('ledger-gateway cursors').digest();
  const inner = pad(key, 0x36);
  const outer = pad(key, 0x5c);
  // HMAC-SHA256 as two plain hash calls: an HMAC object for every cursor of a page would cost several times as much.
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

/** The keys in force. They may change while the gateway runs; a cursor signed by any of them is valid. */
export interface CursorKeys {
  readonly signing: CursorKey;
  /** All valid keys, including `signing`. */
  readonly all: readonly CursorKey[];
}

export interface ChangingCursorKeys extends CursorKeys {
  /** Signs with it from now on. Earlier cursors stay valid. */
  adopt(secret: Secret): void;
}

/** Limits the keys tried on a bad cursor. Keys change only by configuration, or when instances first share one. */
const maxKeys = 8;

/**
 * @param first signs new cursors
 * @param rest verify old ones
 */
export function createCursorKeys(first: Secret, ...rest: readonly Secret[]): ChangingCursorKeys {
  let signing = createCursorKey(first.reveal());
  let all = [signing, ...rest.map((secret) => createCursorKey(secret.reveal()))];
  return {
    get signing() {
      return signing;
    },
    get all() {
      return all;
    },
    adopt(secret) {
      signing = createCursorKey(secret.reveal());
      all = [signing, ...all].slice(0, maxKeys);
    },
  };
}

/** Name in the shared store of the key of all instances without a configured one. */
const sharedKeyName = 'ledger-gateway:cursor-key';

export interface OpenCursorKeys {
  readonly keys: CursorKeys;
  close(): void;
}

/**
 * The configured keys; without any, one that all instances on the same store share; without a store, one of this process,
 * whose cursors do not survive a restart.
 */
export async function openCursorKeys(
  configured: Config['settings']['CURSOR_KEYS'],
  shareSecret: UpstreamHost['shareSecret'],
): Promise<OpenCursorKeys> {
  const [first, ...rest] = configured ?? [];
  if (first) return { keys: createCursorKeys(first, ...rest), close: () => {} };
  const own = new Secret(randomBytes(32).toString('base64url'));
  const keys = createCursorKeys(own);
  return { keys, close: await shareSecret(sharedKeyName, own, keys.adopt) };
}
