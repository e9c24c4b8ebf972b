import { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { CancelCause, Cancellation } from './cancellation.ts';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute path and query below the upstream's origin. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whole call, headers to last byte. */
  readonly timeoutMs: number;
  /** The operation's; leave out for calls that must not be cut short (mutations). */
  readonly cancellation?: Cancellation | undefined;
  /** A read that carries nothing of its caller: identical ones under way together may be one call. */
  readonly isShareable?: boolean;
}

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** One HTTP call to one upstream: resolves with whatever came back, rejects with an `UpstreamCallError`. */
export type UpstreamCall = (request: UpstreamRequest) => Promise<UpstreamResponse>;

export type UpstreamFailure =
  /** No connection was made: nothing reached the upstream. */
  | 'unreachable'
  /** The connection broke, or the answer ended early, after the request may have been read. */
  | 'interrupted'
  | 'timeout'
  | 'aborted'
  /** The answer is larger than we accept. */
  | 'too-large';

export class UpstreamCallError extends Error {
  override readonly name = 'UpstreamCallError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }

  /** False only when it is certain that the upstream never saw the request. */
  get mayHaveArrived(): boolean {
    return this.failure !== 'unreachable';
  }
}

export interface UpstreamCallOptions {
  /** Scheme, host and port. A path in it is ignored: give whole paths in the request. */
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  /** Answers above this are refused, in bytes. */
  readonly maxResponseBytes: number;
}

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Calls one upstream over an undici dispatcher. Redirects are not followed and nothing is retried. */
export function createUpstreamCall({ origin, dispatcher, maxResponseBytes }: UpstreamCallOptions): UpstreamCall {
  return async ({ method, path, headers, body, timeoutMs, cancellation }) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await dispatcher.request({
        origin,
        method,
        path,
        headers: { ...headers },
        body: body ?? null,
        signal: cancellation ? AbortSignal.any([timeout, cancellation.signal]) : timeout,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of response.body) {
        size += (chunk as Buffer).length;
        if (size > maxResponseBytes) {
          response.body.destroy();
          throw new UpstreamCallError('too-large', `answer over ${maxResponseBytes} bytes`);
        }
        chunks.push(chunk as Buffer);
      }
      return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks, size) };
    } catch (error) {
      throw toUpstreamCallError(error, timeout, timeoutMs, cancellation?.cause ?? null);
    }
  };
}

function toUpstreamCallError(
  error: unknown,
  timeout: AbortSignal,
  timeoutMs: number,
  cause: CancelCause | null,
): UpstreamCallError {
  if (error instanceof UpstreamCallError) return error;
  if (timeout.aborted) return new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`, { cause: error });
  return cause ? toCancelledError(cause) : toConnectionError(error);
}

/** What the connection's own error says of the call. */
export function toConnectionError(error: unknown): UpstreamCallError {
  const code = errorCode(error);
  return neverConnected.has(code)
    ? new UpstreamCallError('unreachable', `cannot connect (${code})`, { cause: error })
    : new UpstreamCallError('interrupted', `connection failed (${code || 'unknown'})`, { cause: error });
}

/** The deadline of an operation is a timeout; a caller who hung up is not. */
export function toCancelledError(cause: CancelCause): UpstreamCallError {
  return cause === 'timeout'
    ? new UpstreamCallError('timeout', 'no answer within the time of the operation')
    : new UpstreamCallError('aborted', 'cancelled');
}

function errorCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause ? errorCode(cause) : '';
}
