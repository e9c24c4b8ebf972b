import { BcsReader, BcsType, type BcsWriter, bcs } from '@mysten/bcs';
import { parseDigest, toDigest } from './digest.ts';

/** The bytes have an unknown form, newer or invalid: nothing after this position can be parsed. */
export class NotKnownError extends TypeError {}

/** The used part of `BcsType`, which is invariant in its input as a whole. */
export interface FieldsBcs<Values> {
  read(reader: BcsReader): Values;
  write(values: NoInfer<Values>, writer: BcsWriter): void;
}

type Variants = Readonly<Record<string, readonly [index: number, fields: FieldsBcs<object> | null]>>;

/** The type of a value that was read: its lists are read-only. */
type Read<Type> = Type extends { read(reader: BcsReader): infer Values }
  ? { readonly [Name in keyof Values]: Values[Name] extends (infer Item)[] ? readonly Item[] : Values[Name] }
  : unknown;

type UnionOf<Given extends Variants> = {
  readonly [Kind in keyof Given & string]: { readonly kind: Kind } & Read<Given[Kind][1]>;
}[keyof Given & string];

/**
 * An enum of the ledger as a union discriminated by `kind`: each variant with its index on the wire and the struct of its fields, or
 * `null`. The library's own enum nests every variant under its name, which costs a second object and a search on writing. An unlisted
 * index throws a `NotKnownError`.
 */
export function taggedUnion<const Given extends Variants>(name: string, variants: Given): BcsType<UnionOf<Given>> {
  const entries = Object.entries(variants);
  // Variants without fields share one object each: a transaction may contain thousands.
  const listed = entries.map(([kind, [index, fields]]) => ({ kind, index, fields, bare: Object.freeze({ kind }) }));
  const byKind = new Map(listed.map((variant) => [variant.kind, variant]));
  const byIndex: (typeof listed)[number][] = [];
  for (const variant of listed) byIndex[variant.index] = variant;
  return new BcsType<UnionOf<Given>>({
    name,
    read: (reader) => {
      const index = reader.readULEB();
      const variant = byIndex[index];
      if (!variant) throw new NotKnownError(`unknown ${name} ${index}`);
      return (variant.fields ? { kind: variant.kind, ...variant.fields.read(reader) } : variant.bare) as UnionOf<Given>;
    },
    write: (value, writer) => {
      const variant = byKind.get(value.kind);
      if (!variant) throw new TypeError(`unknown ${name} ${value.kind}`);
      writer.writeULEB(variant.index);
      variant.fields?.write(value, writer);
    },
  });
}

/** A value or `null`. The library's option misreads every index but 0 and 1. */
export function optional<T>(name: string, type: BcsType<T>): BcsType<T | null> {
  return new BcsType<T | null>({
    name,
    read: (reader) => {
      const index = reader.readULEB();
      if (index > 1) throw new NotKnownError(`unknown ${name} ${index}`);
      return index === 0 ? null : type.read(reader);
    },
    write: (value, writer) => {
      writer.writeULEB(value === null ? 0 : 1);
      if (value !== null) type.write(value, writer);
    },
  });
}

/**
 * A list up to a length that the networks allow. Elements are parsed one by one, since the library allocates the whole list
 * first.
 * @param name plural
 */
export function listOf<T>(name: string, item: BcsType<T>, max: number): BcsType<readonly T[]> {
  const vector = bcs.vector(item);
  return new BcsType<readonly T[]>({
    name: vector.name,
    read: (reader) => {
      const length = reader.readULEB();
      if (length > max) throw new NotKnownError(`${length} ${name} where ${max} are the most that is known`);
      const items: T[] = [];
      for (let count = 0; count < length; count += 1) items.push(item.read(reader));
      return items;
    },
    write: (items, writer) => vector.write(items, writer),
  });
}

/** A length takes at most this many bytes: unsigned LEB128 of 32 bits. */
const maxLengthBytes = 5;
/** More variants than any enum of the ledger has. */
const maxVariants = 0xff;

/** The bytes contain an unknown form, newer or invalid. Later bytes cannot be parsed. */
export class UnknownShapeError extends RangeError {}

/**
 * Reads a value in its canonical encoding. Rejects trailing bytes and lengths not in their shortest form. Every fault is a `RangeError`
 * with the reason and the position.
 * @param options `mayGoOn`: other values may follow, which are not read
 * @throws UnknownShapeError for an unknown variant
 */
export function parseBcs<T>(type: Pick<BcsType<T>, 'read'>, bytes: Uint8Array, { mayGoOn = false } = {}): T {
  const reader = new StrictReader(bytes);
  try {
    const value = type.read(reader);
    if (reader.left > 0 && !mayGoOn) throw new TypeError(`${reader.left} trailing byte${reader.left === 1 ? '' : 's'}`);
    return value;
  } catch (error) {
    const Fault = error instanceof NotKnownError ? UnknownShapeError : RangeError;
    throw new Fault(`${toReason(error)} (at byte ${bytes.length - reader.left} of ${bytes.length})`);
  }
}

/** A `RangeError` of the library means that it read past the end of the buffer. */
function toReason(error: unknown): string {
  if (error instanceof RangeError || !(error instanceof Error)) return 'unexpected end of input';
  return error.message;
}

/**
 * The library's reader with limits, since the library trusts its input: it decodes lengths in quadratic time, allocates a list
 * before its first element, and reads past the end of a view.
 */
class StrictReader extends BcsReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    // A copy, so that its buffer ends where the bytes end.
    const own = new Uint8Array(bytes);
    super(own);
    this.#bytes = own;
  }

  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  override shift(count: number): this {
    this.#offset += count;
    return super.shift(count);
  }

  /** Fast path for lengths of one byte. The library makes a bigint for each length. */
  override readULEB(): number {
    const first = this.#bytes[this.#offset];
    if (first === undefined || first >= 0x80) return this.#readLongLength();
    this.shift(1);
    return first;
  }

  #readLongLength(): number {
    let value = 0;
    let count = 0;
    let byte: number | undefined;
    do {
      if (count === maxLengthBytes) throw new TypeError('length is over 32 bits');
      byte = this.#bytes[this.#offset + count];
      if (byte === undefined) throw new RangeError('unexpected end of input');
      value += (byte & 0x7f) * 2 ** (7 * count);
      count += 1;
    } while (byte >= 0x80);
    if (byte === 0) throw new TypeError('length is not in its shortest form');
    this.shift(count);
    // Every element takes at least one byte, so a greater length is forged.
    if (value > Math.max(this.left, maxVariants)) throw new TypeError(`a list of ${value} does not fit what is left`);
    return value;
  }
}

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

/** Move identifiers are ASCII: decoding UTF-8 would cost more than the rest. */
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
