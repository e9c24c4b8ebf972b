import { Buffer } from 'node:buffer';
import type { AnswerHeaders } from './answer-headers.ts';
import type { Cancellation } from './cancellation.ts';
import type { RawCall, RawResponse } from './raw-call.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute path and query below the upstream's origin. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whole call, headers to last byte. */
  readonly timeoutMs: number;
  /** The operation's. */
  readonly cancellation?: Cancellation | undefined;
  /**
   * Of a call that cannot be taken back, a mutation: how long it goes on beyond the operation, in milliseconds. It is not
   * begun once the operation is over, and nothing cuts it once it is sent.
   */
  readonly runOnMs?: number | undefined;
  /** How such a call ended after it was rejected for want of an answer in time. Must not throw. */
  readonly late?: (outcome: UpstreamResponse | UpstreamCallError) => void;
  /** A read that carries nothing of its caller: identical ones under way together may be one call. */
  readonly isShareable?: boolean;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

/** One HTTP call to one upstream: resolves with whatever came back, rejects with an `UpstreamCallError`. */
export type UpstreamCall = (request: UpstreamRequest) => Promise<UpstreamResponse>;

const nothing = () => {};

/** The raw call for those who wait for a promise and want the body in one piece. */
export function createUpstreamCall(rawCall: RawCall): UpstreamCall {
  return ({ method, path, headers, body = null, timeoutMs, runOnMs, isShareable = false, cancellation, late }) =>
    new Promise((resolve, reject) => {
      if (cancellation?.cause) {
        const { cause } = cancellation;
        return reject(runOnMs === undefined ? toCancelledError(cause) : new UpstreamCallError('unsent', cause));
      }
      let stopListening = nothing;
      const underWay = rawCall(
        { method, path, headers: toPairs(headers), body, timeoutMs, runOnMs, isShareable },
        {
          answered: (response) => {
            stopListening();
            resolve(toWhole(response));
          },
          failed: (error) => {
            stopListening();
            reject(error);
          },
          late: (outcome) => late?.(outcome instanceof UpstreamCallError ? outcome : toWhole(outcome)),
        },
      );
      if (cancellation) stopListening = cancellation.onCancel((cause) => underWay.cancel(cause));
    });
}

function toPairs(headers: UpstreamRequest['headers']): string[] {
  const pairs: string[] = [];
  for (const name in headers) pairs.push(name, headers[name] ?? '');
  return pairs;
}

/** The pieces of a body as one; most answers come in one. */
export function toWhole({ status, headers, chunks, size }: RawResponse): UpstreamResponse {
  const [only] = chunks;
  return { status, headers, body: only && chunks.length === 1 ? only : Buffer.concat(chunks as Buffer[], size) };
}
