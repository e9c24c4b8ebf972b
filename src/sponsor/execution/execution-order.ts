import type { GraphQLError } from 'graphql';
import type { TransactionFinder } from '../../ledger/find-transaction.ts';
import type { SponsorshipFacts } from '../../telemetry/sponsorship-line.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { SponsorEffects } from '../sponsor-response.ts';
import type { SponsorshipStore } from '../store/decide.ts';
import type { BeginExecution } from '../store/sponsorship-store.ts';

/** One call of `executeTx` with checked arguments and lease. Calls of one caller with the same `bodyHash` are twins. */
export interface ExecutionSubject
  extends Omit<BeginExecution, 'idempotency' | 'attempt' | 'answerByMs' | 'needsReservation' | 'nowMs'> {
  /** The id that the client sent; shown with errors. */
  readonly reservationId: string;
  readonly idempotencyKey: string | null;
  /** Whose key it is. */
  readonly visitor: string;
  /** For the audit log: the called functions, separated by spaces. */
  readonly targets?: string | undefined;
}

export interface ExecutionOrder {
  readonly subject: ExecutionSubject;
  /**
   * Checks the transaction before anything is sent. Returns why it must not be sent, or `null`.
   * @param reservation the stored reservation, if `needsReservation`; `null` if nothing is stored
   */
  readonly check: (reservation: string | null) => GraphQLError | null;
  /** Does `check` need the stored reservation? The store then returns it in the step that sets the fence. */
  readonly needsReservation: boolean;
  /**
   * Sends the transaction once, unless it is cancelled before. Must not throw.
   * @param report gets the verdict; after a verdict that is `lost` and not `isOver`, a second one
   */
  readonly dispatch: (cancellation: Cancellation, report: (verdict: SponsorVerdict) => void) => void;
}

/** What the sponsor's response says about the execution. */
export type SponsorVerdict =
  | {
      readonly event: 'executed';
      /** `false`: the transaction ran and failed. It paid gas either way. */
      readonly succeeded: boolean;
      /** Gas used, in the smallest unit, at least 0; `null` if the effects cannot be parsed. */
      readonly gasUsed: number | null;
      readonly effects: SponsorEffects;
    }
  | { readonly event: 'refused' | 'unsent'; readonly error: GraphQLError }
  | {
      readonly event: 'lost';
      readonly error: GraphQLError;
      readonly isOver: boolean;
      /** A fault of the gateway, for the log. */
      readonly fault?: unknown;
    };

/** An execution that is on the ledger. */
export interface ExecutionResult {
  readonly digest: string;
  /** `FAILED`: it ran, failed and paid gas. `RECOVERED`: the sponsor's response was lost, and the ledger has the transaction. */
  readonly outcome: 'EXECUTED' | 'FAILED' | 'RECOVERED';
  /** `null` if the result came from the ledger, or if the effects were too large to store for a repeat. */
  readonly effects: SponsorEffects | null;
}

/** One event of an execution, for the audit log. */
export interface ExecutionFact
  extends Required<Omit<SponsorshipFacts, 'rule' | 'visitor' | 'sender' | 'targets'>>,
    Pick<SponsorshipFacts, 'rule' | 'visitor' | 'sender' | 'targets'> {
  readonly event: Exclude<SponsorshipFacts['event'], `reserve${string}`>;
  readonly leaseId: string;
  readonly digest: string;
}

/** Everything that executions use besides the order. */
export interface ExecutionWorld {
  readonly store: SponsorshipStore;
  /** Must the store confirm the fence before the transaction is sent? `false` only if the sponsor has a fence of its own. */
  readonly isStoreNeeded: boolean;
  readonly ledger: TransactionFinder;
  readonly now: () => number;
  readonly clock: () => number;
  readonly pace: ExecutionPace;
  /** Must not throw. */
  readonly audit: (fact: ExecutionFact) => void;
  /** Logs a fault of the gateway itself. Must not throw. */
  readonly fault: (error: unknown, requestId: string) => void;
}

/** Timeouts and pauses of executions, in milliseconds. */
export interface ExecutionPace {
  /** Other processes treat an attempt as dead if it has not stored its end within this time. */
  readonly answerMs: number;
  /** How long the sponsor may take before the ledger is queried as well. */
  readonly patienceMs: number;
  /** Pauses between ledger queries while a client waits. */
  readonly eager: Pauses;
  /** Pauses between ledger queries while no client waits, and for how long they continue. */
  readonly sweep: Pauses & { readonly forMs: number };
  /**
   * How long after the dispatch a transaction may be taken for dead: by then, every node of the ledger has what it executed.
   */
  readonly deathMs: number;
  /**
   * How long the ledger is queried before a rejection is believed that a transaction may also get after it ran: its indexer lags.
   */
  readonly beliefMs: number;
  /** Pauses between searches for overdue executions; they grow while the store or the ledger is unavailable. */
  readonly overdue: Pauses;
}

/** Each pause is twice as long as the one before. */
export interface Pauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** @param mutationMs milliseconds that a client waits for a mutation */
export function toExecutionPace(mutationMs: number): ExecutionPace {
  return {
    // An attempt stores its end at its client's timeout at the latest; one second more for a slow store.
    answerMs: mutationMs + 1_000,
    // The last third is for the ledger, whose indexer lags a few seconds behind.
    patienceMs: Math.ceil((mutationMs * 2) / 3),
    eager: { firstMs: 50, longestMs: 800 },
    sweep: { firstMs: 1_000, longestMs: 30_000, forMs: 10 * 60_000 },
    deathMs: Math.max(30_000, 2 * mutationMs),
    beliefMs: Math.min(2_000, mutationMs / 4),
    overdue: { firstMs: Math.max(250, Math.ceil(mutationMs / 6)), longestMs: Math.max(1_000, 2 * mutationMs) },
  };
}
