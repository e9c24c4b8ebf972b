import type {
  CheckpointRecord,
  CoinMetadataRecord,
  EpochRecord,
  EventRecord,
  ObjectRecord,
  TransactionRecord,
} from './records.ts';

/** The ledger as the three interfaces read it. Every list is in ledger order, oldest first. */
export interface LedgerReader {
  /** First four bytes of the genesis checkpoint digest, hex. */
  readonly chainIdentifier: string;
  /** `major.minor.patch-sha`, what the version header carries. */
  readonly buildVersion: string;
  readonly nativeCoinType: string;
  readonly referenceGasPrice: bigint;

  /** The newest closed checkpoint. */
  latestCheckpoint(): CheckpointRecord;
  checkpoint(sequenceNumber: number): CheckpointRecord | undefined;
  checkpointByDigest(digest: string): CheckpointRecord | undefined;
  /** Oldest checkpoint that is still remembered. No earlier history is. */
  firstCheckpoint(): number;
  /** Oldest checkpoint at which live objects can still be read consistently. */
  firstAvailableCheckpoint(): number;

  epoch(epochId: number): EpochRecord | undefined;
  latestEpoch(): EpochRecord;

  /** Checkpointed transactions that are remembered, by sequence without gaps. Pending ones are not in it. */
  readonly transactions: readonly TransactionRecord[];
  /** Finds a transaction in a checkpoint or pending. */
  transaction(digest: string): TransactionRecord | undefined;

  /** Checkpointed events that are remembered, by sequence without gaps. */
  readonly events: readonly EventRecord[];

  /**
   * The object at an exact version (a tombstone with `live: false` included), or as of a closed checkpoint (default: the
   * latest closed one), where a deleted object is `undefined`.
   */
  object(
    objectId: string,
    at?: { readonly version: number } | { readonly checkpoint: number },
  ): ObjectRecord | undefined;
  /** The newest version, pending transactions included, `undefined` once deleted: what execution and the sponsor look at. */
  currentObject(objectId: string): ObjectRecord | undefined;
  /** Every version of an object that is remembered, oldest first. */
  objectVersions(objectId: string): readonly ObjectRecord[];
  /** Live objects as of a checkpoint, ordered by object id. */
  liveObjects(checkpoint: number): readonly ObjectRecord[];
  /** Live objects owned by an address (or by an object) as of a checkpoint, ordered by object id. */
  ownedObjects(owner: string, checkpoint: number): readonly ObjectRecord[];

  coinMetadata(coinType: string): CoinMetadataRecord | undefined;

  /** Called after each closed checkpoint with what it contains. Returns the unsubscribe function. */
  onCheckpoint(
    listener: (checkpoint: CheckpointRecord, transactions: readonly TransactionRecord[]) => void,
  ): () => void;
}

/** The outcome of running a transaction, committed or not. */
export type ExecutionOutcome =
  /** It ran; `transaction.status` says whether it succeeded. Gas was charged either way. */
  | { readonly kind: 'executed'; readonly transaction: TransactionRecord; readonly replayed: boolean }
  /** A validator would not run it (missing, stale or foreign input, wrong signature, wrong gas payment). Nothing changed. */
  | { readonly kind: 'refused'; readonly message: string };

/** The only way to change the ledger. */
export interface LedgerWriter {
  /**
   * Runs a signed transaction. The same digest again answers the stored outcome (`replayed: true`).
   * @param bytes BCS of the TransactionData
   * @param signatures base64 of flag ‖ Ed25519 signature ‖ public key; sender's, and the gas owner's when that is another
   */
  execute(bytes: Uint8Array, signatures: readonly string[]): ExecutionOutcome;
  /** Runs the same code without signatures, and commits nothing. */
  dryRun(bytes: Uint8Array, options?: { readonly skipChecks?: boolean }): ExecutionOutcome;
  /** Do transactions wait for a checkpoint? */
  hasPending(): boolean;
  /** Closes a checkpoint holding everything pending (possibly nothing) at the clock's time. */
  closeCheckpoint(): CheckpointRecord;
  /** Ends the epoch: the next checkpoint belongs to a new one. */
  advanceEpoch(): EpochRecord;
}

export type Ledger = LedgerReader & LedgerWriter;

/** Milliseconds since the Unix epoch. Injected so that a test can move time by hand. */
export type Clock = () => number;
