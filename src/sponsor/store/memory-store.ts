import { type AnswerTo, decide, type StepKind, type StepOf } from './decide.ts';
import { createMemoryRecords } from './memory-records.ts';
import { defaultStoreBounds, type SponsorshipStore, type StoreBounds } from './sponsorship-store.ts';

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

/** Decides a step, and commits its changes. */
export type TakeStep = <Kind extends StepKind>(kind: Kind, step: StepOf<Kind>) => Promise<AnswerTo<Kind>>;

export function toStore(take: TakeStep, close: SponsorshipStore['close']): SponsorshipStore {
  return {
    beginReservation: (begin) => take('beginReservation', begin),
    endReservation: (end) => take('endReservation', end),
    beginExecution: (begin) => take('beginExecution', begin),
    findExecution: (twin) => take('findExecution', twin),
    endExecution: (end) => take('endExecution', end),
    claimOverdue: (claim) => take('claimOverdue', claim),
    findReservation: (caller, leaseId, nowMs) => take('findReservation', { caller, leaseId, nowMs }),
    gasAllowance: (bounds, nowMs) => take('gasAllowance', { bounds, nowMs }),
    findSpending: (find) => take('findSpending', find),
    close,
  };
}
