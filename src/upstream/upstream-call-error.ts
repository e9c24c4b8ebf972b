import { GraphQLError } from 'graphql';
import { type ErrorCode, retryAdviceFor } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { CancelCause } from './cancellation.ts';

interface Failure {
  readonly code: ErrorCode;
  /** Follows the upstream's name in the message for the client. */
  readonly message: string;
  /** Is it certain that the upstream never saw the request? */
  readonly isUnseen?: true;
  /** Should the failure not affect the upstream's health? */
  readonly isUnrelated?: true;
}

const failures = {
  /** The HTTP client rejected the request as invalid: a fault of the gateway's code. */
  unsendable: { code: 'INTERNAL_SERVER_ERROR', message: 'could not be asked', isUnseen: true, isUnrelated: true },
  unreachable: { code: 'UPSTREAM_UNAVAILABLE', message: 'cannot be reached', isUnseen: true },
  /** The connection broke, or the response ended early. */
  interrupted: { code: 'UPSTREAM_UNAVAILABLE', message: 'closed the connection before its answer was complete' },
  timeout: { code: 'UPSTREAM_TIMEOUT', message: 'did not answer in time' },
  'too-large': { code: 'UPSTREAM_BAD_RESPONSE', message: 'sent an answer larger than this gateway accepts' },
  /** A WebSocket message violated its protocol. */
  garbled: { code: 'UPSTREAM_BAD_RESPONSE', message: 'sent something that is not of its protocol' },
  /** The client left or stopped reading. */
  aborted: { code: 'REQUEST_TIMEOUT', message: 'had not answered when the request ended', isUnrelated: true },
  /** A mutation was not sent, because the operation had ended. */
  unsent: {
    code: 'REQUEST_TIMEOUT',
    message: 'was not asked: the request was over before its turn came, nothing was sent',
    isUnseen: true,
    isUnrelated: true,
  },
  /** A mutation was not sent, because the gateway is stopping. */
  stopping: {
    code: 'UNAVAILABLE',
    message: 'was not asked: this gateway is stopping, nothing was sent',
    isUnseen: true,
    isUnrelated: true,
  },
  /** The last calls all failed, and the next trial call is not due yet. */
  refused: {
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'failed to answer all recent calls and is tried again within 2 s, nothing was sent',
    isUnseen: true,
    isUnrelated: true,
  },
  /** Too many calls waited for a connection. */
  crowded: {
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'has too many calls waiting for it, nothing was sent',
    isUnseen: true,
    isUnrelated: true,
  },
  /** The response was dropped while it arrived, because all responses together took too much memory. */
  'crowded-out': {
    code: 'UNAVAILABLE',
    message: 'sent an answer for which this gateway has no room at the moment',
    isUnrelated: true,
  },
  /** A mutation found no free connection before its timeout. */
  'no-connection': {
    code: 'UPSTREAM_TIMEOUT',
    message: 'had no connection free in time, nothing was sent',
    isUnseen: true,
  },
} as const satisfies Record<string, Failure>;

export type UpstreamFailure = keyof typeof failures;

/** A call to an upstream that got no response. */
export class UpstreamCallError extends Error {
  override readonly name = 'UpstreamCallError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }

  /** False only when it is certain that the upstream never saw the request. */
  get mayHaveArrived(): boolean {
    return !this.#facts.isUnseen;
  }

  /** Should the failure not affect the upstream's health? */
  get isUnrelated(): boolean {
    return this.#facts.isUnrelated ?? false;
  }

  get #facts(): Failure {
    return failures[this.failure];
  }
}

/** The failure of a call whose operation was cancelled. */
export function toCancelledError(cause: CancelCause): UpstreamCallError {
  if (cause === 'timeout') return new UpstreamCallError('timeout', 'no answer within the time of the operation');
  // A client that leaves may cancel a hundred requests at once, and a stack costs as much as the rest of a cancellation.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new UpstreamCallError('aborted', 'cancelled');
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}

/**
 * Turns an error of the connection into the failure of its call.
 * @param wasSent the call had a connection, so the upstream may have read it
 */
export function toConnectionError(error: unknown, wasSent: boolean): UpstreamCallError {
  const code = errorCode(error) || 'unknown';
  // undici rejected the request as invalid.
  if (code === 'UND_ERR_INVALID_ARG' && !wasSent)
    return new UpstreamCallError('unsendable', 'not a request', { cause: error });
  return wasSent
    ? new UpstreamCallError('interrupted', `connection failed (${code})`, { cause: error })
    : new UpstreamCallError('unreachable', `cannot connect (${code})`, { cause: error });
}

function errorCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause ? errorCode(cause) : '';
}

/**
 * Turns the failure of an upstream call into an error for the client that names the upstream and the kind of failure.
 * Addresses and socket details stay in `originalError`, for the log. A GraphQL error passes unchanged; any other error is a
 * fault of the gateway and reveals nothing.
 * @param isMutation the call may have been executed, unless the upstream never saw it
 */
export function toGatewayError(error: unknown, upstream: string, isMutation = false): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof UpstreamCallError)) {
    const retry = retryAdviceFor('INTERNAL_SERVER_ERROR', isMutation);
    return gatewayError('INTERNAL_SERVER_ERROR', 'Unexpected error.', { retry }, { originalError });
  }
  const { code, message } = failures[error.failure];
  const retry = retryAdviceFor(code, isMutation && error.mayHaveArrived);
  return gatewayError(code, `The ${upstream} upstream ${message}.`, { retry, upstream }, { originalError });
}
