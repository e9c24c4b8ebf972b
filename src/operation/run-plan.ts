import type { DocumentNode, ExecutionResult } from 'graphql';
import { createExecuteStitched } from '../execution/execute-stitched.ts';
import type { Generation } from '../graph/generation.ts';
import type { Plan } from '../planning/plan-operation.ts';
import { variablesOf } from '../planning/split-document.ts';
import type { ForwardToLedger } from '../subschemas/ledger/forward-to-ledger.ts';
import type { OperationContext } from '../subschemas/operation-context.ts';
import { coerceVariables } from './coerce-variables.ts';
import { begunIn } from './handover.ts';
import { failAll, mergeParts } from './merge-parts.ts';
import {
  isForwarded,
  type OperationForm,
  type PlannedOperation,
  planDocument,
  rootFields,
  type UnreadSplit,
} from './prepared-operation.ts';
import { settleErrors } from './settle-errors.ts';

export interface PlannedRequest {
  readonly generation: Generation;
  readonly document: DocumentNode;
  /** The client's text, as it came. */
  readonly text: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: OperationContext;
}

export interface RunPlan {
  /** The plan of an operation of a prepared document; the same answer every time. */
  planOf(generation: Generation, document: DocumentNode, operationName: string | null): Plan | null;
  /** The operation of a prepared document and what its text decides; `null` where there is none of that name. */
  operationOf(generation: Generation, document: DocumentNode, operationName: string | null): OperationForm | null;
  /** `null` for an operation that is not split, or whose root keys are mixed, or decided by variables. */
  unreadSplitOf(generation: Generation, document: DocumentNode, operationName: string | null): UnreadSplit | null;
  /** The answer of a split operation, made of both its parts. @param readTheirs throws where the ledger did not answer */
  merge(
    request: Omit<PlannedRequest, 'text' | 'context'>,
    readTheirs: () => ExecutionResult,
    ours: ExecutionResult,
  ): ExecutionResult;
  /** Gives the errors of an answer that nobody has looked into the form they have in any other. */
  settle(request: Omit<PlannedRequest, 'text' | 'context'>, result: ExecutionResult): ExecutionResult;
  /** Executes by the cheapest plan there is for the operation. Rejects as `execute` of the reference library does. */
  run(request: PlannedRequest): Promise<ExecutionResult>;
}

/** @param forward sends a text to the ledger as it is */
export function createRunPlan(forward: ForwardToLedger): RunPlan {
  const planned = new WeakMap<DocumentNode, Map<string | null, PlannedOperation>>();

  const lookUp = (generation: Generation, document: DocumentNode, operationName: string | null) => {
    const byName = planned.get(document) ?? new Map<string | null, PlannedOperation>();
    planned.set(document, byName);
    const known = byName.get(operationName);
    if (known) return known;
    const made = planDocument(generation, document, operationName);
    // Names that the document has not are the caller's invention, and without number.
    if (made) byName.set(operationName, made);
    return made;
  };

  return {
    planOf: (generation, document, operationName) => lookUp(generation, document, operationName)?.plan ?? null,
    operationOf: lookUp,
    unreadSplitOf: (generation, document, operationName) =>
      lookUp(generation, document, operationName)?.unreadSplit() ?? null,
    merge(request, readTheirs, ours) {
      const { generation, document, operationName, variables } = request;
      const found = lookUp(generation, document, operationName);
      if (!found) throw new Error('an operation was split that is not there');
      const coerced = coerceVariables(generation.schema, found.operation, variables);
      if (coerced.errors) return { errors: coerced.errors };
      return settle(mergeParts(generation, found, coerced.values, readTheirs, ours), request, found);
    },
    settle(request, result) {
      const found = lookUp(request.generation, request.document, request.operationName);
      return found ? settle(result, request, found) : result;
    },
    async run(request) {
      const { generation, document, operationName } = request;
      const found = lookUp(generation, document, operationName);
      const result = await runFound(request, found, forward);
      return found && result.errors ? settle(result, request, found) : result;
    },
  };
}

function runFound(
  request: PlannedRequest,
  found: PlannedOperation | null,
  forward: ForwardToLedger,
): ExecutionResult | Promise<ExecutionResult> {
  const { generation, document, operationName, variables, context } = request;
  const executeWhole = () => createExecuteStitched(generation.schema, document, operationName)(variables, context);
  const begun = begunIn(context)?.answer;
  if (begun && !isForwarded(found)) return begun();
  switch (found?.plan) {
    case 'LOCAL':
      return found.executeOwn()(variables, context);
    case 'STITCHED':
      return refuseWaits(request, found) ?? found.executeOwn()(variables, context);
    case 'PASS_THROUGH':
      return asksLedger(request, found) ? passThrough(request, found, forward) : executeWhole();
    case 'SPLIT':
      return asksLedger(request, found) ? split(request, found, forward) : executeWhole();
    default:
      return executeWhole();
  }
}

/** The ledger's errors keep its order where they are all the errors there are. */
function settle(
  result: ExecutionResult,
  { generation: { schema }, variables: sent }: Pick<PlannedRequest, 'generation' | 'variables'>,
  { operation, fragments, plan }: PlannedOperation,
): ExecutionResult {
  const coerced = coerceVariables(schema, operation, sent);
  const variables = coerced.errors ? {} : coerced.values;
  return settleErrors(result, { schema, operation, fragments, variables }, plan !== 'PASS_THROUGH');
}

/** Why nothing is executed; `null` where nothing is to be said against it. */
function refuseWaits({ generation, variables }: PlannedRequest, found: PlannedOperation): ExecutionResult | null {
  if (!found.checkWaits) return null;
  const coerced = coerceVariables(generation.schema, found.operation, variables);
  // Variables that do not fit are refused where they are read.
  const errors = coerced.errors ? [] : found.checkWaits(coerced.values);
  return errors.length > 0 ? { errors } : null;
}

/** Whether anything of the ledger's is left when `@skip` and `@include` have had their say. */
function asksLedger({ generation, variables }: PlannedRequest, found: PlannedOperation): boolean {
  if (!found.isConditional) return true;
  const coerced = coerceVariables(generation.schema, found.operation, variables);
  if (coerced.errors) return true;
  return [...rootFields(generation, found, coerced.values).values()].some(
    ([node]) => generation.ownership.ownerOf(found.operation.operation, node?.name.value ?? '') === 'ledger',
  );
}

async function passThrough(
  request: PlannedRequest,
  found: PlannedOperation,
  forward: ForwardToLedger,
): Promise<ExecutionResult> {
  const coerced = coerceVariables(request.generation.schema, found.operation, request.variables);
  if (coerced.errors) return { errors: coerced.errors };
  const { text, operationName, variables, context } = request;
  const isMutation = found.operation.operation === 'mutation';
  const own = found.isWhole ? { text, isClientsText: true, operationName, variables } : reduced(found, variables);
  const answered = begunIn(context)?.answer;
  const asked = answered
    ? Promise.resolve().then(answered)
    : forward({ ...own, isMutation, cancellation: context.cancellation });
  return asked.catch((error: unknown) => failAll(error, request.generation, found, coerced.values));
}

/** The operation alone, for a document that has more than the ledger can make sense of. */
function reduced(found: PlannedOperation, variables: Readonly<Record<string, unknown>>) {
  const { ledger } = found.parts();
  return { text: ledger.text, isClientsText: false, operationName: null, variables: variablesOf(ledger, variables) };
}

async function split(
  request: PlannedRequest,
  found: PlannedOperation,
  forward: ForwardToLedger,
): Promise<ExecutionResult> {
  const { generation, variables, context } = request;
  const coerced = coerceVariables(generation.schema, found.operation, variables);
  if (coerced.errors) return { errors: coerced.errors };
  const { own } = found.parts();
  const [readTheirs, ours] = await Promise.all([
    forward({ ...reduced(found, variables), isMutation: false, cancellation: context.cancellation }).then(
      (answer) => () => answer,
      (error: unknown) => () => {
        throw error;
      },
    ),
    own.execute(variablesOf(own, variables), context),
  ]);
  return mergeParts(generation, found, coerced.values, readTheirs, ours);
}
