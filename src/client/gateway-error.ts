import type { ErrorCode, RetryAdvice } from '../errors/catalogue.ts';

/** The gateway's error codes. `NETWORK_ERROR` and `BAD_RESPONSE` come from the client: no connection, or no GraphQL response. */
export type GatewayErrorCode = ErrorCode | 'NETWORK_ERROR' | 'BAD_RESPONSE';

/** One entry of `errors` in a response. */
export interface ErrorEntry {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: {
    /** The ledger's own codes are forwarded too. */
    readonly code?: GatewayErrorCode | (string & {});
    readonly retry?: RetryAdvice;
    readonly retryAfterMs?: number;
    /** Digest of the transaction that an error of `executeTx` is about. */
    readonly digest?: string;
    readonly [name: string]: unknown;
  };
}

/** The body of a response, or an item of a stream. */
export interface GraphqlResult {
  readonly data?: unknown;
  readonly errors?: readonly ErrorEntry[];
}

/** A request that failed. The first error of the response determines the message, the code and the advice. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  declare readonly code: GatewayErrorCode | (string & {});
  declare readonly retry: RetryAdvice;
  /** How long to wait before a repeated request; `null` if the gateway does not say. */
  declare readonly retryAfterMs: number | null;
  declare readonly extensions: NonNullable<ErrorEntry['extensions']>;
  declare readonly errors: readonly ErrorEntry[];
  /** The partial data of the response, if it has any. */
  declare readonly data: unknown;

  constructor({ data, errors = [] }: GraphqlResult, options?: ErrorOptions) {
    super(errors[0]?.message, options);
    const extensions = errors[0]?.extensions ?? {};
    const { code = '', retry = 'never', retryAfterMs = null } = extensions;
    Object.assign(this, { code, retry, retryAfterMs, extensions, errors, data });
  }
}

/** An error that the gateway did not send. */
export function toClientError(
  code: GatewayErrorCode,
  message: string,
  retry: RetryAdvice,
  cause?: unknown,
): GatewayError {
  return new GatewayError({ errors: [{ message, extensions: { code, retry } }] }, { cause });
}

/**
 * The delay before a repeated request: at least what the gateway says, and random, so that clients do not return all at once.
 * @param failures in sequence so far, at least 1
 */
export function toDelayMs({ retryAfterMs }: GatewayError, failures: number): number {
  return Math.max(retryAfterMs ?? 0, Math.random() * Math.min(250 * 2 ** failures, 10_000));
}

/** Ends sooner if the signal aborts. */
export function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

export interface RepeatOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called before each repeated request. */
  readonly onRetry?: ((error: GatewayError, delayMs: number) => void) | undefined;
}

/** Repeats a call as its errors advise, for two minutes. Only for calls that the gateway executes at most once. */
export async function repeat<Result>(
  call: () => Promise<Result>,
  { signal, onRetry }: RepeatOptions,
  endMs = Date.now() + 120_000,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.retry === 'never') throw error;
      const delayMs = toDelayMs(error, failures);
      if (Date.now() + delayMs > endMs) throw error;
      onRetry?.(error, delayMs);
      await wait(delayMs, signal);
      signal?.throwIfAborted();
    }
  }
}
