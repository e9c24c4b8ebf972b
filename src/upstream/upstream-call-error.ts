import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { CancelCause } from './cancellation.ts';

export type UpstreamFailure =
  /** The HTTP client refused to write the request: a fault of the gateway's code. Nothing reached the upstream. */
  | 'unsendable'
  /** No connection was made: nothing reached the upstream. */
  | 'unreachable'
  /** The connection broke, or the answer ended early. The upstream may have read the request. */
  | 'interrupted'
  /** No answer before the deadline. */
  | 'timeout'
  /** The client left, or stopped reading. */
  | 'aborted'
  /** A call that cannot be undone was not begun, because the operation was over. */
  | 'unsent'
  /** A call that cannot be undone was not begun, because the gateway is stopping. */
  | 'stopping'
  /** A call that cannot be undone found no free connection before its deadline. */
  | 'no-connection'
  /** Too many calls waited for a connection. Nothing reached the upstream. */
  | 'crowded'
  /** The answer was given up while it arrived, since all answers together took too much memory. */
  | 'crowded-out'
  /** The answer is larger than the gateway accepts. */
  | 'too-large'
  /** What came over a WebSocket is not of its protocol. */
  | 'garbled';

const neverArrived: ReadonlySet<UpstreamFailure> = new Set([
  'unreachable',
  'unsendable',
  'unsent',
  'stopping',
  'no-connection',
  'crowded',
]);

/** A call to an upstream that got no answer. */
export class UpstreamCallError extends Error {
  override readonly name = 'UpstreamCallError';
  readonly failure: UpstreamFailure;

  constructor(failure: UpstreamFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }

  /** False only when it is certain that the upstream never saw the request. */
  get mayHaveArrived(): boolean {
    return !neverArrived.has(this.failure);
  }
}

/** The failure of a call whose operation was cancelled. */
export function toCancelledError(cause: CancelCause): UpstreamCallError {
  return cause === 'timeout'
    ? new UpstreamCallError('timeout', 'no answer within the time of the operation')
    : new UpstreamCallError('aborted', 'cancelled');
}

/** The code with which undici refuses to write a request. */
const unwritable = 'UND_ERR_INVALID_ARG';

/**
 * Turns an error of the connection into the failure of its call.
 * @param wasSent the call had a connection, so the upstream may have read it
 */
export function toConnectionError(error: unknown, wasSent: boolean): UpstreamCallError {
  const code = errorCode(error) || 'unknown';
  if (code === unwritable && !wasSent) return new UpstreamCallError('unsendable', 'not a request', { cause: error });
  return wasSent
    ? new UpstreamCallError('interrupted', `connection failed (${code})`, { cause: error })
    : new UpstreamCallError('unreachable', `cannot connect (${code})`, { cause: error });
}

function errorCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause ? errorCode(cause) : '';
}

const failures: Readonly<Record<UpstreamFailure, { readonly code: ErrorCode; readonly says: string }>> = {
  unsendable: { code: 'INTERNAL_SERVER_ERROR', says: 'could not be asked' },
  unreachable: { code: 'UPSTREAM_UNAVAILABLE', says: 'cannot be reached' },
  interrupted: { code: 'UPSTREAM_UNAVAILABLE', says: 'closed the connection before its answer was complete' },
  timeout: { code: 'UPSTREAM_TIMEOUT', says: 'did not answer in time' },
  'too-large': { code: 'UPSTREAM_BAD_RESPONSE', says: 'sent an answer larger than this gateway accepts' },
  garbled: { code: 'UPSTREAM_BAD_RESPONSE', says: 'sent something that is not of its protocol' },
  aborted: { code: 'REQUEST_TIMEOUT', says: 'had not answered when the request ended' },
  unsent: {
    code: 'REQUEST_TIMEOUT',
    says: 'was not asked: the request was over before its turn came, nothing was sent',
  },
  stopping: { code: 'UNAVAILABLE', says: 'was not asked: this gateway is stopping, nothing was sent' },
  crowded: { code: 'UPSTREAM_UNAVAILABLE', says: 'has too many calls waiting for it, nothing was sent' },
  'crowded-out': { code: 'UNAVAILABLE', says: 'sent an answer for which this gateway has no room at the moment' },
  'no-connection': { code: 'UPSTREAM_TIMEOUT', says: 'had no connection free in time, nothing was sent' },
};

/**
 * Turns the failure of a call to an upstream into an error for the client, which names the upstream and the kind of failure.
 * Addresses and socket details stay in `originalError`, for the log. A GraphQL error passes unchanged; any other error is a
 * fault of the gateway and reveals nothing.
 */
export function toGatewayError(error: unknown, upstream: string): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof UpstreamCallError)) {
    return gatewayError('INTERNAL_SERVER_ERROR', 'Unexpected error.', {}, { originalError });
  }
  const { code, says } = failures[error.failure];
  return gatewayError(code, `The ${upstream} upstream ${says}.`, { upstream }, { originalError });
}
