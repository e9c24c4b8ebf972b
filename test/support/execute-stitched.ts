import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Fragments, fieldsByKey, fragmentsOf } from '../../src/documents/selections.ts';
import { reservedAliasPrefix } from '../../src/documents/validation/validate-document.ts';
import type { OperationContext } from '../../src/upstream/operation-context.ts';

/**
 * Executes an operation on the stitched schema. Rejects as `execute` of graphql-js does.
 * @param variables coerced, because graphql-js cannot coerce exact numbers; it coerces them once more to the same values
 * @param rootValue value for the root resolvers, such as an item of a stream
 */
export type ExecuteStitched = (
  variables: Readonly<Record<string, unknown>>,
  context: OperationContext,
  rootValue?: unknown,
) => ExecutionResult | Promise<ExecutionResult>;

export function createExecuteStitched(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
): ExecuteStitched {
  const renamed = withoutThen(document);
  const executable = renamed ?? document;
  const executed = getOperationAST(executable, operationName);
  return (variableValues, contextValue, rootValue) => {
    const result = execute({ schema, document: executable, operationName, variableValues, contextValue, rootValue });
    if (!renamed || !executed) return result;
    const toShown = (each: ExecutionResult) => restoreThen(each, renamed, executed);
    return result instanceof Promise ? result.then(toShown) : toShown(result);
  };
}

const shown = 'then';
/** Clients cannot use the reserved prefix. */
const standIn = `${reservedAliasPrefix}Then`;

/**
 * Renames fields with the response key `then`: the stitching library takes any object with a `then` for a promise.
 * @returns `null` if the document has none
 */
function withoutThen(document: DocumentNode): DocumentNode | null {
  let isFound = false;
  const alias = { kind: Kind.NAME, value: standIn } as const;
  const renamed = visit(document, {
    Field: (node) => {
      if ((node.alias ?? node.name).value !== shown) return undefined;
      isFound = true;
      return { ...node, alias: { ...alias, ...(node.alias?.loc ? { loc: node.alias.loc } : {}) } };
    },
  });
  return isFound ? renamed : null;
}

/** Restores the client's keys in the response to a document from `withoutThen`. Objects inside a leaf stay as they are. */
function restoreThen(
  { data, errors, ...rest }: ExecutionResult,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ExecutionResult {
  const fragments = fragmentsOf(document);
  return {
    ...rest,
    ...(errors ? { errors: errors.map(restorePath) } : {}),
    ...(data === undefined ? {} : { data: restore(data, [operation.selectionSet], fragments) as typeof data }),
  };
}

function restorePath(error: GraphQLError): GraphQLError {
  const { message, nodes = null, path = [], extensions, originalError = null } = error;
  const inner: unknown = originalError && 'errors' in originalError ? originalError.errors : undefined;
  const below = Array.isArray(inner) ? inner.filter((each) => each instanceof GraphQLError).map(restorePath) : null;
  if (!below && !path.includes(standIn)) return error;
  return new GraphQLError(message, {
    nodes,
    path: error.path ? path.map((key) => (key === standIn ? shown : key)) : undefined,
    extensions,
    originalError: below ? new AggregateError(below) : originalError,
  });
}

function restore(value: unknown, sets: readonly SelectionSetNode[], fragments: Fragments): unknown {
  if (Array.isArray(value)) return value.map((each) => restore(each, sets, fragments));
  if (typeof value !== 'object' || value === null || sets.length === 0) return value;
  const fields = fieldsByKey(sets, null, fragments);
  const restored: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    const below = (fields.get(key) ?? []).flatMap(({ selectionSet }) => selectionSet ?? []);
    restored[key === standIn ? shown : key] = restore(member, below, fragments);
  }
  return restored;
}
