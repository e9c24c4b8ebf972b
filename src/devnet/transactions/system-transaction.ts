import type { ProgrammableTransaction, TransactionData } from '../../transactions/transaction-bcs.ts';

/** Transactions that only validators make. Never accepted from outside. */
export type SystemTransaction =
  | { readonly kind: 'GENESIS'; readonly objectIds: readonly string[] }
  | {
      readonly kind: 'CONSENSUS_COMMIT_PROLOGUE_V1';
      readonly epoch: number;
      readonly round: number;
      readonly commitTimestampMs: number;
    }
  | { readonly kind: 'END_OF_EPOCH_TX'; readonly nextEpoch: number; readonly epochStartTimestampMs: number };

export type TransactionPayload = ProgrammableTransaction | SystemTransaction;

/** Any transaction of the ledger: of users, or of validators. */
export type AnyTransactionData = TransactionData<TransactionPayload>;
