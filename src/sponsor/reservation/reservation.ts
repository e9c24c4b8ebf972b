import { hashCoins } from '../leases/hash-coins.ts';
import type { Lease } from '../leases/lease.ts';
import type { LeaseKeys } from '../leases/lease-keys.ts';

/** What the sponsor reserved. */
export interface ReservedCoins {
  /** Its own number, exact decimal text. */
  readonly rawReservationId: string;
  readonly sponsorAddress: string;
  /** `version` is exact decimal text. */
  readonly gasCoins: readonly { readonly objectId: string; readonly version: string; readonly digest: string }[];
}

/** What is kept of a reservation, and given again to who asks again. It holds nothing by which it could be spent. */
export interface KeptReservation extends ReservedCoins {
  readonly leaseId: string;
  readonly gasBudget: number;
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** A reservation as its caller sees it. */
export interface Reservation extends Omit<ReservedCoins, 'rawReservationId'> {
  /** By which it is spent. */
  readonly reservationId: string;
  readonly gasBudget: number;
  readonly expiresAtMs: number;
  /** Was it handed to the sponsor with a transaction, whatever became of it? */
  readonly isConsumed: boolean;
}

/**
 * @param leases sign its id; `null`: it is the sponsor's own number
 * @param holder to whom alone it is given
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

export function writeKept(kept: KeptReservation): string {
  return JSON.stringify(kept);
}

/** @param text as `writeKept` made it */
export function readKept(text: string): KeptReservation {
  return JSON.parse(text) as KeptReservation;
}
