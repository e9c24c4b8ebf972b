import { BcsReader, type BcsType } from '@mysten/bcs';
import { NotKnownError } from './tagged-union.ts';

/** A length takes at most this many bytes: unsigned LEB128 of 32 bits. */
const maxLengthBytes = 5;
/** More variants than any enum of the ledger has. */
const maxVariants = 0xff;

/** The bytes contain an unknown form, newer or invalid. What follows cannot be read. */
export class UnknownShapeError extends RangeError {}

/**
 * Reads a value in its canonical encoding. Rejects trailing bytes and lengths not in their shortest form. Every fault is a `RangeError`
 * with the reason and the position.
 * @throws UnknownShapeError for an unknown variant
 */
export function parseBcs<T>(type: Pick<BcsType<T>, 'read'>, bytes: Uint8Array): T {
  const reader = new StrictReader(bytes);
  try {
    const value = type.read(reader);
    if (reader.left > 0) throw new TypeError(`${reader.left} trailing byte${reader.left === 1 ? '' : 's'}`);
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
 * The library's reader with bounds, since the library trusts its input: it decodes lengths in quadratic time, allocates a list before
 * its first element, and reads past the end of a view.
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
