/** A place in a walk over events or transactions, exact enough to resume at. */
export interface Position {
  readonly digest: string;
  /** Decimal text; `null` for a transaction. */
  readonly eventSeq: string | null;
  /** `null` if the node does not say. */
  readonly timestampMs: number | null;
}

/** Two positions have the same text only if they are the same. */
export function toPositionKey({ digest, eventSeq }: Position): string {
  return eventSeq === null ? digest : `${digest}:${eventSeq}`;
}

/**
 * Where a position lies relative to a bound, in the direction of a walk. Two positions of one transaction, or of
 * different times, can be put in order; others of the same millisecond, or without a time, are `unordered`.
 */
export function relationToBound(
  position: Position,
  bound: Position,
  descending: boolean,
): 'before' | 'at' | 'beyond' | 'unordered' {
  const order = compare(position, bound);
  if (order === null) return 'unordered';
  if (order === 0) return 'at';
  return order < 0 === descending ? 'beyond' : 'before';
}

function compare(a: Position, b: Position): number | null {
  if (a.digest === b.digest) return Math.sign(Number(BigInt(a.eventSeq ?? 0) - BigInt(b.eventSeq ?? 0)));
  if (a.timestampMs === null || b.timestampMs === null || a.timestampMs === b.timestampMs) return null;
  return Math.sign(a.timestampMs - b.timestampMs);
}

/**
 * `null` for anything but whole milliseconds: times only serve to put items in order, and a missing one does no harm.
 */
export function toTimestampMs(text: string | null): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
