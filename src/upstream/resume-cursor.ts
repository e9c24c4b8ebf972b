/** Key of the resume cursor after an item of a stream, and after its result. A symbol, so that JSON omits it. */
export const resumeCursorKey: unique symbol = Symbol('resume cursor');

/** An item with a cursor. The cursor is a function, because only some transports send it. */
export interface ResumableItem {
  readonly [resumeCursorKey]?: () => string;
}

export interface ResumableResult {
  [resumeCursorKey]?: string;
}
