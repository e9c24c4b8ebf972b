import type { GraphQLError } from 'graphql';
import { type CallerGate, type RateCost, type Standing, toPoints } from '../callers/caller-gate.ts';
import type { Sender } from '../callers/identify-caller.ts';
import type { Usage } from '../documents/cost/usage.ts';
import { admitDocument, fieldsAsked, type PreparedDocument } from '../documents/prepared-document.ts';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { withExtensions } from '../errors/light-error.ts';
import type { AnswerNotes } from '../ledger/immutable/answer-notes.ts';
import type { OperationFacts } from '../telemetry/events.ts';
import type { Held } from '../upstream/cancellation.ts';
import type { Caller, StreamPlace } from '../upstream/operation-context.ts';
import type { FairTurns } from './fair-turns.ts';
import type { OperationRequest } from './parse-request.ts';
import type { PreparedOperation, ServedGeneration } from './prepared-operation.ts';

/** Characters of an unknown operation name that its error repeats. */
const maxShown = 100;

interface AdmitOperationOptions {
  readonly gate: CallerGate;
  readonly keeper: { readonly current: ServedGeneration };
  readonly cost: RateCost;
  readonly turns: Pick<FairTurns, 'run' | 'now'>;
  /** Milliseconds that the longest operation may take from its arrival. */
  readonly longestMs: number;
}

/** Whether a caller may send a request at all. Decided before the request is read. */
type Entry =
  | { readonly kind: 'entered'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly error: ReturnType<typeof gatewayError> };

/** Decides whether an operation may run, for every transport, in two steps: the caller, then the document. */
export interface AdmitOperation {
  /** Counts one request of the caller. Called before the request is read, so that rejecting it costs next to nothing. */
  enter(server: Pick<ServerContext, 'sender' | 'onStanding'>): Promise<Entry>;
  /**
   * Decides whether the document is valid and within the limits, and charges the caller for what it costs beyond one point.
   * Returns a promise only if it costs more or has to wait for its turn. Rejects an operation whose client has left, or whose
   * time is up.
   */
  decide(
    server: Pick<ServerContext, 'isGone' | 'onGone' | 'onStanding' | 'arrivedAt'>,
    caller: Caller,
    request: OperationRequest,
  ): OperationAdmission | Promise<OperationAdmission>;
  /**
   * Charges the caller for additional work of an operation.
   * @param isDone the work is done: takes the points that the caller has left, and returns `null`
   * @returns why the work is rejected; `null` = it may be done
   */
  charge(
    server: Pick<ServerContext, 'onStanding'>,
    caller: Caller,
    points: number,
    isDone?: boolean,
  ): Promise<GraphQLError | null>;
}

export function createAdmitOperation(options: AdmitOperationOptions): AdmitOperation {
  const { gate, keeper, cost, turns, longestMs } = options;
  return {
    async enter(server) {
      const entry = await gate.admit(server.sender);
      server.onStanding(entry.standing);
      return entry.kind === 'refused' ? entry : { kind: 'entered', caller: entry.caller };
    },
    decide(server, caller, request) {
      return turns.run(caller.rate.key, server, () => decideNow(server, caller, request));
    },
    async charge(server, caller, points, isDone = false) {
      const charge = await gate.charge(caller, points);
      const { standing } = charge;
      if (!isDone) {
        server.onStanding(standing);
        return charge.kind === 'refused' ? charge.error : null;
      }
      // The operation is served, so its caller need not retry.
      const { limit = 0, remaining = 0, resetsAtMs = 0 } = standing ?? {};
      server.onStanding(standing && { limit, remaining, resetsAtMs });
      return null;
    },
  };

  function decideNow(
    ...[server, caller, request]: Parameters<AdmitOperation['decide']>
  ): ReturnType<AdmitOperation['decide']> {
    if (server.isGone()) return rejectUnread(callerIsGone());
    if (turns.now() - server.arrivedAt > longestMs) return rejectUnread(lateError());
    const generation = keeper.current;
    const prepared = generation.documents.prepare(request.query);
    const decision = decideOperation(generation, prepared, request);
    const { variables, operationName } = request;
    const { usage } = decision;
    const admission: OperationAdmission =
      decision.kind === 'refused'
        ? decision
        : { kind: 'admitted', caller, operation: decision.operation, variables, operationName, usage };
    const ownMutations = decision.kind === 'admitted' ? decision.operation.ownMutations : 0;
    const points = toPoints(
      { usage, ownMutations, introspectedFields: fieldsAsked(prepared) },
      cost,
      generation.limits,
    );
    if (points === 1) return admission;
    return gate.charge(caller, points - 1).then((charge) => {
      server.onStanding(charge.standing);
      if (charge.kind === 'refused') return { kind: 'refused', errors: [asFinal(charge.error)], usage };
      return server.isGone() ? rejectUnread(callerIsGone()) : admission;
    });
  }
}

/** The client is gone and never reads this. It prevents a mutation whose outcome no client would learn. */
function callerIsGone(): GraphQLError {
  return gatewayError('REQUEST_TIMEOUT', 'The caller was gone before the operation began.');
}

function rejectUnread(error: GraphQLError): OperationAdmission {
  return { kind: 'refused', errors: [asFinal(error)], usage: null };
}

type OperationDecision =
  | { readonly kind: 'admitted'; readonly operation: PreparedOperation; readonly usage: Usage | null }
  | RefusedOperation;

/** The part of the decision that is the same for every caller. */
export function decideOperation(
  generation: ServedGeneration,
  prepared: PreparedDocument<PreparedOperation>,
  { variables, operationName }: Pick<OperationRequest, 'variables' | 'operationName'>,
): OperationDecision {
  const admission = admitDocument(prepared, variables, generation.limits);
  if (admission.kind === 'admitted') {
    const { usage } = admission;
    const operation = prepared.kind === 'readable' ? prepared.operation(operationName) : null;
    const refusal = operation ? operation.refusal : unknownOperation(operationName);
    if (operation && !refusal) return { kind: 'admitted', operation, usage };
    return { kind: 'refused', errors: refusal ? [asRefusal(refusal)] : [], usage };
  }
  const isSchemaMissing =
    generation.origin === 'none' &&
    admission.errors.some(({ extensions }) => extensions.code === 'GRAPHQL_VALIDATION_FAILED');
  const errors = admission.errors.map(asRequestError);
  if (!isSchemaMissing) return { ...admission, errors };
  const reason = 'The ledger has not been reached yet, so its part of the schema is missing.';
  return {
    ...admission,
    errors: [asRequestError(gatewayError('UPSTREAM_UNAVAILABLE', reason, { upstream: 'ledger' })), ...errors],
  };
}

/** Rejects a request that names no operation of its valid document, in the ledger's words. */
function unknownOperation(operationName: string | null): GraphQLError {
  if (operationName === null) {
    return gatewayError('GRAPHQL_VALIDATION_FAILED', 'Operation name required in request.');
  }
  const shown = operationName.length > maxShown ? `${operationName.slice(0, maxShown)}…` : operationName;
  return gatewayError('GRAPHQL_VALIDATION_FAILED', `Unknown operation named "${shown}"`);
}

/** A request error: nothing was executed, and a client that accepts `application/graphql-response+json` gets status 400. */
function asRequestError(error: GraphQLError): GraphQLError {
  return withHttp(error, { spec: true, status: 400 });
}

/** Rejects a valid document. A client that accepts `application/graphql-response+json` gets the status of its code. */
export function asRefusal(error: GraphQLError): GraphQLError {
  const { status } = errorCatalogue[error.extensions.code as ErrorCode];
  return withHttp(error, { spec: true, status });
}

/** Rejects the caller, not the document: the status is the same whatever the client accepts. */
export function asFinal(error: GraphQLError): GraphQLError {
  return withHttp(error, { status: errorCatalogue[error.extensions.code as ErrorCode].status });
}

function withHttp(error: GraphQLError, http: { readonly status: number; readonly spec?: boolean }): GraphQLError {
  return withExtensions(error, { ...error.extensions, http });
}

/** Rejects an operation that waited for its turn until its deadline. */
export function lateError(): GraphQLError {
  return gatewayError(
    'REQUEST_TIMEOUT',
    'The time of the operation was up before its turn came: nothing of it was begun.',
  );
}

/** What the listener knows about a request before GraphQL does. */
export interface ServerContext {
  readonly requestId: string;
  readonly sender: Sender;
  /** Monotonic milliseconds. Deadlines count from here. */
  readonly arrivedAt: number;
  /** Has the client left? */
  readonly isGone: () => boolean;
  /** Calls back when the client leaves; immediately if it has left. May also call back after the response was sent. */
  readonly onGone: (giveUp: () => void) => void;
  /**
   * Returns the caller that was counted before the request was read, and then `null`: the first operation of a batch takes that
   * count, and each other one is counted by itself.
   */
  readonly takeCounted?: () => Caller | null;
  /** Key for the caller's turns. Left out where no response is written for it as a whole. */
  readonly turnKey?: string;
  /** Called with the caller's remaining rate limit, each time it was counted. */
  readonly onStanding: (standing: Standing) => void;
  /** Bytes of the request's body or message; left out where that cannot be long. */
  readonly requestBytes?: number;
  /** Memory of that body or message, counted until the operation is over. */
  held?: Held | undefined;
  /** Does the client want usage in the response? */
  readonly showUsage: boolean;
  /** Entries of the request's log line, one for each complete operation. */
  readonly operations: OperationFacts[];
  /** Cursor of a stream whose transport keeps it for the client. */
  readonly streamPlace?: StreamPlace | undefined;
  /** Collects facts for the response headers. Left out for responses without headers. */
  readonly notes?: AnswerNotes;
  /** Error codes of the response, for the same line. */
  readonly codes: string[];
  /** What was decided before Yoga was called. Left out for a batch: Yoga decides about each entry. */
  readonly admission?: OperationAdmission;
}

/** An operation that may run, and was counted for its caller. */
/** Variables and name are those of the request. */
export interface AdmittedOperation extends Pick<OperationRequest, 'variables' | 'operationName'> {
  readonly kind: 'admitted';
  readonly caller: Caller;
  readonly operation: PreparedOperation;
  /** `null` if the document asks for the schema alone. */
  readonly usage: Usage | null;
}

interface RefusedOperation {
  readonly kind: 'refused';
  readonly errors: readonly GraphQLError[];
  /** `null` if the document was rejected before it was counted to its end. */
  readonly usage: Usage | null;
}

export type OperationAdmission = AdmittedOperation | RefusedOperation;
