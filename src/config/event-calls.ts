/** The most items that a ledger node returns per call; it silently truncates larger pages. */
export const itemsPerCall = 50;

/**
 * Extra calls of an operation whose pages need more than one call per 50 items: the node returns fewer items than requested,
 * does not report whether there are more, or must be read until a second cursor is found. All pages of an operation share
 * them.
 */
export const maxSpareCalls = 20;
