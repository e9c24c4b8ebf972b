import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { toUsageMember, type Usage } from '../../documents/cost/usage.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { ChunkedBody } from '../answers/plain-answer.ts';

/** Bytes that an answer takes besides its body and its key: for the object, and its entry in the memory. */
const overheadBytes = 500;

export type WrittenAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly body: ChunkedBody };

/** A complete answer of the ledger, with data and nothing else. */
export class KeptAnswer {
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
    if (!usage) return { kind: 'bytes', body: { chunks: [body], size: body.length } };
    const data = body.subarray(0, body.lastIndexOf('}'));
    const end = Buffer.from(`${toUsageMember(usage)}}`);
    return { kind: 'bytes', body: { chunks: [data, end], size: data.length + end.length } };
  }

  /** The answer as a result, for shells that do not write it as it is. */
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
