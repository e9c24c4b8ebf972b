import { Secret } from '../../src/config/secret.ts';
import { toExecutionPace } from '../../src/sponsor/execution/execution-order.ts';
import { createExecutions } from '../../src/sponsor/execution/executions.ts';
import { createLeaseKeys } from '../../src/sponsor/leases.ts';
import type { SponsorshipServices } from '../../src/sponsor/sponsor-resolvers.ts';
import { createMemoryStore } from '../../src/sponsor/store/memory-store.ts';

/**
 * Empty records of one process, with the given parts replaced.
 * @param now their clock
 */
export function toTestServices(
  auth: 'forward' | 'token',
  now: () => number,
  about: Partial<SponsorshipServices> = {},
): SponsorshipServices {
  const isOurs = auth === 'token';
  const { store = createMemoryStore() } = about;
  return {
    leases: isOurs ? createLeaseKeys(new Secret('the key of leases in tests')) : null,
    store,
    isStoreNeeded: isOurs,
    audit: () => {},
    simulate: async () => ({ kind: 'unavailable', reason: 'there is no ledger' }),
    gasPrice: async () => 1_000n,
    hook: null,
    executions: createExecutions({
      store,
      isStoreNeeded: isOurs,
      audit: () => {},
      fault: () => {},
      // Without a ledger, lost executions stay unknown.
      ledger: { canFind: () => false, find: async () => null, isDead: async () => false },
      now,
      clock: () => performance.now(),
      pace: toExecutionPace(10_000),
      ...about,
    }),
    ...about,
  };
}
