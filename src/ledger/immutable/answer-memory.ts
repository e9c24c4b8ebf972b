import { LRUCache } from 'lru-cache';
import type { KeptAnswer } from './kept-answer.ts';

/** Share of the memory that is kept for answers that were asked for more than once. */
const provenShare = 0.75;

/**
 * Answers by what was asked, up to a bound in bytes. A new one is on trial; once it is asked for again, it moves to where a
 * flood of reads that nobody repeats cannot push it out.
 */
export class AnswerMemory {
  readonly #onTrial: LRUCache<string, KeptAnswer>;
  readonly #proven: LRUCache<string, KeptAnswer>;

  constructor(maxBytes: number) {
    const proven = Math.max(1, Math.floor(maxBytes * provenShare));
    const sizeCalculation = ({ bytes }: KeptAnswer) => bytes;
    this.#proven = new LRUCache<string, KeptAnswer>({ maxSize: proven, sizeCalculation });
    this.#onTrial = new LRUCache<string, KeptAnswer>({ maxSize: Math.max(1, maxBytes - proven), sizeCalculation });
  }

  /** Memory that is taken. */
  get bytes(): number {
    return this.#onTrial.calculatedSize + this.#proven.calculatedSize;
  }

  /**
   * Drops an answer that has expired, or is of another build of the ledger, or of a time that has not come yet: the clock was
   * set back, and nobody knows how old it is.
   * @param nowMs by the clock of `untilMs`
   */
  find(key: string, version: string, nowMs: number): KeptAnswer | null {
    const proven = this.#proven.get(key);
    const found = proven ?? this.#onTrial.get(key);
    if (!found) return null;
    if (found.version !== version || found.untilMs <= nowMs || found.sinceMs > nowMs) {
      this.#proven.delete(key);
      this.#onTrial.delete(key);
      return null;
    }
    if (!proven) {
      this.#onTrial.delete(key);
      this.#proven.set(key, found);
    }
    return found;
  }

  /** Replaces the answer with the same key. An answer that is larger than the room for new ones is not kept. */
  keep(key: string, answer: KeptAnswer): void {
    this.#proven.delete(key);
    this.#onTrial.set(key, answer);
  }

  clear(): void {
    this.#onTrial.clear();
    this.#proven.clear();
  }
}
