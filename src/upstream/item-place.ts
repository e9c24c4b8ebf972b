/** Key of the resume cursor behind an item of a stream, and behind its result. A symbol, so that JSON leaves it out. */
export const resumeCursorKey: unique symbol = Symbol('resume cursor');

/** An item with a cursor. A function, because only some transports send the cursor. */
export interface PlacedItem {
  readonly [resumeCursorKey]?: () => string;
}

export interface PlacedResult {
  [resumeCursorKey]?: string;
}
