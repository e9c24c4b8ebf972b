import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isListType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { AnswerShape, KeyProof, ShapeKey } from './answer-shape.ts';
import type { FieldRule, ImmutableFields, Proof } from './immutable-fields.ts';

/** A selection whose answer never changes, if the needed arguments are given and the answer has this shape. */
export interface ImmutableSelection {
  /** The shape that an answer must have to be kept. */
  readonly shape: AnswerShape;
  /** Fields that are immutable only with certain arguments. */
  readonly asking: readonly AskingField[];
  /** Root keys that identify the network. An answer with any of them is kept only for a short time. */
  readonly networkKeys: readonly string[];
}

export interface AskingField {
  readonly field: FieldNode;
  readonly given: NonNullable<FieldRule['given']>;
}

export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly table: ImmutableFields;
}

/** Larger selections are not worth the time: a fragment is walked again at each place that spreads it. */
const maxSteps = 2_000;

/** A selection set, the type it selects on, and how much of what it selects on is fixed. */
interface Selected {
  readonly set: SelectionSetNode;
  readonly type: GraphQLCompositeType;
  readonly isNameOnly: boolean;
  /** Does it apply to every object at its place? */
  readonly isCertain: boolean;
}

/** One place in a document where a field is asked for. */
interface Occurrence {
  readonly node: FieldNode;
  readonly rule: FieldRule;
  readonly isCertain: boolean;
  /** `null` for an object. */
  readonly kind: Exclude<ShapeKey['kind'], AnswerShape> | null;
  /** What is selected below; `null` for a scalar. */
  readonly below: Selected | null;
}

const typeName: FieldRule = {};

/**
 * Checks whether everything that a query selects is immutable by the table; `null` if anything may change. Fields that `@skip`
 * and `@include` may leave out count too.
 * @param set of an operation that is valid on the schema
 */
export function toImmutableSelection(set: SelectionSetNode, scope: SelectionScope): ImmutableSelection | null {
  const type = scope.schema.getQueryType();
  if (!type) return null;
  const walk = new Walk(scope);
  const shape = walk.toShape([{ set, type, isNameOnly: false, isCertain: true }]);
  if (!walk.isImmutable) return null;
  return { shape, asking: [...walk.asking.values()], networkKeys: [...walk.networkKeys] };
}

class Walk {
  readonly asking = new Map<FieldNode, AskingField>();
  readonly networkKeys = new Set<string>();
  /** Nothing was found so far that may change. */
  isImmutable = true;
  readonly #scope: SelectionScope;
  #steps = 0;

  constructor(scope: SelectionScope) {
    this.#scope = scope;
  }

  toShape(selected: readonly Selected[]): AnswerShape {
    const occurrences = selected.flatMap((each) => this.#flatten(each.set.selections, each, each.isCertain));
    const keys = new Map<string, ShapeKey>();
    const proofs = new Map<Proof, KeyProof>();
    for (const [key, same] of groupByKey(occurrences)) {
      // If the key is selected only once, every object under it comes from that selection.
      const isOnly = same.length === 1;
      const below = same.flatMap((each) => (each.below ? { ...each.below, isCertain: isOnly || each.isCertain } : []));
      const kind = same[0]?.kind ?? this.#below(below, same);
      keys.set(key, { isCertain: same.some(({ isCertain }) => isCertain), kind });
    }
    for (const { rule } of occurrences) {
      if (rule.showsBeside) proofs.set(rule.showsBeside, this.#toKeyProof(rule.showsBeside, occurrences));
    }
    return { keys, proofs: [...proofs.values()] };
  }

  /** The shape below one key, with the proofs that the rules of the key itself need there. */
  #below(below: readonly Selected[], same: readonly Occurrence[]): AnswerShape {
    const shape = this.toShape(below);
    const wanted = new Set(same.flatMap(({ rule }) => (rule.showsBelow ? [rule.showsBelow] : [])));
    if (wanted.size === 0) return shape;
    const within = below.flatMap((each) => this.#flatten(each.set.selections, each, each.isCertain));
    return {
      keys: shape.keys,
      proofs: [...shape.proofs, ...[...wanted].map((each) => this.#toKeyProof(each, within))],
    };
  }

  /** Translates a proof from field names to response keys. If no path of it is selected, nothing can be proven. */
  #toKeyProof(proof: Proof, within: readonly Occurrence[]): KeyProof {
    const paths = proof.flatMap((path) => this.#toKeyPaths(path, within));
    if (paths.length === 0) this.isImmutable = false;
    return paths;
  }

  #toKeyPaths([field, ...rest]: readonly string[], within: readonly Occurrence[]): string[][] {
    const found = within.filter(({ node }) => node.name.value === field);
    if (rest.length === 0) return found.map(({ node }) => [keyOf(node)]);
    return found.flatMap(({ node, below }) => {
      const inner = below ? this.#flatten(below.set.selections, below, true) : [];
      return this.#toKeyPaths(rest, inner).map((path) => [keyOf(node), ...path]);
    });
  }

  #flatten(selections: readonly SelectionNode[], on: Selected, isCertain: boolean): Occurrence[] {
    return selections.flatMap((selection) => {
      this.#steps += 1;
      if (this.#steps > maxSteps) this.isImmutable = false;
      if (!this.isImmutable) return [];
      const isAlways = isCertain && !selection.directives?.length;
      if (selection.kind === Kind.FIELD) return this.#toOccurrence(selection, on, isAlways);
      const { schema, fragments } = this.#scope;
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (!fragment) return [];
      const { typeCondition, selectionSet } = fragment;
      const type = typeCondition ? schema.getType(typeCondition.name.value) : on.type;
      if (!isCompositeType(type)) return [];
      return this.#flatten(selectionSet.selections, { ...on, type }, isAlways && includes(schema, type, on.type));
    });
  }

  #toOccurrence(node: FieldNode, on: Selected, isCertain: boolean): Occurrence[] {
    const rule = this.#ruleOf(node, on);
    if (!rule) {
      this.isImmutable = false;
      return [];
    }
    if (rule.given) this.asking.set(node, { field: node, given: rule.given });
    if (rule.isOfNetwork) this.networkKeys.add(keyOf(node));
    const field = 'getFields' in on.type ? on.type.getFields()[node.name.value] : undefined;
    const type = getNamedType((field ?? TypeNameMetaFieldDef).type);
    if (isCompositeType(type) && node.selectionSet) {
      const isNameOnly = on.isNameOnly || rule.leadsTo === 'name';
      return [{ node, rule, isCertain, kind: null, below: { set: node.selectionSet, type, isNameOnly, isCertain } }];
    }
    return [{ node, rule, isCertain, kind: toKind((field ?? TypeNameMetaFieldDef).type), below: null }];
  }

  /** `undefined` if the field may change. */
  #ruleOf({ name, arguments: given = [] }: FieldNode, { type, isNameOnly }: Selected): FieldRule | undefined {
    if (name.value === TypeNameMetaFieldDef.name) return typeName;
    const { table } = this.#scope;
    const rules = (isNameOnly ? table.names : table.fields)[type.name];
    const rule = rules && Object.hasOwn(rules, name.value) ? rules[name.value] : undefined;
    return given.every((each) => rule?.arguments?.includes(each.name.value)) ? rule : undefined;
  }
}

function groupByKey(occurrences: readonly Occurrence[]): Map<string, Occurrence[]> {
  const groups = new Map<string, Occurrence[]>();
  for (const each of occurrences) {
    const group = groups.get(keyOf(each.node));
    if (group) group.push(each);
    else groups.set(keyOf(each.node), [each]);
  }
  return groups;
}

function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

function toKind(type: GraphQLOutputType): Occurrence['kind'] {
  const named = getNamedType(type);
  if (isEnumType(named) || isSpecifiedScalarType(named)) return 'plain';
  return isListType(getNullableType(type)) ? 'any items' : 'any';
}

/** Is every object of type `narrow` also one of type `wide`? */
function includes(schema: GraphQLSchema, wide: GraphQLCompositeType, narrow: GraphQLCompositeType): boolean {
  if (wide.name === narrow.name) return true;
  return isAbstractType(wide) && !isUnionType(narrow) && schema.isSubType(wide, narrow);
}
