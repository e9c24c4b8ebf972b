import { Buffer } from 'node:buffer';
import type { Cancellation } from './cancellation.ts';
import type { AnswerHeaders, RawCall, RawRequest, RawResponse } from './raw-call.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';

export interface UpstreamRequest
  extends Pick<RawRequest, 'method' | 'path' | 'timeoutMs' | 'runOnMs' | 'isShareable' | 'least'> {
  /** Request headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Cancels the call when the operation is cancelled. */
  readonly cancellation?: Cancellation | undefined;
  /** Called with the outcome of a call with `runOnMs`, if its promise was rejected for a timeout before. Must not throw. */
  readonly late?: (outcome: UpstreamResponse | UpstreamCallError) => void;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
  readonly from?: RawResponse['from'];
}

/** Makes one HTTP call to an upstream. Resolves with a response of any status, rejects with an `UpstreamCallError`. */
export type UpstreamCall = (request: UpstreamRequest) => Promise<UpstreamResponse>;

/** Wraps a raw call in a promise, with the body in one piece. */
export function createUpstreamCall(rawCall: RawCall): UpstreamCall {
  return ({ method, path, headers, body = null, timeoutMs, runOnMs, isShareable = false, least, cancellation, late }) =>
    new Promise((resolve, reject) => {
      if (cancellation?.cause) {
        const { cause } = cancellation;
        return reject(runOnMs === undefined ? toCancelledError(cause) : new UpstreamCallError('unsent', cause));
      }
      let stopListening = () => {};
      const inFlight = rawCall(
        {
          method,
          path,
          headers: toPairs(headers),
          body,
          timeoutMs,
          runOnMs,
          isShareable,
          least,
          operation: cancellation,
        },
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
      if (cancellation) stopListening = cancellation.onCancel((cause) => inFlight.cancel(cause));
    });
}

function toPairs(headers: UpstreamRequest['headers']): string[] {
  const pairs: string[] = [];
  for (const name in headers) pairs.push(name, headers[name] ?? '');
  return pairs;
}

/** Bodies in one piece, by their chunks: operations that share a response share the copy. */
const wholeBodies = new WeakMap<readonly Buffer[], Buffer>();

/** Joins the chunks of a body. Most responses have a single chunk, which is not copied. */
export function toWhole({ status, headers, chunks, size, from }: RawResponse): UpstreamResponse {
  const [only] = chunks;
  if (only && chunks.length === 1) return { status, headers, body: only, from };
  const body = wholeBodies.get(chunks) ?? Buffer.concat(chunks as Buffer[], size);
  wholeBodies.set(chunks, body);
  return { status, headers, body, from };
}
