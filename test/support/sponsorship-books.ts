import { Secret } from '../../src/config/secret.ts';
import { createLeaseKeys } from '../../src/sponsorship/leases/lease-keys.ts';
import { createMemoryStore } from '../../src/sponsorship/store/memory-store.ts';
import type { SponsorshipBooks } from '../../src/subschemas/sponsor/sponsorship-books.ts';

/** Books of one process, empty, with what the test is about. */
export function toTestBooks(auth: 'forward' | 'token', about: Partial<SponsorshipBooks> = {}): SponsorshipBooks {
  const isOurs = auth === 'token';
  return {
    leases: isOurs ? createLeaseKeys(new Secret('the key of leases in tests')) : null,
    store: createMemoryStore(),
    isStoreNeeded: isOurs,
    knowsAll: isOurs,
    audit: () => {},
    ...about,
  };
}
