import { BcsReader, type BcsType } from '@mysten/bcs';
import { NotKnownError } from './tagged-union.ts';

/** A length takes at most this many bytes: unsigned LEB128 of 32 bits. */
const maxLengthBytes = 5;
/** More variants than any enum of the ledger has. */
const maxVariants = 0xff;

/**
 * The bytes go on with something that is not known here: it may be newer, or nothing at all. What stands behind it cannot be
 * read.
 */
export class UnknownShapeError extends RangeError {}

/**
 * Reads a value that fills the bytes exactly, and only from its one canonical encoding: trailing bytes and lengths not in
 * their shortest form are refused. Every fault is a `RangeError` that says what was wrong and at which byte.
 * @throws UnknownShapeError for a variant that is not known here
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

/**
 * Definitions and the library throw errors of several kinds; a `RangeError` means that reading ran over the end of a
 * buffer.
 */
function toReason(error: unknown): string {
  if (error instanceof RangeError || !(error instanceof Error)) return 'unexpected end of input';
  return error.message;
}

/**
 * The library's reader with bounds, since the library trusts its input: it decodes lengths of any size in time that
 * grows with their square, allocates a list before it reads its first element, and reads on beyond the end of a view.
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

  /** The library's makes a bigint for each length. This one reads the single byte that almost all of them are at once. */
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
