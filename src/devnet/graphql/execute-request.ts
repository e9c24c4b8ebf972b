import { type ExecutionResult, execute, GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { measureOutput } from './documents/measure-output.ts';
import { checkPayloadParts } from './documents/payload-refusal.ts';
import type { PreparedDocument } from './documents/prepared-document.ts';
import { transactionBytes } from './documents/transaction-payload.ts';
import type { GraphqlContext } from './graphql-context.ts';
import type { GraphqlLimits } from './graphql-limits.ts';
import type { GraphqlRequest } from './http/parse-request.ts';
import { checkArgumentUse } from './validation/argument-uses.ts';
import { selectOperation, withDefaults } from './validation/select-operation.ts';

/** Counters of one request, as `extensions.usage` shows them. */
export interface Usage {
  readonly inputNodes: number;
  readonly outputNodes: number;
  readonly depth: number;
  readonly variables: number;
  readonly fragments: number;
  /** Bytes of the query text. */
  readonly queryPayload: number;
}

export interface RequestOutcome {
  readonly data: unknown;
  readonly errors: readonly GraphQLError[];
  /** Absent where a limit was broken, nothing could be measured, or the document is exempt. */
  readonly usage: Usage | undefined;
}

type ReadyDocument = Extract<PreparedDocument, { kind: 'ready' }>;

/**
 * Checks the limits that variables decide, validates, then executes; the first of these that refuses gives the
 * answer.
 */
export async function executeRequest(
  prepared: PreparedDocument,
  request: GraphqlRequest,
  schema: GraphQLSchema,
  context: GraphqlContext,
): Promise<RequestOutcome> {
  if (prepared.kind === 'refused') return failed([prepared.error], undefined);
  const usage = measureRequest(prepared, request, context);
  if (usage instanceof GraphQLError) return failed([usage], undefined);

  const { errors, uses } = prepared.validated();
  if (errors.length > 0)
    return failed(
      errors.map(({ message, nodes }) => new GraphQLError(message, { nodes })),
      usage,
    );
  const operation = selectOperation(prepared.document, request.operationName);
  if (operation instanceof GraphQLError) return failed([operation], usage);
  const variables = withDefaults(operation, request.variables);
  if (variables instanceof GraphQLError) return failed([variables], usage);
  const faults = uses.flatMap((use) => checkArgumentUse(use, variables) ?? []);
  if (faults.length > 0) return failed(faults, usage);

  const startedMs = context.now();
  const result: ExecutionResult = await execute({
    schema,
    document: prepared.document,
    contextValue: context,
    variableValues: request.variables,
    operationName: request.operationName,
  });
  const late = checkTime(operation.operation, context.now() - startedMs, context.limits);
  return late ? failed([late], usage) : { data: result.data ?? null, errors: result.errors ?? [], usage };
}

/** After the deadline the answer is a refusal, though what a mutation did stays done. */
function checkTime(
  operation: OperationTypeNode,
  tookMs: number,
  { mutationTimeoutMs, requestTimeoutMs }: GraphqlLimits,
): GraphQLError | undefined {
  const isMutation = operation === OperationTypeNode.MUTATION;
  const limitMs = isMutation ? mutationTimeoutMs : requestTimeoutMs;
  if (tookMs <= limitMs) return undefined;
  const limit = limitMs < 1_000 ? `${limitMs}ms` : `${limitMs / 1_000}s`;
  return new GraphQLError(`${isMutation ? 'Mutation' : 'Query'} request timed out. Limit: ${limit}`);
}

/** The request's usage, or its refusal. An exempt document has neither. */
function measureRequest(
  { document, fragments, input, transactionArguments, payloadBytes }: ReadyDocument,
  { variables, bodyBytes }: GraphqlRequest,
  { limits, payloadRule }: GraphqlContext,
): Usage | GraphQLError | undefined {
  if (input === undefined) return undefined;
  const transaction = transactionBytes(transactionArguments, variables);
  // By the rule of the query text it was checked with the document.
  const query = payloadRule === 'body' ? bodyBytes - transaction : 0;
  const tooLarge = checkPayloadParts({ transaction, query }, limits);
  if (tooLarge) return tooLarge;
  const output = measureOutput(document, fragments, variables, limits);
  if (output.refusal) return output.refusal;
  return {
    inputNodes: input.nodes,
    outputNodes: output.nodes,
    depth: input.depth,
    variables: Object.keys(variables).length,
    fragments: fragments.size,
    queryPayload: payloadBytes,
  };
}

function failed(errors: readonly GraphQLError[], usage: Usage | undefined): RequestOutcome {
  return { data: null, errors, usage };
}
