import type { Config } from '../../config/config.ts';
import { hashCoins } from '../../sponsorship/leases/hash-coins.ts';
import type { ReservationTerms } from '../../sponsorship/preflight/check-transaction.ts';
import type { Reservations } from '../../sponsorship/reservation/reservations.ts';
import type { SponsorshipBooks } from './sponsorship-books.ts';

/** What a reservation that has no lease is good for; `null` if that is not known here. Never rejects. */
export type FindTerms = (rawReservationId: string, holder: string) => Promise<ReservationTerms | null>;

/**
 * Where callers have the sponsor's own numbers, what was reserved is known only to who remembers it. A look into a store
 * elsewhere is a round trip more: for a warning it is not made.
 * @returns `null` where nobody looks
 */
export function toFindTerms(
  { find }: Pick<Reservations, 'find'>,
  { leases, isStoreHere }: Pick<SponsorshipBooks, 'leases' | 'isStoreHere'>,
  { preflight }: Pick<Config['sponsorship'], 'preflight'>,
): FindTerms | null {
  if (leases || preflight === 'off' || (preflight === 'warn' && !isStoreHere)) return null;
  return async (rawReservationId, holder) => {
    const known = await find(rawReservationId, holder).catch(() => null);
    return known && { ...known, coinsHash: hashCoins(known.gasCoins) };
  };
}
