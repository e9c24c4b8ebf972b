import type { TransactionRecord } from '../../state/records.ts';
import { zeroAddress } from '../../transactions/address.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import { requireAvailable } from '../history/visible-history.ts';
import { toIsoTime } from '../iso-time.ts';
import type {
  AddressModel,
  CheckpointModel,
  CoinMetadataModel,
  EpochModel,
  ObjectModel,
  TransactionModel,
} from '../models.ts';

/** A live object at a checkpoint; `null` when there is none. Refuses a checkpoint outside the available range. */
export function newestObject(context: GraphqlContext, objectId: string, viewedAt: number): ObjectModel | null {
  requireAvailable(context.ledger, viewedAt);
  const record = context.ledger.object(objectId, { checkpoint: viewedAt });
  return record ? { record, viewedAt } : null;
}

/** One version of an object, if a checkpoint held it by then. */
export function objectAtVersion(
  context: GraphqlContext,
  objectId: string,
  version: number,
  viewedAt: number,
): ObjectModel | null {
  const record = context.ledger.object(objectId, { version });
  if (!record || record.checkpoint === null || record.checkpoint > viewedAt) return null;
  return { record, viewedAt };
}

/** A transaction, if a checkpoint held it by then. */
export function visibleTransaction(context: GraphqlContext, digest: string, viewedAt: number): TransactionModel | null {
  const record = context.ledger.transaction(digest);
  if (!record || record.checkpoint === null || record.checkpoint > viewedAt) return null;
  return { record, viewedAt, dryRun: false };
}

/** An epoch that had begun by a checkpoint; `null` for any other. */
export function epochAt({ ledger }: GraphqlContext, epochId: number, viewedAt: number): EpochModel | null {
  const record = ledger.epoch(epochId);
  return record && record.firstCheckpoint <= viewedAt ? { record, viewedAt } : null;
}

/** A checkpoint, if it was closed by the time of another. */
export function checkpointAt({ ledger }: GraphqlContext, sequence: number, viewedAt: number): CheckpointModel | null {
  const record = ledger.checkpoint(sequence);
  return record && sequence <= viewedAt ? { record, viewedAt } : null;
}

/** A currency's metadata, and its supply as of a checkpoint; `null` if it has no metadata. */
export function coinMetadataOf(
  coinType: string,
  { ledger }: GraphqlContext,
  viewedAt: number,
): CoinMetadataModel | null {
  const record = ledger.coinMetadata(coinType);
  return record ? { record, viewedAt } : null;
}

/** `null` for the network itself. */
export function toSender(address: string, viewedAt: number): AddressModel | null {
  return address === zeroAddress ? null : { address, viewedAt };
}

/** The time of a transaction's checkpoint; `null` while it is pending. */
export function checkpointTime(record: TransactionRecord | undefined): string | null {
  return record === undefined || record.checkpoint === null ? null : toIsoTime(record.timestampMs);
}
