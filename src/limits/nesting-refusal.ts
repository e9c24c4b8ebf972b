import { type Refusal, uncountedRefusal } from './refusal.ts';

/**
 * How deep selection sets may lie below that of an operation: a bound of the parser that ledgers are built on. It follows
 * spreads, so a fragment that contains itself is over it. Values are held to the same.
 */
export const maxNesting = 32;

/** Also what a text deserves that exhausts the stack of our parser. */
export function nestingRefusal(): Refusal {
  return uncountedRefusal(`The recursion depth of the query cannot be greater than \`${maxNesting}\``);
}
