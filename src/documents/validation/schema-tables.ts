import {
  assertValidSchema,
  DirectiveLocation,
  doTypesOverlap,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isUnionType,
  Kind,
  type OperationTypeNode,
  type ValueNode,
} from 'graphql';

/**
 * A schema in the form that a walk through a document needs: everything is found by name. Kept with the schema; each type is
 * prepared when it is first asked for.
 */
export interface SchemaTables {
  readonly rootOf: (operation: OperationTypeNode) => CompositeTable | undefined;
  /** An object, interface or union type. */
  readonly compositeOf: (name: string) => CompositeTable | undefined;
  /** A scalar, enum or input object type. */
  readonly inputOf: (name: string) => InputTable | undefined;
  /** `@include` and `@skip`, if the schema allows them on fields and all fragments. */
  readonly directives: ReadonlyMap<string, PlacesTable>;
}

export interface CompositeTable {
  /** Its fields and `__typename`, without those of introspection. */
  readonly fields: () => ReadonlyMap<string, FieldTable>;
  /** Can an object be of both types? */
  readonly overlaps: (other: CompositeTable) => boolean;
}

export interface FieldTable extends PlacesTable {
  /** The type that needs a selection set; `null` for a leaf. */
  readonly below: CompositeTable | null;
}

/** Where values can be given by name: arguments, or the fields of an input object. */
export interface PlacesTable {
  readonly places: ReadonlyMap<string, InputPlace>;
  /** How many of them have to be given. */
  readonly required: number;
}

/** Where a value can be given, with its type. */
export interface InputPlace {
  readonly isNonNull: boolean;
  /** The items of a list; `null` if the type is not a list. */
  readonly item: InputPlace | null;
  /** The type inside all lists. */
  readonly named: InputTable;
  /** The schema declares a default value. */
  readonly hasDefault: boolean;
  /** It is in an input object that takes exactly one field. */
  readonly isOneOf: boolean;
}

export interface InputTable {
  readonly name: string;
  /** Does the scalar or enum take this literal? Takes none for an input object. */
  readonly accepts: (literal: ValueNode) => boolean;
  /** `null` for a scalar or an enum. */
  readonly fields: () => PlacesTable | null;
  readonly isOneOf: boolean;
}

const known = new WeakMap<GraphQLSchema, SchemaTables>();

/** @throws Error when the schema itself is not valid, as validating against it does */
export function schemaTables(schema: GraphQLSchema): SchemaTables {
  const made = known.get(schema) ?? createTables(schema);
  known.set(schema, made);
  return made;
}

function createTables(schema: GraphQLSchema): SchemaTables {
  assertValidSchema(schema);
  const composites = new Map<string, CompositeTable>();
  const types = new Map<CompositeTable, GraphQLCompositeType>();
  const inputs = new Map<string, InputTable>();
  const toPlaces = (places: readonly (GraphQLArgument | GraphQLInputField)[], isOneOf = false): PlacesTable => {
    const table = places.map(
      ({ name, type, defaultValue }) => [name, toPlace(type, inputs, defaultValue !== undefined, isOneOf)] as const,
    );
    return {
      places: new Map(table),
      required: table.filter(([, { isNonNull, hasDefault }]) => isNonNull && !hasDefault).length,
    };
  };
  const toFields = (type: GraphQLCompositeType): ReadonlyMap<string, FieldTable> => {
    const table = (isUnionType(type) ? [] : Object.values(type.getFields())).flatMap(({ name, args, type: output }) => {
      const named = getNamedType(output);
      if (name.startsWith('__') || named.name.startsWith('__')) return [];
      const below = isCompositeType(named) ? (composites.get(named.name) ?? null) : null;
      return [[name, { ...toPlaces(args), below }] as const];
    });
    return new Map([...table, ['__typename', { ...toPlaces([]), below: null }]]);
  };

  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputType(type)) inputs.set(type.name, toInput(type, toPlaces));
    if (!isCompositeType(type)) continue;
    const overlaps = remembered((other: CompositeTable) => doTypesOverlap(schema, type, types.get(other) ?? type));
    const table = { fields: once(() => toFields(type)), overlaps };
    composites.set(type.name, table);
    types.set(table, type);
  }
  const placed = schema
    .getDirectives()
    .filter(
      ({ name, locations }) => ['include', 'skip'].includes(name) && selected.every((at) => locations.includes(at)),
    );
  return {
    rootOf: (operation) => composites.get(schema.getRootType(operation)?.name ?? ''),
    compositeOf: (name) => composites.get(name),
    inputOf: (name) => inputs.get(name),
    directives: new Map(placed.map(({ name, args }) => [name, toPlaces(args)])),
  };
}

const selected = [DirectiveLocation.FIELD, DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT];

function toInput(
  type: GraphQLNamedInputType,
  toPlaces: (fields: readonly GraphQLInputField[], isOneOf: boolean) => PlacesTable,
): InputTable {
  const { name } = type;
  if (isInputObjectType(type)) {
    const fields = once(() => toPlaces(Object.values(type.getFields()), type.isOneOf));
    return { name, accepts: () => false, fields, isOneOf: type.isOneOf };
  }
  const accepts = (literal: ValueNode): boolean => {
    // Whether a scalar takes an object or a list may depend on its content: leave it to graphql-js.
    if (literal.kind === Kind.OBJECT || literal.kind === Kind.LIST) return false;
    // `parseLiteral` of an enum would search for similar names to suggest.
    if (isEnumType(type)) return literal.kind === Kind.ENUM && type.getValue(literal.value) !== undefined;
    try {
      return type.parseLiteral(literal) !== undefined;
    } catch {
      return false;
    }
  };
  return { name, accepts, fields: () => null, isOneOf: false };
}

function toPlace(
  type: GraphQLInputType,
  inputs: ReadonlyMap<string, InputTable>,
  hasDefault: boolean,
  isOneOf: boolean,
): InputPlace {
  const nullable = isNonNullType(type) ? type.ofType : type;
  const named = inputs.get(getNamedType(type).name);
  if (!named) throw new Error(`The schema lists no type ${getNamedType(type).name}.`);
  const item = isListType(nullable) ? toPlace(nullable.ofType, inputs, false, false) : null;
  return { isNonNull: nullable !== type, item, named, hasDefault, isOneOf };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function remembered<Given, Result>(decide: (given: Given) => Result): (given: Given) => Result {
  const decided = new Map<Given, Result>();
  return (given) => {
    const made = decided.get(given) ?? decide(given);
    decided.set(given, made);
    return made;
  };
}
