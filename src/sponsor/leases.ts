import { createHmac, hash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto';
import { Secret } from '../config/secret.ts';
import { signingKeys } from '../config/value-types.ts';
import type { UpstreamHost } from '../upstream/upstream.ts';

/** A caller's right to one execution with coins that the sponsor reserved. */
export interface Lease {
  /** 16 random bytes as base64url: identifies the lease in stores and logs. Does not authorise anything. */
  readonly leaseId: string;
  /** The sponsor's own number: decimal text of a u64. */
  readonly rawReservationId: string;
  /** In the sponsor's spelling; at most 256 visible ASCII characters. */
  readonly sponsorAddress: string;
  /** Gas budget in the ledger's smallest unit. */
  readonly gasBudget: number;
  /** Milliseconds since the Unix epoch, before the sponsor is called. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  /** As returned by `hashCoins`. */
  readonly coinsHash: string;
}

const idBytes = 16;

/** Random bytes for the next ids. Drawing them for each id would cost ten times as much. */
const randomPool = Buffer.alloc(256 * idBytes);
let used = randomPool.length;

/** 16 random bytes as base64url. */
export function createLeaseId(): string {
  if (used === randomPool.length) {
    randomFillSync(randomPool);
    used = 0;
  }
  used += idBytes;
  return randomPool.toString('base64url', used - idBytes, used);
}

/** A gas coin at one version. */
export interface CoinReference {
  /** Hex with 0x prefix, in any spelling. */
  readonly objectId: string;
  /** The coin's version as exact decimal text. */
  readonly version: string;
  /** The coin's digest in base58. */
  readonly digest: string;
}

/** Hashes a set of coins, regardless of their order and of the spelling of their ids. @returns 32 bytes as base64url */
export function hashCoins(coins: readonly CoinReference[]): string {
  const names = coins.map(({ objectId, version, digest }) =>
    [toFullId(objectId), version, digest].map((part) => `${part.length}:${part}`).join(''),
  );
  return hash('sha256', names.sort().join(''), 'base64url');
}

/** Pads an object id to 64 lower-case hex digits, as services write ids. Returns other text unchanged. */
function toFullId(objectId: string): string {
  // Fast path for nearly every id: testing each digit would be slower.
  if (objectId.length === 66 && objectId.startsWith('0x') && objectId.toLowerCase() === objectId) return objectId;
  const digits = /^0x([0-9a-f]{1,64})$/i.exec(objectId)?.[1];
  return digits === undefined ? objectId : `0x${digits.toLowerCase().padStart(64, '0')}`;
}

/** Version mark of the lease layout. */
const mark = Buffer.from('lg1');

/** The id begins at byte 3, so that its first 20 letters appear in the base64 text of the lease and can be searched in the log. */
const offsets = { leaseId: 3, rawId: 19, budget: 27, issuedAt: 35, expiresAt: 43, coinsHash: 51, addressForm: 83 };
const addressStart = offsets.addressForm + 1;
const hashBytes = 32;

/** An address in the ledger's spelling is stored as 32 bytes, any other as text. */
const addressForms = { ledger: 0, text: 1 };
const ledgerAddress = /^0x[0-9a-f]{64}$/;
const wholeNumber = /^(?:0|[1-9]\d{0,19})$/;
const addressText = /^[\x21-\x7e]{1,256}$/;

/**
 * Encodes a lease; equal leases give equal bytes. Times and the budget are doubles, like all numbers of JavaScript.
 * @throws RangeError if a part does not have the form that `Lease` describes
 */
function writeLease(lease: Lease): Buffer {
  const address = toAddressBytes(lease.sponsorAddress);
  const bytes = Buffer.alloc(addressStart + address.bytes.length);
  mark.copy(bytes);
  writePart(bytes, offsets.leaseId, 'leaseId', lease.leaseId, idBytes);
  if (!wholeNumber.test(lease.rawReservationId)) throw new RangeError('rawReservationId is not a whole number.');
  bytes.writeBigUInt64BE(BigInt(lease.rawReservationId), offsets.rawId);
  bytes.writeDoubleBE(lease.gasBudget, offsets.budget);
  bytes.writeDoubleBE(lease.issuedAtMs, offsets.issuedAt);
  bytes.writeDoubleBE(lease.expiresAtMs, offsets.expiresAt);
  writePart(bytes, offsets.coinsHash, 'coinsHash', lease.coinsHash, hashBytes);
  bytes[offsets.addressForm] = address.form;
  address.bytes.copy(bytes, addressStart);
  return bytes;
}

/**
 * Decodes a lease. Checks the layout only, so the signature must have been verified.
 * @returns `null` for another layout
 */
function readLease(bytes: Buffer): Lease | null {
  if (!bytes.subarray(0, mark.length).equals(mark)) return null;
  const address = bytes.subarray(addressStart);
  const isLedgers = bytes[offsets.addressForm] === addressForms.ledger;
  return {
    leaseId: bytes.toString('base64url', offsets.leaseId, offsets.leaseId + idBytes),
    rawReservationId: String(bytes.readBigUInt64BE(offsets.rawId)),
    sponsorAddress: isLedgers ? `0x${address.toString('hex')}` : address.toString('latin1'),
    gasBudget: bytes.readDoubleBE(offsets.budget),
    issuedAtMs: bytes.readDoubleBE(offsets.issuedAt),
    expiresAtMs: bytes.readDoubleBE(offsets.expiresAt),
    coinsHash: bytes.toString('base64url', offsets.coinsHash, offsets.coinsHash + hashBytes),
  };
}

function toAddressBytes(address: string): { readonly form: number; readonly bytes: Buffer } {
  if (ledgerAddress.test(address)) return { form: addressForms.ledger, bytes: Buffer.from(address.slice(2), 'hex') };
  if (!addressText.test(address)) throw new RangeError('The address of the sponsor is not visible ASCII text.');
  return { form: addressForms.text, bytes: Buffer.from(address, 'latin1') };
}

function writePart(bytes: Buffer, at: number, name: string, text: string, length: number): void {
  const part = Buffer.from(text, 'base64url');
  if (part.length !== length) throw new RangeError(`${name} is not ${length} bytes of base64url.`);
  part.copy(bytes, at);
}

const maxLeaseCharacters = 512;

const signatureBytes = 32;

/** Limited, because an invalid lease is tried with every key. */
const maxAdoptedKeys = 8;

type Sign = (lease: Buffer, caller: string) => Buffer;

export type LeaseKeys = ReturnType<typeof createLeaseKeys>;

/**
 * Signs leases and verifies them, each for the caller that received it.
 * @param first signs and verifies @param rest verify only
 */
export function createLeaseKeys(first: Secret, ...rest: readonly Secret[]) {
  let signing = toSign(first);
  let all = [signing, ...rest.map(toSign)];

  return {
    /**
     * The lease as base64url text, at most 512 characters.
     * @param caller that receives the lease. Covered by the signature; not part of the text.
     * @throws RangeError if a part of the lease does not have its form
     */
    sign(lease: Lease, caller: string): string {
      const bytes = writeLease(lease);
      return Buffer.concat([bytes, signing(bytes, caller)]).toString('base64url');
    },
    /**
     * The lease, expired or not, if this caller received exactly this text. Otherwise `null`, which does not reveal whether the
     * text is another caller's, altered or forged.
     */
    open(text: string, caller: string): Lease | null {
      const bytes = decode(text);
      if (!bytes) return null;
      const lease = bytes.subarray(0, -signatureBytes);
      const signature = bytes.subarray(-signatureBytes);
      return all.some((sign) => timingSafeEqual(sign(lease, caller), signature)) ? readLease(lease) : null;
    },
    /** Replaces all keys: the first signs, all verify. */
    replace([next, ...others]: readonly Secret[]): void {
      if (!next) return;
      signing = toSign(next);
      all = [signing, ...others.map(toSign)];
    },
    /** Signs with this key from now on; earlier leases stay valid. */
    adopt(secret: Secret): void {
      signing = toSign(secret);
      all = [signing, ...all].slice(0, Math.max(maxAdoptedKeys, rest.length + 1));
    },
  };
}

/**
 * Derives a key for leases alone, so that its signatures are invalid elsewhere. The length of the caller is signed too: no
 * other split into caller and lease gives the same bytes.
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

/** Name of the generated key in the shared store, and among workers. */
const sharedKeyName = 'ledger-gateway:lease-key';

/**
 * The configured keys, or a generated one that all processes share. With a generated key, a warning says that leases do not
 * survive a restart, except on the embedded network, whose sponsor loses its reservations too.
 */
export async function openLeaseKeys(
  host: UpstreamHost,
): Promise<{ readonly keys: LeaseKeys; readonly close: () => void }> {
  const { config, telemetry, shareSecret } = host;
  const [first, ...rest] = config.settings.LEASE_KEYS ?? [];
  if (first) {
    const keys = createLeaseKeys(first, ...rest);
    host.watchSecret({ setting: 'LEASE_KEYS_FILE', type: signingKeys, adopt: keys.replace });
    return { keys, close: () => {} };
  }
  if (config.upstreams.kind !== 'devnet') telemetry.leaseKeyMade('LEASE_KEYS');
  const own = new Secret(randomBytes(32).toString('base64url'));
  const keys = createLeaseKeys(own);
  return { keys, close: await shareSecret(sharedKeyName, own, keys.adopt) };
}
