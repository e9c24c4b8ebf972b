import { type DirectiveNode, type DocumentNode, type FragmentSpreadNode, Kind } from 'graphql';
import { addUpDefinitions } from './add-up-definitions.ts';
import { type CalledPages, gatherCalledPages } from './called-pages.ts';
import { type ExecutableDocument, isSchemaOnly, toExecutableDocument } from './executable-document.ts';
import { findUnknownFragment } from './find-unknown-fragment.ts';
import { gatherTransactions } from './gather-transactions.ts';
import { type MeasuredDefinition, measureDefinition } from './measure-definition.ts';
import { createOutputCost, type OutputCost } from './output-cost.ts';
import { maxCount } from './usage.ts';

/** The numbers of a document, kept without its tree: enough to price and refuse it. */
export interface DocumentSize {
  /** Selections of all operations, fragments expanded; `maxCount` if a fragment contains itself. */
  readonly inputNodes: number;
  /** Levels of the deepest operation; `maxCount` if a fragment contains itself. */
  readonly depth: number;
  /** Number of fragment definitions, used or not. */
  readonly fragments: number;
  /** Bytes of the text. */
  readonly queryPayload: number;
  readonly outputNodes: OutputCost;
  /** How many numbers `outputNodes` holds, by which its memory is estimated. */
  readonly numbers: number;
  /** The document asks for the schema alone: the limits of queries do not apply, and no usage is shown. */
  readonly isExempt: boolean;
  readonly transaction: TransactionPayload;
  readonly calledPages: CalledPages;
}

/** A document, and everything about its size that its text alone decides. Made once per document. */
export interface MeasuredDocument extends DocumentSize {
  readonly document: DocumentNode;
  readonly executable: ExecutableDocument;
  /**
   * The deepest nesting of three kinds: selection sets of an operation, through its fragments; selection sets of a fragment
   * as written; lists and objects in one value.
   */
  readonly nesting: number;
  /** The first directive in the text other than `@include` and `@skip`. */
  readonly unsupportedDirective: DirectiveNode | null;
  /** The first spread, in the ledger's order, of a fragment that the document does not define. */
  readonly unknownFragment: FragmentSpreadNode | null;
}

/** Arguments of the root fields that take a transaction: `executeTx`, and what the ledgers call theirs. */
export interface TransactionPayload {
  /** Bytes of literals, those of a fragment counted at each spread. */
  readonly literalBytes: number;
  /** Bytes of the same literals, each counted once, as in the text. */
  readonly inlinedBytes: number;
  /** Names of the variables that carry payload. */
  readonly variables: readonly string[];
}

/**
 * Measures a parsed document. Never throws and never recurses. Its time is linear in the text, whatever the fragments
 * expand to: every definition is read once, every fragment added up once.
 * @param queryPayload bytes of the text that the document was parsed from
 * @param calledFields root fields whose pages are read call by call
 */
export function measureDocument(
  document: DocumentNode,
  queryPayload: number,
  calledFields: ReadonlySet<string> = new Set(),
): MeasuredDocument {
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
    ...(totals ? createOutputCost(totals.transfers, totals.total) : { outputNodes: () => maxCount, numbers: 0 }),
    nesting: definitions.reduce((deepest, { nesting }) => Math.max(deepest, nesting), depth - 1),
    isExempt: isSchemaOnly(executable),
    unsupportedDirective: definitions.find((measured) => measured.unsupportedDirective)?.unsupportedDirective ?? null,
    unknownFragment: totals?.hasUnknownFragment === false ? null : findUnknownFragment(executable),
    transaction: {
      literalBytes: totals?.transactionBytes ?? maxCount,
      inlinedBytes: inlined.bytes,
      variables: inlined.variables,
    },
    calledPages: gatherCalledPages(executable, calledFields),
  };
}

/** Drops the document and keeps the numbers, so that a refused document does not hold its tree in memory. */
export function toSize({
  inputNodes,
  depth,
  fragments,
  queryPayload,
  outputNodes,
  numbers,
  isExempt,
  transaction,
  calledPages,
}: MeasuredDocument): DocumentSize {
  return { inputNodes, depth, fragments, queryPayload, outputNodes, numbers, isExempt, transaction, calledPages };
}
