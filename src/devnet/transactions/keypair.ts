import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { hash256 } from '../../transactions/digest.ts';
import { toFlaggedAddress } from './address.ts';

/** An Ed25519 key of the devnet. */
export interface Keypair {
  readonly address: string;
  readonly publicKey: Uint8Array;
  /** 64 bytes over the message as it is. */
  sign(message: Uint8Array): Uint8Array;
}

/** PKCS #8 header of an Ed25519 private key; the 32 secret bytes follow. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key named `name` of the devnet seeded with `seed`: the same inputs always give the same key. Worthless elsewhere. */
export function createKeypair(seed: number, name: string): Keypair {
  const secret = hash256(Buffer.from(`devnet key ${seed} ${name}`));
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, secret]), format: 'der', type: 'pkcs8' });
  // The raw key is the tail of its 44-byte SPKI form.
  const publicKey = Uint8Array.from(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32));
  return {
    publicKey,
    address: toFlaggedAddress(publicKey),
    sign: (message) => Uint8Array.from(sign(null, message, privateKey)),
  };
}
