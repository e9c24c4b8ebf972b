import { type CoinReference, hashCoins, type Lease } from '../leases/lease.ts';
import type { LeaseKeys } from '../leases/lease-keys.ts';

/** What the sponsor reserved. */
export interface ReservedCoins {
  /** The sponsor's own number, exact decimal text. */
  readonly rawReservationId: string;
  readonly sponsorAddress: string;
  readonly gasCoins: readonly CoinReference[];
}

/** A reservation as it is stored, for repeats. Does not authorise anything by itself. Times in milliseconds since the Unix epoch. */
export interface KeptReservation extends ReservedCoins {
  readonly leaseId: string;
  readonly gasBudget: number;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** A reservation as its caller sees it. */
export interface Reservation extends Omit<ReservedCoins, 'rawReservationId'> {
  /** Authorises one execution. */
  readonly reservationId: string;
  readonly gasBudget: number;
  readonly expiresAtMs: number;
  /** Was it sent to the sponsor with a transaction, whatever the outcome? */
  readonly isConsumed: boolean;
}

/**
 * @param leases sign the id; `null`: the id is the sponsor's own number
 * @param holder the only caller that may use it
 */
export function toReservation(
  kept: KeptReservation,
  { leases, holder, isConsumed }: { leases: LeaseKeys | null; holder: string; isConsumed: boolean },
): Reservation {
  const { rawReservationId, sponsorAddress, gasCoins, gasBudget, expiresAtMs } = kept;
  const reservationId = leases ? leases.sign(toLease(kept), holder) : rawReservationId;
  return { reservationId, sponsorAddress, gasCoins, gasBudget, expiresAtMs, isConsumed };
}

function toLease(kept: KeptReservation): Lease {
  const { leaseId, rawReservationId, sponsorAddress, gasBudget, issuedAtMs, expiresAtMs } = kept;
  const coinsHash = hashCoins(kept.gasCoins);
  return { leaseId, rawReservationId, sponsorAddress, gasBudget, issuedAtMs, expiresAtMs, coinsHash };
}
