import { Buffer } from 'node:buffer';

/** What the gateway gives a caller for coins that the sponsor reserved: the right to one execution with them. */
export interface Lease {
  /** 16 random bytes as base64url: the name of the lease in stores and logs. It proves nothing by itself. */
  readonly leaseId: string;
  /** The sponsor's own number: exact decimal text of a u64. */
  readonly rawReservationId: string;
  /** As the sponsor spelt it; at most 256 visible ASCII characters. */
  readonly sponsorAddress: string;
  /** In the ledger's smallest unit. */
  readonly gasBudget: number;
  /** Milliseconds since the Unix epoch, just before the sponsor was asked for the coins. */
  readonly issuedAtMs: number;
  /** Milliseconds since the Unix epoch; from this moment on it is expired. */
  readonly expiresAtMs: number;
  /** As `hashCoins` makes it. */
  readonly coinsHash: string;
}

/** Another layout gets another mark, so that what an older version signed is told from what a newer one did. */
const mark = Buffer.from('lg1');

/**
 * The id begins at the third byte, so that its first 20 letters stand in the lease's text as they are: who has the text of
 * a lease finds it in the log, where its id is named.
 */
const places = { leaseId: 3, rawId: 19, budget: 27, issuedAt: 35, expiresAt: 43, coinsHash: 51, addressForm: 83 };
const addressStart = places.addressForm + 1;
const idBytes = 16;
const hashBytes = 32;

/** An address in the ledger's own spelling is kept as its 32 bytes; any other as the text that it is. */
const addressForms = { ledger: 0, text: 1 };
const ledgerAddress = /^0x[0-9a-f]{64}$/;
const wholeNumber = /^(?:0|[1-9]\d{0,19})$/;
const addressText = /^[\x21-\x7e]{1,256}$/;

/**
 * A lease as bytes, of which each lease has one sequence only. Times and the budget are doubles: they hold every number
 * that JavaScript has, exactly.
 * @throws RangeError if a part is not of the form that `Lease` tells
 */
export function writeLease(lease: Lease): Buffer {
  const address = toAddressBytes(lease.sponsorAddress);
  const bytes = Buffer.alloc(addressStart + address.bytes.length);
  mark.copy(bytes);
  writePart(bytes, places.leaseId, 'leaseId', lease.leaseId, idBytes);
  if (!wholeNumber.test(lease.rawReservationId)) throw new RangeError('rawReservationId is not a whole number.');
  bytes.writeBigUInt64BE(BigInt(lease.rawReservationId), places.rawId);
  bytes.writeDoubleBE(lease.gasBudget, places.budget);
  bytes.writeDoubleBE(lease.issuedAtMs, places.issuedAt);
  bytes.writeDoubleBE(lease.expiresAtMs, places.expiresAt);
  writePart(bytes, places.coinsHash, 'coinsHash', lease.coinsHash, hashBytes);
  bytes[places.addressForm] = address.form;
  address.bytes.copy(bytes, addressStart);
  return bytes;
}

/**
 * The lease that these bytes are. They must have been signed: nothing is checked but the mark, and that what every
 * lease has is there.
 * @returns `null` for bytes of another layout
 */
export function readLease(bytes: Buffer): Lease | null {
  if (!bytes.subarray(0, mark.length).equals(mark) || bytes.length <= addressStart) return null;
  const address = bytes.subarray(addressStart);
  const isLedgers = bytes[places.addressForm] === addressForms.ledger;
  return {
    leaseId: bytes.toString('base64url', places.leaseId, places.leaseId + idBytes),
    rawReservationId: String(bytes.readBigUInt64BE(places.rawId)),
    sponsorAddress: isLedgers ? `0x${address.toString('hex')}` : address.toString('latin1'),
    gasBudget: bytes.readDoubleBE(places.budget),
    issuedAtMs: bytes.readDoubleBE(places.issuedAt),
    expiresAtMs: bytes.readDoubleBE(places.expiresAt),
    coinsHash: bytes.toString('base64url', places.coinsHash, places.coinsHash + hashBytes),
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
