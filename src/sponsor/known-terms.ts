import type { Config } from '../config/config.ts';
import { hashCoins } from './leases/hash-coins.ts';
import type { ReservationTerms } from './preflight/check-transaction.ts';
import { readKept } from './reservation/reservation.ts';
import type { SponsorshipBooks } from './sponsorship-books.ts';

/** What a reservation that has no lease is good for, by what the store keeps of it; `null` if that is nothing. */
export function toKeptTerms(kept: string | null): ReservationTerms | null {
  if (kept === null) return null;
  const known = readKept(kept);
  return { ...known, coinsHash: hashCoins(known.gasCoins) };
}

/**
 * Where callers have the sponsor's own numbers, what was reserved is known only to who remembers it: it is told in the step
 * that sets the fence, since a look of its own would be a round trip more.
 */
export function areTermsKept(
  { leases }: Pick<SponsorshipBooks, 'leases'>,
  { preflight }: Pick<Config['sponsorship'], 'preflight'>,
): boolean {
  return leases === null && preflight !== 'off';
}
