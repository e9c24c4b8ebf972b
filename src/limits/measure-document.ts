import { type DirectiveNode, type DocumentNode, type FragmentSpreadNode, Kind } from 'graphql';
import { addUpDefinitions } from './add-up-definitions.ts';
import { type EventPages, gatherEventPages } from './event-pages.ts';
import { type ExecutableDocument, isSchemaOnly, toExecutableDocument } from './executable-document.ts';
import { findUnknownFragment } from './find-unknown-fragment.ts';
import { gatherTransactions } from './gather-transactions.ts';
import { type MeasuredDefinition, measureDefinition } from './measure-definition.ts';
import { createOutputCost, type OutputCost } from './output-cost.ts';
import { maxCount } from './usage.ts';

/** What a document counts for, as numbers: all that is needed of it once it is read and may not be executed. */
export interface DocumentSize {
  /** Selections of all operations, fragments expanded; `maxCount` where that has no end. */
  readonly inputNodes: number;
  /** Levels of the deepest operation; `maxCount` where that has no end. */
  readonly depth: number;
  /** Fragment definitions, used or not. */
  readonly fragments: number;
  /** Bytes of the text. */
  readonly queryPayload: number;
  readonly outputNodes: OutputCost;
  /** Asks for the schema and for nothing else: no query limit applies, and there is no usage. */
  readonly isExempt: boolean;
  readonly transaction: TransactionPayload;
  readonly eventPages: EventPages;
}

/** Everything about a document's size that its text alone decides. Made once per document, used by every request. */
export interface MeasuredDocument extends DocumentSize {
  readonly document: DocumentNode;
  readonly executable: ExecutableDocument;
  /**
   * The deepest of: selection sets below that of an operation, through the fragments it spreads; selection sets below that
   * of a fragment, as written; lists and objects in one value.
   */
  readonly nesting: number;
  /** The first in the text that is neither `@include` nor `@skip`. */
  readonly unsupportedDirective: DirectiveNode | null;
  /** The first spread, as the ledger meets them, of a fragment that is not in the document. */
  readonly unknownFragment: FragmentSpreadNode | null;
}

/** Arguments of `executeTx`, `executeTransactionBlock` and `dryRunTransactionBlock` at the top of operations. */
export interface TransactionPayload {
  /** Bytes of literals, those of a fragment at each of its uses. */
  readonly literalBytes: number;
  /** Bytes of the same literals as the text holds them, each once. */
  readonly inlinedBytes: number;
  /** Variables that carry payload. */
  readonly variables: readonly string[];
}

/**
 * Measures a parsed document. Never throws, never recurses, and its time is linear in the text whatever that nests or
 * expands to: every definition is read once, every fragment resolved once.
 * @param queryPayload bytes of the text the document was parsed from
 */
export function measureDocument(document: DocumentNode, queryPayload: number): MeasuredDocument {
  const executable = toExecutableDocument(document);
  const definitions: MeasuredDefinition[] = [];
  const operations: MeasuredDefinition[] = [];
  const fragments = new Map<string, MeasuredDefinition>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const measured = measureDefinition(definition);
    definitions.push(measured);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(measured);
    else fragments.set(definition.name.value, measured);
  }
  const totals = addUpDefinitions(operations, fragments);
  const depth = totals?.depth ?? maxCount;
  const inlined = gatherTransactions(operations, fragments);
  return {
    document,
    executable,
    inputNodes: totals?.inputNodes ?? maxCount,
    depth,
    fragments: executable.fragmentDefinitions.length,
    queryPayload,
    outputNodes: totals ? createOutputCost(totals.transfers, totals.total) : () => maxCount,
    nesting: definitions.reduce((deepest, { nesting }) => Math.max(deepest, nesting), depth - 1),
    isExempt: isSchemaOnly(executable),
    unsupportedDirective: definitions.find((measured) => measured.unsupportedDirective)?.unsupportedDirective ?? null,
    unknownFragment: totals?.hasUnknownFragment === false ? null : findUnknownFragment(executable),
    transaction: {
      literalBytes: totals?.transactionBytes ?? maxCount,
      inlinedBytes: inlined.bytes,
      variables: inlined.variables,
    },
    eventPages: gatherEventPages(executable),
  };
}

/** The numbers alone, without the document they were taken from. */
export function toSize({
  inputNodes,
  depth,
  fragments,
  queryPayload,
  outputNodes,
  isExempt,
  transaction,
  eventPages,
}: MeasuredDocument): DocumentSize {
  return { inputNodes, depth, fragments, queryPayload, outputNodes, isExempt, transaction, eventPages };
}
