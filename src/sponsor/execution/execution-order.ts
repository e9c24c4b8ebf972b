import type { GraphQLError } from 'graphql';
import type { SponsorshipFacts } from '../../telemetry/sponsorship-line.ts';
import type { Cancellation } from '../../upstream/cancellation.ts';
import type { GasBudget } from '../store/sponsorship-store.ts';

/** What is to be executed, its arguments and its lease found good. */
export interface ExecutionSubject {
  readonly requestId: string;
  readonly caller: string;
  readonly leaseId: string;
  /** As the caller knows it: shown with errors. */
  readonly reservationId: string;
  /** Of the transaction. */
  readonly digest: string;
  /** Of all that is executed: calls of one caller with the same hash are twins. */
  readonly bodyHash: string;
  readonly idempotencyKey: string | null;
  readonly gas: GasBudget | null;
  /** What is held for it of the gas budget, of the smallest unit. */
  readonly amount: number;
  /** What was reserved for it; `null` where only the sponsor knows. */
  readonly budget: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** Must the store know the lease? */
  readonly mustBeKnown: boolean;
}

/** @typeParam Effects what the sponsor tells of a transaction that ran */
export interface ExecutionOrder<Effects> {
  readonly subject: ExecutionSubject;
  /**
   * Looks at the transaction before anything is sent: why it must not be, or `null`.
   * @param reservation what the store keeps of it, where that is asked for; `null` where it keeps nothing
   */
  readonly check: (reservation: string | null) => GraphQLError | null;
  /** Is it looked at with what the store keeps of its reservation? Then that is asked for in the step that sets the fence. */
  readonly needsReservation: boolean;
  /**
   * Sends it, once, unless it is cancelled before. Must not throw.
   * @param tell told a verdict; after one that is `lost` and not `isOver`, another one
   */
  readonly dispatch: (cancellation: Cancellation, tell: (verdict: SponsorVerdict<Effects>) => void) => void;
}

/** What is known after the sponsor was asked. */
export type SponsorVerdict<Effects> =
  | {
      readonly event: 'executed';
      /** False when it ran and failed; gas was paid either way. */
      readonly succeeded: boolean;
      /** Of the smallest unit, at least 0; `null` where the sponsor does not tell in a form that is known. */
      readonly gasUsed: number | null;
      readonly effects: Effects;
    }
  | { readonly event: 'refused' | 'unsent'; readonly error: GraphQLError }
  | { readonly event: 'lost'; readonly error: GraphQLError; readonly isOver: boolean };

/** An execution that is on the ledger. */
export interface ExecutionResult<Effects> {
  readonly digest: string;
  /** `FAILED`: it ran, and paid gas. `RECOVERED`: the sponsor's answer was lost, and the ledger has it. */
  readonly outcome: 'EXECUTED' | 'FAILED' | 'RECOVERED';
  /** `null` where only the ledger tells of it, and where they were too large to be kept for a repeat. */
  readonly effects: Effects | null;
}

/** One event of an execution, for the audit. */
export interface ExecutionFact extends Required<SponsorshipFacts> {
  readonly event: Exclude<SponsorshipFacts['event'], `reserve${string}` | 'declined'>;
  readonly leaseId: string;
  readonly digest: string;
}
