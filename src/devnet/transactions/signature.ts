import { createPublicKey, verify } from 'node:crypto';
import { base64 } from '@scure/base';
import { hash256 } from '../../transactions/digest.ts';
import { toBareAddress, toFlaggedAddress } from './address.ts';
import type { Keypair } from './keypair.ts';

const ed25519Flag = 0x00;
/** Flag, 64 bytes of signature, 32 bytes of public key. */
const signatureLength = 97;
/** Scope TransactionData, version 0, application 0. */
const transactionIntent = Uint8Array.of(0, 0, 0);
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export interface ParsedSignature {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
  /** The two addresses the key may sign for: derived with the scheme flag before the key (Sui) and without it (IOTA). */
  readonly addresses: readonly [flagged: string, bare: string];
}

/** Base64 of flag ‖ signature ‖ public key. Throws a `RangeError` for anything that is not an Ed25519 signature. */
export function parseSignature(text: string): ParsedSignature {
  let bytes: Uint8Array;
  try {
    bytes = base64.decode(text);
  } catch {
    throw new RangeError('signature is not base64');
  }
  if (bytes.length !== signatureLength)
    throw new RangeError(`signature has ${signatureLength} bytes, got ${bytes.length}`);
  if (bytes[0] !== ed25519Flag) throw new RangeError(`signature scheme flag ${bytes[0]} is not Ed25519 (0)`);
  const publicKey = bytes.slice(65);
  return {
    signature: bytes.slice(1, 65),
    publicKey,
    addresses: [toFlaggedAddress(publicKey), toBareAddress(publicKey)],
  };
}

/** Whether the signature is the key's over this transaction. Does not say whether the key is the right one. */
export function isSignatureOf(parsed: ParsedSignature, transactionBytes: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.concat([spkiPrefix, parsed.publicKey]), format: 'der', type: 'spki' });
  return verify(null, signedMessage(transactionBytes), key, parsed.signature);
}

export function signTransaction(keypair: Keypair, transactionBytes: Uint8Array): string {
  const signature = keypair.sign(signedMessage(transactionBytes));
  return base64.encode(Uint8Array.from([ed25519Flag, ...signature, ...keypair.publicKey]));
}

function signedMessage(transactionBytes: Uint8Array): Uint8Array {
  return hash256(transactionIntent, transactionBytes);
}
