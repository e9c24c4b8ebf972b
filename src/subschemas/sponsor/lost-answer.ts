import type { GraphQLError } from 'graphql';
import { isErrorCode } from '../../errors/catalogue.ts';
import { type ErrorFacts, gatewayError } from '../../errors/gateway-error.ts';
import { toGatewayError } from '../../transport/to-gateway-error.ts';
import { UpstreamCallError } from '../../transport/upstream-call-error.ts';
import type { SponsorEndpoint } from './sponsor-endpoint.ts';
import { aftermathOf, lookItUp } from './sponsor-refusal.ts';

/**
 * When a look-up of the digest is worth its call: the sponsor submits up to three times, and the ledger's indexer follows
 * execution by a few seconds.
 */
export const checkAfterMs = 5_000;

/**
 * A call that ended without an answer. What may have reached the sponsor is not called unavailable: an execution then has
 * an unknown outcome, and the other calls say what they may have left behind.
 */
export function toLostAnswerError(endpoint: SponsorEndpoint, error: unknown, facts: ErrorFacts): GraphQLError {
  const plain = toGatewayError(error, 'sponsor');
  if (!(error instanceof UpstreamCallError)) return plain;
  const { code } = plain.extensions;
  if (endpoint === 'executeTx' && error.mayHaveArrived) {
    const message = `The transaction was handed to the sponsor and its answer was lost. ${lookItUp}`;
    return gatewayError('EXECUTION_OUTCOME_UNKNOWN', message, { ...facts, checkAfterMs }, { originalError: error });
  }
  const message = plain.message + (error.mayHaveArrived ? aftermathOf(endpoint) : unsentNote(endpoint, error));
  return gatewayError(isErrorCode(code) ? code : 'UPSTREAM_UNAVAILABLE', message, facts, { originalError: error });
}

/** Where nothing was connected, nobody has said yet that nothing was sent. */
function unsentNote(endpoint: SponsorEndpoint, { failure }: UpstreamCallError): string {
  if (endpoint !== 'executeTx') return '';
  return failure === 'unreachable' ? ' Nothing was sent and the reservation is unused.' : ' The reservation is unused.';
}
