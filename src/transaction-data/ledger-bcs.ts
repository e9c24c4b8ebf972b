import { BcsType, bcs } from '@mysten/bcs';
import { toAddress } from './address.ts';
import { parseDigest, toDigest } from './digest.ts';

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

/**
 * Base58 of 32 bytes, encoded with their length. A type of its own, since a transform of the library's would decode
 * the text twice.
 */
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

const identifier = bcs.string().transform({
  name: 'identifier',
  output: (text) => {
    if (!identifierPattern.test(text)) throw new TypeError('expected a Move identifier');
    return text;
  },
});

const maxU64 = 2n ** 64n - 1n;

/**
 * Read as a bigint; written from a bigint or a whole number. The library writes it by dividing a bigint byte by byte,
 * too slow for the thousands in a start.
 */
const u64 = new BcsType<bigint, bigint | number>({
  name: 'u64',
  read: (reader) => BigInt(reader.read64()),
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
    const text = reader.read64();
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new TypeError(`${text} is above 2^53-1`);
    return value;
  },
  write: (value, writer) => {
    writer.write32(value % 2 ** 32).write32(Math.floor(value / 2 ** 32));
  },
  serializedSize: () => 8,
  validate: (value) => {
    if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`Expected 0 to 2^53-1, got ${value}`);
  },
});

const objectRef = bcs.struct('ObjectRef', { objectId: address, version: u53, digest });

/** The building blocks of the ledger's types, beside those of the library. */
export const ledgerBcs = { address, digest, identifier, objectRef, u53, u64 };
