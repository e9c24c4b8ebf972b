import { Buffer } from 'node:buffer';
import type { Cancellation } from './cancellation.ts';
import type { AnswerHeaders, RawResponse } from './raw-answer.ts';
import type { RawCall } from './raw-call.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute path and query below the upstream's origin. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Milliseconds that the whole call may take, to the last byte of its answer. */
  readonly timeoutMs: number;
  /** Cancels the call when the operation is cancelled. */
  readonly cancellation?: Cancellation | undefined;
  /**
   * Marks a call that cannot be undone, a mutation: milliseconds that it may go on beyond its deadline. It is not begun once
   * the operation is over, and not cut once it is sent.
   */
  readonly runOnMs?: number | undefined;
  /** Called with the end of such a call after its promise was rejected for its deadline. Must not throw. */
  readonly late?: (outcome: UpstreamResponse | UpstreamCallError) => void;
  /** A read that carries nothing of its caller; identical ones under way may share one call. */
  readonly isShareable?: boolean;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

/** Makes one HTTP call to an upstream. Resolves with an answer of any status, rejects with an `UpstreamCallError`. */
export type UpstreamCall = (request: UpstreamRequest) => Promise<UpstreamResponse>;

const nothing = () => {};

/** Wraps a raw call in a promise, with the body in one piece. */
export function createUpstreamCall(rawCall: RawCall): UpstreamCall {
  return ({ method, path, headers, body = null, timeoutMs, runOnMs, isShareable = false, cancellation, late }) =>
    new Promise((resolve, reject) => {
      if (cancellation?.cause) {
        const { cause } = cancellation;
        return reject(runOnMs === undefined ? toCancelledError(cause) : new UpstreamCallError('unsent', cause));
      }
      let stopListening = nothing;
      if (cancellation) cancellation.calls += 1;
      const underWay = rawCall(
        { method, path, headers: toPairs(headers), body, timeoutMs, runOnMs, held: cancellation?.held, isShareable },
        {
          answered: (response) => {
            stopListening();
            if (cancellation) cancellation.bytesRead += response.size;
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

/** Joins the chunks of a body; most answers have a single one, which is not copied. */
export function toWhole({ status, headers, chunks, size }: RawResponse): UpstreamResponse {
  const [only] = chunks;
  return { status, headers, body: only && chunks.length === 1 ? only : Buffer.concat(chunks as Buffer[], size) };
}
