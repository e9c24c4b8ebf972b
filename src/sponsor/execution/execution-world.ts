import type { TransactionFinder } from '../../ledger/find-transaction.ts';
import type { SponsorshipStore } from '../store/sponsorship-store.ts';
import type { ExecutionFact } from './execution-order.ts';
import type { KeptAnswers } from './kept-answer.ts';

/** What executions need of the world. */
export interface ExecutionWorld<Effects> {
  readonly store: SponsorshipStore;
  /** Is nothing sent while the store does not answer? Only where somebody else has a fence too may it be. */
  readonly isStoreNeeded: boolean;
  readonly answers: KeptAnswers<Effects>;
  readonly ledger: TransactionFinder;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Milliseconds that only go forward. */
  readonly clock: () => number;
  readonly pace: ExecutionPace;
  /** Must not throw. */
  readonly audit: (fact: ExecutionFact) => void;
}

/** All in milliseconds. */
export interface ExecutionPace {
  /** An attempt that has not written its end after so long is taken for dead by others. */
  readonly answerMs: number;
  /** How long the sponsor may take before the ledger is asked as well. */
  readonly patienceMs: number;
  /** Pauses between questions for whose answer somebody waits. */
  readonly eager: Pauses;
  /** Between those for whose answer nobody waits, and how long they are asked. */
  readonly sweep: Pauses & { readonly forMs: number };
  /** Between two looks for what other processes left without an end; the longer ones while store or ledger are away. */
  readonly overdue: Pauses;
}

/** Each is twice as long as the one before. */
export interface Pauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** What the time of a mutation means for its execution. @param mutationMs milliseconds */
export function toExecutionPace(mutationMs: number): ExecutionPace {
  return {
    // Its end is written when its caller's time is over at the latest; a second more for a store that is slow.
    answerMs: mutationMs + 1_000,
    // The rest is left for the ledger, whose indexer follows execution by a few seconds.
    patienceMs: Math.ceil((mutationMs * 2) / 3),
    eager: { firstMs: 50, longestMs: 800 },
    sweep: { firstMs: 1_000, longestMs: 30_000, forMs: 10 * 60_000 },
    overdue: { firstMs: Math.max(250, Math.ceil(mutationMs / 6)), longestMs: Math.max(1_000, 2 * mutationMs) },
  };
}
