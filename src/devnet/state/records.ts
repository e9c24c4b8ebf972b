import type { Argument, ObjectRef } from '../../transactions/transaction-bcs.ts';

/**
 * The records of the simulated ledger: immutable, read by the three interfaces, written only by execution and the checkpoint
 * clock. Identifiers are in their canonical text form: addresses and object ids `0x` + 64 lower-case hex digits, digests
 * base58 of 32 bytes.
 */

export type TransactionKind =
  | 'GENESIS'
  | 'CONSENSUS_COMMIT_PROLOGUE_V1'
  | 'END_OF_EPOCH_TX'
  | 'RANDOMNESS_STATE_UPDATE'
  | 'PROGRAMMABLE_TX';

export type OwnerRecord =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'object'; readonly address: string }
  | { readonly kind: 'shared'; readonly initialSharedVersion: number }
  | { readonly kind: 'immutable' };

/** One version of one object. `live: false` marks the version at which it was deleted. */
export interface ObjectRecord extends ObjectRef {
  /** Fully qualified Move type, for example `0x…02::coin::Coin<0x…02::ledger::LEDGER>`; a package has `package`. */
  readonly type: string;
  readonly owner: OwnerRecord;
  readonly live: boolean;
  /** Content as plain JSON (u64 and wider as decimal text). */
  readonly json: Readonly<Record<string, unknown>>;
  /** BCS of the Move content. */
  readonly bcs: Uint8Array;
  readonly previousTransaction: string;
  readonly storageRebate: bigint;
  /** Coins only: balance in the smallest unit. */
  readonly balance: bigint | null;
  /** Sequence number of the checkpoint this version became visible in; `null` while pending. */
  readonly checkpoint: number | null;
}

export interface GasSummary {
  readonly computationCost: bigint;
  readonly computationCostBurned: bigint;
  readonly storageCost: bigint;
  readonly storageRebate: bigint;
  readonly nonRefundableStorageFee: bigint;
}

export interface ObjectChange {
  readonly objectId: string;
  readonly input: ObjectRecord | null;
  readonly output: ObjectRecord | null;
  readonly kind: 'created' | 'mutated' | 'deleted';
}

export interface BalanceChange {
  readonly owner: string;
  readonly coinType: string;
  readonly amount: bigint;
}

export interface EventRecord {
  readonly txDigest: string;
  /** Position in its transaction, from 0. */
  readonly eventSeq: number;
  /** Position in the whole ledger, from 0: the order of (transaction sequence, event sequence). */
  readonly sequence: number;
  readonly packageId: string;
  readonly transactionModule: string;
  readonly sender: string;
  /** Fully qualified struct type. */
  readonly type: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly bcs: Uint8Array;
  readonly timestampMs: number;
  /** Objects this event is tied to: those its transaction created, mutated or took as input. */
  readonly objectIds: readonly string[];
  /** Addresses that received an object in this event's transaction. */
  readonly recipients: readonly string[];
}

export interface MoveCallRecord {
  readonly package: string;
  readonly module: string;
  readonly function: string;
  readonly typeArguments: readonly string[];
}

export interface TransactionRecord {
  readonly digest: string;
  /** Position in the whole ledger, from 0. */
  readonly sequence: number;
  readonly kind: TransactionKind;
  /** `0x000…0` for system transactions. */
  readonly sender: string;
  /** BCS of the TransactionData. */
  readonly bytes: Uint8Array;
  /** Base64 of flag ‖ signature ‖ public key, user first, sponsor second. */
  readonly signatures: () => readonly string[];
  readonly gas: {
    readonly owner: string;
    readonly payment: readonly ObjectRef[];
    readonly price: bigint;
    readonly budget: bigint;
  };
  readonly moveCalls: readonly MoveCallRecord[];
  /** Objects named by the transaction's inputs, gas payment included. */
  readonly inputObjects: readonly ObjectRef[];
  /** Objects and packages for which filters by input find it. */
  readonly inputIds: readonly string[];
  readonly expirationEpoch: number | null;
  readonly status: { readonly ok: true } | { readonly ok: false; readonly error: string };
  readonly gasUsed: GasSummary;
  readonly lamportVersion: number;
  readonly dependencies: readonly string[];
  readonly changes: readonly ObjectChange[];
  readonly gasObject: ObjectRecord | null;
  readonly balanceChanges: readonly BalanceChange[];
  readonly events: readonly EventRecord[];
  /** Base58 digest of the events, `null` when there are none. */
  readonly eventsDigest: string | null;
  readonly epoch: number;
  /** When it executed; once it is in a checkpoint, that checkpoint's time. The same holds for its events. */
  readonly timestampMs: number;
  /** Only for a dry run that succeeded: the changes and results of each command. */
  readonly commandReports?: readonly CommandReport[];
  /** Sequence number of the containing checkpoint; `null` until the checkpoint clock closes it. */
  readonly checkpoint: number | null;
}

/** A Move value as a command left it. */
export interface ReportedValue {
  readonly type: string;
  readonly bcs: Uint8Array;
}

/** The changes and results of one command. */
export interface CommandReport {
  readonly mutated: readonly (ReportedValue & { readonly argument: Argument })[];
  readonly returned: readonly ReportedValue[];
}

export interface CheckpointRecord {
  readonly sequenceNumber: number;
  readonly digest: string;
  readonly previousDigest: string | null;
  readonly timestampMs: number;
  readonly epoch: number;
  /** Sequence numbers of the first transaction in it and of the first one after it. */
  readonly firstTransaction: number;
  readonly endTransaction: number;
  readonly networkTotalTransactions: number;
  /** Running total of the epoch so far. */
  readonly rollingGasSummary: GasSummary;
  /** Total of all live coins, by coin type. */
  readonly coinSupplies: ReadonlyMap<string, bigint>;
  /** Payments for storage less rebates, in the smallest unit of the native coin. */
  readonly storageFund: bigint;
  /** Base64 of a simulated aggregate signature. */
  readonly validatorSignatures: string;
}

export interface EpochRecord {
  readonly epochId: number;
  readonly referenceGasPrice: bigint;
  readonly startMs: number;
  readonly endMs: number | null;
  readonly firstCheckpoint: number;
  /** Sequence number of the first checkpoint after the epoch; `null` while the epoch runs. */
  readonly endCheckpoint: number | null;
  readonly firstTransaction: number;
  readonly totalGasFees: bigint;
  /** Base58 digest of every object alive at the end of the epoch; `null` while the epoch runs. */
  readonly liveObjectSetDigest: string | null;
}

export interface CoinMetadataRecord {
  readonly coinType: string;
  readonly objectId: string;
  readonly decimals: number;
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly iconUrl: string | null;
}
