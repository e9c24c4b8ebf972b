import type { AnswerTo, StepKind, StepOf } from './decide.ts';
import type { SponsorshipStore } from './sponsorship-store.ts';

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
