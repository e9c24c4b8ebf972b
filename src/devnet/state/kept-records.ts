/** One of a list whose members are numbered without gaps, in order. */
interface Numbered {
  readonly sequence: number;
}

/** Number of the oldest record that is kept; 0 when there is none. */
export function firstSequence(records: readonly Numbered[]): number {
  return records[0]?.sequence ?? 0;
}

/** The number behind the newest record. */
export function endSequence(records: readonly Numbered[]): number {
  return firstSequence(records) + records.length;
}

/** The record of a number; `undefined` before the oldest kept and behind the newest. */
export function recordAt<Item extends Numbered>(records: readonly Item[], sequence: number): Item | undefined {
  return records[sequence - firstSequence(records)];
}
