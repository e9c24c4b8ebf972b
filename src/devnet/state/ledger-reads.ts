import type { Chain } from './chain.ts';
import type { LedgerReader } from './ledger-state.ts';
import type { ObjectHistory } from './object-history.ts';

export interface LedgerReadsOptions {
  readonly chain: Chain;
  readonly history: ObjectHistory;
  readonly nativeCoinType: string;
  readonly referenceGasPrice: bigint;
  /** Checkpoints behind the newest at which live objects can still be read. */
  readonly availableCheckpoints: number;
}

export type LedgerReads = Omit<LedgerReader, 'chainIdentifier' | 'buildVersion' | 'coinMetadata' | 'onCheckpoint'>;

/** The read operations of the ledger, valid once checkpoint 0 is closed. */
export function createLedgerReads(options: LedgerReadsOptions): LedgerReads {
  const { chain, history, nativeCoinType, referenceGasPrice, availableCheckpoints } = options;
  const newest = (): number => chain.latestCheckpoint().sequenceNumber;
  /** A future checkpoint reads as the newest one: its view would be kept, and be wrong once it closes. */
  const toClosed = (checkpoint: number): number => Math.min(checkpoint, newest());

  return {
    nativeCoinType,
    referenceGasPrice,
    latestCheckpoint: chain.latestCheckpoint,
    checkpoint: chain.checkpoint,
    firstCheckpoint: chain.firstCheckpoint,
    checkpointByDigest: chain.checkpointByDigest,
    firstAvailableCheckpoint: () => Math.max(chain.firstCheckpoint(), newest() - availableCheckpoints),
    epoch: chain.epoch,
    latestEpoch: chain.latestEpoch,
    transactions: chain.transactions,
    transaction: chain.transaction,
    events: chain.events,
    object: (objectId, at) => {
      if (at && 'version' in at) return history.atVersion(objectId, at.version);
      return history.asOf(objectId, at?.checkpoint ?? newest());
    },
    currentObject: history.current,
    objectVersions: history.versions,
    liveObjects: (checkpoint) => history.live(toClosed(checkpoint)),
    ownedObjects: (owner, checkpoint) => history.ownedBy(owner, toClosed(checkpoint)),
  };
}
