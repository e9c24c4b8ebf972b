/** Key of the resume cursor behind an item of a stream, and behind its result. A symbol, so that JSON leaves it out. */
export const itemPlace: unique symbol = Symbol('resume cursor');

/** An item with a cursor. A function, because only some transports send the cursor. */
export interface PlacedItem {
  readonly [itemPlace]?: () => string;
}

export interface PlacedResult {
  [itemPlace]?: string;
}
