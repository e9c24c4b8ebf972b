/** A node of the ledger answers at most so many events or transactions, and silently so many when asked for more. */
export const itemsPerCall = 50;

/**
 * Calls that an operation may make beyond those its pages need when the node gives what it is asked for: where it gives less
 * at a time, does not say whether there is more, or where only meeting the second of two cursors tells its place. All pages
 * of the operation share them, so that what one page may cost is not multiplied by their number.
 */
export const maxSpareCalls = 20;
