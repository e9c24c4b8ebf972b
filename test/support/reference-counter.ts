import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getLocation,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql';
import { expect } from 'vitest';

export interface ReferenceLimits {
  readonly maxQueryDepth: number;
  readonly maxQueryNodes: number;
  readonly maxOutputNodes: number;
  readonly maxQueryPayloadSize: number;
  readonly maxTransactionPayloadSize: number;
  readonly defaultPageSize: number;
}

export interface ReferenceAnswer {
  readonly usage: {
    inputNodes: number;
    outputNodes: number;
    depth: number;
    variables: number;
    fragments: number;
    queryPayload: number;
  } | null;
  readonly refusal: ReferenceRefusal | null;
}

export interface ReferenceRefusal {
  readonly message: string;
  /** `line:column`, or `null`. */
  readonly at: string | null;
  readonly limit: { name: string; max: number; actual: number } | null;
}

/** One use of a selection, with fragments inlined. */
interface Use {
  readonly selection: SelectionNode;
  readonly below: readonly Use[];
}

const u32 = 4294967295n;
const u64 = 18446744073709551615n;
const clamp = (count: bigint): number => Number(count > 9007199254740991n ? 9007199254740991n : count);

/**
 * The counting rules taken literally: inlines all fragments, then counts recursively with exact integers. Slow and plain on
 * purpose, because the real counter is compared with it.
 */
export function referenceCount(
  document: DocumentNode,
  text: string,
  variables: Readonly<Record<string, unknown>>,
  limits: ReferenceLimits,
): ReferenceAnswer {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const definitions = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  for (const definition of definitions) fragments[definition.name.value] = definition;
  const payload = Buffer.from(text).length;

  const refuse = (message: string, node?: SelectionNode | DirectiveNode, limit?: ReferenceRefusal['limit']) => {
    const place = node?.loc ? getLocation(node.loc.source, node.loc.start) : null;
    return { message, at: place && `${place.line}:${place.column}`, limit: limit ?? null };
  };

  // Selection sets, values and fragments may nest 32 deep in themselves.
  const isDeep =
    document.definitions.some((each) => 'selectionSet' in each && literalHeight(each.selectionSet) > 32) ||
    operations.some((operation) => isHigherThan(operation.selectionSet, fragments, 32)) ||
    hasDeepValue(document);
  if (isDeep) {
    // The exact depth is not counted here.
    const limit = { name: 'maxNesting', max: 32, actual: expect.any(Number) };
    return {
      usage: null,
      refusal: refuse('The recursion depth of the query cannot be greater than `32`', undefined, limit),
    };
  }

  const directives: DirectiveNode[] = [];
  visit(document, { Directive: (node) => void directives.push(node) });
  const odd = directives.find(({ name }) => name.value !== 'skip' && name.value !== 'include');
  if (odd) {
    const message = `Directive \`@${odd.name.value}\` is not supported. Supported directives are \`@include\`, \`@skip\``;
    return { usage: null, refusal: refuse(message, odd) };
  }

  const writeOut = (set: SelectionSetNode | undefined): Use[] =>
    (set?.selections ?? []).map((selection) => ({
      selection,
      below: writeOut(
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments[selection.name.value]?.selectionSet
          : selection.selectionSet,
      ),
    }));
  const trees = operations.map((operation) => writeOut(operation.selectionSet));
  const nodes = trees.reduce((sum, tree) => sum + size(tree), 0);
  const depth = Math.max(0, ...trees.map(height));

  const [tree = []] = trees;
  const isExempt =
    trees.length === 1 &&
    tree.length === 1 &&
    tree[0]?.selection.kind === Kind.FIELD &&
    tree[0].selection.name.value === '__schema';

  // Page sizes and counts.
  let overflows = false;
  const pageSize = (use: Use): bigint => {
    const given = use.selection.kind === Kind.FIELD ? (use.selection.arguments ?? []) : [];
    const sizes = ['first', 'last'].flatMap((name) => {
      const value = given.find((each) => each.name.value === name)?.value;
      const number = wholeNumber(value, variables);
      return number === null ? [] : [number];
    });
    const items = sizes.length === 0 ? BigInt(limits.defaultPageSize) : sizes.reduce((a, b) => (a > b ? a : b));
    if (items > u32) overflows = true;
    return items;
  };
  const count = (use: Use, multiplicity: bigint, page: bigint | null): bigint => {
    if (use.selection.kind !== Kind.FIELD) {
      return use.below.reduce((sum, each) => sum + count(each, multiplicity, page), 0n);
    }
    let inside = multiplicity;
    if (page !== null && isEdgesOrNodes(use)) inside = multiplicity * page;
    if (inside > u32) overflows = true;
    const own = hasEdgesOrNodes(use.below) ? pageSize(use) : null;
    return use.below.reduce((sum, each) => sum + count(each, inside, own), multiplicity);
  };
  const output = trees.flat().reduce((sum, use) => sum + count(use, 1n, null), 0n);
  const usage = {
    inputNodes: clamp(BigInt(nodes)),
    outputNodes: overflows ? Number.MAX_SAFE_INTEGER : clamp(output),
    depth,
    variables: Object.keys(variables).length,
    fragments: definitions.length,
    queryPayload: payload,
  };

  const firstOver = (): ReferenceRefusal | null => {
    if (isExempt) {
      const extra = inLevels(tree)[2000];
      const limit = { name: 'maxQueryNodes', max: 2000, actual: nodes };
      return extra ? refuse('Query has over 2000 nodes', extra.selection, limit) : overPayload();
    }
    for (const uses of trees) {
      for (const { selection } of inLevels(uses)) {
        if (selection.kind === Kind.FRAGMENT_SPREAD && !fragments[selection.name.value]) {
          return refuse(`Fragment ${selection.name.value} referred to but not found in document`, selection);
        }
      }
    }
    let left = limits.maxQueryNodes;
    for (const uses of trees) {
      let level: readonly Use[] = uses;
      for (let number = 1; level.length > 0; number += 1) {
        if (number > limits.maxQueryDepth) {
          const limit = { name: 'maxQueryDepth', max: limits.maxQueryDepth, actual: depth };
          return refuse(`Query nesting is over ${limits.maxQueryDepth}`, level[0]?.selection, limit);
        }
        const extra = level[left];
        if (extra) {
          const limit = { name: 'maxQueryNodes', max: limits.maxQueryNodes, actual: nodes };
          return refuse(`Query has over ${limits.maxQueryNodes} nodes`, extra.selection, limit);
        }
        left -= level.length;
        level = level.flatMap(({ below }) => below);
      }
    }
    return overPayload() ?? overOutput();
  };

  function overPayload(): ReferenceRefusal | null {
    const used = new Set<string>();
    const inText = new Map<ValueNode, number>();
    let transaction = 0;
    for (const use of trees.flat().flatMap(fieldsOf)) {
      if (use.selection.kind !== Kind.FIELD) continue;
      if (!/^(executeTx|executeTransactionBlock|dryRunTransactionBlock)$/.test(use.selection.name.value)) continue;
      for (const { value } of use.selection.arguments ?? []) {
        const literal = bytesOfLiteral(value, used);
        transaction += literal;
        inText.set(value, literal);
      }
    }
    for (const name of used) transaction += bytesOfValue(Object.entries(variables).find(([key]) => key === name)?.[1]);
    const { maxTransactionPayloadSize, maxQueryPayloadSize } = limits;
    const rest =
      `Requests are limited to ${maxTransactionPayloadSize} bytes or fewer on transaction payloads (all inputs to ` +
      'executeTx, executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) ' +
      `must be ${maxQueryPayloadSize} bytes or fewer.`;
    if (transaction > maxTransactionPayloadSize) {
      const limit = { name: 'maxTransactionPayloadSize', max: maxTransactionPayloadSize, actual: transaction };
      return refuse(`Transaction payload too large. ${rest}`, undefined, limit);
    }
    const part = payload - [...inText.values()].reduce((sum, bytes) => sum + bytes, 0);
    if (part <= maxQueryPayloadSize) return null;
    const limit = { name: 'maxQueryPayloadSize', max: maxQueryPayloadSize, actual: part };
    return refuse(`Query part too large: ${part} bytes. ${rest}`, undefined, limit);
  }

  function overOutput(): ReferenceRefusal | null {
    if (usage.outputNodes <= limits.maxOutputNodes) return null;
    const limit = { name: 'maxOutputNodes', max: limits.maxOutputNodes, actual: usage.outputNodes };
    return refuse(`Estimated output nodes exceeds ${limits.maxOutputNodes}`, undefined, limit);
  }

  return { usage, refusal: firstOver() };
}

/** Weights of IOTA's fields that do not cost one and what they select. */
const weights: Readonly<Record<string, (below: bigint, page: bigint) => bigint>> = {
  'Query.events': (below, page) => page * below,
  'Query.transactionBlocks': (below, page) => page * below,
  'Checkpoint.transactionBlocks': (below, page) => page * below,
  'Epoch.transactionBlocks': (below, page) => page * below,
  'TransactionBlockEffects.events': (below, page) => page * below,
  'Event.transactionBlock': (below) => 20n * (1n + below),
};
const passed =
  /^(Event\.(sendingModule|sender)|TransactionBlock\.(sender|gasInput|kind|effects|expiration)|TransactionBlockEffects\.(transactionBlock|dependencies|checkpoint))$/;
const free =
  /^(Event\.timestamp|TransactionBlock\.(digest|signatures|bcs|indexedOnNode)|TransactionBlockEffects\.(status|lamportVersion|errors|gasEffects|unchangedSharedObjects|objectChanges|balanceChanges|timestamp|epoch|bcs)|Checkpoint\.(digest|sequenceNumber|timestamp|validatorSignatures|previousCheckpointDigest|networkTotalTransactions|rollingGasSummary))$/;

/** The sum that IOTA limits to 6,000, with all fragments written out. For valid documents. */
export function referenceComplexity(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  const sum = (set: SelectionSetNode | undefined, type: GraphQLNamedType, operation: OperationDefinitionNode): bigint =>
    (set?.selections ?? []).reduce((total, selection) => total + price(selection, type, operation), 0n);
  const price = (selection: SelectionNode, type: GraphQLNamedType, operation: OperationDefinitionNode): bigint => {
    if (selection.kind !== Kind.FIELD) {
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const on = fragment?.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type;
      return sum(fragment?.selectionSet, on ?? type, operation);
    }
    const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
    const returns = fields[selection.name.value]?.type;
    const below = returns ? sum(selection.selectionSet, getNamedType(returns), operation) : 0n;
    const coordinate = isObjectType(type) ? `${type.name}.${selection.name.value}` : '';
    if (free.test(coordinate)) return 0n;
    if (passed.test(coordinate)) return below;
    const [first, last] = ['first', 'last'].map((name) => {
      const value = selection.arguments?.find((each) => each.name.value === name)?.value;
      if (value?.kind === Kind.INT) return BigInt(value.value);
      if (value?.kind !== Kind.VARIABLE) return null;
      const { defaultValue } =
        operation.variableDefinitions?.find((each) => each.variable.name.value === value.name.value) ?? {};
      const declared = defaultValue?.kind === Kind.INT ? Number(defaultValue.value) : null;
      const sent = variables[value.name.value] ?? declared;
      return typeof sent === 'number' ? BigInt(sent) : null;
    });
    // The ledger rejects both at once later.
    const larger = first != null && last != null && last > first ? last : first;
    return weights[coordinate]?.(below, larger ?? last ?? 20n) ?? 1n + below;
  };
  const total = document.definitions.reduce((all, each) => {
    const root = each.kind === Kind.OPERATION_DEFINITION ? schema.getRootType(each.operation) : null;
    return root && each.kind === Kind.OPERATION_DEFINITION ? all + sum(each.selectionSet, root, each) : all;
  }, 0n);
  return clamp(total);
}

const size = (uses: readonly Use[]): number => uses.reduce((sum, { below }) => sum + 1 + size(below), 0);
const height = (uses: readonly Use[]): number => Math.max(0, ...uses.map(({ below }) => 1 + height(below)));

function inLevels(uses: readonly Use[]): Use[] {
  return uses.length === 0 ? [] : [...uses, ...inLevels(uses.flatMap(({ below }) => below))];
}

/** Fields of a selection set, through fragments. */
function fieldsOf(use: Use): Use[] {
  return use.selection.kind === Kind.FIELD ? [use] : use.below.flatMap(fieldsOf);
}

const isEdgesOrNodes = ({ selection }: Use): boolean =>
  selection.kind === Kind.FIELD && ['edges', 'nodes'].includes(selection.name.value);
const hasEdgesOrNodes = (uses: readonly Use[]): boolean => uses.flatMap(fieldsOf).some(isEdgesOrNodes);

function wholeNumber(value: ValueNode | undefined, variables: Readonly<Record<string, unknown>>): bigint | null {
  if (value?.kind === Kind.INT) {
    const number = BigInt(value.value);
    return value.value[0] === '-' || number > u64 ? null : number;
  }
  if (value?.kind !== Kind.VARIABLE) return null;
  const sent = Object.entries(variables).find(([name]) => name === value.name.value)?.[1];
  if (typeof sent !== 'number' || Math.floor(sent) !== sent || sent < 0 || 1 / sent < 0) return null;
  return BigInt(sent) > u64 ? null : BigInt(sent);
}

function literalHeight(set: SelectionSetNode): number {
  const heights = set.selections.map((each) =>
    each.kind !== Kind.FRAGMENT_SPREAD && each.selectionSet ? 1 + literalHeight(each.selectionSet) : 0,
  );
  return Math.max(...heights);
}

/** Level by level; the same selection set twice on a level counts once. */
function isHigherThan(top: SelectionSetNode, fragments: Record<string, FragmentDefinitionNode>, most: number): boolean {
  let level = new Set([top]);
  for (let deep = 0; deep <= most; deep += 1) {
    const below = [...level].flatMap(({ selections }) =>
      selections.map((each) =>
        each.kind === Kind.FRAGMENT_SPREAD ? fragments[each.name.value]?.selectionSet : each.selectionSet,
      ),
    );
    level = new Set(below.filter((each) => each !== undefined));
  }
  return level.size > 0;
}

function hasDeepValue(document: DocumentNode): boolean {
  let deep = 0;
  let deepest = 0;
  const list = {
    enter: () => {
      deep += 1;
      deepest = Math.max(deepest, deep);
    },
    leave: () => {
      deep -= 1;
    },
  };
  visit(document, { ListValue: list, ObjectValue: list });
  return deepest > 32;
}

function bytesOfLiteral(value: ValueNode, used: Set<string>): number {
  if (value.kind === Kind.VARIABLE) used.add(value.name.value);
  if (value.kind === Kind.STRING) return Buffer.from(value.value).length + 2;
  if (value.kind !== Kind.LIST) return 0;
  const commas = value.values.length > 1 ? value.values.length - 1 : 0;
  return value.values.reduce((sum, each) => sum + bytesOfLiteral(each, used), 2 + commas);
}

function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return Buffer.from(value).length + 2;
  if (!Array.isArray(value)) return 0;
  const commas = value.length > 1 ? value.length - 1 : 0;
  return value.reduce((sum: number, each) => sum + bytesOfValue(each), 2 + commas);
}
