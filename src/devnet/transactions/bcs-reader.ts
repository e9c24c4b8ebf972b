const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads Binary Canonical Serialization, strictly: what it accepts has exactly one encoding. Lengths must be in their
 * shortest form, booleans 0 or 1, and `end()` refuses trailing bytes. Every fault is a `RangeError` that says where.
 */
export class BcsReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  bool(): boolean {
    const value = this.u8();
    if (value > 1) throw this.fault(`expected a boolean, got byte ${value}`);
    return value === 1;
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#take(2));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8));
  }

  /** A u64 that must be exact as a JavaScript number: versions and epochs. */
  u53(): number {
    const value = this.u64();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.fault(`${value} is above 2^53-1`);
    return Number(value);
  }

  /** Length or variant index: unsigned LEB128 of at most 32 bits, shortest form only. */
  uleb(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) throw this.fault('length is not in its shortest form');
        if (value > 0xffff_ffff) throw this.fault('length is over 32 bits');
        return value;
      }
    }
    throw this.fault('length is over 32 bits');
  }

  fixed(length: number): Uint8Array {
    const start = this.#take(length);
    return new Uint8Array(this.#bytes.subarray(start, start + length));
  }

  bytes(): Uint8Array {
    return this.fixed(this.uleb());
  }

  string(): string {
    const bytes = this.bytes();
    try {
      return utf8.decode(bytes);
    } catch {
      throw this.fault('text is not UTF-8');
    }
  }

  vector<T>(read: () => T): T[] {
    const length = this.uleb();
    // Every element takes at least one byte, so a forged length cannot make us allocate.
    if (length > this.#bytes.length - this.#offset) throw this.fault(`a list of ${length} does not fit what is left`);
    const items: T[] = [];
    for (let index = 0; index < length; index += 1) items.push(read());
    return items;
  }

  /** 32 bytes as `0x` + 64 hex digits. */
  address(): string {
    const start = this.#take(32);
    return `0x${this.#bytes.toString('hex', start, start + 32)}`;
  }

  end(): void {
    const left = this.#bytes.length - this.#offset;
    if (left > 0) throw this.fault(`${left} trailing byte${left === 1 ? '' : 's'}`);
  }

  fault(what: string): RangeError {
    return new RangeError(`${what} (at byte ${this.#offset} of ${this.#bytes.length})`);
  }

  #take(length: number): number {
    const start = this.#offset;
    if (start + length > this.#bytes.length) throw this.fault(`expected ${length} more byte${length === 1 ? '' : 's'}`);
    this.#offset = start + length;
    return start;
  }
}
