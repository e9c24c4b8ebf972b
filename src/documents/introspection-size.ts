import {
  __Schema,
  __Type,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { type ExecutableDocument, toExecutableDocument } from '../limits/executable-document.ts';

/** What `__schema` and `__type` make an answer of. */
export interface IntrospectionSize {
  /** Fields, each as often as it is in the answer. */
  readonly fields: number;
  /** Letters of their names and values, about as JSON has them. */
  readonly letters: number;
}

export interface IntrospectionExcess extends IntrospectionSize {
  readonly max: IntrospectionSize;
  /** The root field with which the bound is passed. */
  readonly field: FieldNode;
}

/**
 * Answers may be so many times as large as that of the standard query with every option on. No tool asks for more, and
 * each part of a large schema's takes some twenty milliseconds in which nobody else is served.
 */
export const maxTimesStandard = 1.5;

/** Letters around a name and its value in JSON. */
const punctuation = 6;
const limitless: IntrospectionSize = { fields: Number.POSITIVE_INFINITY, letters: Number.POSITIVE_INFINITY };
const standardSizes = new WeakMap<GraphQLSchema, IntrospectionSize>();

/**
 * What a valid document asks of the schema beyond the bound, in all its operations together and whatever its variables and
 * directives; `null` when it is within. Takes no longer than an answer of the largest size allowed.
 */
export function findIntrospectionExcess(
  schema: GraphQLSchema,
  executable: ExecutableDocument,
): IntrospectionExcess | null {
  if (!asksForSchema(executable)) return null;
  const standard = standardSize(schema);
  const max = {
    fields: Math.floor(standard.fields * maxTimesStandard),
    letters: Math.floor(standard.letters * maxTimesStandard),
  };
  return measure(schema, executable, max).excess;
}

/** What the standard query with every option on makes. */
export function standardSize(schema: GraphQLSchema): IntrospectionSize {
  const known = standardSizes.get(schema);
  if (known) return known;
  const text = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  const { size } = measure(schema, toExecutableDocument(parse(text, { noLocation: true })), limitless);
  standardSizes.set(schema, size);
  return size;
}

/** Does it at all? Most documents do not, and each definition is read once. */
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

function measure(schema: GraphQLSchema, { operations, fragments }: ExecutableDocument, max: IntrospectionSize) {
  const info = { schema } as GraphQLResolveInfo;
  let fields = 0;
  let letters = 0;
  let excess: IntrospectionExcess | null = null;
  for (const { selectionSet } of operations) lookAtRoot(selectionSet);
  return { size: { fields, letters }, excess };

  function lookAtRoot({ selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        const holder = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (holder) lookAtRoot(holder.selectionSet);
      } else if (isIntrospection(selection) && selection.selectionSet && !excess) {
        lookAtAll(selection, selection.selectionSet);
        if (isOver()) excess = { fields, letters, max, field: selection };
      }
    }
  }

  function lookAtAll(field: FieldNode, selectionSet: SelectionSetNode): void {
    if (field.name.value === '__schema') {
      lookAt(selectionSet, __Schema, schema);
      return;
    }
    const name = field.arguments?.find((each) => each.name.value === 'name')?.value;
    // A variable may turn out to be the name of any of them.
    const types = name?.kind === Kind.STRING ? [schema.getType(name.value)] : Object.values(schema.getTypeMap());
    for (const type of types) if (type) lookAt(selectionSet, __Type, type);
  }

  /** Adds what is selected of one part of the schema. Ends where the bound is passed, so it takes as long as that allows. */
  function lookAt({ selections }: SelectionSetNode, type: GraphQLObjectType, source: unknown): void {
    for (const selection of selections) {
      if (isOver()) return;
      if (selection.kind === Kind.FIELD) {
        lookAtField(selection, type, source);
      } else {
        // Looking costs no less where there is no field.
        fields += 1;
        const holder = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (holder) lookAt(holder.selectionSet, type, source);
      }
    }
  }

  function lookAtField(node: FieldNode, type: GraphQLObjectType, source: unknown): void {
    fields += 1;
    letters += (node.alias ?? node.name).value.length + punctuation;
    const definition = type.getFields()[node.name.value];
    if (!definition?.resolve) return;
    const below = node.selectionSet ? getNamedType(definition.type) : null;
    const value: unknown = definition.resolve(source, { includeDeprecated: true }, null, info);
    if (!below) {
      letters += typeof value === 'string' ? value.length : Array.isArray(value) ? value.length * 16 : 5;
      return;
    }
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item && isObjectType(below) && node.selectionSet) lookAt(node.selectionSet, below, item);
    }
  }

  function isOver(): boolean {
    return fields > max.fields || letters > max.letters;
  }
}
