import {
  type ASTNode,
  doTypesOverlap,
  type ExecutionResult,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, isIncluded, responseKey, walkFields } from '../documents/selections.ts';
import { reservedAliasPrefix } from '../documents/validation/validate-document.ts';
import { lightError } from '../errors/light-error.ts';
import { limitErrors } from '../errors/reported-errors.ts';

/**
 * Gives errors the same form in every plan: located at the fields of the client's text that requested the failed value.
 * @param isOrdered sorts them by position in the response, those without one last. Needed if fields are executed concurrently,
 * since chance decides which of them fails first
 */
export function settleErrors(
  result: ExecutionResult,
  answered: AnsweredOperation,
  isOrdered: boolean,
): ExecutionResult {
  const { data, errors, ...rest } = result;
  if (!errors || data === undefined) return result;
  const findPosition = createFindPosition(answered);
  const toLocated = (error: GraphQLError) => {
    const found = error.path ? findPosition(error.path) : null;
    return { error: found ? locate(error, found, answered) : error, rank: found?.rank ?? null };
  };
  const located = errors.map(toLocated);
  if (isOrdered) located.sort((one, other) => compareRanks(one.rank, other.rank));
  return { data, errors: limitErrors(located.map(({ error }) => error)), ...rest };
}

function locate(error: GraphQLError, { nodes, path }: AnswerPosition, { operation }: AnsweredOperation): GraphQLError {
  const { message, extensions, originalError = null } = error;
  const source = operation.loc?.source;
  // Keep a location within the field, such as an argument: it says more.
  const isNearer =
    error.nodes?.every(({ kind, loc }) => kind !== Kind.FIELD && loc !== undefined && loc.source === source) ?? false;
  const shown = isNearer ? (error.nodes ?? []) : nodes;
  if (path === error.path && areSame(shown, error.nodes ?? [])) return error;
  return lightError(message, { nodes: shown, path, extensions, originalError });
}

function areSame(some: readonly ASTNode[], others: readonly ASTNode[]): boolean {
  return some.length === others.length && some.every((node, index) => node === others[index]);
}

export interface AnsweredOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The coerced variables. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A position in a response, and the fields of the client's document that requested it. */
export interface AnswerPosition {
  readonly path: readonly (string | number)[];
  readonly nodes: readonly FieldNode[];
  /** Sort key: compared number by number, ranks order positions as in the response. */
  readonly rank: readonly number[];
}

/** Fields of one object by response key, in the order of the response. */
type Level = ReadonlyMap<string, Selected>;

interface Selected {
  readonly index: number;
  readonly nodes: FieldNode[];
  /** Type of the field's value; `null` for a leaf. */
  readonly type: GraphQLCompositeType | null;
  /** The fields below; `null` until they are needed. */
  below: Level | null;
}

/** Finds positions of a response in the document; `null` for a position that the document does not request. */
export function createFindPosition(
  answered: AnsweredOperation,
): (path: readonly (string | number)[]) => AnswerPosition | null {
  const { schema, operation } = answered;
  const rootType = schema.getRootType(operation.operation);
  const root: Level = rootType ? selectLevel([operation.selectionSet], rootType, answered) : new Map();
  const levelBelow = (selected: Selected): Level => {
    const { nodes, type } = selected;
    const sets = () => nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    selected.below ??= type ? selectLevel(sets(), type, answered) : new Map();
    return selected.below;
  };

  return (path) => {
    const rank: number[] = [];
    let selected: Selected | null = null;
    for (let depth = 0; depth < path.length; depth += 1) {
      const key = path[depth] as string | number;
      if (typeof key === 'number') {
        rank.push(key);
        continue;
      }
      const level: Level = selected ? levelBelow(selected) : root;
      const next = level.get(key);
      if (!next) return toJoinPosition(path.slice(0, depth), key, level, rank);
      rank.push(next.index);
      selected = next;
    }
    return selected ? { path, nodes: selected.nodes, rank } : null;
  };
}

/** Positions without a rank come last. */
export function compareRanks(one: readonly number[] | null, other: readonly number[] | null): number {
  if (!one || !other) return Number(one === null) - Number(other === null);
  for (let index = 0; index < one.length; index += 1) {
    const difference = (one[index] ?? -1) - (other[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/**
 * The field of the join that a key belongs to. Errors in the key are reported there, since the client did not select the key.
 */
function toJoinPosition(
  above: readonly (string | number)[],
  key: string,
  level: Level,
  rank: readonly number[],
): AnswerPosition | null {
  if (!key.startsWith(reservedAliasPrefix)) return null;
  const name = key.slice(key.indexOf('_', reservedAliasPrefix.length) + 1);
  for (const [shown, { nodes, index }] of level) {
    if (nodes[0]?.name.value === name) return { path: [...above, shown], nodes, rank: [...rank, index] };
  }
  return null;
}

function selectLevel(
  sets: readonly SelectionSetNode[],
  on: GraphQLCompositeType,
  { schema, fragments, variables }: AnsweredOperation,
): Level {
  const level = new Map<string, Selected>();
  const parts = sets.map((selectionSet) => ({ selectionSet, on }));
  walkFields(parts, fragments, {
    onField: (node, type) => add(level, node, type),
    isIncluded: (selection) => isIncluded(selection, variables),
    enter: ({ typeCondition }, type) => {
      const condition = typeCondition ? schema.getType(typeCondition.name.value) : type;
      return isCompositeType(condition) && doTypesOverlap(schema, on, condition) ? condition : null;
    },
  });
  return level;
}

/** Fields with one key are the same field, unless they are on different types; the object then has only one. */
function add(level: Map<string, Selected>, node: FieldNode, parent: GraphQLCompositeType): void {
  const key = responseKey(node);
  const known = level.get(key);
  if (known) {
    if (known.nodes[0]?.name.value === node.name.value) known.nodes.push(node);
    return;
  }
  const field = isUnionType(parent) ? undefined : parent.getFields()[node.name.value];
  const type = field && getNamedType(field.type);
  level.set(key, { index: level.size, nodes: [node], type: isCompositeType(type) ? type : null, below: null });
}
