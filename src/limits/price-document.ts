import type { Limits } from './limits.ts';
import type { DocumentSize } from './measure-document.ts';
import type { Usage } from './usage.ts';
import type { Variables } from './variables.ts';

/**
 * The usage of a document with these variables, as the ledger would report it; for a document that the ledger would refuse
 * uncounted, the full count. Takes microseconds. Documents that ask for the schema alone can be priced too, though their
 * usage is never shown.
 */
export function priceDocument(
  size: DocumentSize,
  variables: Variables,
  { defaultPageSize }: Pick<Limits, 'defaultPageSize'>,
): Usage {
  return {
    inputNodes: size.inputNodes,
    outputNodes: size.outputNodes(variables, defaultPageSize),
    depth: size.depth,
    variables: Object.keys(variables).length,
    fragments: size.fragments,
    queryPayload: size.queryPayload,
  };
}
