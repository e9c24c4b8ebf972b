import { LRUCache } from 'lru-cache';

export interface TrialCacheBounds {
  readonly maxBytes: number;
  /** The part of `maxBytes` that values on trial cannot evict. */
  readonly maxProvenBytes: number;
}

/**
 * A cache that is limited in bytes. A new value is on trial; its first use proves it, and a flood of values that are never used
 * evicts only others on trial. The least recently used proven value is on trial again once the proven part is full.
 */
export class TrialCache<Value extends { readonly bytes: number }> {
  readonly #maxBytes: number;
  readonly #onTrial: LRUCache<string, Value>;
  readonly #proven: LRUCache<string, Value>;

  constructor({ maxBytes, maxProvenBytes }: TrialCacheBounds) {
    this.#maxBytes = maxBytes;
    const sizeCalculation = ({ bytes }: Value) => bytes;
    this.#onTrial = new LRUCache({ maxSize: maxBytes, sizeCalculation });
    this.#proven = new LRUCache({
      maxSize: maxProvenBytes,
      sizeCalculation,
      disposeAfter: (value, key, reason) => {
        if (reason === 'evict') this.#onTrial.set(key, value);
      },
    });
  }

  get sizes(): { readonly onTrial: number; readonly proven: number } {
    return { onTrial: this.#onTrial.size, proven: this.#proven.size };
  }

  /** Bytes of all values, and of those on trial. */
  get bytes(): { readonly all: number; readonly onTrial: number } {
    const onTrial = this.#onTrial.calculatedSize;
    return { all: onTrial + this.#proven.calculatedSize, onTrial };
  }

  peek(key: string): Value | undefined {
    return this.#proven.peek(key) ?? this.#onTrial.peek(key);
  }

  /** Counts as a use. */
  find(key: string): Value | undefined {
    const known = this.#proven.get(key);
    if (known) return known;
    const tried = this.#onTrial.get(key);
    if (!tried) return undefined;
    this.#onTrial.delete(key);
    this.#proven.set(key, tried);
    return tried;
  }

  /** Replaces the value of the key. Does not keep a value for which the proven ones leave no room. */
  set(key: string, value: Value): void {
    this.#proven.delete(key);
    this.#onTrial.set(key, value);
    while (this.bytes.all > this.#maxBytes) this.#onTrial.pop();
  }

  delete(key: string): void {
    this.#proven.delete(key);
    this.#onTrial.delete(key);
  }

  clear(): void {
    this.#onTrial.clear();
    this.#proven.clear();
  }
}
