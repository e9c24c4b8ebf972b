import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  print,
  stripIgnoredCharacters,
} from 'graphql';
import { collectFields } from '../planning/collect-fields.ts';
import { hasDirectivesAtRoot, type Plan, planOperation, usedFragments } from '../planning/plan-operation.ts';
import { type DocumentPart, takePart, variablesOf } from '../planning/split-document.ts';
import type { ForwardToLedger } from '../subschemas/ledger/forward-to-ledger.ts';
import type { OperationContext } from '../subschemas/operation-context.ts';
import { createExecuteOwn, type ExecuteOwn } from './execute-own.ts';
import type { Generation } from './generation.ts';
import { begunIn } from './hot-handover.ts';

export interface PlannedRequest {
  readonly generation: Generation;
  readonly document: DocumentNode;
  /** The client's text, as it came. */
  readonly text: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: OperationContext;
}

/** What of an operation the text alone decides, worked out when it is first run. */
interface PlannedOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly plan: Plan;
  /** Is there nothing in the document beside this operation and what it uses? Then its text can go as it came. */
  readonly isWhole: boolean;
  /** Do directives decide what there is at the root? */
  readonly isConditional: boolean;
  readonly parts: () => {
    readonly ledger: DocumentPart & { readonly text: string };
    readonly own: DocumentPart & { readonly execute: ExecuteOwn };
  };
  /** For an operation whose root fields are all our own. */
  readonly executeOwn: () => ExecuteOwn;
  readonly halves: () => Halves | null;
}

/** A split operation whose root keys stand owner by owner, so that the texts of both answers can be put side by side. */
export interface Halves {
  /** The ledger's part, as JSON has it. */
  readonly queryJson: string;
  readonly ledgerVariables: (sent: Variables) => Variables;
  readonly isLedgerFirst: boolean;
  readonly executeOwn: ExecuteOwn;
}

type Variables = Readonly<Record<string, unknown>>;

/** What of an operation decides whether its text can go to the ledger as it came. */
export type OperationForm = Pick<PlannedOperation, 'operation' | 'plan' | 'isWhole' | 'isConditional'>;

export interface RunPlan {
  /** The plan of an operation of a prepared document; the same answer every time. */
  planOf(generation: Generation, document: DocumentNode, operationName: string | null): Plan | null;
  /** The operation of a prepared document and what its text decides; `null` where there is none of that name. */
  operationOf(generation: Generation, document: DocumentNode, operationName: string | null): OperationForm | null;
  /** `null` for an operation that is not split, or whose root keys are mixed, or decided by variables. */
  halvesOf(generation: Generation, document: DocumentNode, operationName: string | null): Halves | null;
  /** The answer of a split operation, made of both its parts. @param readTheirs throws where the ledger did not answer */
  merge(
    request: Omit<PlannedRequest, 'text' | 'context'>,
    readTheirs: () => ExecutionResult,
    ours: ExecutionResult,
  ): ExecutionResult;
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
    halvesOf: (generation, document, operationName) => lookUp(generation, document, operationName)?.halves() ?? null,
    merge(request, readTheirs, ours) {
      const { generation, document, operationName, variables } = request;
      const found = lookUp(generation, document, operationName);
      if (!found) throw new Error('an operation was split that is not there');
      const coerced = coerceVariables(generation.schema, found.operation, variables);
      return coerced.errors ? { errors: coerced.errors } : merge(generation, found, coerced.values, readTheirs, ours);
    },
    async run(request) {
      const { generation, document, operationName, variables, context } = request;
      const executeWhole = () =>
        execute({
          schema: generation.schema,
          document,
          operationName,
          variableValues: variables,
          contextValue: context,
        });
      const found = lookUp(generation, document, operationName);
      const begun = begunIn(context)?.answer;
      if (begun && !isForwarded(found)) return begun();
      switch (found?.plan) {
        case 'LOCAL':
        case 'STITCHED':
          return found.executeOwn()(variables, context);
        case 'PASS_THROUGH':
          return asksLedger(request, found) ? passThrough(request, found, forward) : executeWhole();
        case 'SPLIT':
          return asksLedger(request, found) ? split(request, found, forward) : executeWhole();
        default:
          return executeWhole();
      }
    },
  };
}

function planDocument(
  generation: Generation,
  document: DocumentNode,
  operationName: string | null,
): PlannedOperation | null {
  const operation = getOperationAST(document, operationName);
  if (!operation) return null;
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const { ownership } = generation;
  const plan = planOperation(operation, fragments, ownership);
  let parts: ReturnType<PlannedOperation['parts']> | undefined;
  let executeOwn: ExecuteOwn | undefined;
  let halves: Halves | null | undefined;
  const isLedgers = (name: string) =>
    ownership.ownerOf(operation.operation, name) === 'ledger' && name !== '__typename';
  const made: PlannedOperation = {
    operation,
    fragments,
    plan,
    isWhole: document.definitions.length === 1 + usedFragments(operation.selectionSet, fragments).length,
    isConditional: hasDirectivesAtRoot(operation, fragments),
    parts: () => {
      if (!parts) {
        const isOwn = (name: string) => !isLedgers(name);
        // Where everything is the ledger's, its `__typename` is too.
        const ledger = takePart(operation, fragments, plan === 'PASS_THROUGH' ? () => true : isLedgers);
        const own = takePart(operation, fragments, isOwn);
        parts = {
          ledger: { ...ledger, text: stripIgnoredCharacters(print(ledger.document)) },
          own: {
            ...own,
            execute: createExecuteOwn({
              schema: generation.local,
              local: generation.local,
              document: own.document,
              operationName: null,
              joins: null,
            }),
          },
        };
      }
      return parts;
    },
    executeOwn: () => {
      const isLocal = plan === 'LOCAL';
      executeOwn ??= createExecuteOwn({
        schema: isLocal ? generation.local : generation.schema,
        local: generation.local,
        document,
        operationName,
        joins: isLocal ? null : generation.operationJoins,
      });
      return executeOwn;
    },
    halves: () => {
      halves ??= plan === 'SPLIT' && !made.isConditional ? toHalves(generation, made, isLedgers) : null;
      return halves;
    },
  };
  return made;
}

function toHalves(
  generation: Generation,
  found: PlannedOperation,
  isLedgers: (name: string) => boolean,
): Halves | null {
  const owners = [...rootFields(generation, found, {}).values()].map(([node]) => isLedgers(node?.name.value ?? ''));
  // Two runs: the owner changes once.
  if (owners.filter((owner, index) => index > 0 && owner !== owners[index - 1]).length !== 1) return null;
  const { ledger, own } = found.parts();
  return {
    queryJson: JSON.stringify(ledger.text),
    ledgerVariables: (sent) => variablesOf(ledger, sent),
    isLedgerFirst: owners[0] === true,
    executeOwn: (sent, context) => own.execute(variablesOf(own, sent), context),
  };
}

/** Can the client's text go to the ledger as it came, whatever the variables? */
export function isForwarded(found: Pick<PlannedOperation, 'plan' | 'isWhole' | 'isConditional'> | null): boolean {
  return found?.plan === 'PASS_THROUGH' && found.isWhole && !found.isConditional;
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
  const own = found.isWhole ? { text, operationName, variables } : reduced(found, variables);
  const failed = (errors: readonly unknown[]) => failAll(errors, request.generation, found, coerced.values);
  const answered = begunIn(context)?.answer;
  const asked = answered
    ? Promise.resolve().then(answered)
    : forward({ ...own, isMutation, cancellation: context.cancellation });
  return asked.then(
    (answer) => (isRefused(answer) ? failed(answer.errors) : answer),
    (error: unknown) => failed([error]),
  );
}

/** The operation alone, for a document that has more than the ledger can make sense of. */
function reduced(found: PlannedOperation, variables: Readonly<Record<string, unknown>>) {
  const { ledger } = found.parts();
  return { text: ledger.text, operationName: null, variables: variablesOf(ledger, variables) };
}

/** The ledger would not execute it at all: its errors concern every field, and say so of none. */
function isRefused(answer: ExecutionResult): answer is ExecutionResult & { errors: readonly GraphQLError[] } {
  return !answer.data && answer.errors !== undefined && answer.errors.every(({ path }) => path === undefined);
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
  return merge(generation, found, coerced.values, readTheirs, ours);
}

function merge(
  generation: Generation,
  found: PlannedOperation,
  variables: Record<string, unknown>,
  readTheirs: () => ExecutionResult,
  ours: ExecutionResult,
): ExecutionResult {
  const isAffected = (name: string) => generation.ownership.ownerOf(found.operation.operation, name) === 'ledger';
  const failed = (errors: readonly unknown[]) => failAll(errors, generation, found, variables, isAffected);
  let theirs: ExecutionResult;
  try {
    const answer = readTheirs();
    theirs = isRefused(answer) ? failed(answer.errors) : answer;
  } catch (error) {
    theirs = failed([error]);
  }
  const errors = [...(theirs.errors ?? []), ...(ours.errors ?? [])];
  return {
    data: mergeData(theirs.data, ours.data, rootFields(generation, found, variables).keys()),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

/** Root keys in the order in which the client asked for them. A null of one part as a whole is one of the answer. */
function mergeData(
  theirs: ExecutionResult['data'],
  ours: ExecutionResult['data'],
  keys: Iterable<string>,
): Record<string, unknown> | null {
  if (!theirs || !ours) return null;
  const data: Record<string, unknown> = Object.create(null);
  for (const key of keys) data[key] = Object.hasOwn(theirs, key) ? theirs[key] : ours[key];
  return data;
}

/** Values of an operation's variables as the graph's own types have them, or what is wrong with those that were sent. */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
):
  | { readonly errors: readonly GraphQLError[] }
  | { readonly errors?: never; readonly values: Record<string, unknown> } {
  const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  return errors ? { errors } : { values: coerced };
}

function rootFields(
  { schema }: Generation,
  { operation, fragments }: PlannedOperation,
  variables: Record<string, unknown>,
) {
  const type = schema.getRootType(operation.operation) as GraphQLObjectType;
  return collectFields(type, [operation.selectionSet], { schema, fragments, variables });
}

/**
 * What an operation answers when the ledger does not: one error for each of its root keys, and null for each, or for the
 * whole where one may not be null.
 */
function failAll(
  causes: readonly unknown[],
  generation: Generation,
  found: PlannedOperation,
  variables: Record<string, unknown>,
  isAffected: (name: string) => boolean = () => true,
): ExecutionResult {
  const type = generation.schema.getRootType(found.operation.operation) as GraphQLObjectType;
  const fields = rootFields(generation, found, variables);
  const errors: GraphQLError[] = [];
  const data: Record<string, unknown> = Object.create(null);
  let isNull = false;
  for (const [key, nodes] of fields) {
    const name = nodes[0]?.name.value ?? '';
    if (name === '__typename') data[key] = type.name;
    if (name === '__typename' || !isAffected(name)) continue;
    errors.push(...causes.map((cause) => atRootKey(cause, key, nodes)));
    data[key] = null;
    isNull ||= isNonNullType(type.getFields()[name]?.type);
  }
  return { data: isNull ? null : data, errors };
}

function atRootKey(cause: unknown, key: string, nodes: readonly FieldNode[]): GraphQLError {
  const path = [key];
  if (!(cause instanceof GraphQLError))
    return new GraphQLError('Unexpected error.', { nodes, path, originalError: cause as Error });
  const { message, extensions, originalError = null } = cause;
  return new GraphQLError(message, { nodes, path, extensions, originalError });
}
