import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { introspectionPoints, type RateCost, toPoints } from '../callers/caller-gate.ts';
import { type CalledPages, mostCalls } from '../documents/cost/called-pages.ts';
import type { LimitName, Limits } from '../documents/cost/limits.ts';
import type { DocumentSize } from '../documents/cost/measure-document.ts';
import { maxCount, type Usage, type Variables } from '../documents/cost/usage.ts';
import type { Plan } from '../documents/plan-operation.ts';
import {
  fieldsAsked,
  type PreparedDocument,
  priceDocument,
  queryPart,
  type ReadDocument,
  transactionPayload,
} from '../documents/prepared-document.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Estimate, EstimateLimit, Resolvers } from '../generated/own.ts';
import type { Generation } from '../graph/generation.ts';
import { entitiesField } from '../graph/joins/entities.ts';
import type { JoinLookup } from '../graph/joins/join-document.ts';
import { definedFields, executedFields } from '../graph/joins/join-waits.ts';
import { isJoin } from '../graph/joins/joins.ts';
import { ExactNumber } from '../json/exact-json.ts';
import { decideOperation } from '../operation/admit-operation.ts';
import { noVariables, type PreparedOperation, type ServedGeneration } from '../operation/prepared-operation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import { createPerOperation } from '../upstream/operation-context.ts';
import { type BoundOperation, type CallCountingOptions, countUpstreamCalls } from './count-upstream-calls.ts';

interface EstimateResolversOptions {
  /** `undefined` before the first operation is served. */
  readonly current: () => ServedGeneration | undefined;
  readonly ownFieldCalls: CallCountingOptions['ownFieldCalls'];
  readonly cost: RateCost;
  readonly turns: Pick<FairTurns, 'run'>;
}

/** Estimates per operation: each parses and validates a whole document, as much work as a request. */
export const maxEstimates = 10;
/** Characters of all documents of one operation, each counted once, because the work grows with them. */
export const maxEstimatedLetters = 20_000;
const maxCountedLetters = 5_000;

interface Requested {
  estimates: number;
  letters: number;
  /** The result of reading each document; `null` before its turn. */
  readonly documents: Map<
    string,
    { readonly generation: ServedGeneration; readonly read: ReadDocument<PreparedOperation> } | null
  >;
}

/** Resolvers of `Query.estimate`. They call no upstream and cache no documents. */
export function createEstimateResolvers({ current, ownFieldCalls, cost, turns }: EstimateResolversOptions) {
  const requestedBy = createPerOperation((): Requested => ({ estimates: 0, letters: 0, documents: new Map() }));

  return {
    Query: {
      async estimate(_, { query, variables, operationName }, context, info) {
        const requested = requestedBy(context);
        count(requested, query);
        check(requested);
        // The caller pays one point before the work, as for an operation, and the rest after it.
        const refusal = cost === 'usage' ? await context.charge?.(1) : null;
        if (refusal) throw refusal;
        const request = { query, variables: toVariables(variables), operationName: operationName ?? null };
        await null;
        // All estimates of the operation have been requested by now. Reject all of them if there are too many, before any work
        // is done.
        check(requested);
        const { caller, cancellation } = context;
        const client = { onGone: (abandon: () => void) => void cancellation.onCancel(abandon) };
        // Each waits for its own turn: ten in a row would block other callers.
        const { estimate, introspected } = await turns.run(caller.rate.key, client, () => {
          if (cancellation.cause) throw gatewayError('REQUEST_TIMEOUT', 'The request ended before the estimate.');
          const generation = current();
          if (!generation) throw new Error('an estimate was requested before there was a schema');
          const calls = toCallCounting(generation, info.schema, ownFieldCalls);
          const known = requested.documents.get(query);
          const read = known?.generation === generation ? known.read : generation.documents.read(query);
          requested.documents.set(query, { generation, read });
          const judgement = decideEstimate(generation, request, read);
          return {
            estimate: toEstimate(judgement, request, generation, { cost, calls }),
            introspected: fieldsAsked(read.prepared),
          };
        });
        const points = cost === 'usage' ? estimate.ratePoints - 1 : introspectionPoints(introspected);
        if (points > 0) await context.charge?.(points, true);
        return estimate;
      },
    },
  } as const satisfies Resolvers;
}

function count(requested: Requested, query: string): void {
  requested.estimates += 1;
  if (requested.documents.has(query)) return;
  requested.documents.set(query, null);
  // A query for the schema takes as much work as a long document, however short it is.
  const isLong = query.length > maxCountedLetters || /__schema|__type\b/.test(query);
  requested.letters += isLong ? maxCountedLetters : query.length;
}

function check({ estimates, letters }: Requested): void {
  if (estimates > maxEstimates)
    throw gatewayError('BAD_USER_INPUT', `An operation may select at most ${maxEstimates} estimates.`);
  if (letters > maxEstimatedLetters)
    throw gatewayError(
      'BAD_USER_INPUT',
      `An operation may ask for estimates of ${maxEstimatedLetters} letters together.`,
    );
}

function toVariables(value: unknown): Variables {
  if (value === null || value === undefined) return {};
  const plain: unknown = value instanceof ExactNumber ? value.valueOf() : value;
  if (typeof plain === 'object' && !Array.isArray(plain)) return plain as Variables;
  const got = Array.isArray(plain) ? 'a list' : `a ${typeof plain}`;
  throw gatewayError('BAD_USER_INPUT', `variables must be a JSON object; got ${got}.`, { argument: 'variables' });
}

/** An operation that is estimated and not executed. */
export interface EstimateRequest {
  readonly query: string;
  readonly variables: Variables;
  readonly operationName: string | null;
}

export interface EstimateDecision extends ReadDocument {
  /** `null` if the document is rejected before it is counted, or asks only for the schema. */
  readonly usage: Usage | null;
  /** As in `PreparedOperation.ownMutations`; 0 if it is rejected before it is charged. */
  readonly ownMutations: number;
  /** Reasons for the rejection; empty if it would be executed. */
  readonly errors: readonly GraphQLError[];
  /** `null` if it would be rejected. */
  readonly bound: {
    readonly operation: OperationDefinitionNode;
    readonly variables: Variables;
    readonly plan: Plan;
    readonly countRequests: BoundOperation['countRequests'];
  } | null;
}

/**
 * Decides whether an operation would be executed: first admission, then its variables, then its pages. Stores nothing.
 * @param read given if the document was read already
 */
export function decideEstimate(
  generation: ServedGeneration,
  request: EstimateRequest,
  read: ReadDocument<PreparedOperation> = generation.documents.read(request.query),
): EstimateDecision {
  const decision = decideOperation(generation, read.prepared, request);
  const { usage } = decision;
  if (decision.kind === 'refused') return { ...read, usage, ownMutations: 0, errors: decision.errors, bound: null };
  const { tree, plan, ownMutations, coerce, checkWaits } = decision.operation;
  const refused = (errors: readonly GraphQLError[]) => ({ ...read, usage, ownMutations, errors, bound: null });
  const coerced = coerce?.(request.variables) ?? noVariables;
  if (coerced.errors) return refused(coerced.errors);
  const variables = coerced.values;
  const parsed = tree();
  const entities = readEntities(generation, decision.operation, variables);
  const errors = [
    ...(checkWaits?.(variables) ?? []),
    ...findRefusedPages(generation, parsed, variables),
    ...(entities instanceof GraphQLError ? [entities] : []),
  ];
  if (errors.length > 0 || entities instanceof GraphQLError) return refused(errors);
  const { operation, fragments } = parsed;
  const countRequests: BoundOperation['countRequests'] = (joined) =>
    generation.operationJoins?.(operation, fragments).countRequests(entities, joined, variables) ?? 0;
  const bound = { operation, variables, plan, countRequests };
  return { ...read, usage, ownMutations, errors, bound };
}

/** @returns why the entities are rejected, if they are too many. @param variables coerced */
function readEntities(
  { operationJoins }: Pick<ServedGeneration, 'operationJoins'>,
  { tree, rootFields, type }: PreparedOperation,
  variables: Record<string, unknown>,
): readonly JoinLookup[] | GraphQLError {
  const { operation, fragments } = tree();
  const fields = [...rootFields(variables).values()].filter(([node]) => node?.name.value === entitiesField);
  if (type !== 'query' || fields.length === 0 || !operationJoins) return [];
  try {
    return operationJoins(operation, fragments).readEntities(fields, variables);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

const maxFaults = 5;

/**
 * Finds pages that the gateway or the ledger would reject during execution: too large, or requested from both ends.
 * @param variables coerced
 */
function findRefusedPages(
  { schema, limits }: Pick<ServedGeneration, 'schema' | 'limits'>,
  tree: ReturnType<PreparedOperation['tree']>,
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLError[] {
  // Pages of a subscription are below joins: each item is executed, with an error in their place.
  if (tree.operation.operation === 'subscription') return [];
  const executed = executedFields(tree, variables);
  const ledgersMax = hasOneMaximum(schema) ? limits.maxPageSize : null;
  const errors: GraphQLError[] = [];
  for (const { node, parent, field } of definedFields(schema, tree)) {
    const isOwn = parent === schema.getQueryType() && limits.calledPages?.fields.has(field.name) === true;
    const max = isOwn ? limits.calledPages?.maxSize : ledgersMax;
    if (max == null || !executed.has(node)) continue;
    const fault = findFault(node, field, variables, max, isOwn);
    if (fault) errors.push(gatewayError('BAD_USER_INPUT', fault, {}, { nodes: [node] }));
    if (errors.length === maxFaults) break;
  }
  return errors;
}

/** Newer ledgers have their own maximum for each field, unknown to the gateway. */
function hasOneMaximum(schema: GraphQLSchema): boolean {
  const type = schema.getType('ServiceConfig');
  return isObjectType(type) && type.getFields().maxPageSize?.args.length === 0;
}

function findFault(
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  variables: Readonly<Record<string, unknown>>,
  max: number,
  isOwn: boolean,
): string | null {
  const returns = getNamedType(field.type);
  if (!isObjectType(returns) || !returns.getFields().pageInfo) return null;
  try {
    const { first, last } = getArgumentValues(field, node, variables);
    if (first != null && last != null) return "'first' and 'last' must not be used together";
    const size = last ?? first;
    if (typeof size !== 'number') return null;
    const argument = last == null ? 'first' : 'last';
    // The ledger has its own message for each kind of value.
    if (isOwn && size < 0) return `Argument '${argument}' must be from 0 to ${max}; got ${size}.`;
    return size > max ? `Connection's page size of ${size} exceeds max of ${max}` : null;
  } catch {
    // Only execution can tell what is wrong with these arguments.
    return null;
  }
}

export function toCallCounting(
  { schema, limits }: Pick<ServedGeneration, 'schema' | 'limits'>,
  ownSchema: GraphQLSchema,
  ownFieldCalls: CallCountingOptions['ownFieldCalls'],
): CallCountingOptions {
  const defaultPageSize = limits.calledPages?.defaultSize ?? limits.defaultPageSize;
  return { schema, ownSchema, isJoin, ownFieldCalls, defaultPageSize };
}

interface EstimateFacts {
  readonly cost: RateCost;
  readonly calls: CallCountingOptions;
}

/** The largest `Int` of GraphQL. Fragments within fragments exceed it within a few hundred bytes. */
const maxInt = 2 ** 31 - 1;

export function toEstimate(
  { prepared, executable, usage: counted, ownMutations, errors, bound }: EstimateDecision,
  { query, variables }: EstimateRequest,
  { limits }: Pick<Generation, 'limits'>,
  { cost, calls }: EstimateFacts,
): Estimate {
  const { size } = prepared;
  // A document that is rejected before it is priced is shown with its numbers as well.
  const usage = size && !size.isExempt ? priceDocument(size, variables, limits) : uncounted(query, variables);
  const fragments = executable?.fragments ?? new Map();
  return {
    usage: toEstimateUsage(usage),
    limits: toEstimateLimits(prepared, usage, variables, limits),
    refused: errors.length > 0,
    reasons: errors.map(({ message }) => message),
    // Errors of variables get their code in the response.
    codes: errors.map(({ extensions }) => String(extensions.code ?? 'BAD_USER_INPUT')),
    plan: bound?.plan ?? null,
    upstreamCalls: bound && countUpstreamCalls({ ...bound, fragments }, bound.plan, calls),
    ratePoints: toPoints({ usage: counted, ownMutations, introspectedFields: fieldsAsked(prepared) }, cost, limits),
  };
}

function uncounted(query: string, variables: object): Usage {
  return {
    inputNodes: 0,
    outputNodes: 0,
    depth: 0,
    variables: Object.keys(variables).length,
    fragments: 0,
    queryPayload: Buffer.byteLength(query),
  };
}

function toEstimateUsage(usage: Usage): Estimate['usage'] {
  const toInt = (count: number) => Math.min(count, maxInt);
  return {
    inputNodes: toInt(usage.inputNodes),
    outputNodes: Math.min(usage.outputNodes, maxCount),
    depth: toInt(usage.depth),
    variables: toInt(usage.variables),
    fragments: toInt(usage.fragments),
    queryPayload: toInt(usage.queryPayload),
  };
}

/** Each limit in force and its use by the document: 0 if the document was not counted. */
function toEstimateLimits(
  prepared: PreparedDocument,
  usage: Usage,
  variables: Variables,
  limits: Limits,
): readonly EstimateLimit[] {
  const toLimit = (name: LimitName, used: number, isExceeded = used > limits[name]): EstimateLimit => ({
    name,
    max: limits[name],
    used,
    exceeded: isExceeded,
  });
  const counted = [
    toLimit('maxQueryDepth', usage.depth),
    toLimit('maxQueryNodes', usage.inputNodes),
    toLimit('maxOutputNodes', usage.outputNodes),
  ];
  const { size } = prepared;
  if (size === null) {
    // The share of transactions is known only after parsing, so the sum of both limits applies to an unparsable text.
    const allowed = limits.maxQueryPayloadSize + limits.maxTransactionPayloadSize;
    const isTooLong = usage.queryPayload > allowed;
    return [
      ...counted,
      toLimit('maxQueryPayloadSize', usage.queryPayload, isTooLong),
      toLimit('maxTransactionPayloadSize', 0),
    ];
  }
  return [
    ...counted,
    toLimit('maxQueryPayloadSize', queryPart(size, variables, null, limits.rules)),
    toLimit('maxTransactionPayloadSize', transactionPayload(size, variables, limits.rules)),
    ...complexityLimits(size, variables, limits),
    ...calledPageLimits(size.calledPages, variables, limits),
  ];
}

/** Listed only for ledgers with this limit, which `serviceConfig` does not show. */
function complexityLimits(
  { complexity }: DocumentSize,
  variables: Variables,
  { rules }: Pick<Limits, 'rules'>,
): readonly EstimateLimit[] {
  if (!complexity || !rules?.complexity) return [];
  const { max, pageSize } = rules.complexity;
  const used = complexity(variables, pageSize);
  return [{ name: 'maxComplexity', max, used, exceeded: used > max }];
}

/** Listed only for documents with such pages, because it is not a limit of the ledger. */
function calledPageLimits(
  pages: CalledPages,
  variables: Variables,
  { calledPages: bounds }: Limits,
): readonly EstimateLimit[] {
  if (!bounds || pages.length === 0) return [];
  const used = mostCalls(pages, variables, bounds);
  return [{ name: 'maxEventCalls', max: bounds.maxCalls, used, exceeded: used > bounds.maxCalls }];
}
