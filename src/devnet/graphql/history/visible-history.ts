import type { LedgerReader } from '../../state/ledger-state.ts';
import { inputRefusal } from '../arguments/parse-failure.ts';
import { lowerBound } from '../connections/search.ts';

/** How many transactions there were at a checkpoint. One from the future shows what there is. */
export function transactionCountAt(ledger: LedgerReader, checkpoint: number): number {
  return ledger.checkpoint(checkpoint)?.endTransaction ?? ledger.transactions.length;
}

/** How many events there were at a checkpoint. */
export function eventCountAt(ledger: LedgerReader, checkpoint: number): number {
  const record = ledger.checkpoint(checkpoint);
  return record === undefined ? ledger.events.length : eventPosition(ledger, record.endTransaction, 0);
}

/** Position of the first event at or behind (transaction sequence, event sequence). */
export function eventPosition(ledger: LedgerReader, transaction: number, eventSeq: number): number {
  return lowerBound(ledger.events.length, (index) => {
    const event = ledger.events[index];
    if (event === undefined) return true;
    const sequence = transactionSequenceOf(ledger, event.txDigest);
    return sequence > transaction || (sequence === transaction && event.eventSeq >= eventSeq);
  });
}

export function transactionSequenceOf(ledger: LedgerReader, digest: string): number {
  return ledger.transaction(digest)?.sequence ?? Number.POSITIVE_INFINITY;
}

/** Live objects are kept for a while only; history is kept for good. */
export function requireAvailable(ledger: LedgerReader, checkpoint: number): number {
  const newest = ledger.latestCheckpoint().sequenceNumber;
  if (checkpoint < ledger.firstAvailableCheckpoint() || checkpoint > newest) {
    throw inputRefusal('Requested data is outside the available range');
  }
  return checkpoint;
}
