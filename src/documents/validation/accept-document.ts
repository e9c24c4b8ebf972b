import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type TypeNode,
  type ValidationRule,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { ExecutableDocument } from '../selections.ts';
import { findOverlaps } from './overlapping-fields.ts';
import { ReservedAliasRule } from './own-rules.ts';
import {
  type CompositeTable,
  type InputPlace,
  type PlacesTable,
  type SchemaTables,
  schemaTables,
} from './schema-tables.ts';
import type { ValidationOptions } from './validate-document.ts';

/** Further rules that an accepted document always keeps, because none that introspects or uses `__` aliases is accepted. */
const impliedRules: ReadonlySet<ValidationRule> = new Set([ReservedAliasRule, NoSchemaIntrospectionCustomRule]);

/** Selections nested deeper are left to graphql-js; no ledger takes them. Fragments count as nested where they are spread. */
const maxDepth = 64;
/** Far below the point at which graphql-js gives up on documents whose operations use fragments many times over. */
const maxFragmentWork = 5_000;

/**
 * Is the document certainly valid? Answers by a single walk, in a few per cent of the time that the specification's rules
 * take one by one.
 * @param executable of the document
 * @returns `false` if something is wrong or unusual: `validateDocument` then decides
 */
export function acceptDocument(
  document: DocumentNode,
  executable: ExecutableDocument,
  { schema, rules }: Pick<ValidationOptions, 'schema' | 'rules'>,
): boolean {
  const { operations, fragmentDefinitions, fragments } = executable;
  if (!rules.every((rule) => impliedRules.has(rule))) return false;
  if (document.definitions.length !== operations.length + fragmentDefinitions.length) return false;
  if (fragments.size !== fragmentDefinitions.length) return false;
  const walk: Walk = { tables: schemaTables(schema), fragments, walked: new Map(), repeats: false };
  const names = new Set<string>();
  let work = 0;
  for (const operation of operations) {
    if (operations.length > 1 && !operation.name) return false;
    if (operation.name) names.add(operation.name.value);
    const walked = walkOperation(operation, walk);
    if (!walked) return false;
    const used = usedBy(walked);
    for (const { usages, spreads } of used) work += 1 + usages.length + spreads.length;
    if (work > maxFragmentWork || !fitVariables(operation, used, walk)) return false;
  }
  if (operations.length > 1 && names.size !== operations.length) return false;
  if (walk.walked.size !== fragmentDefinitions.length) return false;
  if (walk.repeats && !findOverlaps(schema, executable).areAlike) return false;
  return true;
}

interface Walk {
  readonly tables: SchemaTables;
  readonly fragments: ExecutableDocument['fragments'];
  /** The fragments that were reached; `null` while one is walked. */
  readonly walked: Map<string, WalkedFragment | null>;
  /** Some response name occurs twice in one place, so its fields must be compared. */
  repeats: boolean;
}

/** What was found in an operation or fragment and must be checked against the variables of operations. */
interface Walked {
  readonly usages: Usage[];
  readonly spreads: WalkedFragment[];
}

interface WalkedFragment extends Walked {
  readonly type: CompositeTable;
  /** Response names at its top, those of the fragments spread there among them. */
  readonly names: ReadonlySet<string>;
}

/** A variable where a value can be given. */
interface Usage {
  readonly name: string;
  readonly place: InputPlace;
}

function walkOperation(operation: OperationDefinitionNode, walk: Walk): Walked | null {
  // The specification has a rule about the root fields of subscriptions, which this walk does not check.
  if (operation.operation === 'subscription' || hasDirectives(operation)) return null;
  const root = walk.tables.rootOf(operation.operation);
  if (!root) return null;
  const found: Walked = { usages: [], spreads: [] };
  return walkSelections(operation.selectionSet.selections, root, new Set(), 1, found, walk) ? found : null;
}

/** @returns `null` if the fragment is not certainly valid, or contains itself */
function walkFragment(name: string, depth: number, walk: Walk): WalkedFragment | null {
  const known = walk.walked.get(name);
  if (known !== undefined) return known;
  const definition: FragmentDefinitionNode | undefined = walk.fragments.get(name);
  const type = definition && walk.tables.compositeOf(definition.typeCondition.name.value);
  if (!type || hasDirectives(definition) || definition.variableDefinitions?.length) return null;
  walk.walked.set(name, null);
  const names = new Set<string>();
  const fragment: WalkedFragment = { usages: [], spreads: [], type, names };
  if (!walkSelections(definition.selectionSet.selections, type, names, depth, fragment, walk)) return null;
  walk.walked.set(name, fragment);
  return fragment;
}

/** @param names response names at this place of the answer; receives those of these selections */
function walkSelections(
  selections: readonly SelectionNode[],
  type: CompositeTable,
  names: Set<string>,
  depth: number,
  found: Walked,
  walk: Walk,
): boolean {
  if (depth > maxDepth) return false;
  const fields = type.fields();
  for (const selection of selections) {
    if (selection.directives?.length && !areDirectivesFit(selection.directives, found, walk)) return false;
    if (selection.kind === Kind.FIELD) {
      const field = fields.get(selection.name.value);
      if (!field || !isKeyFree(selection, names, walk)) return false;
      if (!areGivenFit(selection.arguments ?? [], field, found)) return false;
      const below = selection.selectionSet?.selections;
      if (below === undefined ? field.below !== null : field.below === null) return false;
      if (below && field.below && !walkSelections(below, field.below, new Set(), depth + 1, found, walk)) return false;
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const { typeCondition, selectionSet } = selection;
      const narrowed = typeCondition ? walk.tables.compositeOf(typeCondition.name.value) : type;
      if (!narrowed?.overlaps(type)) return false;
      if (!walkSelections(selectionSet.selections, narrowed, names, depth + 1, found, walk)) return false;
    } else {
      const fragment = walkFragment(selection.name.value, depth + 1, walk);
      if (!fragment?.type.overlaps(type)) return false;
      found.spreads.push(fragment);
      for (const name of fragment.names) addName(name, names, walk);
    }
  }
  return true;
}

/** Is the response name one that clients may use? */
function isKeyFree({ alias, name }: FieldNode, names: Set<string>, walk: Walk): boolean {
  if (alias?.value.startsWith('__')) return false;
  addName((alias ?? name).value, names, walk);
  return true;
}

function addName(name: string, names: Set<string>, walk: Walk): void {
  if (names.has(name)) walk.repeats = true;
  else names.add(name);
}

function hasDirectives({ directives }: { readonly directives?: readonly DirectiveNode[] | undefined }): boolean {
  return directives !== undefined && directives.length > 0;
}

function areDirectivesFit(directives: readonly DirectiveNode[], found: Walked, { tables }: Walk): boolean {
  const [first, second, third] = directives;
  if (third || first?.name.value === second?.name.value) return false;
  return directives.every(({ name, arguments: given = [] }) => {
    const table = tables.directives.get(name.value);
    return table !== undefined && areGivenFit(given, table, found);
  });
}

/** Are arguments or the fields of an input object known, given once, of the right types, and none missing? */
function areGivenFit(
  given: readonly (ArgumentNode | ObjectFieldNode)[],
  { places, required }: PlacesTable,
  found: Walked,
): boolean {
  // This bounds the search for duplicates below, which takes quadratic time.
  if (given.length > places.size) return false;
  let missing = required;
  let index = 0;
  for (const { name, value } of given) {
    const place = places.get(name.value);
    if (!place || !isValueFit(value, place, found)) return false;
    for (let before = 0; before < index; before += 1) if (given[before]?.name.value === name.value) return false;
    if (place.isNonNull && !place.hasDefault) missing -= 1;
    index += 1;
  }
  return missing === 0;
}

function isValueFit(value: ValueNode, place: InputPlace, found: Walked): boolean {
  switch (value.kind) {
    case Kind.VARIABLE:
      found.usages.push({ name: value.name.value, place });
      return true;
    case Kind.NULL:
      return !place.isNonNull && !place.isOneOf;
    case Kind.LIST: {
      const { item } = place;
      return item !== null && value.values.every((each) => isValueFit(each, item, found));
    }
    case Kind.OBJECT: {
      const fields = place.named.fields();
      if (!fields || (place.named.isOneOf && value.fields.length !== 1)) return false;
      return areGivenFit(value.fields, fields, found);
    }
    default:
      return place.named.accepts(value);
  }
}

/** An operation and the fragments that it spreads, directly or not. */
function usedBy(operation: Walked): ReadonlySet<Walked> {
  const used = new Set<Walked>([operation]);
  // Iterating a set also visits what is added meanwhile.
  for (const { spreads } of used) for (const fragment of spreads) used.add(fragment);
  return used;
}

/** Are the variables of an operation declared once, each used, and only where their types fit? */
function fitVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  used: ReadonlySet<Walked>,
  walk: Walk,
): boolean {
  const declared = new Map<string, VariableDefinitionNode>();
  for (const definition of variableDefinitions) {
    if (!isDeclarationFit(definition, walk)) return false;
    declared.set(definition.variable.name.value, definition);
  }
  if (declared.size !== variableDefinitions.length) return false;
  const unused = new Set(declared.keys());
  for (const { usages } of used) {
    for (const { name, place } of usages) {
      const definition = declared.get(name);
      if (!definition || !isAllowedAt(definition, place)) return false;
      unused.delete(name);
    }
  }
  return unused.size === 0;
}

function isDeclarationFit(definition: VariableDefinitionNode, { tables }: Walk): boolean {
  const { type, defaultValue } = definition;
  if (hasDirectives(definition)) return false;
  if (!defaultValue) return tables.inputOf(nameOf(type)) !== undefined;
  const place = toPlace(type, tables);
  return place !== null && isValueFit(defaultValue, place, { usages: [], spreads: [] });
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

/** `null` if the schema has no such type, or it is not an input type. */
function toPlace(type: TypeNode, tables: SchemaTables): InputPlace | null {
  const isNonNull = type.kind === Kind.NON_NULL_TYPE;
  const nullable = isNonNull ? type.type : type;
  const rest = { isNonNull, hasDefault: false, isOneOf: false };
  if (nullable.kind === Kind.LIST_TYPE) {
    const item = toPlace(nullable.type, tables);
    return item && { ...rest, item, named: item.named };
  }
  const named = tables.inputOf(nullable.name.value);
  return named ? { ...rest, item: null, named } : null;
}

/** May a variable that is declared like this stand here? */
function isAllowedAt({ type, defaultValue }: VariableDefinitionNode, place: InputPlace): boolean {
  if (type.kind === Kind.NON_NULL_TYPE) return isWithin(type.type, place);
  if (place.isOneOf) return false;
  const isNeverNull = place.hasDefault || (defaultValue !== undefined && defaultValue.kind !== Kind.NULL);
  return (!place.isNonNull || isNeverNull) && isWithin(type, place);
}

/** Does the place take every value of the type except `null`? */
function isWithin(type: TypeNode, { item, named }: InputPlace): boolean {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (nullable.kind === Kind.NAMED_TYPE) return item === null && nullable.name.value === named.name;
  if (item === null) return false;
  return (!item.isNonNull || nullable.type.kind === Kind.NON_NULL_TYPE) && isWithin(nullable.type, item);
}
