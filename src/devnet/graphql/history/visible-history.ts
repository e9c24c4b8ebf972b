import { endSequence, firstSequence } from '../../state/kept-records.ts';
import type { LedgerReader } from '../../state/ledger-state.ts';
import { lowerBound } from '../../state/lower-bound.ts';
import { inputRefusal } from '../arguments/parse-failure.ts';

/** How many transactions there were at a checkpoint. A future checkpoint has those there are now. */
export function transactionCountAt(ledger: LedgerReader, checkpoint: number): number {
  return ledger.checkpoint(checkpoint)?.endTransaction ?? endSequence(ledger.transactions);
}

/** How many events there were at a checkpoint. */
export function eventCountAt(ledger: LedgerReader, checkpoint: number): number {
  const record = ledger.checkpoint(checkpoint);
  return record === undefined ? endSequence(ledger.events) : eventPosition(ledger, record.endTransaction, 0);
}

/** Position of the first event at or after (transaction sequence, event sequence). */
export function eventPosition(ledger: LedgerReader, transaction: number, eventSeq: number): number {
  const found = lowerBound(ledger.events.length, (index) => {
    const event = ledger.events[index];
    if (event === undefined) return true;
    const sequence = transactionSequenceOf(ledger, event.txDigest);
    return sequence > transaction || (sequence === transaction && event.eventSeq >= eventSeq);
  });
  return firstSequence(ledger.events) + found;
}

export function transactionSequenceOf(ledger: LedgerReader, digest: string): number {
  return ledger.transaction(digest)?.sequence ?? Number.POSITIVE_INFINITY;
}

/**
 * Refuses a page that would go on from history that was dropped, since records would be missing from it. Checks the
 * page's pinned checkpoint and the place of each cursor.
 * @param first the oldest place that is kept
 */
export function requireKept(
  ledger: LedgerReader,
  checkpoint: number,
  places: readonly (number | undefined)[],
  first: number,
) {
  const isKept =
    checkpoint >= ledger.firstCheckpoint() && places.every((place) => place === undefined || place >= first);
  if (!isKept) throw outsideRange();
}

/** Refuses a checkpoint whose live objects are no longer kept: they are kept for a shorter time than history. */
export function requireAvailable(ledger: LedgerReader, checkpoint: number): number {
  const newest = ledger.latestCheckpoint().sequenceNumber;
  if (checkpoint < ledger.firstAvailableCheckpoint() || checkpoint > newest) {
    throw outsideRange();
  }
  return checkpoint;
}

function outsideRange() {
  return inputRefusal('Requested data is outside the available range');
}
