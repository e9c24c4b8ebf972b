import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { type ExecutableDocument, isSchemaOnly, responseKey, toExecutableDocument, walkLevels } from '../selections.ts';
import { type CalledPages, toCalledPage } from './called-pages.ts';
import { complexityRules, measureComplexity } from './complexity.ts';
import { literalBytes, transactionArguments } from './payload.ts';
import { addCounts, contractRules, maxCount, type OutputCost, type PageSize } from './usage.ts';
import { type CountedOccurrence, type CountingRules, walkDocument } from './walk-document.ts';

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
  /** `maxCount` for a document with so many selections that it is rejected. */
  readonly outputNodes: OutputCost;
  /** Pages whose size is checked before execution. */
  readonly boundedPages: readonly PageSize[];
  /** How many numbers `outputNodes` holds, for estimating its memory. */
  readonly numbers: number;
  /** The document asks for the schema alone: the limits of queries do not apply, and no usage is shown. */
  readonly isExempt: boolean;
  readonly transaction: TransactionPayload;
  readonly calledPages: CalledPages;
  /** The sum of the weights of its fields; `null` if the ledger has no limit on it. */
  readonly complexity: OutputCost | null;
}

/** A document, and everything about its size that its text alone decides. */
export interface MeasuredDocument extends DocumentSize {
  readonly document: DocumentNode;
  readonly executable: ExecutableDocument;
  readonly outlines: ReadonlyMap<Definition, DefinitionOutline>;
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

interface Counting extends CountingRules {
  /** Bytes of the body that carries the text alone, for ledgers that count them. */
  readonly bodyBytes: number;
  /** Documents with more selections are rejected, so nothing else of them is counted. */
  readonly maxNodes?: number | undefined;
  /** Is this root field the gateway's? */
  readonly isOwn?: (operation: OperationDefinitionNode['operation'], name: string) => boolean;
}

/**
 * Selections allowed in a document that is exempt from the limits of queries: the longest introspection has about a hundred. In
 * any other document as many are counted, whatever its limit, so that a rejected one can be explained.
 */
export const maxExemptNodes = 2_000;

/**
 * Measures a parsed document in two steps. The first reads each definition once, so it takes time linear in the text whatever
 * the fragments expand to. It counts what decides whether the document is small enough for the second, which visits each
 * selection where it occurs.
 * @param queryPayload bytes of the text that the document was parsed from
 */
export function measureDocument(
  document: DocumentNode,
  queryPayload: number,
  { rules, schema, calledFields, bodyBytes, maxNodes = 0, isOwn = () => false }: Counting = defaultCounting,
): MeasuredDocument {
  const executable = toExecutableDocument(document);
  const { operations, fragmentDefinitions, fragments } = executable;
  const outlines = new Map([...operations, ...fragmentDefinitions].map((each) => [each, outlineDefinition(each)]));
  const outlined = [...outlines.values()];
  const { nodes, depth } = addUpDefinitions(executable, outlines) ?? { nodes: maxCount, depth: maxCount };
  const isExempt = isSchemaOnly(executable);
  const weights = isExempt || !schema ? null : complexityRules(rules, schema);
  const counting = { rules, schema: weights || rules.connections === 'type' ? schema : null, calledFields };
  const isCounted = nodes <= Math.max(maxNodes, maxExemptNodes);
  const { occurrences, factors } = walkDocument(isCounted ? executable : nothing, counting, Number.POSITIVE_INFINITY);
  const output = isCounted ? factors.toCost() : uncounted;
  const weighed = weights && isCounted ? measureComplexity(occurrences, weights, isOwn) : null;
  const { boundedPages, calledPages, transaction } = foldOccurrences(occurrences, counting);
  const hasUnknown = outlined.some(({ spreads }) => spreads.some(({ name }) => !fragments.has(name)));
  return {
    document,
    executable,
    outlines,
    inputNodes: nodes,
    depth,
    fragments: fragmentDefinitions.length,
    queryPayload,
    bodyBytes,
    outputNodes: output.cost,
    numbers: output.numbers + (weighed?.numbers ?? 0),
    boundedPages,
    calledPages,
    transaction,
    nesting: outlined.reduce((deepest, { nesting }) => Math.max(deepest, nesting), depth - 1),
    isExempt,
    unsupportedDirective: findUnsupported(document, outlines),
    unknownFragment: hasUnknown ? findUnknownFragment(executable) : null,
    complexity: weighed?.cost ?? null,
  };
}

const defaultCounting: Counting = { rules: contractRules, schema: null, bodyBytes: 0 };
const nothing = { operations: [], fragments: new Map() };
const uncounted = { cost: () => maxCount, numbers: 0 };

/** Keeps the numbers without the document, so that a rejected document does not hold its tree in memory. */
export function toSize(measured: MeasuredDocument): DocumentSize {
  const { inputNodes, depth, fragments, queryPayload, bodyBytes, outputNodes, boundedPages, numbers } = measured;
  const { isExempt, transaction, calledPages, complexity } = measured;
  // Here and above, a spread would give each object a hidden class of its own: a tenth of the time that a new text takes.
  return {
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
    complexity,
  };
}

type Definition = OperationDefinitionNode | FragmentDefinitionNode;

/** One operation or fragment as written, without the fragments that it spreads. */
export interface DefinitionOutline {
  /** Number of selections. */
  readonly nodes: number;
  /** Levels of selections. */
  readonly depth: number;
  /** The deepest nesting: of selection sets, or of lists and objects in a value. */
  readonly nesting: number;
  readonly spreads: readonly { readonly name: string; readonly level: number }[];
  /** Names of the variables that it uses, with repetitions. */
  readonly variables: readonly string[];
  /** It has an alias that begins with two underscores, some of which the gateway needs. */
  readonly hasReservedAlias: boolean;
  /** Directives of its selections. */
  readonly directives: readonly (readonly DirectiveNode[])[];
  readonly unsupportedDirective: DirectiveNode | null;
}

const supportedDirectives = new Set(['include', 'skip']);

/** Recurses no deeper than the parser did. */
function outlineDefinition(definition: Definition): DefinitionOutline {
  const spreads: { readonly name: string; readonly level: number }[] = [];
  const variables: string[] = [];
  const directivesOfSelections: (readonly DirectiveNode[])[] = [];
  let nodes = 0;
  let depth = 0;
  let nesting = 0;
  let hasReservedAlias = false;
  let unsupportedDirective: DirectiveNode | null = null;
  if (definition.kind === Kind.OPERATION_DEFINITION) {
    for (const { defaultValue, directives } of definition.variableDefinitions ?? []) {
      if (defaultValue) readValue(defaultValue, 0);
      readDirectives(directives);
    }
  }
  readDirectives(definition.directives);
  readSelections(definition.selectionSet, 1);
  nesting = Math.max(nesting, depth - 1);
  const directives = directivesOfSelections;
  return { nodes, depth, nesting, spreads, variables, hasReservedAlias, directives, unsupportedDirective };

  function readSelections({ selections }: SelectionSetNode, level: number): void {
    depth = Math.max(depth, level);
    nodes += selections.length;
    for (const selection of selections) {
      if (selection.directives && selection.directives.length > 0) {
        directivesOfSelections.push(selection.directives);
        readDirectives(selection.directives);
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) spreads.push({ name: selection.name.value, level });
      else {
        if (selection.kind === Kind.FIELD) {
          if (selection.alias?.value.startsWith('__')) hasReservedAlias = true;
          if (selection.arguments) readArguments(selection.arguments);
        }
        if (selection.selectionSet) readSelections(selection.selectionSet, level + 1);
      }
    }
  }

  function readDirectives(directives: readonly DirectiveNode[] = []): void {
    for (const directive of directives) {
      if (!supportedDirectives.has(directive.name.value)) unsupportedDirective ??= directive;
      if (directive.arguments) readArguments(directive.arguments);
    }
  }

  function readArguments(given: readonly { readonly value: ValueNode }[]): void {
    for (const { value } of given) readValue(value, 0);
  }

  /** @param level lists and objects around the value */
  function readValue(value: ValueNode, level: number): void {
    nesting = Math.max(nesting, level);
    if (value.kind === Kind.VARIABLE) variables.push(value.name.value);
    else if (value.kind === Kind.LIST) {
      nesting = Math.max(nesting, level + 1);
      for (const item of value.values) readValue(item, level + 1);
    } else if (value.kind === Kind.OBJECT) {
      nesting = Math.max(nesting, level + 1);
      for (const field of value.fields) readValue(field.value, level + 1);
    }
  }
}

/** The first unsupported directive in the text. */
function findUnsupported({ definitions }: DocumentNode, outlines: ReadonlyMap<Definition, DefinitionOutline>) {
  const found = definitions.map((each) => outlines.get(each as Definition)?.unsupportedDirective);
  return found.find((each) => each) ?? null;
}

interface Totals {
  readonly nodes: number;
  readonly depth: number;
}

/**
 * Adds up the operations of a document, with fragments counted at every spread, but each added up once.
 * @returns `null` when a fragment that an operation reaches contains itself
 */
function addUpDefinitions(
  { operations, fragments }: ExecutableDocument,
  outlines: ReadonlyMap<Definition, DefinitionOutline>,
): Totals | null {
  /** `null` while a fragment is added up. */
  const known = new Map<Definition, Totals | null>();
  let nodes = 0;
  let depth = 0;
  for (const operation of operations) {
    const totals = addUp(operation);
    if (!totals) return null;
    nodes = addCounts(nodes, totals.nodes);
    depth = Math.max(depth, totals.depth);
  }
  return { nodes, depth };

  function addUp(definition: Definition): Totals | null {
    const before = known.get(definition);
    if (before !== undefined) return before;
    known.set(definition, null);
    const outline = outlines.get(definition) as DefinitionOutline;
    let { nodes: sum, depth: deepest } = outline;
    for (const { name, level } of outline.spreads) {
      const fragment = fragments.get(name);
      if (!fragment) continue;
      const totals = addUp(fragment);
      if (!totals) return null;
      sum = addCounts(sum, totals.nodes);
      deepest = Math.max(deepest, level + totals.depth);
    }
    const totals = { nodes: sum, depth: deepest };
    known.set(definition, totals);
    return totals;
  }
}

/** What the occurrences say about transactions and pages, besides their number. */
function foldOccurrences(
  occurrences: readonly CountedOccurrence[],
  { rules, calledFields }: CountingRules,
): Pick<DocumentSize, 'boundedPages' | 'calledPages' | 'transaction'> {
  const boundedPages = new Set<PageSize>();
  const calledPages: CalledPages[number][] = [];
  const variables = new Set<string>();
  const inlined = new Map<ValueNode, number>();
  let literals = 0;
  let operation: OperationDefinitionNode | null = null;
  let called = new Map<string, CalledPages[number][number]>();
  for (const { node, within, size } of occurrences) {
    if (size && size.max !== null) boundedPages.add(size);
    if (node.kind === Kind.OPERATION_DEFINITION) {
      operation = node;
      called = new Map();
    }
    if (node.kind !== Kind.FIELD || !within.isRoot) continue;
    for (const value of transactionArguments(node, rules)) {
      const bytes = literalBytes(value, variables, rules);
      literals = addCounts(literals, bytes);
      inlined.set(value, bytes);
    }
    if (operation && calledFields?.has(node.name.value)) {
      // Fields with one response key count once.
      if (called.size === 0) calledPages.push([]);
      called.set(responseKey(node), toCalledPage(node, operation));
      calledPages[calledPages.length - 1] = [...called.values()];
    }
  }
  const inlinedBytes = [...inlined.values()].reduce(addCounts, 0);
  const transaction = { literalBytes: literals, inlinedBytes, variables: [...variables] };
  return { boundedPages: [...boundedPages], calledPages, transaction };
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
