import { decide, type SponsorshipStore, toStore } from './decide.ts';
import { createMemoryRecords } from './memory-records.ts';
import { defaultStoreBounds, type StoreBounds } from './sponsorship-store.ts';

/** A store in the memory of this process: each step is decided and applied in one go. */
export function createMemoryStore(bounds: StoreBounds = defaultStoreBounds): SponsorshipStore {
  const records = createMemoryRecords();
  return toStore(
    async (kind, step) => {
      records.sweep(step.nowMs);
      for (;;) {
        const { answer, changes, isPartial } = decide(records, kind, step, bounds);
        records.apply(changes);
        if (!isPartial) return answer;
      }
    },
    () => {},
  );
}
