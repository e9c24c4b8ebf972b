import {
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { isIncluded } from './collect-fields.ts';
import { reservedAliasPrefix } from './reserved-alias-rule.ts';

export interface AnsweredOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Coerced. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A place in an answer, and the fields of the client's document that asked for it. */
export interface AnswerPlace {
  readonly path: readonly (string | number)[];
  readonly nodes: readonly FieldNode[];
  /** Sort key: compared number by number, ranks order places as they follow one another in the answer. */
  readonly rank: readonly number[];
}

/** Fields selected at one place, by their keys in the answer, in its order. */
type Level = ReadonlyMap<string, Selected>;

interface Selected {
  readonly index: number;
  readonly nodes: FieldNode[];
  /** What is selected of the field's value; `null` for a leaf. */
  readonly type: GraphQLCompositeType | null;
}

/** Finds places of an answer in the document that asked for it; `null` for one that it does not ask for. */
export function createFindPlace(
  answered: AnsweredOperation,
): (path: readonly (string | number)[]) => AnswerPlace | null {
  const { schema, operation } = answered;
  const levels = new Map<string, Level>();
  const levelOf = (at: string, sets: readonly SelectionSetNode[], type: GraphQLCompositeType | null): Level => {
    const known = levels.get(at);
    if (known) return known;
    const made = type ? selectLevel(sets, type, answered) : new Map();
    levels.set(at, made);
    return made;
  };

  return (path) => {
    const rank: number[] = [];
    let at = '';
    let nodes: readonly FieldNode[] = [];
    let sets: readonly SelectionSetNode[] = [operation.selectionSet];
    let type: GraphQLCompositeType | null = schema.getRootType(operation.operation) ?? null;
    for (const [depth, key] of path.entries()) {
      if (typeof key === 'number') {
        rank.push(key);
        continue;
      }
      const level = levelOf(at, sets, type);
      const selected = level.get(key);
      if (!selected) return toJoinPlace(path.slice(0, depth), key, level, rank);
      rank.push(selected.index);
      at = `${at}.${key}`;
      ({ nodes, type } = selected);
      sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    }
    return nodes.length > 0 ? { path, nodes, rank } : null;
  };
}

/** The field of the join that a key belongs to. Errors in the key are reported there: the client did not ask for the key. */
function toJoinPlace(
  above: readonly (string | number)[],
  key: string,
  level: Level,
  rank: readonly number[],
): AnswerPlace | null {
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
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode, type: GraphQLCompositeType): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        add(level, selection, type);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD && spread.has(selection.name.value)) continue;
      if (selection.kind === Kind.FRAGMENT_SPREAD) spread.add(selection.name.value);
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type;
      if (fragment && isCompositeType(condition) && doTypesOverlap(schema, on, condition)) {
        collect(fragment.selectionSet, condition);
      }
    }
  };
  for (const each of sets) collect(each, on);
  return level;
}

/** Fields with one key are the same field, unless they are of different types; then the answer's object has only one. */
function add(level: Map<string, Selected>, node: FieldNode, parent: GraphQLCompositeType): void {
  const key = (node.alias ?? node.name).value;
  const known = level.get(key);
  if (known) {
    if (known.nodes[0]?.name.value === node.name.value) known.nodes.push(node);
    return;
  }
  const field = isUnionType(parent) ? undefined : parent.getFields()[node.name.value];
  const type = field && getNamedType(field.type);
  level.set(key, { index: level.size, nodes: [node], type: isCompositeType(type) ? type : null });
}
