/** A place in a walk over events or transactions, exact enough to resume at. */
export interface Position {
  readonly digest: string;
  /** Decimal text; `null` for a transaction. */
  readonly eventSeq: string | null;
  /** `null` if the node does not say. */
  readonly timestampMs: number | null;
}

/** A text that is the same for two positions only if they are the same. */
export function toPositionKey({ digest, eventSeq }: Position): string {
  return eventSeq === null ? digest : `${digest}:${eventSeq}`;
}

/**
 * Where a position lies relative to a bound, in the direction of a walk. Only a shared transaction or different times
 * tell; transactions of the same millisecond, or without a time, are `unordered`.
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

/** Times only serve to put items in order, so anything but whole milliseconds counts as no time. */
export function toTimestampMs(text: string | null): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
