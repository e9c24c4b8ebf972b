import { hash, randomFillSync } from 'node:crypto';

/** The right to one execution with coins that the sponsor reserved, as the gateway gives it to one caller. */
export interface Lease {
  /** 16 random bytes as base64url: names the lease in stores and logs. Does not authorise anything. */
  readonly leaseId: string;
  /** The sponsor's own number: decimal text of a u64. */
  readonly rawReservationId: string;
  /** As the sponsor spelt it; at most 256 visible ASCII characters. */
  readonly sponsorAddress: string;
  /** In the ledger's smallest unit. */
  readonly gasBudget: number;
  /** Milliseconds since the Unix epoch, before the sponsor was asked. */
  readonly issuedAtMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** As `hashCoins` makes it. */
  readonly coinsHash: string;
}

const idBytes = 16;

/** Random bytes for the next ids. Drawing them one by one would cost ten times as much. */
const drawn = Buffer.alloc(256 * idBytes);
let used = drawn.length;

/** 16 random bytes as base64url. */
export function createLeaseId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += idBytes;
  return drawn.toString('base64url', used - idBytes, used);
}

/** A gas coin at one version. */
export interface CoinReference {
  /** Hex with 0x prefix, in any spelling. */
  readonly objectId: string;
  /** Exact decimal text. */
  readonly version: string;
  /** Base58. */
  readonly digest: string;
}

/**
 * Hashes a set of coins, regardless of their order and of the spelling of their ids.
 * @returns 32 bytes as base64url
 */
export function hashCoins(coins: readonly CoinReference[]): string {
  const names = coins.map(({ objectId, version, digest }) =>
    [toFullId(objectId), version, digest].map((part) => `${part.length}:${part}`).join(''),
  );
  return hash('sha256', names.sort().join(''), 'base64url');
}

/** In lower case with 64 digits, as services write ids; text that is no id stays as it is. */
function toFullId(objectId: string): string {
  // Nearly every id. Faster than looking at each digit.
  if (objectId.length === 66 && objectId.startsWith('0x') && objectId.toLowerCase() === objectId) return objectId;
  const digits = /^0x([0-9a-f]{1,64})$/i.exec(objectId)?.[1];
  return digits === undefined ? objectId : `0x${digits.toLowerCase().padStart(64, '0')}`;
}

/** The version of the layout. */
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
export function writeLease(lease: Lease): Buffer {
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
export function readLease(bytes: Buffer): Lease | null {
  if (!bytes.subarray(0, mark.length).equals(mark) || bytes.length <= addressStart) return null;
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
