import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
} from 'graphql';
import { itemsPerCall, maxSpareCalls } from '../../config/event-calls.ts';
import {
  type ExecutableDocument,
  isSchemaOnly,
  responseKey,
  toExecutableDocument,
  walkFields,
  walkLevels,
} from '../selections.ts';
import {
  contractRules,
  type LimitRules,
  type MeasuredDefinition,
  type MeasuredSpread,
  measureDefinition,
  toRepresentations,
} from './measure-definition.ts';
import {
  addCounts,
  createOutputCost,
  createTally,
  maxCount,
  type OutputCost,
  type PageSize,
  readVariable,
  type Transfer,
  type Variables,
} from './usage.ts';

/** The numbers of a document: enough to price and reject it without its tree. */
export interface DocumentSize {
  /** Selections of all operations, fragments expanded; `maxCount` if a fragment contains itself. */
  readonly inputNodes: number;
  /** Levels of the deepest operation; `maxCount` if a fragment contains itself. */
  readonly depth: number;
  /** Number of fragment definitions, used or not. */
  readonly fragments: number;
  /** Bytes of the document's text. */
  readonly queryPayload: number;
  /** Bytes of the body that carries the text alone; 0 if the ledger does not count them. */
  readonly bodyBytes: number;
  readonly outputNodes: OutputCost;
  /** Pages whose size is checked before execution. */
  readonly boundedPages: readonly PageSize[];
  /** How many numbers `outputNodes` holds, for estimating its memory. */
  readonly numbers: number;
  /** The document asks for the schema alone: the limits of queries do not apply, and no usage is shown. */
  readonly isExempt: boolean;
  readonly transaction: TransactionPayload;
  readonly calledPages: CalledPages;
  /** The sum of the weights of its fields; `null` if it is not valid, or if the ledger has no limit on it. */
  readonly complexity: OutputCost | null;
}

/** A document, and everything about its size that its text alone decides. */
export interface MeasuredDocument extends DocumentSize {
  readonly document: DocumentNode;
  readonly executable: ExecutableDocument;
  /**
   * The deepest nesting of three kinds: selection sets of an operation, through its fragments; selection sets of a fragment as
   * written; lists and objects in one value.
   */
  readonly nesting: number;
  /** The first directive in the text other than `@include` and `@skip`. */
  readonly unsupportedDirective: DirectiveNode | null;
  /** The first spread, in the ledger's order, of a fragment that the document does not define. */
  readonly unknownFragment: FragmentSpreadNode | null;
}

/** Arguments of the root fields that take a transaction: `executeTx`, and the ledgers' own. */
interface TransactionPayload {
  /** Bytes of payload literals; those of a fragment count at each spread. */
  readonly literalBytes: number;
  /** Bytes of payload literals, each counted once, as in the text. */
  readonly inlinedBytes: number;
  readonly variables: readonly string[];
}

const defaultCounting = { rules: contractRules, schema: null, bodyBytes: 0 };

/**
 * Measures a parsed document. Never throws and never recurses. Its time is linear in the text, whatever the fragments expand
 * to: each definition is read once, each fragment added up once.
 * @param queryPayload bytes of the text that the document was parsed from
 * @param calledFields root fields whose pages are read call by call
 * @param counting the ledger's rules, with the schema for those that count by types
 */
export function measureDocument(
  document: DocumentNode,
  queryPayload: number,
  calledFields: ReadonlySet<string> = new Set(),
  {
    rules,
    schema,
    bodyBytes,
  }: { rules: LimitRules; schema: GraphQLSchema | null; bodyBytes: number } = defaultCounting,
): MeasuredDocument {
  const counting = { rules, schema: rules.connections === 'type' ? schema : null, calledFields };
  const executable = toExecutableDocument(document);
  const definitions: MeasuredDefinition[] = [];
  const operations: MeasuredDefinition[] = [];
  const fragments = new Map<string, MeasuredDefinition>();
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const measured = measureDefinition(definition, counting);
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
    bodyBytes,
    ...(totals ? createOutputCost(totals.transfers, totals.total) : { outputNodes: () => maxCount, numbers: 0 }),
    boundedPages: definitions.flatMap((measured) => measured.boundedPages),
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
    complexity: null,
  };
}

/**
 * Keeps the numbers without the document, so that a rejected document does not hold its tree in memory.
 * @param weighed by `measureComplexity`
 */
export function toSize(
  {
    inputNodes,
    depth,
    fragments,
    queryPayload,
    bodyBytes,
    outputNodes,
    boundedPages,
    numbers,
    isExempt,
    transaction,
    calledPages,
  }: MeasuredDocument,
  weighed: { readonly complexity: OutputCost; readonly numbers: number } | null = null,
): DocumentSize {
  const counts = { inputNodes, depth, fragments, queryPayload, bodyBytes, numbers: numbers + (weighed?.numbers ?? 0) };
  const complexity = weighed?.complexity ?? null;
  return { ...counts, outputNodes, boundedPages, isExempt, transaction, calledPages, complexity };
}

/** Sums of one operation or fragment, including the fragments that it spreads. */
interface Totals {
  readonly nodes: number;
  readonly depth: number;
  readonly transactionBytes: number;
}

/**
 * Adds up the operations of a document. Each fragment is added up once, and counted at every spread.
 * @returns `null` when a fragment that an operation reaches contains itself
 */
function addUpDefinitions(
  operations: readonly MeasuredDefinition[],
  fragments: ReadonlyMap<string, MeasuredDefinition>,
) {
  const known = new Map<MeasuredDefinition, Totals>();
  // In the order in which they must be made: a tally is complete before it is added to another.
  const transfers: Transfer[] = [];
  // The tally that all operations are added to.
  const total = createTally();
  const fragmentOf = ({ node }: MeasuredSpread) => fragments.get(node.name.value);
  let hasUnknownFragment = false;
  let inputNodes = 0;
  let depth = 0;
  let transactionBytes = 0;
  for (const operation of operations) {
    const totals = addUp(operation);
    if (totals === null) return null;
    inputNodes = addCounts(inputNodes, totals.nodes);
    depth = Math.max(depth, totals.depth);
    transactionBytes = addCounts(transactionBytes, totals.transactionBytes);
    transfers.push({ from: operation.fields, to: total, size: null });
  }
  return { inputNodes, depth, transfers, total, transactionBytes, hasUnknownFragment };

  /** Adds up a definition after the fragments below it. Uses a stack, since a chain of fragments may be as long as the text. */
  function addUp(root: MeasuredDefinition): Totals | null {
    const entered = new Set([root]);
    const open = [{ measured: root, next: 0 }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const spread = top.measured.spreads[top.next];
      top.next += 1;
      if (spread === undefined) {
        known.set(top.measured, addSteps(top.measured));
        open.pop();
        continue;
      }
      const fragment = fragmentOf(spread);
      if (fragment === undefined) hasUnknownFragment = true;
      if (fragment === undefined || known.has(fragment)) continue;
      if (entered.has(fragment)) return null;
      entered.add(fragment);
      open.push({ measured: fragment, next: 0 });
    }
    return known.get(root) ?? null;
  }

  /** Adds the pages and spreads of a definition whose fragments are all added up. */
  function addSteps(measured: MeasuredDefinition): Totals {
    let { nodes, depth: deepest } = measured;
    let { bytes } = measured.transaction;
    for (const step of measured.steps) {
      if (step.kind === 'page') {
        if (step.rows.isPaged) transfers.push({ from: step.rows, to: step.to, size: step.size });
        continue;
      }
      const fragment = fragmentOf(step);
      const totals = fragment && known.get(fragment);
      if (!fragment || !totals) continue;
      nodes = addCounts(nodes, totals.nodes);
      deepest = Math.min(Math.max(deepest, step.level + totals.depth), maxCount);
      if (step.isTop) bytes = addCounts(bytes, totals.transactionBytes);
      const { entities } = step;
      const size = entities && toRepresentations(entities.representations, fragment.on);
      transfers.push({ from: fragment.fields, to: size ? entities.to : step.fields, size });
      if (!fragment.rows.isPaged) continue;
      transfers.push({ from: fragment.rows, to: size ? entities.to : step.rows, size });
      step.rows.isPaged = true;
    }
    return { nodes, depth: deepest, transactionBytes: bytes };
  }
}

/**
 * Adds up the arguments of transaction fields among the root fields of all operations, through fragments: bytes of literals,
 * each counted once however often its fragment is spread, because the text holds it once; and the variables.
 */
function gatherTransactions(
  operations: readonly MeasuredDefinition[],
  fragments: ReadonlyMap<string, MeasuredDefinition>,
) {
  let bytes = 0;
  const variables = new Set<string>();
  // Iterating a set also visits members added meanwhile, so this loop reaches every fragment once.
  const reached = new Set(operations);
  for (const measured of reached) {
    bytes += measured.transaction.bytes;
    for (const name of measured.transaction.variables) variables.add(name);
    for (const spread of measured.spreads) {
      const fragment = spread.isTop ? fragments.get(spread.node.name.value) : undefined;
      if (fragment) reached.add(fragment);
    }
  }
  return { bytes, variables: [...variables] };
}

/**
 * The first spread of a fragment that is not defined, in the ledger's order: operation by operation, level by level. Searches
 * each fragment once, at its first spread: a later spread cannot come first.
 */
function findUnknownFragment(document: ExecutableDocument): FragmentSpreadNode | null {
  const searched = new Set<string>();
  const isEntered = (node: SelectionNode) =>
    node.kind !== Kind.FRAGMENT_SPREAD || (!searched.has(node.name.value) && searched.add(node.name.value).size > 0);
  for (const { node } of walkLevels(document, isEntered)) {
    if (node.kind === Kind.FRAGMENT_SPREAD && !document.fragments.has(node.name.value)) return node;
  }
  return null;
}

/** Bounds of the pages in one operation that the gateway reads call by call. */
export interface CalledPageBounds {
  /** Names of the root fields that have such pages. */
  readonly fields: ReadonlySet<string>;
  /** Calls that all pages of an operation may take together, spare calls included. */
  readonly maxCalls: number;
  /** Items of a page without an explicit size. */
  readonly defaultSize: number;
  /** A larger page is rejected without a call. */
  readonly maxSize: number;
}

/** The page size of one field, as the text gives it: numbers, or variables to look up per request. */
interface CalledPage {
  readonly first: SizeSource;
  readonly last: SizeSource;
}

type SizeSource = number | null | { readonly variable: string; readonly fallback: number | null };

/** The pages of each operation that has any. */
export type CalledPages = readonly (readonly CalledPage[])[];

const none: CalledPages = [];

/**
 * Finds the pages among the root fields of each operation; fields with one response key count once. Skipped fields count, as
 * with every limit. Linear in the text.
 */
export function gatherCalledPages(document: ExecutableDocument, names: ReadonlySet<string>): CalledPages {
  if (names.size === 0) return none;
  const found = document.operations.flatMap((operation) => {
    const fields = new Map<string, FieldNode>();
    walkFields([{ selectionSet: operation.selectionSet, on: null }], document.fragments, {
      onField: (field) => {
        if (names.has(field.name.value)) fields.set(responseKey(field), field);
      },
    });
    return fields.size > 0 ? [[...fields.values()].map((field) => toCalledPage(field, operation))] : [];
  });
  return found.length > 0 ? found : none;
}

function toCalledPage(field: FieldNode, { variableDefinitions = [] }: OperationDefinitionNode): CalledPage {
  const sourceOf = (argument: string): SizeSource => {
    const value = field.arguments?.find(({ name }) => name.value === argument)?.value;
    if (value?.kind !== Kind.VARIABLE) return literalOf(value);
    const variable = value.name.value;
    const definition = variableDefinitions.find((each) => each.variable.name.value === variable);
    return { variable, fallback: literalOf(definition?.defaultValue) };
  };
  return { first: sourceOf('first'), last: sourceOf('last') };
}

function literalOf(value: ValueNode | undefined): number | null {
  return value?.kind === Kind.INT ? Number(value.value) : null;
}

/**
 * The most calls that the costliest operation of a document can take with these variables, whatever the upstream answers. A page
 * of a rejected size takes none.
 */
export function mostCalls(pages: CalledPages, variables: Variables, bounds: CalledPageBounds): number {
  const callsOf = ({ first, last }: CalledPage) =>
    countPageCalls({ first: resolve(first, variables), last: resolve(last, variables) }, bounds);
  const calls = Math.max(0, ...pages.map((each) => each.reduce((sum, page) => sum + callsOf(page), 0)));
  return calls === 0 ? 0 : calls + maxSpareCalls;
}

function resolve(source: SizeSource, variables: Variables): number | null {
  if (source === null || typeof source === 'number') return source;
  const sent = readVariable(variables, source.variable);
  if (sent === undefined) return source.fallback;
  return typeof sent === 'number' ? sent : null;
}

/** Calls that one full page takes; 0 when its size is rejected or not a number. */
export function countPageCalls(
  { first, last }: { readonly first?: number | null | undefined; readonly last?: number | null | undefined },
  { defaultSize, maxSize }: Pick<CalledPageBounds, 'defaultSize' | 'maxSize'>,
): number {
  if (first != null && last != null) return 0;
  const size = last ?? first ?? Math.min(defaultSize, maxSize);
  return Number.isSafeInteger(size) && size >= 0 && size <= maxSize ? Math.ceil(size / itemsPerCall) : 0;
}
