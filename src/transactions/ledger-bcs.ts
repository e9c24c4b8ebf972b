import { BcsType, bcs } from '@mysten/bcs';
import { parseDigest, toDigest } from './digest.ts';
import { NotKnownError } from './strict-bcs.ts';

/** 32 bytes as an address. */
export function toAddress(bytes: Uint8Array): string {
  // A view of the same memory: `Buffer.from(bytes)` would copy it first.
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** Writes an address in full, in lower case: people may leave out leading zeros. */
export function toFullAddress(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}

const string = bcs.string();
const identifierPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `0x` + 64 hex digits as 32 bytes. */
const address = new BcsType<string>({
  name: 'address',
  read: (reader) => toAddress(reader.readBytes(32)),
  write: (text, writer) => {
    const bytes = Buffer.from(text.slice(2), 'hex');
    if (bytes.length !== 32 || text.length !== 66)
      throw new TypeError(`Expected an address of 64 hex digits, got ${text}`);
    writer.writeBytes(bytes);
  },
  serializedSize: () => 32,
});

/** Base58 of 32 bytes, encoded with their length. A transform of the library would decode the text twice. */
const digest = new BcsType<string>({
  name: 'digest',
  read: (reader) => {
    const length = reader.readULEB();
    if (length !== 32) throw new TypeError(`a digest has 32 bytes, got ${length}`);
    return toDigest(reader.readBytes(length));
  },
  write: (text, writer) => {
    writer.writeULEB(32).writeBytes(parseDigest(text));
  },
  serializedSize: () => 33,
});

/** Move identifiers are ASCII: decoding UTF-8 would cost more than all the rest. */
const identifier = new BcsType<string>({
  name: 'identifier',
  read: (reader) => {
    const bytes = reader.readBytes(reader.readULEB());
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    if (!identifierPattern.test(text)) throw new TypeError('expected a Move identifier');
    return text;
  },
  write: (text, writer) => string.write(text, writer),
});

const maxU64 = 2n ** 64n - 1n;

/** Read as a bigint; written from a bigint or a whole number. The library divides a bigint byte by byte, which is slow. */
const u64 = new BcsType<bigint, bigint | number>({
  name: 'u64',
  read: (reader) => {
    const low = reader.read32();
    return (BigInt(reader.read32()) << 32n) | BigInt(low);
  },
  write: (value, writer) => {
    const number = BigInt(value);
    writer.write32(number & 0xffff_ffffn).write32(number >> 32n);
  },
  serializedSize: () => 8,
  validate: (value) => {
    if (value < 0n || value > maxU64) throw new TypeError(`Expected a u64, got ${value}`);
  },
});

/** A u64 that must be exact as a JavaScript number: versions and epochs. */
const u53 = new BcsType<number>({
  name: 'u53',
  read: (reader) => {
    const low = reader.read32();
    const high = reader.read32();
    if (high >= 2 ** 21) throw new TypeError(`${(BigInt(high) << 32n) | BigInt(low)} is above 2^53-1`);
    return high * 2 ** 32 + low;
  },
  write: (value, writer) => {
    writer.write32(value % 2 ** 32).write32(Math.floor(value / 2 ** 32));
  },
  serializedSize: () => 8,
  validate: (value) => {
    if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`Expected 0 to 2^53-1, got ${value}`);
  },
});

/** Rejects other bytes than 0 and 1: the library reads them as false, and networks have begun to use them. */
const flag = new BcsType<boolean>({
  name: 'flag',
  read: (reader) => {
    const byte = reader.read8();
    if (byte > 1) throw new NotKnownError(`unknown flag ${byte}`);
    return byte === 1;
  },
  write: (value, writer) => {
    writer.write8(value ? 1 : 0);
  },
  serializedSize: () => 1,
});

const objectRef = bcs.struct('ObjectRef', { objectId: address, version: u53, digest });

/** Types of the ledger that the library lacks. */
export const ledgerBcs = { address, digest, flag, identifier, objectRef, u53, u64 };
