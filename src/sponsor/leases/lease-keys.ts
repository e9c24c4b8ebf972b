import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../config/secret.ts';
import { type Lease, readLease, writeLease } from './lease.ts';

/** Signs leases, and opens those that it signed: each for the one caller it was given to. */
export interface LeaseKeys {
  /**
   * The lease as text: letters, digits, `-` and `_`, at most 512 of them.
   * @param caller to whom it is given. It is signed with the lease and not in the text.
   * @throws RangeError if a part of the lease is not of its form
   */
  sign(lease: Lease, caller: string): string;
  /**
   * The lease of a text, if this caller was given exactly this text; else `null`, be the text another caller's, altered,
   * expired or made up: nothing tells one from the other.
   */
  open(text: string, caller: string, nowMs: number): Lease | null;
  /** As `open`, but an expired lease too: for what is told of it afterwards. No coins may be spent with it. */
  recognise(text: string, caller: string): Lease | null;
  /** Signs with it from now on. What was signed before stays good. */
  adopt(secret: Secret): void;
  /** Has these keys and no others from now on: the first signs, all open. */
  replace(secrets: readonly Secret[]): void;
}

/** Of all leases, whatever is in them. */
const maxLeaseCharacters = 512;

const signatureBytes = 32;

/** Every key kept is tried on each bad lease, so they are bounded. Keys change only by hand, or when instances first meet. */
const maxAdoptedKeys = 8;

/** The signature of a lease and its caller. */
type Sign = (lease: Buffer, caller: string) => Buffer;

/**
 * @param first signs
 * @param rest open what was signed with them before
 */
export function createLeaseKeys(first: Secret, ...rest: readonly Secret[]): LeaseKeys {
  let signing = toSign(first);
  let all = [signing, ...rest.map(toSign)];

  function recognise(text: string, caller: string): Lease | null {
    const bytes = decode(text);
    if (!bytes) return null;
    const lease = bytes.subarray(0, -signatureBytes);
    const signature = bytes.subarray(-signatureBytes);
    return all.some((sign) => timingSafeEqual(sign(lease, caller), signature)) ? readLease(lease) : null;
  }

  return {
    sign(lease, caller) {
      const bytes = writeLease(lease);
      return Buffer.concat([bytes, signing(bytes, caller)]).toString('base64url');
    },
    recognise,
    open(text, caller, nowMs) {
      const lease = recognise(text, caller);
      return lease && nowMs < lease.expiresAtMs ? lease : null;
    },
    replace([next, ...others]) {
      if (!next) return;
      signing = toSign(next);
      all = [signing, ...others.map(toSign)];
    },
    adopt(secret) {
      signing = toSign(secret);
      all = [signing, ...all].slice(0, Math.max(maxAdoptedKeys, rest.length + 1));
    },
  };
}

/**
 * The key is derived for leases alone, so that its signatures prove nothing where the same secret signs something else. The
 * caller goes in with its length: wherever it ends, no other caller with another lease makes the same bytes.
 */
function toSign(secret: Secret): Sign {
  const key = createHmac('sha256', secret.reveal()).update('ledger-gateway leases').digest();
  return (lease, caller) => {
    const name = Buffer.from(caller);
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(name.length);
    return createHmac('sha256', key).update(length).update(name).update(lease).digest();
  };
}

/** The bytes of a text in the one spelling they have: several texts may decode to the same bytes, and one alone was given. */
function decode(text: string): Buffer | null {
  if (text.length > maxLeaseCharacters) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > signatureBytes && bytes.toString('base64url') === text ? bytes : null;
}
