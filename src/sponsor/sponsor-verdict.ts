import { GraphQLError } from 'graphql';
import { gatewayError } from '../errors/gateway-error.ts';
import { UpstreamCallError } from '../upstream/upstream-call-error.ts';
import type { SponsorVerdict } from './execution/execution-order.ts';
import type { ExecuteTxInput, SponsorExecution } from './sponsor-client.ts';
import { checkAfterMs, lookUpAdvice, ReservationKept } from './sponsor-refusal.ts';
import type { SponsorEffects } from './sponsor-response.ts';

/** The verdict for a response with effects. */
export function toExecuted({ succeeded, effects, rawEffects }: SponsorExecution): SponsorVerdict {
  return { event: 'executed', succeeded, gasUsed: toGasUsed(effects), effects: { effects, rawEffects } };
}

/** The verdict for an error of the client: a lost response, a call that was never made, or a rejection. */
export function toFailed(error: unknown, id: Pick<ExecuteTxInput, 'digest' | 'reservationId'>): SponsorVerdict {
  const known = error instanceof GraphQLError ? error : null;
  const cause = known?.originalError;
  if (!known || (known.extensions.code === 'INTERNAL_SERVER_ERROR' && !(cause instanceof UpstreamCallError))) {
    // A fault of the gateway itself, which may have sent the transaction.
    const message = `The transaction was handed to the sponsor, and its answer could not be read. ${lookUpAdvice}`;
    const options = { originalError: error instanceof Error ? error : new Error(String(error)) };
    const unknown = gatewayError(
      'EXECUTION_OUTCOME_UNKNOWN',
      message,
      { upstream: 'sponsor', ...id, checkAfterMs },
      options,
    );
    return { event: 'lost', error: unknown, isOver: true, fault: error };
  }
  if (known.extensions.code === 'EXECUTION_OUTCOME_UNKNOWN') {
    const runsOn = cause instanceof UpstreamCallError && cause.failure === 'timeout';
    return { event: 'lost', error: known, isOver: !runsOn };
  }
  const isUnsent = cause instanceof UpstreamCallError || known.extensions.code === 'UNAUTHENTICATED';
  return { event: isUnsent || cause instanceof ReservationKept ? 'unsent' : 'refused', error: known };
}

/** The verdict for an error of a call that continued after its timeout and has ended. */
export function toLastVerdict(verdict: SponsorVerdict): SponsorVerdict {
  return verdict.event === 'lost' ? { ...verdict, isOver: true } : verdict;
}

/** At least 0, since a rebate may exceed the costs. */
function toGasUsed(effects: SponsorEffects['effects']): number | null {
  if (!effects) return null;
  const { computationCost, storageCost, storageRebate } = effects.gasUsed;
  return Math.max(0, Number(BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate)));
}
