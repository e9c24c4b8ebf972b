import { Secret } from '../../src/config/secret.ts';
import type { SponsorshipBooks } from '../../src/sponsor/execute-tx.ts';
import { toSponsorExecutionWorld } from '../../src/sponsor/execute-tx.ts';
import { createExecutions } from '../../src/sponsor/execution/executions.ts';
import { createLeaseKeys } from '../../src/sponsor/leases/lease-keys.ts';
import { createMemoryStore } from '../../src/sponsor/store/memory-store.ts';

/**
 * Empty records of one process, with the given parts replaced.
 * @param now their clock
 */
export function toTestBooks(
  auth: 'forward' | 'token',
  now: () => number,
  about: Partial<SponsorshipBooks> = {},
): SponsorshipBooks {
  const isOurs = auth === 'token';
  const { store = createMemoryStore() } = about;
  return {
    leases: isOurs ? createLeaseKeys(new Secret('the key of leases in tests')) : null,
    store,
    isStoreNeeded: isOurs,
    audit: () => {},
    executions: createExecutions(
      toSponsorExecutionWorld({
        store,
        isStoreNeeded: isOurs,
        audit: () => {},
        // Without a ledger, lost executions stay unknown.
        transactions: { canFind: () => false, find: async () => null },
        now,
        mutationMs: 10_000,
        ...about,
      }),
    ),
    ...about,
  };
}
