import {
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  parse,
  responsePathAsArray,
  type SelectionNode,
  visit,
} from 'graphql';
import type { FieldFailure, FieldPlace, LedgerAnswer, WireError } from './ledger-faults.ts';

/** The body of a request to the ledger. */
export interface LedgerRequestBody {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null;
  readonly operationName?: string | null;
}

const kindKey = 'kindForFaults';
const kind: SelectionNode = {
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: '__typename' },
  alias: { kind: Kind.NAME, value: kindKey },
};

/** The document with `__typename` added to every selection set, because execution needs the types. */
export function askingForTypes(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: (node) => ({ ...node, selections: [...node.selections, kind] }),
    // A subscription's root must not get another field. No document here subscribes.
  });
}

/**
 * Executes a document over the ledger's response to it, with some fields failing. Returns what the ledger would return if
 * these fields failed. Errors of the original response keep their paths.
 * @param answer to the document that `askingForTypes` made of this one
 */
export async function executeWithFaults(
  schema: GraphQLSchema,
  { query, variables = null, operationName = null }: LedgerRequestBody,
  answer: LedgerAnswer,
  failing: (place: FieldPlace) => FieldFailure | undefined,
): Promise<LedgerAnswer> {
  const own = answer.errors ?? [];
  const errorBelow = (path: readonly (string | number)[]): WireError | undefined =>
    own.find((error) => error.path && path.every((key, index) => key === error.path?.[index]));
  const resolve: GraphQLFieldResolver<Record<string, unknown>, unknown> = (source, args, _context, info) => {
    const { parentType, fieldName, returnType, schema: of } = info;
    const path = responsePathAsArray(info.path);
    const coordinate = `${parentType.name}.${fieldName}`;
    const isRoot = [of.getQueryType(), of.getMutationType()].includes(parentType);
    const places = path.filter((key) => typeof key === 'number');
    const failure = failing({
      coordinate,
      identity: JSON.stringify([coordinate, args, places]),
      isNonNullRoot: isRoot && isNonNullType(returnType),
    });
    if (failure) throw new GraphQLError(failure.message, { extensions: failure.extensions ?? null });
    const value = source[info.path.key] ?? null;
    const before = value === null ? errorBelow(path) : undefined;
    if (before) throw new GraphQLError(before.message, { path: before.path, extensions: before.extensions });
    return value;
  };
  const { data, errors } = await execute({
    schema,
    document: parse(query),
    variableValues: variables,
    operationName,
    rootValue: answer.data,
    fieldResolver: resolve,
    typeResolver: (value) => String((value as Record<string, unknown>)[kindKey]),
  });
  const result = { data: data ?? null, ...(errors && { errors }) };
  return JSON.parse(JSON.stringify(result)) as LedgerAnswer;
}
