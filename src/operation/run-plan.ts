import { type ExecutionResult, type FieldNode, GraphQLError, type GraphQLObjectType, isNonNullType } from 'graphql';
import type { Usage } from '../documents/cost/usage.ts';
import { variablesOf } from '../documents/plan-operation.ts';
import { responseKey } from '../documents/selections.ts';
import { printInTurns } from '../json/print-in-turns.ts';
import type { ChunkedBody } from '../ledger/answers/data-extent.ts';
import { spliceData } from '../ledger/answers/plain-answer.ts';
import type { ForwardToLedger, LedgerReply } from '../ledger/ledger-executor.ts';
import type { PlainLedgerAnswer } from '../ledger/raw-ledger.ts';
import { type FairTurns, sharedTurns } from '../upstream/fair-turns.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import type { LedgerPart, OperationStep, PreparedOperation, RequestVariables } from './prepared-operation.ts';
import { settleErrors } from './settle-errors.ts';

type Variables = Readonly<Record<string, unknown>>;
type Values = RequestVariables['values'];

export interface PlannedRequest {
  readonly operation: PreparedOperation;
  /** The operation name of the request, unchanged. */
  readonly operationName: string | null;
  readonly variables: RequestVariables;
  readonly context: OperationContext;
  /** Shown in a response of bytes; `null` = not requested. */
  readonly usage: Usage | null;
}

/** Settling more errors takes a turn of its own. */
const manyErrors = 500;

/** Executes the parts of an operation, and resolves with bytes if both parts could be joined so. Rejects as `execute` of graphql-js does. */
export type RunPlan = (request: PlannedRequest) => Promise<ExecutionResult | ChunkedBody>;

export function createRunPlan(forward: ForwardToLedger, turns: Pick<FairTurns, 'runNext'>): RunPlan {
  return async (request) => {
    const { operation, variables } = request;
    const refusals = operation.checkWaits?.(variables.values);
    if (refusals?.length) return { errors: refusals };
    const answer = await runParts(request);
    return 'chunks' in answer ? answer : settleInTurn(operation, variables.values, answer);
  };

  async function runParts(request: PlannedRequest): Promise<ExecutionResult | ChunkedBody> {
    const { operation, context } = request;
    const { values } = request.variables;
    const parts = operation.parts();
    switch (parts.kind) {
      case 'own':
        return parts.execute(values, context);
      case 'upstream':
        return asksLedger(operation, values)
          ? readAnswer(operation, values, (await ask(parts.ledger, request)).read)
          : { data: toNulls(operation, values, isNone) };
      case 'both': {
        const [theirs, ours] = await Promise.all([
          asksLedger(operation, values) ? ask(parts.ledger, request, parts.order === 'mixed') : nothingAsked,
          parts.execute(values, context),
        ]);
        // If one part has errors or no data, both must be merged key by key.
        return theirs.plain && ours.data && !ours.errors
          ? joinParts(theirs.plain, ours.data, parts.order === 'ledger first', request)
          : mergeParts(operation, values, theirs.read, ours);
      }
      case 'steps':
        return runSteps(parts.stepOf, request);
      case 'stream':
        throw new Error('a subscription is opened, not executed');
    }
  }

  /** Adds our members to the ledger's response, without parsing it. */
  async function joinParts(
    theirs: PlainLedgerAnswer,
    ours: Record<string, unknown>,
    isLast: boolean,
    { context, usage }: PlannedRequest,
  ): Promise<ChunkedBody> {
    const json = await printInTurns(ours, (work) => turns.runNext(context.caller.rate.key, null, work));
    return spliceData(theirs.body, theirs.plainEnd, { members: toMembers(json), isLast }, usage);
  }

  /** Executes one root key after the other, until the data of one are null. */
  async function runSteps(stepOf: (key: string) => OperationStep, request: PlannedRequest): Promise<ExecutionResult> {
    const { operation, context } = request;
    const { values } = request.variables;
    const data: Record<string, unknown> = Object.create(null);
    const errors: GraphQLError[] = [];
    for (const key of operation.rootFields(values).keys()) {
      const step = stepOf(key);
      const hasKey = (field: FieldNode) => responseKey(field) === key;
      const result =
        step.kind === 'own'
          ? await step.execute(values, context)
          : await readPart(operation, values, (await ask(step.ledger, request)).read, hasKey);
      errors.push(...(result.errors ?? []));
      if (!result.data) return { data: null, errors };
      data[key] = result.data[key];
    }
    return errors.length > 0 ? { data, errors } : { data };
  }

  /** Sends a part to the ledger. */
  async function ask(part: LedgerPart, request: PlannedRequest, isParsed = true): Promise<LedgerReply> {
    const { operation, operationName, variables, context } = request;
    const post = toLedgerPost(part, operationName, variables.sent);
    const { plain, read } = await forward({
      text: post.text,
      isClientsText: post.isClientsText,
      operationName: post.operationName,
      variables: post.variables,
      isMutation: operation.type === 'mutation',
      isParsed,
      cancellation: context.cancellation,
    });
    return { plain, read: async () => part.amend(await read(), variables.values) };
  }
}

/** `@skip` and `@include` leave no field of the ledger. */
const nothingAsked: LedgerReply = { plain: null, read: async () => ({ data: {} }) };

/** The JSON of an object without its braces. */
function toMembers(json: string | ChunkedBody): readonly Buffer[] {
  if (typeof json === 'string') return [Buffer.from(json.slice(1, -1))];
  const last = json.chunks.length - 1;
  return json.chunks.map((chunk, index) => chunk.subarray(index === 0 ? 1 : 0, index === last ? -1 : undefined));
}

async function settleInTurn(
  operation: PreparedOperation,
  values: Values,
  result: ExecutionResult,
): Promise<ExecutionResult> {
  const errors = result.errors?.length ?? 0;
  if (errors === 0) return result;
  const settle = () => settleAnswer(operation, values, result);
  return errors <= manyErrors ? settle() : sharedTurns.runQueued('errors', null, settle);
}

/**
 * The response to an operation that is entirely the ledger's.
 * @param values coerced variables
 * @param read throws if the ledger did not answer
 */
export async function settleLedgersAnswer(
  operation: PreparedOperation,
  values: Values,
  read: () => ExecutionResult,
): Promise<ExecutionResult> {
  return settleInTurn(operation, values, await readAnswer(operation, values, read));
}

/** Gives errors the same form in every plan. */
export function settleAnswer(operation: PreparedOperation, values: Values, result: ExecutionResult): ExecutionResult {
  const answered = { ...operation.tree(), schema: operation.schema, variables: values };
  // If all errors are the ledger's, they keep its order.
  return settleErrors(result, answered, operation.plan !== 'PASS_THROUGH' && operation.partsKind !== 'upstream');
}

const isNone = () => false;

/** Do `@skip` and `@include` leave any root field of the ledger? */
function asksLedger(operation: PreparedOperation, values: Values): boolean {
  if (!operation.isConditional) return true;
  return [...operation.rootFields(values).values()].some(([node]) => operation.isLedgers(node?.name.value ?? ''));
}

/** @param sent variables as they were sent */
export function toLedgerPost({ text, variables }: LedgerPart, operationName: string | null, sent: Variables) {
  return variables === null
    ? { text, isClientsText: true, operationName, variables: sent }
    : { text, isClientsText: false, operationName: null, variables: variablesOf({ variables }, sent) };
}

/** The answer to an operation that is entirely the ledger's. @param read fails if the ledger did not answer */
async function readAnswer(
  operation: PreparedOperation,
  values: Values,
  read: () => ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  try {
    return await read();
  } catch (error) {
    return failAll(error, operation, values);
  }
}

/** The answer to a part. @param read rejects if the ledger did not answer */
async function readPart(
  operation: PreparedOperation,
  values: Values,
  read: LedgerReply['read'],
  isAffected: (field: FieldNode) => boolean,
): Promise<ExecutionResult> {
  try {
    const answer = await read();
    return isRefused(answer) ? { ...answer, data: toNulls(operation, values, isAffected) } : answer;
  } catch (error) {
    return failAll(error, operation, values, isAffected);
  }
}

/** Merges the answers to both parts. @param values coerced variables @param readTheirs rejects if the ledger did not answer */
async function mergeParts(
  operation: PreparedOperation,
  values: Values,
  readTheirs: LedgerReply['read'],
  ours: ExecutionResult,
): Promise<ExecutionResult> {
  const theirs = await readPart(operation, values, readTheirs, ({ name }) => operation.isLedgers(name.value));
  const errors = [...(theirs.errors ?? []), ...(ours.errors ?? [])];
  return {
    data: mergeData(theirs.data, ours.data, operation.rootFields(values).keys()),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

/** Puts root keys in the client's order. If the data of one part is null, all data is. */
function mergeData(
  some: ExecutionResult['data'],
  others: ExecutionResult['data'],
  keys: Iterable<string>,
): Record<string, unknown> | null {
  if (!some || !others) return null;
  const data: Record<string, unknown> = Object.create(null);
  for (const key of keys) data[key] = Object.hasOwn(some, key) ? some[key] : others[key];
  return data;
}

/** Did the ledger execute nothing? Its errors then have no path, and our fields are answered nevertheless. */
function isRefused({ data, errors }: ExecutionResult): boolean {
  return !data && errors !== undefined && errors.every(({ path }) => path === undefined);
}

/** The response if the ledger gives none: an error and a null for each root key, or null data if one of the keys is non-null. */
export function failAll(
  cause: unknown,
  operation: PreparedOperation,
  values: Values,
  isAffected: (field: FieldNode) => boolean = () => true,
): ExecutionResult {
  const errors: GraphQLError[] = [];
  for (const [key, nodes] of operation.rootFields(values)) {
    const [node] = nodes;
    if (node && node.name.value !== '__typename' && isAffected(node)) errors.push(atRootKey(cause, key, nodes));
  }
  return { data: toNulls(operation, values, isAffected), errors };
}

/** Null for each affected root key, or for all data if one of them is non-null. */
function toNulls(
  operation: PreparedOperation,
  values: Values,
  isAffected: (field: FieldNode) => boolean,
): Record<string, unknown> | null {
  const type = operation.schema.getRootType(operation.type) as GraphQLObjectType;
  const data: Record<string, unknown> = Object.create(null);
  for (const [key, [node]] of operation.rootFields(values)) {
    const name = node?.name.value ?? '';
    if (name === '__typename') data[key] = type.name;
    else if (node && isAffected(node)) {
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
