import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import type { ChunkedBody } from '../answers/find-plain-end.ts';
import { parseJson } from '../json/parse-json.ts';
import { toUsageMember, type Usage } from '../limits/usage.ts';

/** What else an answer takes in memory besides its bytes and its key: itself, and its place in what is kept. */
const overheadBytes = 500;

export type WrittenAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly body: ChunkedBody };

/** A whole answer of the ledger's, which had nothing but data. */
export class KeptAnswer {
  /** The ledger's build that gave it. */
  readonly version: string;
  /** Until when it is good, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
  /** Memory that it takes. */
  readonly bytes: number;
  /** A text of one byte a character can be written with the head of the response in one piece; anything else stays bytes. */
  readonly #body: string | Buffer;
  #tag: string | null = null;

  /** @param keyLength characters of what it is found by */
  constructor(body: Buffer, version: string, untilMs: number, keyLength: number) {
    // A copy of its own: these bytes may be a small part of what came in one piece.
    this.#body = isAscii(body) ? body.toString('latin1') : Buffer.from(Uint8Array.from(body).buffer);
    this.version = version;
    this.untilMs = untilMs;
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

  /** The answer to those who do not write it as it came. */
  read(): ExecutionResult {
    const { data } = parseJson(this.#body.toString()) as { readonly data: Record<string, unknown> };
    return { data };
  }

  /** Tells its content from any other: what an entity tag is made of. */
  get tag(): string {
    this.#tag ??= createHash('sha256').update(this.#body).digest('base64url').slice(0, 27);
    return this.#tag;
  }
}
