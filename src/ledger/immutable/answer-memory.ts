import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { LRUCache } from 'lru-cache';
import { toUsageMember, type Usage } from '../../documents/cost/usage.ts';
import { parseJson } from '../../json/exact-json.ts';
import { type ChunkedBody, spliceUsage } from '../answers/plain-answer.ts';

/** Share of the memory that is kept for answers that were asked for more than once. */
const provenShare = 0.75;

/**
 * A cache of answers by their requests, bounded in bytes. A new answer is on trial; at the second request it moves to a part
 * from which reads that are not repeated cannot evict it.
 */
export class AnswerMemory {
  readonly #onTrial: LRUCache<string, CachedAnswer>;
  readonly #proven: LRUCache<string, CachedAnswer>;

  constructor(maxBytes: number) {
    const proven = Math.max(1, Math.floor(maxBytes * provenShare));
    const sizeCalculation = ({ bytes }: CachedAnswer) => bytes;
    this.#proven = new LRUCache<string, CachedAnswer>({ maxSize: proven, sizeCalculation });
    this.#onTrial = new LRUCache<string, CachedAnswer>({ maxSize: Math.max(1, maxBytes - proven), sizeCalculation });
  }

  /** Memory that is taken. */
  get bytes(): number {
    return this.#onTrial.calculatedSize + this.#proven.calculatedSize;
  }

  /**
   * Drops an answer that has expired, or is of another build of the ledger, or was kept in the future: the clock was set back,
   * so its age is unknown.
   */
  find(key: string, version: string, nowMs: number): CachedAnswer | null {
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
  keep(key: string, answer: CachedAnswer): void {
    this.#proven.delete(key);
    this.#onTrial.set(key, answer);
  }

  clear(): void {
    this.#onTrial.clear();
    this.#proven.clear();
  }
}

/** Bytes that an answer takes besides its body and its key: for the object, and its entry in the memory. */
const overheadBytes = 500;

export type WrittenAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly body: ChunkedBody };

/** A complete answer of the ledger, with data and nothing else. */
export class CachedAnswer {
  /** The ledger's build that gave it. */
  readonly version: string;
  /** Kept at this time, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** Served until this time, likewise. */
  readonly untilMs: number;
  /** Memory that it takes. */
  readonly bytes: number;
  /** ASCII is kept as text, which can be written in one piece with the response's head; anything else stays bytes. */
  readonly #body: string | Buffer;
  #tag: string | null = null;

  /**
   * @param lifeMs milliseconds for which it is served
   * @param keyLength characters of its key
   */
  constructor(body: Buffer, version: string, sinceMs: number, lifeMs: number, keyLength: number) {
    // Copied, because these bytes may be a slice of a much larger buffer, which would stay in memory with them.
    this.#body = isAscii(body) ? body.toString('latin1') : Buffer.from(Uint8Array.from(body).buffer);
    this.version = version;
    this.sinceMs = sinceMs;
    this.untilMs = sinceMs + lifeMs;
    this.bytes = body.length + keyLength + overheadBytes;
  }

  /** The answer as it is sent. @param usage put behind the data; `null` = not asked for */
  write(usage: Usage | null): WrittenAnswer {
    const body = this.#body;
    if (typeof body === 'string') {
      const text = usage ? `${body.slice(0, body.lastIndexOf('}'))}${toUsageMember(usage)}}` : body;
      return { kind: 'text', text };
    }
    const whole = { chunks: [body], size: body.length };
    return { kind: 'bytes', body: usage ? spliceUsage(whole, body.lastIndexOf('}'), usage) : whole };
  }

  /** The answer as a result, where it is not written as it is. */
  read(): ExecutionResult {
    const { data } = parseJson(this.#body.toString()) as { readonly data: Record<string, unknown> };
    return { data };
  }

  /** A hash of its content, for the entity tag. */
  get tag(): string {
    this.#tag ??= createHash('sha256').update(this.#body).digest('base64url').slice(0, 27);
    return this.#tag;
  }
}
