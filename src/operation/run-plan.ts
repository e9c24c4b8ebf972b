import { setImmediate as inNextTurn } from 'node:timers/promises';
import { type ExecutionResult, type FieldNode, GraphQLError, type GraphQLObjectType, isNonNullType } from 'graphql';
import { variablesOf } from '../documents/plan-operation.ts';
import type { CacheLookup } from '../ledger/immutable/immutable-reads.ts';
import type { ForwardToLedger } from '../ledger/ledger-executor.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import { mergeData } from './execute-here.ts';
import type { PreparedOperation } from './prepared-operation.ts';
import { settleErrors } from './settle-errors.ts';

type Variables = Readonly<Record<string, unknown>>;

export interface PlannedRequest {
  readonly operation: PreparedOperation;
  /** The operation name and variables of the request, unchanged. */
  readonly operationName: string | null;
  readonly variables: Variables;
  readonly context: OperationContext;
  /** Receives the unchanged ledger's answer, if it may be kept. */
  readonly keep?: CacheLookup['keep'] | undefined;
}

/** With more errors, settling them is slow, so other callers get turns before and after. */
const manyErrors = 500;

/** Executes by the operation's plan. Rejects as `execute` of graphql-js does. */
export type RunPlan = (request: PlannedRequest) => Promise<ExecutionResult>;

/** @param forward sends a text to the ledger as it is */
export function createRunPlan(forward: ForwardToLedger): RunPlan {
  return async (request) => {
    const result = await execute(request, forward);
    return result.errors ? settleInTurns(request.operation, request.variables, result) : result;
  };
}

async function settleInTurns(
  operation: PreparedOperation,
  sent: Variables,
  result: ExecutionResult,
): Promise<ExecutionResult> {
  const settle = () => settleAnswer(operation, sent, result);
  if ((result.errors?.length ?? 0) <= manyErrors) return settle();
  await inNextTurn();
  return inNextTurn(settle());
}

/**
 * The response to an operation that is entirely the ledger's.
 * @param sent variables as they were sent
 * @param read throws if the ledger did not answer
 */
export async function settleLedgersAnswer(
  operation: PreparedOperation,
  sent: Variables,
  read: () => ExecutionResult,
): Promise<ExecutionResult> {
  let result: ExecutionResult;
  try {
    result = read();
  } catch (error) {
    result = failAll(error, operation, valuesOf(operation, sent));
  }
  return settleInTurns(operation, sent, result);
}

/** Gives errors the same form in every plan. */
export function settleAnswer(operation: PreparedOperation, sent: Variables, result: ExecutionResult): ExecutionResult {
  const answered = { ...operation.tree(), schema: operation.schema, variables: valuesOf(operation, sent) };
  // If all errors are the ledger's, they keep its order.
  return settleErrors(result, answered, operation.plan !== 'PASS_THROUGH');
}

/**
 * The response to a split operation, merged from both parts.
 * @param sent variables as they were sent
 * @param readTheirs throws if the ledger did not answer
 */
export async function settleSplitAnswer(
  operation: PreparedOperation,
  sent: Variables,
  readTheirs: () => ExecutionResult,
  ours: ExecutionResult,
): Promise<ExecutionResult> {
  return settleInTurns(operation, sent, mergeParts(operation, valuesOf(operation, sent), readTheirs, ours));
}

function execute(request: PlannedRequest, forward: ForwardToLedger): ExecutionResult | Promise<ExecutionResult> {
  const { operation, variables, context } = request;
  const { plan } = operation;
  const isAsked = (plan === 'PASS_THROUGH' || plan === 'SPLIT') && asksLedger(operation, variables);
  if (isAsked) return plan === 'SPLIT' ? split(request, forward) : passThrough(request, forward);
  return refuseWaits(operation, variables) ?? operation.executeHere()(variables, context);
}

/** Rejects waiting times that are out of range; `null` if there are none. */
function refuseWaits({ checkWaits, coerce }: PreparedOperation, variables: Variables): ExecutionResult | null {
  if (!checkWaits) return null;
  const coerced = coerce(variables);
  // Execution reports variables that do not fit.
  const errors = coerced.errors ? [] : checkWaits(coerced.values);
  return errors.length > 0 ? { errors } : null;
}

/** Do `@skip` and `@include` leave any root field of the ledger? */
function asksLedger(operation: PreparedOperation, variables: Variables): boolean {
  if (!operation.isConditional) return true;
  const coerced = operation.coerce(variables);
  if (coerced.errors) return true;
  return [...operation.rootFields(coerced.values).values()].some(([node]) =>
    operation.isLedgers(node?.name.value ?? ''),
  );
}

async function passThrough(request: PlannedRequest, forward: ForwardToLedger): Promise<ExecutionResult> {
  const { operation, operationName, variables, context, keep } = request;
  const { errors } = operation.coerce(variables);
  if (errors) return { errors };
  const isMutation = operation.type === 'mutation';
  const own = toLedgersPart(operation, operationName, variables);
  return forward({ ...own, isMutation, isReadOnly: true, cancellation: context.cancellation, keep }).catch(
    (error: unknown) => failAll(error, operation, valuesOf(operation, variables)),
  );
}

/** The request to the ledger for an operation that is entirely its own. */
export function toLedgersPart(operation: PreparedOperation, operationName: string | null, variables: Variables) {
  return operation.isWhole
    ? { text: operation.text, isClientsText: true, operationName, variables }
    : reduced(operation, variables);
}

/** The coerced variables; an empty object if they do not fit. */
export function valuesOf(operation: PreparedOperation, sent: Variables): Record<string, unknown> {
  const coerced = operation.coerce(sent);
  return coerced.errors ? {} : coerced.values;
}

/** The ledger's part of a document that also has other operations or our fields. */
function reduced(operation: PreparedOperation, variables: Variables) {
  const { ledger } = operation.parts();
  return { text: ledger.text, isClientsText: false, operationName: null, variables: variablesOf(ledger, variables) };
}

async function split(request: PlannedRequest, forward: ForwardToLedger): Promise<ExecutionResult> {
  const { operation, variables, context } = request;
  const coerced = operation.coerce(variables);
  if (coerced.errors) return { errors: coerced.errors };
  const { own } = operation.parts();
  const [readTheirs, ours] = await Promise.all([
    forward({
      ...reduced(operation, variables),
      isMutation: false,
      isReadOnly: true,
      cancellation: context.cancellation,
    }).then(
      (answer) => () => answer,
      (error: unknown) => () => {
        throw error;
      },
    ),
    own.execute(variablesOf(own, variables), context),
  ]);
  return mergeParts(operation, coerced.values, readTheirs, ours);
}

/**
 * The answer of a split operation, made of both its parts.
 * @param variables coerced
 * @param readTheirs throws if the ledger did not answer
 */
function mergeParts(
  operation: PreparedOperation,
  variables: Record<string, unknown>,
  readTheirs: () => ExecutionResult,
  ours: ExecutionResult,
): ExecutionResult {
  const { isLedgers, rootFields } = operation;
  let theirs: ExecutionResult;
  try {
    const answer = readTheirs();
    theirs = isRefused(answer) ? { ...answer, data: toNulls(operation, variables, isLedgers) } : answer;
  } catch (error) {
    theirs = failAll(error, operation, variables, isLedgers);
  }
  const errors = [...(theirs.errors ?? []), ...(ours.errors ?? [])];
  return {
    data: mergeData(theirs.data, ours.data, rootFields(variables).keys()),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

/** Did the ledger execute nothing? Its errors then have no path, and our fields are answered nevertheless. */
function isRefused({ data, errors }: ExecutionResult): boolean {
  return !data && errors !== undefined && errors.every(({ path }) => path === undefined);
}

/** The response if the ledger gives none: an error and a null for each root key, or null data if one of the keys is non-null. */
export function failAll(
  cause: unknown,
  operation: PreparedOperation,
  variables: Record<string, unknown>,
  isAffected: (name: string) => boolean = () => true,
): ExecutionResult {
  const errors: GraphQLError[] = [];
  for (const [key, nodes] of operation.rootFields(variables)) {
    const name = nodes[0]?.name.value ?? '';
    if (name !== '__typename' && isAffected(name)) errors.push(atRootKey(cause, key, nodes));
  }
  return { data: toNulls(operation, variables, isAffected), errors };
}

/** Null for each affected root key, or for all data if one of them is non-null. */
function toNulls(
  operation: PreparedOperation,
  variables: Record<string, unknown>,
  isAffected: (name: string) => boolean,
): Record<string, unknown> | null {
  const type = operation.schema.getRootType(operation.type) as GraphQLObjectType;
  const data: Record<string, unknown> = Object.create(null);
  for (const [key, nodes] of operation.rootFields(variables)) {
    const name = nodes[0]?.name.value ?? '';
    if (name === '__typename') data[key] = type.name;
    else if (isAffected(name)) {
      if (isNonNullType(type.getFields()[name]?.type)) return null;
      data[key] = null;
    }
  }
  return data;
}

function atRootKey(cause: unknown, key: string, nodes: readonly FieldNode[]): GraphQLError {
  const path = [key];
  if (!(cause instanceof GraphQLError))
    return new GraphQLError('Unexpected error.', { nodes, path, originalError: cause as Error });
  const { message, extensions, originalError = null } = cause;
  return new GraphQLError(message, { nodes, path, extensions, originalError });
}
