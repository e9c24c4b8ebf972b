import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Secret } from '../../config/secret.ts';
import { signingKeys } from '../../config/value-types.ts';
import type { UpstreamHost } from '../../upstream/upstream.ts';
import { type Lease, readLease, writeLease } from './lease.ts';

/** Signs leases and verifies them, each for the one caller that got it. */
export interface LeaseKeys {
  /**
   * The lease as base64url text, at most 512 characters.
   * @param caller gets the lease. Covered by the signature; not part of the text.
   * @throws RangeError if a part of the lease does not have its form
   */
  sign(lease: Lease, caller: string): string;
  /**
   * The lease, expired or not, if this caller got exactly this text. Otherwise `null`, which does not show whether the text is another
   * caller's, altered or made up.
   */
  open(text: string, caller: string): Lease | null;
  /** Signs with this key from now on; earlier leases stay valid. */
  adopt(secret: Secret): void;
  /** Replaces all keys: the first signs, all verify. */
  replace(secrets: readonly Secret[]): void;
}

const maxLeaseCharacters = 512;

const signatureBytes = 32;

/** Bounded, because an invalid lease is tried with every key. */
const maxAdoptedKeys = 8;

type Sign = (lease: Buffer, caller: string) => Buffer;

/**
 * @param first signs and verifies
 * @param rest verify only
 */
export function createLeaseKeys(first: Secret, ...rest: readonly Secret[]): LeaseKeys {
  let signing = toSign(first);
  let all = [signing, ...rest.map(toSign)];

  return {
    sign(lease, caller) {
      const bytes = writeLease(lease);
      return Buffer.concat([bytes, signing(bytes, caller)]).toString('base64url');
    },
    open(text, caller) {
      const bytes = decode(text);
      if (!bytes) return null;
      const lease = bytes.subarray(0, -signatureBytes);
      const signature = bytes.subarray(-signatureBytes);
      return all.some((sign) => timingSafeEqual(sign(lease, caller), signature)) ? readLease(lease) : null;
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
 * Derives a key for leases alone, so that its signatures are invalid elsewhere. The length of the caller is signed too: no other
 * split into caller and lease gives the same bytes.
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

/** Accepts canonical base64url only, since several texts may decode to the same bytes. */
function decode(text: string): Buffer | null {
  if (text.length > maxLeaseCharacters) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > signatureBytes && bytes.toString('base64url') === text ? bytes : null;
}

/** The name of the generated key in the shared store, and among workers. */
const sharedKeyName = 'ledger-gateway:lease-key';

export interface OpenLeaseKeys {
  readonly keys: LeaseKeys;
  close(): void;
}

/**
 * The configured keys, or a generated one that all processes share. A warning says that leases do not survive a restart with a
 * generated key, except on the embedded network, whose sponsor forgets its reservations too.
 */
export async function openLeaseKeys(host: UpstreamHost): Promise<OpenLeaseKeys> {
  const { config, telemetry, shareSecret } = host;
  const { leaseKeys, files } = config.sponsorship;
  const [first, ...rest] = leaseKeys ?? [];
  if (first) {
    const keys = createLeaseKeys(first, ...rest);
    host.watchSecret({ setting: 'LEASE_KEYS_FILE', path: files.leaseKeys, type: signingKeys, adopt: keys.replace });
    return { keys, close: () => {} };
  }
  if (config.upstreams.kind !== 'devnet') telemetry.leaseKeyMade('LEASE_KEYS');
  const own = new Secret(randomBytes(32).toString('base64url'));
  const keys = createLeaseKeys(own);
  return { keys, close: await shareSecret(sharedKeyName, own, keys.adopt) };
}
