import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { UpstreamCallError, type UpstreamFailure } from './upstream-call-error.ts';

const failures: Readonly<Record<UpstreamFailure, { readonly code: ErrorCode; readonly says: string }>> = {
  unsendable: { code: 'INTERNAL_SERVER_ERROR', says: 'could not be asked' },
  unreachable: { code: 'UPSTREAM_UNAVAILABLE', says: 'cannot be reached' },
  interrupted: { code: 'UPSTREAM_UNAVAILABLE', says: 'closed the connection before its answer was complete' },
  timeout: { code: 'UPSTREAM_TIMEOUT', says: 'did not answer in time' },
  'too-large': { code: 'UPSTREAM_BAD_RESPONSE', says: 'sent an answer larger than this gateway accepts' },
  aborted: { code: 'REQUEST_TIMEOUT', says: 'had not answered when the request ended' },
  unsent: {
    code: 'REQUEST_TIMEOUT',
    says: 'was not asked: the request was over before its turn came, nothing was sent',
  },
  stopping: { code: 'REQUEST_TIMEOUT', says: 'was not asked: this gateway is stopping, nothing was sent' },
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
