/** Events or transactions that a ledger node answers to one call at most; it silently cuts a larger page to this. */
export const itemsPerCall = 50;

/**
 * Extra calls that an operation may make when its pages need more than one call per 50 items: the node answers fewer items
 * than asked, does not say whether there are more, or must be read on until a second cursor is found. All pages of an
 * operation share them, so that many pages do not multiply them.
 */
export const maxSpareCalls = 20;
