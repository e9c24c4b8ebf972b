import type { GraphQLError } from 'graphql';
import { type CallerGate, type RateCost, type RateLimitState, toPoints } from '../callers/caller-gate.ts';
import type { Sender } from '../callers/identify-caller.ts';
import type { DocumentPolicy } from '../config/document-manifest.ts';
import type { Usage } from '../documents/cost/usage.ts';
import { admitDocument, fieldsAsked, type PreparedDocument } from '../documents/prepared-document.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { withExtensions } from '../errors/light-error.ts';
import type { CacheHeaders } from '../ledger/immutable/answer-notes.ts';
import type { OperationFacts } from '../telemetry/request-line.ts';
import type { Trace } from '../telemetry/trace.ts';
import type { RequestMemory } from '../upstream/cancellation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { Caller, StreamSlot } from '../upstream/operation-context.ts';
import type { OperationRequest } from './parse-request.ts';
import type { PreparedOperation, ServedGeneration } from './prepared-operation.ts';

interface AdmitOperationOptions {
  readonly gate: CallerGate;
  readonly keeper: { readonly current: ServedGeneration };
  readonly cost: RateCost;
  readonly turns: Pick<FairTurns, 'run' | 'now'>;
  readonly trusted: Pick<TrustedDocuments, 'resolve' | 'has' | 'register'>;
  /** For callers without a policy of their own. */
  readonly policy: DocumentPolicy;
  /** Called for each document that is served although it is not trusted, for callers whose policy logs them. */
  readonly onUntrusted: (caller: Caller, text: string, operationName: string | null) => void;
  /** Milliseconds that the longest operation may take from its arrival. */
  readonly longestMs: number;
}

export type AdmitOperation = ReturnType<typeof createAdmitOperation>;

/** Decides whether an operation may run, for every transport, in two steps: the caller, then the document. */
export function createAdmitOperation(options: AdmitOperationOptions) {
  const { gate, keeper, cost, turns, trusted, longestMs } = options;
  return {
    /** Counts one request of the caller. Called before the request is read, so that rejecting it costs next to nothing. */
    async enter(server: Pick<ServerContext, 'sender' | 'onStanding'>) {
      const entry = await gate.admit(server.sender);
      server.onStanding(entry.standing);
      return entry;
    },

    /**
     * Checks that the document is valid and within the limits, and charges the caller the points beyond the first. Returns a
     * promise only if there are such points, or if the check must wait for its turn. Rejects an operation if its client has left
     * or its deadline has passed.
     */
    decide(
      server: Pick<ServerContext, 'isGone' | 'onGone' | 'onStanding' | 'arrivedAt'>,
      caller: Caller,
      request: OperationRequest,
    ): OperationAdmission | Promise<OperationAdmission> {
      return turns.run(caller.rate.key, server, () => decideNow(server, caller, request));
    },

    /**
     * Charges the caller for additional work of an operation.
     * @param isDone the work is done: takes the points that the caller has left, and returns `null`
     * @returns why the work is rejected; `null` = it may be done
     */
    async charge(
      server: Pick<ServerContext, 'onStanding'>,
      caller: Caller,
      points: number,
      isDone = false,
    ): Promise<GraphQLError | null> {
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
    server: Pick<ServerContext, 'isGone' | 'onStanding' | 'arrivedAt'>,
    caller: Caller,
    request: OperationRequest,
  ): OperationAdmission | Promise<OperationAdmission> {
    if (server.isGone()) return rejectUnread(callerIsGone());
    if (turns.now() - server.arrivedAt > longestMs) return rejectUnread(lateError());
    const text = findText(caller, request);
    if (typeof text !== 'string') return { kind: 'refused', errors: [asRefusal(text)], usage: null };
    const generation = keeper.current;
    const prepared = generation.documents.prepare(text);
    const decision = decideOperation(generation, prepared, request);
    const { usage } = decision;
    let admission: OperationAdmission;
    let ownMutations = 0;
    if (decision.kind === 'refused') admission = decision;
    else {
      const { operation } = decision;
      const { variables, operationName } = request;
      if (policyOf(caller) === 'log' && !trusted.has(text)) options.onUntrusted(caller, text, operation.name);
      admission = { kind: 'admitted', caller, operation, variables, operationName, usage };
      ownMutations = operation.ownMutations;
      if (request.documentId !== null) trusted.register(request, caller.rate.key);
    }
    const price = { usage, ownMutations, introspectedFields: fieldsAsked(prepared) };
    const points = toPoints(price, cost, generation.limits);
    if (points === 1) return admission;
    return gate.charge(caller, points - 1).then((charge) => {
      server.onStanding(charge.standing);
      if (charge.kind === 'refused') return { kind: 'refused', errors: [asFinal(charge.error)], usage };
      return server.isGone() ? rejectUnread(callerIsGone()) : admission;
    });
  }

  /** The text of the document, or why the caller may not run it. */
  function findText(caller: Caller, request: OperationRequest): string | GraphQLError {
    const text = request.documentId === null ? request.query : trusted.resolve(request);
    return policyOf(caller) !== 'only' || typeof text !== 'string' || trusted.has(text) ? text : notTrusted();
  }

  function policyOf({ documents }: Caller): DocumentPolicy {
    return documents ?? options.policy;
  }
}

/** Also for introspection and for documents that other callers registered by their hash. */
function notTrusted(): GraphQLError {
  return gatewayError('FORBIDDEN', 'This caller may run only the documents of TRUSTED_DOCUMENTS_FILE.');
}

/** The part of the decision that is the same for every caller. */
export function decideOperation(
  { limits, origin }: Pick<ServedGeneration, 'limits' | 'origin'>,
  prepared: PreparedDocument<PreparedOperation>,
  { variables, operationName }: Pick<OperationRequest, 'variables' | 'operationName'>,
): OperationDecision | RefusedOperation {
  const { errors: found, usage } = admitDocument(prepared, variables, limits, operationName);
  if (found.length === 0) {
    const operation = prepared.kind === 'readable' ? prepared.operation(operationName) : null;
    const refusal = operation ? operation.refusal : unknownOperation(operationName);
    if (refusal) return { kind: 'refused', errors: [asRefusal(refusal)], usage };
    if (operation) return { kind: 'admitted', operation, usage };
  }
  const errors = found.map(asRequestError);
  if (origin === 'none' && found.some(({ extensions }) => extensions.code === 'GRAPHQL_VALIDATION_FAILED')) {
    const reason = 'The ledger has not been reached yet, so its part of the schema is missing.';
    errors.unshift(asRequestError(gatewayError('UPSTREAM_UNAVAILABLE', reason, { upstream: 'ledger' })));
  }
  return { kind: 'refused', errors, usage };
}

/** Characters of an unknown operation name that its error repeats. */
const maxShown = 100;

/** Rejects a request that names no operation of its valid document, in the ledger's words. */
function unknownOperation(name: string | null): GraphQLError {
  if (name === null) return gatewayError('GRAPHQL_VALIDATION_FAILED', 'Operation name required in request.');
  const shown = name.length > maxShown ? `${name.slice(0, maxShown)}…` : name;
  return gatewayError('GRAPHQL_VALIDATION_FAILED', `Unknown operation named "${shown}"`);
}

function rejectUnread(error: GraphQLError): OperationAdmission {
  return { kind: 'refused', errors: [asFinal(error)], usage: null };
}

/** The client is gone and never reads this. It prevents a mutation whose outcome no client would learn. */
function callerIsGone(): GraphQLError {
  return gatewayError('REQUEST_TIMEOUT', 'The client disconnected before the operation began.');
}

/** Rejects an operation that waited for its turn until its deadline. */
export function lateError(): GraphQLError {
  const message = 'The time of the operation was up before its turn came: nothing of it was begun.';
  return gatewayError('REQUEST_TIMEOUT', message);
}

/** A request error: nothing was executed, and a client that accepts `application/graphql-response+json` gets status 400. */
function asRequestError(error: GraphQLError): GraphQLError {
  return withHttp(error, { spec: true, status: 400 });
}

/** Rejects a valid document. A client that accepts `application/graphql-response+json` gets the status of its code. */
function asRefusal(error: GraphQLError): GraphQLError {
  return withHttp(error, { spec: true, status: statusOf(error) });
}

/** Rejects the caller, not the document: the status is the same whatever the client accepts. */
export function asFinal(error: GraphQLError): GraphQLError {
  return withHttp(error, { status: statusOf(error) });
}

function statusOf({ extensions }: GraphQLError): number {
  return errorCatalogue[extensions.code as ErrorCode].status;
}

function withHttp(error: GraphQLError, http: { readonly status: number; readonly spec?: boolean }): GraphQLError {
  return withExtensions(error, { ...error.extensions, http });
}

interface OperationDecision {
  readonly kind: 'admitted';
  readonly operation: PreparedOperation;
  /** `null` if the document asks for the schema alone. */
  readonly usage: Usage | null;
}

/** An operation that may run, and was counted for its caller. */
export interface AdmittedOperation extends OperationDecision, Pick<OperationRequest, 'variables' | 'operationName'> {
  readonly caller: Caller;
}

interface RefusedOperation {
  readonly kind: 'refused';
  readonly errors: readonly GraphQLError[];
  /** `null` if the document was rejected before it was counted to its end. */
  readonly usage: Usage | null;
}

export type OperationAdmission = AdmittedOperation | RefusedOperation;

/** A request as its transport passes it on, with the parts of the response that GraphQL does not see. */
export interface ServerContext {
  readonly requestId: string;
  readonly sender: Sender;
  /** Monotonic milliseconds. Deadlines count from here. */
  readonly arrivedAt: number;
  readonly isGone: () => boolean;
  /** Calls back when the client leaves; immediately if it has left. May also call back after the response was sent. */
  readonly onGone: (abandon: () => void) => void;
  /** Called with the caller's remaining rate limit, each time it was counted. */
  readonly onStanding: (standing: RateLimitState) => void;
  /** Bytes of the request's body or message; left out where that cannot be long. */
  readonly requestBytes?: number;
  /** Memory of that body or message, counted until the operation is over. */
  held?: RequestMemory | undefined;
  /** Span of the request. Left out or `null`: it is not traced. */
  readonly trace?: Trace | null;
  readonly showUsage: boolean;
  /** Entries of the request's log line, one for each complete operation. */
  readonly operations: OperationFacts[];
  /** Cursor of a stream whose transport keeps it for the client. */
  readonly streamSlot?: StreamSlot | undefined;
  /** Collects facts for the response headers. Left out for responses without headers. */
  readonly notes?: CacheHeaders | undefined;
  /** Error codes of the response, for the same line. */
  readonly codes: string[];
}
