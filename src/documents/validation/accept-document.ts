import {
  type ArgumentNode,
  assertValidSchema,
  DirectiveLocation,
  type DirectiveNode,
  type DocumentNode,
  doTypesOverlap,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isTypeSubTypeOf,
  isUnionType,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type SelectionNode,
  typeFromAST,
  type ValidationRule,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql';
import { type ExecutableDocument, type Fragments, responseKey } from '../selections.ts';
import { findOverlaps } from './overlapping-fields.ts';
import { ReservedAliasRule, type ValidationOptions } from './validate-document.ts';

/** Additional rules that every accepted document obeys, because none with introspection or `__` aliases is accepted. */
const impliedRules: ReadonlySet<ValidationRule> = new Set([ReservedAliasRule, NoSchemaIntrospectionCustomRule]);

/** Selections nested deeper are left to graphql-js; no ledger takes them. Fragments count as nested where they are spread. */
const maxDepth = 64;
/** Far below the point at which graphql-js gives up on documents whose operations use fragments many times over. */
const maxFragmentWork = 5_000;

/**
 * Is the document certainly valid? Checks in a single walk what the specification's rules check one by one, in a few per cent
 * of their time. The comments name the sections of the specification's chapter on validation.
 * @returns `false` if something is wrong or unusual: `validateDocument` then decides
 */
export function acceptDocument(
  document: DocumentNode,
  executable: ExecutableDocument,
  { schema, rules }: Pick<ValidationOptions, 'schema' | 'rules'>,
): boolean {
  const { operations, fragmentDefinitions, fragments } = executable;
  assertValidSchema(schema);
  if (!rules.every((rule) => impliedRules.has(rule))) return false;
  // Executable Definitions
  if (document.definitions.length !== operations.length + fragmentDefinitions.length) return false;
  // Fragment Name Uniqueness
  if (fragments.size !== fragmentDefinitions.length) return false;
  const walk: Walk = { schema, fragments, walked: new Map(), repeats: false };
  const names = new Set<string>();
  let work = 0;
  for (const operation of operations) {
    // Lone Anonymous Operation
    if (operations.length > 1 && !operation.name) return false;
    if (operation.name) names.add(operation.name.value);
    const walked = walkOperation(operation, walk);
    if (!walked) return false;
    const used = usedBy(walked);
    for (const { usages, spreads } of used) work += 1 + usages.length + spreads.length;
    if (work > maxFragmentWork || !fitVariables(operation, used, schema)) return false;
  }
  // Operation Name Uniqueness
  if (operations.length > 1 && names.size !== operations.length) return false;
  // Fragments Must Be Used
  if (walk.walked.size !== fragmentDefinitions.length) return false;
  // Field Selection Merging
  return !walk.repeats || findOverlaps(schema, executable).areAlike;
}

interface Walk {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  /** The fragments that were reached; `null` while one is walked. */
  readonly walked: Map<string, WalkedFragment | null>;
  /** Some response key occurs twice in one object, so its fields must be compared. */
  repeats: boolean;
}

/** What an operation or fragment uses, to be checked against the variables of operations. */
interface Walked {
  readonly usages: VariableUsage[];
  readonly spreads: WalkedFragment[];
}

interface WalkedFragment extends Walked {
  readonly type: GraphQLCompositeType;
  /** Response keys at its top, including those of the fragments spread there. */
  readonly keys: ReadonlySet<string>;
}

/** A position that takes a value: an argument, or a field of an input object. */
interface InputPosition {
  readonly type: GraphQLInputType;
  readonly hasDefault: boolean;
  /** The position is in an input object that takes exactly one field (`@oneOf`). */
  readonly isOneOf: boolean;
}

interface VariableUsage extends InputPosition {
  readonly name: string;
}

function walkOperation(operation: OperationDefinitionNode, walk: Walk): Walked | null {
  // Subscriptions have rules of their own (Single Root Field), which this walk does not check.
  if (operation.operation === 'subscription' || hasDirectives(operation)) return null;
  const root = walk.schema.getRootType(operation.operation);
  if (!root) return null;
  const found: Walked = { usages: [], spreads: [] };
  return walkSelections(operation.selectionSet.selections, root, new Set(), 1, found, walk) ? found : null;
}

/** @returns `null` if the fragment is not certainly valid, or contains itself */
function walkFragment(name: string, depth: number, walk: Walk): WalkedFragment | null {
  const known = walk.walked.get(name);
  // Fragment Spreads Must Not Form Cycles: it is `null` while the fragment is walked.
  if (known !== undefined) return known;
  // Fragment Spread Target Defined, Fragment Spread Type Existence, Fragments on Object, Interface or Union Types
  const definition = walk.fragments.get(name);
  const type = definition && walk.schema.getType(definition.typeCondition.name.value);
  if (!isCompositeType(type) || !definition) return null;
  if (hasDirectives(definition) || definition.variableDefinitions?.length) return null;
  walk.walked.set(name, null);
  const keys = new Set<string>();
  const fragment: WalkedFragment = { usages: [], spreads: [], type, keys };
  if (!walkSelections(definition.selectionSet.selections, type, keys, depth, fragment, walk)) return null;
  walk.walked.set(name, fragment);
  return fragment;
}

/** @param keys response keys of the object so far; the keys of these selections are added */
function walkSelections(
  selections: readonly SelectionNode[],
  type: GraphQLCompositeType,
  keys: Set<string>,
  depth: number,
  found: Walked,
  walk: Walk,
): boolean {
  if (depth > maxDepth) return false;
  const { schema } = walk;
  for (const selection of selections) {
    if (selection.directives?.length && !areDirectivesFit(selection.directives, found, schema)) return false;
    if (selection.kind === Kind.FIELD) {
      // The names that the gateway and introspection reserve
      if (selection.alias?.value.startsWith('__')) return false;
      addKey(responseKey(selection), keys, walk);
      if (!walkField(selection, type, depth, found, walk)) return false;
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const { typeCondition, selectionSet } = selection;
      const narrowed = typeCondition ? schema.getType(typeCondition.name.value) : type;
      // Fragment Spread Is Possible
      if (!isCompositeType(narrowed) || !doTypesOverlap(schema, narrowed, type)) return false;
      if (!walkSelections(selectionSet.selections, narrowed, keys, depth + 1, found, walk)) return false;
    } else {
      const fragment = walkFragment(selection.name.value, depth + 1, walk);
      if (!fragment || !doTypesOverlap(schema, fragment.type, type)) return false;
      found.spreads.push(fragment);
      for (const key of fragment.keys) addKey(key, keys, walk);
    }
  }
  return true;
}

function walkField(node: FieldNode, parent: GraphQLCompositeType, depth: number, found: Walked, walk: Walk): boolean {
  const { name, arguments: given = [], selectionSet } = node;
  if (name.value === '__typename') return given.length === 0 && !selectionSet;
  // Field Selections
  const field = isUnionType(parent) ? undefined : parent.getFields()[name.value];
  if (!field || !areGivenFit(given, field.args, false, found)) return false;
  // Leaf Field Selections
  const below = getNamedType(field.type);
  if (below.name.startsWith('__')) return false;
  if (!isCompositeType(below)) return !selectionSet;
  return !!selectionSet && walkSelections(selectionSet.selections, below, new Set(), depth + 1, found, walk);
}

function addKey(key: string, keys: Set<string>, walk: Walk): void {
  if (keys.has(key)) walk.repeats = true;
  else keys.add(key);
}

function hasDirectives({ directives }: { readonly directives?: readonly DirectiveNode[] | undefined }): boolean {
  return directives !== undefined && directives.length > 0;
}

const selectionLocations = [
  DirectiveLocation.FIELD,
  DirectiveLocation.FRAGMENT_SPREAD,
  DirectiveLocation.INLINE_FRAGMENT,
];

/** Are the directives of a selection `@include` and `@skip`, once each? */
function areDirectivesFit(directives: readonly DirectiveNode[], found: Walked, schema: GraphQLSchema): boolean {
  const [first, second, third] = directives;
  // Directives Are Unique Per Location
  if (third || first?.name.value === second?.name.value) return false;
  return directives.every(({ name, arguments: given = [] }) => {
    // Directives Are Defined, Directives Are In Valid Locations
    const definition = /^(?:include|skip)$/.test(name.value) ? schema.getDirective(name.value) : undefined;
    if (!definition || !selectionLocations.every((each) => definition.locations.includes(each))) return false;
    return areGivenFit(given, definition.args, false, found);
  });
}

/** Argument Names, Argument Uniqueness, Required Arguments; the same for the fields of an input object. */
function areGivenFit(
  given: readonly (ArgumentNode | ObjectFieldNode)[],
  definitions: readonly (GraphQLArgument | GraphQLInputField)[],
  isOneOf: boolean,
  found: Walked,
): boolean {
  // This bounds the search for duplicates below, which takes quadratic time.
  if (given.length > definitions.length) return false;
  for (const [index, { name, value }] of given.entries()) {
    const definition = definitions.find((each) => each.name === name.value);
    if (!definition || given.findIndex((each) => each.name.value === name.value) !== index) return false;
    const { type, defaultValue } = definition;
    if (!isValueFit(value, { type, hasDefault: defaultValue !== undefined, isOneOf }, found)) return false;
  }
  return definitions.every(
    ({ name, type, defaultValue }) =>
      defaultValue !== undefined || !isNonNullType(type) || given.some((each) => each.name.value === name),
  );
}

/** Values of Correct Type; Input Object Field Names, Uniqueness and Required Fields */
function isValueFit(value: ValueNode, position: InputPosition, found: Walked): boolean {
  const { type, isOneOf } = position;
  if (value.kind === Kind.VARIABLE) return found.usages.push({ name: value.name.value, ...position }) > 0;
  if (value.kind === Kind.NULL) return !isNonNullType(type) && !isOneOf;
  const nullable = isNonNullType(type) ? type.ofType : type;
  if (isListType(nullable)) {
    const item = { type: nullable.ofType, hasDefault: false, isOneOf: false };
    return value.kind === Kind.LIST
      ? value.values.every((each) => isValueFit(each, item, found))
      : isValueFit(value, item, found);
  }
  if (!isInputObjectType(nullable)) return isLiteralFit(value, nullable);
  if (value.kind !== Kind.OBJECT || (nullable.isOneOf && value.fields.length !== 1)) return false;
  return areGivenFit(value.fields, Object.values(nullable.getFields()), nullable.isOneOf, found);
}

function isLiteralFit(literal: ValueNode, type: GraphQLLeafType): boolean {
  // Whether a scalar takes an object or a list may depend on its content: leave it to graphql-js.
  if (literal.kind === Kind.OBJECT || literal.kind === Kind.LIST) return false;
  // `parseLiteral` of an enum would search for similar names to suggest.
  if (isEnumType(type)) return literal.kind === Kind.ENUM && type.getValue(literal.value) !== undefined;
  try {
    return type.parseLiteral(literal) !== undefined;
  } catch {
    return false;
  }
}

/** An operation and the fragments that it spreads, directly or not. */
function usedBy(operation: Walked): ReadonlySet<Walked> {
  const used = new Set<Walked>([operation]);
  // Iterating a set also visits what is added meanwhile.
  for (const { spreads } of used) for (const fragment of spreads) used.add(fragment);
  return used;
}

function fitVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  used: ReadonlySet<Walked>,
  schema: GraphQLSchema,
): boolean {
  const declared = new Map<string, DeclaredVariable>();
  for (const definition of variableDefinitions) {
    const variable = toDeclared(definition, schema);
    if (!variable) return false;
    declared.set(definition.variable.name.value, variable);
  }
  // Variable Uniqueness
  if (declared.size !== variableDefinitions.length) return false;
  const unused = new Set(declared.keys());
  for (const { usages } of used) {
    for (const usage of usages) {
      // All Variable Uses Defined
      const variable = declared.get(usage.name);
      if (!variable || !isAllowedAt(variable, usage, schema)) return false;
      unused.delete(usage.name);
    }
  }
  // All Variables Used
  return unused.size === 0;
}

interface DeclaredVariable {
  readonly type: GraphQLInputType;
  readonly hasNonNullDefault: boolean;
}

/** Variables Are Input Types. @returns `null` if the declaration is not certainly valid */
function toDeclared(definition: VariableDefinitionNode, schema: GraphQLSchema): DeclaredVariable | null {
  const { defaultValue } = definition;
  const type = typeFromAST(schema, definition.type);
  if (!isInputType(type) || hasDirectives(definition)) return null;
  const position = { type, hasDefault: false, isOneOf: false };
  if (defaultValue && !isValueFit(defaultValue, position, { usages: [], spreads: [] })) return null;
  return { type, hasNonNullDefault: defaultValue !== undefined && defaultValue.kind !== Kind.NULL };
}

/** All Variable Usages Are Allowed */
function isAllowedAt(
  { type, hasNonNullDefault }: DeclaredVariable,
  position: InputPosition,
  schema: GraphQLSchema,
): boolean {
  if (isNonNullType(type)) return isTypeSubTypeOf(schema, type, position.type);
  if (position.isOneOf) return false;
  if (!isNonNullType(position.type)) return isTypeSubTypeOf(schema, type, position.type);
  return (position.hasDefault || hasNonNullDefault) && isTypeSubTypeOf(schema, type, position.type.ofType);
}
