/**
 * Under this key an item of a stream has, and then its result, where its reader goes on behind it: a text for clients whose
 * transport keeps it for them. JSON does not show it.
 */
export const itemPlace: unique symbol = Symbol('where to go on');

/** An item that has one. A function: it is asked where it is told, and costs nothing elsewhere. */
export interface PlacedItem {
  readonly [itemPlace]?: () => string;
}

export interface PlacedResult {
  [itemPlace]?: string;
}
