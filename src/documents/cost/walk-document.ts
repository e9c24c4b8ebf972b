import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { ExecutableDocument, Occurrence } from '../selections.ts';
import {
  type Factor,
  Factors,
  type LimitRules,
  type PageSize,
  timesOf,
  toListSize,
  toPageSize,
  toTypeSize,
  type Variables,
} from './usage.ts';

/** A selection where it occurs, with what multiplies it there. */
export interface CountedOccurrence extends Occurrence {
  readonly parent: CountedOccurrence | null;
  /** The objects that the selection is on. */
  readonly within: Objects;
  /** The type that the selection is on; `null` if it is unknown, or not needed. */
  readonly on: GraphQLNamedType | null;
  /** For ledgers that count by type: further nodes of a field, one for each item of its page, or for each key. */
  readonly items: Factor | null;
  /** The objects that a field returns; `null` for a leaf, a fragment or an operation. */
  readonly below: Objects | null;
  /** Size of the list of keys, or of the page that the field holds if `below` has `edges` or `nodes`. */
  readonly size: PageSize | null;
}

/** The objects in one position of the response. */
interface Objects {
  readonly times: Factor;
  /** Size of the page in their `edges` and `nodes`; `null`: they have none. */
  readonly page: PageSize | null;
  /** How often the selections below `edges` and `nodes` occur; `null` until one of the two is selected. */
  rows: Factor | null;
  readonly isRoot: boolean;
  /** Given for the objects of a federation gateway: their representations, and how often the field itself occurs. */
  readonly entities: { readonly representations: ValueNode | undefined; readonly times: Factor } | null;
}

/** How a ledger counts. */
export interface CountingRules {
  readonly rules: LimitRules;
  /** Needed for ledgers that count by type or by weights. */
  readonly schema: GraphQLSchema | null;
  /** Root fields with pages of the gateway, which has its own limits for them. */
  readonly calledFields?: ReadonlySet<string> | undefined;
}

/**
 * Every operation and selection of a document where it occurs, in the order of the text, with fragments inlined.
 * @param max fragments within fragments expand without bound: the walk ends after this many
 */
export function walkDocument(
  document: Pick<ExecutableDocument, 'operations' | 'fragments'>,
  { rules, schema, calledFields }: CountingRules,
  max: number,
): { readonly occurrences: readonly CountedOccurrence[]; readonly factors: Factors } {
  const isByType = rules.connections === 'type' && schema !== null;
  const occurrences: CountedOccurrence[] = [];
  const factors = new Factors();
  for (const node of document.operations) {
    const within = toObjects(factors.once, null, true);
    const on = schema?.getRootType(node.operation) ?? null;
    const operation = { node, parent: null, level: 0, within, on, items: null, below: null, size: null };
    occurrences.push(operation);
    walk(node.selectionSet, operation, within, on);
  }
  return { occurrences, factors };

  function walk(
    selectionSet: SelectionSetNode | undefined,
    parent: CountedOccurrence,
    within: Objects,
    on: GraphQLNamedType | null,
  ): void {
    const level = parent.level + 1;
    for (const node of selectionSet?.selections ?? []) {
      if (occurrences.length >= max) return;
      if (node.kind === Kind.FIELD) {
        const type = schema && typeOf(on, node);
        const { items, below, size } = measureField(node, within, on, type);
        const occurrence = { node, parent, level, within, on, items, below, size };
        within.times.nodes += 1;
        if (items) items.nodes += 1;
        occurrences.push(occurrence);
        if (below) walk(node.selectionSet, occurrence, below, type);
        continue;
      }
      const occurrence = { node, parent, level, within, on, items: null, below: null, size: null };
      occurrences.push(occurrence);
      if (isWithinItself(occurrence)) continue;
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? document.fragments.get(node.name.value) : node;
      const condition = fragment?.typeCondition?.name.value;
      const type = condition === undefined ? on : (schema?.getType(condition) ?? null);
      walk(fragment?.selectionSet, occurrence, toNarrowed(within, condition), type);
    }
  }

  function measureField(field: FieldNode, within: Objects, on: GraphQLNamedType | null, type: GraphQLNamedType | null) {
    const isRow = isRows(field) && (!isByType || isConnection(on));
    const times = isRow ? rowsOf(within) : within.times;
    const items = isRow && isByType ? times : null;
    if (!field.selectionSet) return { items, below: null, size: null };
    const representations = field.arguments?.[0]?.value;
    const isOfEntities = field.name.value === '_entities';
    const keys = isByType ? keysOf(field) : null;
    const list = isOfEntities ? toListSize(representations) : keys && toListSize(keys, rules.maxMultiGetKeys);
    if (!list) {
      const size = pageOf(field, on, type);
      return { items, below: toObjects(times, size), size };
    }
    const entities = isOfEntities ? { representations, times: within.times } : null;
    const below = toObjects(factors.below(within.times, list), null, false, entities);
    // Each key of a list is a node of its own. A variable may hold one key without a list, which is none.
    return { items: keys && factors.below(within.times, toListSize(keys, null, 0)), below, size: list };
  }

  function rowsOf(within: Objects): Factor {
    if (!within.page) return within.times;
    within.rows ??= factors.below(within.times, within.page);
    return within.rows;
  }

  function pageOf(field: FieldNode, on: GraphQLNamedType | null, type: GraphQLNamedType | null): PageSize | null {
    if (!isByType) return toPageSize(field.arguments);
    if (!isConnection(type)) return null;
    const isCalled = calledFields?.has(field.name.value) && on === schema?.getQueryType();
    const { pageSizes } = rules;
    const bounds = isCalled ? null : (pageSizes[`${on?.name}.${field.name.value}`] ?? pageSizes['*']);
    return toPageSize(field.arguments, bounds);
  }

  /** The objects that a fragment applies to: of those of a federation gateway only the ones of its type. */
  function toNarrowed(within: Objects, condition: string | undefined): Objects {
    const { entities } = within;
    if (!entities || condition === undefined || condition === '_Entity') return within;
    return toObjects(factors.below(entities.times, toTypeSize(entities.representations, condition)), null);
  }
}

function toObjects(
  times: Factor,
  page: PageSize | null,
  isRoot = false,
  entities: Objects['entities'] = null,
): Objects {
  return { times, page, rows: null, isRoot, entities };
}

/** Does the field hold the items of a connection? Decided by its name, not its alias. */
export function isRows(field: FieldNode): boolean {
  return field.name.value === 'edges' || field.name.value === 'nodes';
}

function isConnection(type: GraphQLNamedType | null): boolean {
  return type?.name.endsWith('Connection') ?? false;
}

/** The keys of a field that gets several objects; `null` for another field, or without a list of keys. */
function keysOf(field: FieldNode): ValueNode | null {
  if (!field.name.value.startsWith('multiGet')) return null;
  const keys = field.arguments?.find(({ name }) => name.value === 'keys')?.value;
  return keys?.kind === Kind.LIST || keys?.kind === Kind.VARIABLE ? keys : null;
}

function typeOf(parent: GraphQLNamedType | null, field: FieldNode): GraphQLNamedType | null {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return null;
  const found = parent.getFields()[field.name.value];
  return found ? getNamedType(found.type) : null;
}

/** Is it a spread of a fragment within that fragment? */
function isWithinItself({ node, parent }: Occurrence): boolean {
  if (node.kind !== Kind.FRAGMENT_SPREAD) return false;
  for (let above = parent; above; above = above.parent)
    if (above.node.kind === Kind.FRAGMENT_SPREAD && above.node.name.value === node.name.value) return true;
  return false;
}

/** Output nodes of a selection where it occurs; those of all selections add up to the document's. */
export function costOf(
  { node, within, items }: CountedOccurrence,
  variables: Variables,
  defaultPageSize: number,
): number {
  if (node.kind !== Kind.FIELD) return 0;
  const own = timesOf(within.times, variables, defaultPageSize);
  return items ? own + timesOf(items, variables, defaultPageSize) : own;
}
