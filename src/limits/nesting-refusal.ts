import { type LimitRefusal, uncountedRefusal } from './refusal.ts';

/**
 * Levels of selection sets below an operation's, and of lists and objects in a value: the bound of the ledger's parser.
 * Spreads are followed, so a fragment that contains itself is over it.
 */
export const maxNesting = 32;

/** Also used when a text nests so deep that it exhausts the stack of graphql-js's parser. */
export function nestingRefusal(): LimitRefusal {
  return uncountedRefusal(`The recursion depth of the query cannot be greater than \`${maxNesting}\``);
}
