import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { toUsageMember, type Usage } from '../../documents/cost/usage.ts';
import { TrialCache } from '../../documents/trial-cache.ts';
import { judgeAnswer } from '../../upstream/choose-address.ts';
import type { AnswerOrigin } from '../../upstream/raw-call.ts';
import type { ChunkedBody } from '../answers/data-extent.ts';
import { spliceUsage } from '../answers/plain-answer.ts';

/** Share of the memory for responses that were requested more than once. */
const provenShare = 0.75;

/** A cache of responses by request, limited in bytes. */
export class AnswerMemory {
  readonly #answers: TrialCache<CachedAnswer>;

  constructor(maxBytes: number) {
    this.#answers = new TrialCache({ maxBytes, maxProvenBytes: Math.ceil(maxBytes * provenShare) });
  }

  /** Bytes of memory that the cache uses. */
  get bytes(): number {
    return this.#answers.bytes.all;
  }

  /**
   * Drops a response that has expired, comes from another build of the ledger, or has a time in the future: the clock was set
   * back, so its age is unknown. Returns no response whose address has not reported the network in force since then.
   */
  find(key: string, version: string, nowMs: number): CachedAnswer | null {
    const found = this.#answers.peek(key);
    if (!found) return null;
    const { verdict } = found;
    if (found.version !== version || found.untilMs <= nowMs || found.sinceMs > nowMs || verdict === 'wrong') {
      this.#answers.delete(key);
      return null;
    }
    return verdict === 'unknown' ? null : (this.#answers.find(key) ?? null);
  }

  /**
   * Replaces the response with the same key, unless that is one whose network is still unknown: of responses that replace one
   * another, none would become known.
   */
  keep(key: string, answer: CachedAnswer): void {
    const before = this.#answers.peek(key);
    if (before?.verdict === 'unknown' && before.version === answer.version && before.untilMs > answer.sinceMs) return;
    this.#answers.set(key, answer);
  }

  clear(): void {
    this.#answers.clear();
  }
}

/** Bytes that a response takes besides its body and its key: for the object, and its entry in the cache. */
const overheadBytes = 500;

export type WrittenAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly body: ChunkedBody };

/** A complete response of the ledger, with data and nothing else. */
export class CachedAnswer {
  /** The ledger's build that sent it. */
  readonly version: string;
  /** When it was cached, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** When it expires, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
  readonly bytes: number;
  /** ASCII is kept as text, which is written in one piece with the response headers; anything else stays bytes. */
  readonly #body: string | Buffer;
  #tag: string | null = null;
  /** `null` once it is known to be of the network in force, or if there is a single address. */
  #origin: AnswerOrigin | null;
  readonly #receivedMs = performance.now();

  /** @param lifeMs milliseconds until it expires @param keyLength characters of its key */
  constructor(
    body: Buffer,
    version: string,
    sinceMs: number,
    lifeMs: number,
    keyLength: number,
    origin: AnswerOrigin | null = null,
  ) {
    this.#origin = origin;
    // Copied, because these bytes may be a slice of a much larger buffer, which would stay in memory with them.
    this.#body = isAscii(body) ? body.toString('latin1') : Buffer.from(Uint8Array.from(body).buffer);
    this.version = version;
    this.sinceMs = sinceMs;
    this.untilMs = sinceMs + lifeMs;
    this.bytes = body.length + keyLength + overheadBytes;
  }

  /** Is it of the network in force? Known once its address has reported it. */
  get verdict(): ReturnType<typeof judgeAnswer> {
    if (!this.#origin) return 'right';
    const verdict = judgeAnswer(this.#origin, this.#receivedMs);
    if (verdict === 'right') this.#origin = null;
    return verdict;
  }

  /** The response as it is sent. @param usage appended after the data; `null` = not requested */
  write(usage: Usage | null): WrittenAnswer {
    const body = this.#body;
    if (typeof body === 'string') {
      const text = usage ? `${body.slice(0, body.lastIndexOf('}'))}${toUsageMember(usage)}}` : body;
      return { kind: 'text', text };
    }
    const whole = { chunks: [body], size: body.length };
    return { kind: 'bytes', body: usage ? spliceUsage(whole, body.lastIndexOf('}'), usage) : whole };
  }

  /** A hash of the content, for the entity tag. */
  get tag(): string {
    this.#tag ??= createHash('sha256').update(this.#body).digest('base64url').slice(0, 27);
    return this.#tag;
  }
}
