/** A record of a list that is numbered in order without gaps. */
interface Numbered {
  readonly sequence: number;
}

/** Number of the oldest record that is kept; 0 when there is none. */
export function firstSequence(records: readonly Numbered[]): number {
  return records[0]?.sequence ?? 0;
}

/** The number that the next record will have. */
export function endSequence(records: readonly Numbered[]): number {
  return firstSequence(records) + records.length;
}

/** The record with a number; `undefined` if it is no longer kept, or not there yet. */
export function recordAt<Item extends Numbered>(records: readonly Item[], sequence: number): Item | undefined {
  return records[sequence - firstSequence(records)];
}
