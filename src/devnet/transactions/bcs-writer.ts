/** Appends values in Binary Canonical Serialization; `toBytes()` hands out what was written so far. */
export class BcsWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(initialCapacity = 256) {
    this.#buffer = Buffer.allocUnsafe(initialCapacity);
  }

  u8(value: number): this {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
    return this;
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  u16(value: number): this {
    this.#reserve(2);
    this.#length = this.#buffer.writeUInt16LE(value, this.#length);
    return this;
  }

  u64(value: bigint | number): this {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigUInt64LE(BigInt(value), this.#length);
    return this;
  }

  /** Length or variant index: unsigned LEB128. */
  uleb(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return this.u8(rest);
  }

  /** Bytes of a length the reader knows. */
  fixed(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** `vector<u8>`. */
  bytes(bytes: Uint8Array): this {
    return this.uleb(bytes.length).fixed(bytes);
  }

  string(text: string): this {
    return this.bytes(Buffer.from(text, 'utf8'));
  }

  vector<T>(items: readonly T[], write: (item: T) => void): this {
    this.uleb(items.length);
    for (const item of items) write(item);
    return this;
  }

  /** `0x` + 64 hex digits as 32 bytes. */
  address(address: string): this {
    this.#reserve(32);
    const written = this.#buffer.write(address.slice(2), this.#length, 32, 'hex');
    if (written !== 32 || address.length !== 66)
      throw new TypeError(`Expected an address of 64 hex digits, got ${address}`);
    this.#length += 32;
    return this;
  }

  toBytes(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.#length));
  }

  #reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
