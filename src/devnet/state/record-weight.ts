import type { TransactionRecord } from './records.ts';

/** Estimated bytes that a checkpoint takes in memory without its transactions, measured over a long history and rounded up. */
export const checkpointWeight = 1_000;
const transactionOverhead = 2_000;
const changeOverhead = 700;
/** Includes the event's entries in the index that queries read. */
const eventOverhead = 1_500;

/** Estimated bytes in memory of a transaction with its changes and events. */
export function transactionWeight({ bytes, changes, events }: TransactionRecord): number {
  const ofChanges = changes.reduce((total, { output }) => total + changeOverhead + 2 * (output?.bcs.length ?? 0), 0);
  const ofEvents = events.reduce((total, event) => total + eventOverhead + 2 * event.bcs.length, 0);
  return transactionOverhead + 2 * bytes.length + ofChanges + ofEvents;
}
