import type { Limits } from './limits.ts';
import type { DocumentSize } from './measure-document.ts';
import type { Usage } from './usage.ts';
import type { Variables } from './variables.ts';

/**
 * What a measured document costs with these variables: as the ledger would report it, and, where it would refuse before it
 * has counted, the whole count. Microseconds. A schema-only document has no usage to show, though it can be priced.
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
