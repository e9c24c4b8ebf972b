import type { CancelCause } from './cancellation.ts';

export type UpstreamFailure =
  /** There is no way to write such a request: the fault of whoever made it. Nothing reached the upstream. */
  | 'unsendable'
  /** No connection was made: nothing reached the upstream. */
  | 'unreachable'
  /** The connection broke, or the answer ended early, after the request may have been read. */
  | 'interrupted'
  | 'timeout'
  | 'aborted'
  /** Not begun, since the operation was over: of a call that cannot be taken back. */
  | 'unsent'
  /** Not begun, since the gateway is stopping. */
  | 'stopping'
  /** No connection was free before the time was up. */
  | 'no-connection'
  /** The answer is larger than we accept. */
  | 'too-large';

const neverArrived: ReadonlySet<UpstreamFailure> = new Set([
  'unreachable',
  'unsendable',
  'unsent',
  'stopping',
  'no-connection',
]);

/** Why a call to an upstream has no answer. */
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

/** The deadline of an operation is a timeout; a caller who hung up is not. */
export function toCancelledError(cause: CancelCause): UpstreamCallError {
  return cause === 'timeout'
    ? new UpstreamCallError('timeout', 'no answer within the time of the operation')
    : new UpstreamCallError('aborted', 'cancelled');
}

/** How the client library calls a request that it refuses to write. */
const unwritable = 'UND_ERR_INVALID_ARG';

/**
 * What the connection's own error says of the call.
 * @param wasSent whether the call had a connection to be written to
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
