import {
  __Schema,
  __Type,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { type ExecutableDocument, responseKey, selectionsBelow, toExecutableDocument } from '../selections.ts';

/** The size of the response to `__schema` and `__type`. */
export interface IntrospectionSize {
  readonly fields: number;
  /** Characters of their names and values, about as in JSON. */
  readonly letters: number;
}

export interface IntrospectionExcess extends IntrospectionSize {
  readonly max: IntrospectionSize;
  /** The root field that exceeds the bound. */
  readonly field: FieldNode;
}

/**
 * How much larger an introspection may be than the standard query with every option. No tool asks for more, and the standard
 * query on a large schema already blocks the process for about 20 ms.
 */
export const maxTimesStandard = 1.5;

/** Characters of quotes, colon, comma and braces around a name and its value in JSON. */
const punctuation = 6;
const limitless: IntrospectionSize = { fields: Number.POSITIVE_INFINITY, letters: Number.POSITIVE_INFINITY };
const standardSizes = new WeakMap<GraphQLSchema, IntrospectionSize>();

/**
 * Measures the introspection of a document: all operations together, ignoring variables and directives. Stops at the bound, so
 * it takes no longer than the largest allowed response.
 * @param executable of a valid document
 * @returns `fields` of the response, up to the bound; 0 for a document that does not introspect
 */
export function measureAskedIntrospection(schema: GraphQLSchema, executable: ExecutableDocument) {
  if (!asksForSchema(executable)) return { fields: 0, excess: null };
  const standard = standardSize(schema);
  const max = {
    fields: Math.floor(standard.fields * maxTimesStandard),
    letters: Math.floor(standard.letters * maxTimesStandard),
  };
  const { size, excess } = measure(schema, executable, max);
  return { fields: size.fields, excess };
}

/** The size of the standard query's response, with every option on. Measured once per schema. */
export function standardSize(schema: GraphQLSchema): IntrospectionSize {
  let size = standardSizes.get(schema);
  for (const steps = measureStandard(schema); !size; size = standardSizes.get(schema)) steps.next();
  return size;
}

/** Measures the standard query's response for `standardSize`, one type of the schema at each step. */
export function* measureStandard(schema: GraphQLSchema): Generator<void, void> {
  const text = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  const read = (part: string) => toExecutableDocument(parse(part, { noLocation: true }));
  const fragments = text.slice(text.indexOf('fragment FullType'));
  const ofType = read(`query ($name: String!) { __type(name: $name) { ...FullType } } ${fragments}`);
  const withoutTypes = read(text.replace(/types\s*\{[^}]*\}/, 'types { name }'));
  let { fields, letters } = measure(schema, withoutTypes, limitless).size;
  for (const type of Object.values(schema.getTypeMap())) {
    yield;
    const { size } = measure(schema, ofType, limitless, [type]);
    fields += size.fields;
    letters += size.letters;
  }
  standardSizes.set(schema, { fields, letters });
}

/** Does the document introspect at all? Looks at the top of each definition only. */
function asksForSchema({ operations, fragmentDefinitions }: ExecutableDocument): boolean {
  const isAsked = ({ selections }: SelectionSetNode): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return isAsked(selection.selectionSet);
      return selection.kind === Kind.FIELD && isIntrospection(selection);
    });
  return [...operations, ...fragmentDefinitions].some(({ selectionSet }) => isAsked(selectionSet));
}

function isIntrospection({ name }: FieldNode): boolean {
  return name.value === '__schema' || name.value === '__type';
}

/** @param namedTypes the types that a variable may name */
function measure(
  schema: GraphQLSchema,
  executable: ExecutableDocument,
  max: IntrospectionSize,
  namedTypes: readonly GraphQLNamedType[] = Object.values(schema.getTypeMap()),
): { readonly size: IntrospectionSize; readonly excess: IntrospectionExcess | null } {
  // The resolvers of introspection read only the schema.
  const info = { schema } as GraphQLResolveInfo;
  let fields = 0;
  let letters = 0;
  let excess: IntrospectionExcess | null = null;
  const isOver = () => fields > max.fields || letters > max.letters;
  for (const { selectionSet } of executable.operations) measureRoot(selectionSet.selections);
  return { size: { fields, letters }, excess };

  function measureRoot(selections: readonly SelectionNode[]): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        measureRoot(selectionsBelow(selection, executable));
      } else if (isIntrospection(selection) && !excess) {
        measureIntrospection(selection);
        if (isOver()) excess = { fields, letters, max, field: selection };
      }
    }
  }

  function measureIntrospection(field: FieldNode): void {
    const selections = selectionsBelow(field, executable);
    if (field.name.value === '__schema') {
      measureSelections(selections, __Schema, schema);
      return;
    }
    const name = field.arguments?.find((each) => each.name.value === 'name')?.value;
    // A variable may name any type: count them all.
    const types = name?.kind === Kind.STRING ? [schema.getType(name.value)] : namedTypes;
    for (const type of types) if (type) measureSelections(selections, __Type, type);
  }

  /**
   * Adds the response to selections. Returns as soon as the bound is exceeded.
   * @param source the part of the schema that is described, of the introspection type `type`
   */
  function measureSelections(selections: readonly SelectionNode[], type: GraphQLObjectType, source: unknown): void {
    for (const selection of selections) {
      if (isOver()) return;
      // A fragment counts as a field, since visiting it takes as long.
      fields += 1;
      if (selection.kind === Kind.FIELD) measureField(selection, type, source);
      else measureSelections(selectionsBelow(selection, executable), type, source);
    }
  }

  function measureField(node: FieldNode, type: GraphQLObjectType, source: unknown): void {
    letters += responseKey(node).length + punctuation;
    const definition = type.getFields()[node.name.value];
    if (!definition?.resolve) return;
    const value: unknown = definition.resolve(source, { includeDeprecated: true }, null, info);
    if (!node.selectionSet) {
      letters += typeof value === 'string' ? value.length : Array.isArray(value) ? value.length * 16 : 5;
      return;
    }
    const below = getNamedType(definition.type);
    if (!isObjectType(below)) return;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item) measureSelections(node.selectionSet.selections, below, item);
    }
  }
}
