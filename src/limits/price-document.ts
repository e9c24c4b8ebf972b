import type { Limits } from './limits.ts';
import type { MeasuredDocument } from './measure-document.ts';
import type { Usage } from './usage.ts';
import type { Variables } from './variables.ts';

/**
 * What a measured document costs with these variables: as the ledger would report it, and, where it would refuse before it
 * has counted, the whole count. Microseconds. A schema-only document has no usage to show, though it can be priced.
 */
export function priceDocument(
  measured: MeasuredDocument,
  variables: Variables,
  { defaultPageSize }: Pick<Limits, 'defaultPageSize'>,
): Usage {
  return {
    inputNodes: measured.inputNodes,
    outputNodes: measured.outputNodes(variables, defaultPageSize),
    depth: measured.depth,
    variables: Object.keys(variables).length,
    fragments: measured.fragments,
    queryPayload: measured.queryPayload,
  };
}
