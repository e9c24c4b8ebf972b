import type { SponsorAnswer } from './sponsor-answer.ts';
import type { SponsorEndpoint } from './sponsor-endpoint.ts';
import { toSponsorRefusal } from './sponsor-refusal.ts';
import { readDeepHealth, readExecution, readReloadResult, readReservation } from './wire.ts';

/**
 * What an answer says was done, in a line for the operator: of effects and coins no more than names them.
 * @param digest of the transaction that was to be executed
 */
export function toOutcomeText(endpoint: SponsorEndpoint, answer: SponsorAnswer, digest: string | undefined): string {
  const reservation = endpoint === 'reserveGas' ? readReservation(answer) : null;
  if (reservation) return `Reserved: ${reservation.reservation_id}.`;
  const execution = endpoint === 'executeTx' ? readExecution(answer) : null;
  if (execution?.transactionDigest === digest && execution)
    return execution.succeeded ? 'Executed.' : 'Ran and failed.';
  if (endpoint === 'debugHealthCheck' && readDeepHealth(answer)) return 'Checked.';
  if (endpoint === 'reloadAccessController' && readReloadResult(answer)) return 'Read again.';
  const { code, message } = toSponsorRefusal(endpoint, answer);
  return `${code}: ${message}`;
}
