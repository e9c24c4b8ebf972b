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
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { isObject } from '../../json/exact-json.ts';
import type { FieldRule, ImmutableFields, Proof, RequiredArgument } from './immutable-fields.ts';

/** The form that one object of the response must have for the response to be cached. */
export interface AnswerShape {
  /** The allowed members of the object, by response key. */
  readonly keys: ReadonlyMap<string, ShapeKey>;
  /** For each entry, at least one of its paths must be in the response. */
  readonly proofs: readonly KeyProof[];
}

interface ShapeKey {
  /** Does every object at this position have this key? */
  readonly isCertain: boolean;
  /**
   * `plain`: built-in scalars and enums, lists of them included; `any`: a scalar of the schema, which may be any JSON except
   * `null`; `any items`: a list of those.
   */
  readonly kind: 'plain' | 'any' | 'any items' | AnswerShape;
}

/** Paths of response keys; any one of them proves that the data is final. */
type KeyProof = readonly (readonly string[])[];

/**
 * Is the response complete and final? It must have every selected key, no other keys, no `null`, and the fields that prove it
 * final.
 * @param data parsed JSON
 */
export function hasShape(data: unknown, shape: AnswerShape): boolean {
  if (!isObject(data)) return false;
  for (const [key, { isCertain }] of shape.keys) if (isCertain && !Object.hasOwn(data, key)) return false;
  for (const key of Object.keys(data)) {
    const asked = shape.keys.get(key);
    if (!asked || !isKnown(data[key], asked.kind)) return false;
  }
  return shape.proofs.every((proof) => proof.some((path) => shows(data, path)));
}

function isKnown(value: unknown, kind: ShapeKey['kind']): boolean {
  if (value === null || value === undefined) return false;
  if (kind === 'any') return true;
  if (kind === 'any items') return Array.isArray(value) && value.every((item) => item !== null);
  if (Array.isArray(value)) return !isUnproven(value, kind) && value.every((item) => isKnown(item, kind));
  return kind === 'plain' ? typeof value !== 'object' : hasShape(value, kind);
}

/** An empty list proves nothing, because its items may not be indexed yet. */
function isUnproven(list: readonly unknown[], kind: ShapeKey['kind']): boolean {
  return list.length === 0 && typeof kind === 'object' && kind.proofs.length > 0;
}

/** Is the path in the data? Need not check for `null`: `isKnown` rejects it under every key. */
function shows(data: unknown, path: readonly string[]): boolean {
  let at = data;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return true;
}

/** Number of keys in a shape, at all levels; at least one. */
export function countKeys({ keys }: AnswerShape): number {
  let count = 1;
  for (const { kind } of keys.values()) count += typeof kind === 'object' ? countKeys(kind) : 1;
  return count;
}

type Variables = Readonly<Record<string, unknown>>;

export interface ReadTree {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** An operation whose response never changes, if its variables give the needed arguments and the response has this shape. */
export interface ImmutableSelection {
  readonly shape: AnswerShape;
  /** Do the variables of a request give the arguments that make the fields immutable? Keeps no reference to the tree. */
  readonly isGiven: (sent: Variables) => boolean;
  /** Root keys that identify the network. A response with any of them is cached for a short time only. */
  readonly networkKeys: readonly string[];
}

/** Larger selections take too long: a fragment is walked at each spread. */
const maxSteps = 2_000;
/**
 * Maximum of fields with needed arguments, of root keys that identify the network, and of variables. They are stored with the
 * document, whose memory estimate ignores them.
 */
const maxConditions = 50;

/**
 * Checks whether everything that a query selects is immutable by the table; `null` if anything may change. Fields with `@skip`
 * or `@include` count as selected.
 * @param tree valid on the schema
 */
export function toImmutableSelection(
  schema: GraphQLSchema,
  { operation, fragments }: ReadTree,
  table: ImmutableFields,
): ImmutableSelection | null {
  const type = schema.getQueryType();
  if (!type || operation.operation !== 'query') return null;
  const walk = new Walk(schema, fragments, table);
  const shape = walk.toShape([{ set: operation.selectionSet, type, isNameOnly: false, isCertain: true }]);
  const { isImmutable, required, networkKeys } = walk;
  const counts = [required.size, networkKeys.size, operation.variableDefinitions?.length ?? 0];
  if (!isImmutable || Math.max(...counts) > maxConditions) return null;
  return { shape, isGiven: createHasRequiredArguments(required, operation), networkKeys: [...networkKeys] };
}

/** A selection set, and what is known about the objects that it selects on. */
interface Selected {
  readonly set: SelectionSetNode;
  readonly type: GraphQLCompositeType;
  /** Are only the fields immutable that identify the object? */
  readonly isNameOnly: boolean;
  /** Does the selection set apply to every object at its position? */
  readonly isCertain: boolean;
}

/** One position in a document where a field is selected. */
interface Occurrence {
  readonly node: FieldNode;
  readonly key: string;
  readonly rule: FieldRule;
  readonly isCertain: boolean;
  /** Kind of the field's value; `null` for an object. */
  readonly kind: Exclude<ShapeKey['kind'], AnswerShape> | null;
  /** The selections below; `null` for a scalar. */
  readonly below: Selected | null;
}

class Walk {
  /** For each field that is immutable only with certain arguments: the variables any of which may give one, by their text. */
  readonly required = new Map<string, readonly RequiredValue[]>();
  readonly networkKeys = new Set<string>();
  /** `false` once anything was found that may change. */
  isImmutable = true;
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadTree['fragments'];
  readonly #table: ImmutableFields;
  #steps = 0;

  constructor(schema: GraphQLSchema, fragments: ReadTree['fragments'], table: ImmutableFields) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#table = table;
  }

  /** @param wanted proofs that the response must contain here, besides those of the selected fields */
  toShape(selected: readonly Selected[], wanted: readonly Proof[] = []): AnswerShape {
    const occurrences = selected.flatMap((each) => this.#flatten(each.set.selections, each, each.isCertain));
    const keys = new Map<string, ShapeKey>();
    for (const [key, same] of groupByKey(occurrences)) {
      // If the key is selected only once, every object under it comes from that selection.
      const isOnly = same.length === 1;
      const below = same.flatMap((each) => (each.below ? { ...each.below, isCertain: isOnly || each.isCertain } : []));
      const kind = same[0]?.kind ?? this.toShape(below, proofsOf(same, 'showsBelow'));
      keys.set(key, { isCertain: same.some(({ isCertain }) => isCertain), kind });
    }
    const proofs = new Set([...wanted, ...proofsOf(occurrences, 'showsBeside')]);
    return { keys, proofs: [...proofs].map((proof) => this.#toKeyProof(proof, occurrences)) };
  }

  /** Fields of a selection, through fragments. */
  #flatten(selections: readonly SelectionNode[], on: Selected, isCertain: boolean): Occurrence[] {
    return selections.flatMap((selection) => {
      this.#steps += 1;
      if (this.#steps > maxSteps) this.isImmutable = false;
      if (!this.isImmutable) return [];
      const isAlways = isCertain && !selection.directives?.length;
      if (selection.kind === Kind.FIELD) return this.#toOccurrence(selection, on, isAlways);
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition;
      const type = condition ? this.#schema.getType(condition.name.value) : on.type;
      if (!fragment || !isCompositeType(type)) return [];
      const isForAll = isAlways && includes(this.#schema, type, on.type);
      return this.#flatten(fragment.selectionSet.selections, { ...on, type }, isForAll);
    });
  }

  #toOccurrence(node: FieldNode, on: Selected, isCertain: boolean): Occurrence[] {
    const rule = this.#ruleOf(node, on);
    if (!rule || (rule.given && !this.#mayBeGiven(node, rule.given))) {
      this.isImmutable = false;
      return [];
    }
    const key = node.alias?.value ?? node.name.value;
    if (rule.isOfNetwork) this.networkKeys.add(key);
    const field = 'getFields' in on.type ? on.type.getFields()[node.name.value] : undefined;
    const { type: fieldType } = field ?? TypeNameMetaFieldDef;
    const type = getNamedType(fieldType);
    if (!isCompositeType(type) || !node.selectionSet)
      return [{ node, key, rule, isCertain, kind: toKind(fieldType), below: null }];
    const isNameOnly = on.isNameOnly || rule.leadsTo === 'name';
    return [{ node, key, rule, isCertain, kind: null, below: { set: node.selectionSet, type, isNameOnly, isCertain } }];
  }

  /** Does the text give one of the arguments, or may a variable? */
  #mayBeGiven(node: FieldNode, given: readonly RequiredArgument[]): boolean {
    const values = given.map((each) => {
      const argument = node.arguments?.find(({ name }) => name.value === each.argument);
      return toRequiredValue(argument?.value, each);
    });
    if (values.includes(true)) return true;
    const open = values.filter((value) => typeof value === 'object');
    // Copied, because a list that grew holds spare memory for more.
    if (open.length > 0) this.required.set(JSON.stringify(open), open.slice());
    return open.length > 0;
  }

  /** `undefined` if the field may change. */
  #ruleOf({ name, arguments: given = [] }: FieldNode, { type, isNameOnly }: Selected): FieldRule | undefined {
    if (name.value === TypeNameMetaFieldDef.name) return {};
    const rules = (isNameOnly ? this.#table.names : this.#table.fields)[type.name];
    const rule = rules && Object.hasOwn(rules, name.value) ? rules[name.value] : undefined;
    return given.every((each) => rule?.arguments?.includes(each.name.value)) ? rule : undefined;
  }

  /** Translates a proof from field names to response keys. If none of its paths is selected, nothing can be proven. */
  #toKeyProof(proof: Proof, within: readonly Occurrence[]): KeyProof {
    const paths = proof.flatMap((path) => this.#toKeyPaths(path, within));
    if (paths.length === 0) this.isImmutable = false;
    return paths;
  }

  #toKeyPaths([field, ...rest]: readonly string[], within: readonly Occurrence[]): string[][] {
    return within.flatMap(({ node, key, below }) => {
      if (node.name.value !== field) return [];
      if (rest.length === 0) return [[key]];
      const inner = below ? this.#flatten(below.set.selections, below, true) : [];
      return this.#toKeyPaths(rest, inner).map((path) => [key, ...path]);
    });
  }
}

function groupByKey(occurrences: readonly Occurrence[]): Map<string, Occurrence[]> {
  const groups = new Map<string, Occurrence[]>();
  for (const each of occurrences) groups.set(each.key, [...(groups.get(each.key) ?? []), each]);
  return groups;
}

function proofsOf(occurrences: readonly Occurrence[], where: 'showsBelow' | 'showsBeside'): Proof[] {
  return [...new Set(occurrences.flatMap(({ rule }) => (rule[where] ? [rule[where]] : [])))];
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

/** A variable that may give an argument. Plain and small, because it is kept with the document. */
interface RequiredValue {
  readonly variable: string;
  readonly given: RequiredArgument;
}

/** For each field, at least one of its arguments must be given. */
function createHasRequiredArguments(
  required: ReadonlyMap<string, readonly RequiredValue[]>,
  { variableDefinitions = [] }: OperationDefinitionNode,
): (sent: Variables) => boolean {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return toHasRequiredArguments(Object.assign(Object.create(null), Object.fromEntries(defaults)), [
    ...required.values(),
  ]);
}

/** A separate function: closures of one scope keep everything alive that any of them uses. */
function toHasRequiredArguments(
  defaults: Variables,
  fields: readonly (readonly RequiredValue[])[],
): (sent: Variables) => boolean {
  return (sent) => {
    const read = (name: string) => (Object.hasOwn(sent, name) ? sent : defaults)[name];
    return fields.every((requiredValues) =>
      requiredValues.some(({ variable, given }) => isGiven(read(variable), given)),
    );
  };
}

const anything: RequiredArgument = { argument: '' };

/** A boolean if the text decides. */
function toRequiredValue(node: ValueNode | undefined, given: RequiredArgument): RequiredValue | boolean {
  if (!node) return false;
  if (node.kind === Kind.VARIABLE) return { variable: node.name.value, given };
  if (node.kind !== Kind.OBJECT || given.member === undefined) return isGiven(valueFromASTUntyped(node), given);
  return toRequiredValue(node.fields.find(({ name }) => name.value === given.member)?.value, anything);
}

function isGiven(value: unknown, { member, isOrdinaryAddress }: RequiredArgument): boolean {
  if (value === undefined || value === null) return false;
  if (isOrdinaryAddress) return isOrdinary(value);
  if (member === undefined) return true;
  return typeof value === 'object' && Object.hasOwn(value, member) && (value as Variables)[member] != null;
}

/** System packages have small numbers for addresses: at least half of the 32 bytes are zero. */
function isOrdinary(address: unknown): boolean {
  return typeof address === 'string' && /^0x0*[1-9a-f][\da-f]{32,}$/i.test(address);
}
