import { Buffer } from 'node:buffer';

/** Bytes. Blocks have a multiple of it, and smaller reads have none. */
const stepBytes = 8 * 1024;
/** Bytes of blocks that wait for reuse. With more, all of them are dropped, since they may have the wrong sizes. */
const maxFreeBytes = 8 * 1024 * 1024;

/**
 * Blocks of memory for what is read from upstreams. Without reuse, long responses cause a garbage collection every few
 * megabytes. A block that is not given back is never reused: it is garbage when it has no reader.
 */
export class RecycledMemory {
  /** By their number of steps. */
  #free: ArrayBuffer[][] = [];
  #freeBytes = 0;
  readonly #taken = new WeakSet<ArrayBufferLike>();

  /** Copies what was read. A long copy has a block for itself. */
  copy(read: Buffer): Buffer {
    if (read.length < stepBytes) return Buffer.from(read);
    const steps = Math.ceil(read.length / stepBytes);
    const block = this.#free[steps]?.pop();
    if (block) this.#freeBytes -= block.byteLength;
    const memory = block ?? new ArrayBuffer(steps * stepBytes);
    this.#taken.add(memory);
    const copied = Buffer.from(memory, 0, read.length);
    copied.set(read);
    return copied;
  }

  /** Gives back the blocks of all chunks, which must have no other reader. Empties the list, so that nobody reads them again. */
  giveBack(chunks: Buffer[]): void {
    for (const { buffer } of chunks.splice(0)) {
      if (!this.#taken.delete(buffer)) continue;
      if (this.#freeBytes > maxFreeBytes) {
        this.#free = [];
        this.#freeBytes = 0;
      }
      const steps = buffer.byteLength / stepBytes;
      this.#free[steps] ??= [];
      this.#free[steps].push(buffer as ArrayBuffer);
      this.#freeBytes += buffer.byteLength;
    }
  }
}

/** The memory of all upstreams. */
export const recycledMemory = new RecycledMemory();
