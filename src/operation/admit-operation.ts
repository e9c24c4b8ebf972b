import { type DocumentNode, GraphQLError } from 'graphql';
import type { CallerGate } from '../admission/caller-gate.ts';
import { type RateCost, toPoints } from '../admission/to-points.ts';
import { admitDocument, type Admission as DocumentAdmission } from '../documents/admit-document.ts';
import type { PreparedDocument } from '../documents/prepared-document.ts';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Generation } from '../graph/generation.ts';
import type { SchemaKeeper } from '../graph/schema-keeper.ts';
import type { Usage } from '../limits/usage.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import { findOperation } from './find-operation.ts';
import type { ServerContext } from './open-operation.ts';

export type OperationAdmission =
  | {
      readonly kind: 'admitted';
      readonly caller: Caller;
      readonly generation: Generation;
      readonly document: DocumentNode;
      readonly usage: Usage | null;
    }
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[]; readonly usage: Usage | null };

export interface AdmitOperationOptions {
  readonly gate: CallerGate;
  readonly keeper: Pick<SchemaKeeper, 'current'>;
  readonly cost: RateCost;
}

/** An operation as the client sent it. */
export interface OperationRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
  /** Its document, where it was looked up already, and the generation it is to run on. */
  readonly found?: { readonly generation: Generation; readonly prepared: PreparedDocument };
}

/** Whether a caller may ask at all, before anything of what it asks for is read. */
export type Entry =
  | { readonly kind: 'entered'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly error: ReturnType<typeof gatewayError> };

/** Decides whether an operation may run, whichever shell it came through, in two steps: the caller, then the document. */
export interface AdmitOperation {
  /** Counts one attempt of whoever asks. Comes before the request is read: what is refused here costs nothing of that. */
  enter(server: Pick<ServerContext, 'sender' | 'onStanding'>): Promise<Entry>;
  /**
   * Is the document within the limits and valid, and may the caller have what it costs beyond the attempt? At once, but for
   * an operation that costs more. One that nobody waits for any more is refused, whatever it is.
   */
  decide(
    server: Pick<ServerContext, 'isGone' | 'onStanding'>,
    caller: Caller,
    request: OperationRequest,
  ): OperationAdmission | Promise<OperationAdmission>;
  /**
   * Counts work that an operation asks for beside its own. @param isDone it cannot be refused any more: what the caller has
   * is taken, and no more is asked. @returns why the caller may not have it; `null` when it may
   */
  charge(
    server: Pick<ServerContext, 'onStanding'>,
    caller: Caller,
    points: number,
    isDone?: boolean,
  ): Promise<GraphQLError | null>;
}

export function createAdmitOperation({ gate, keeper, cost }: AdmitOperationOptions): AdmitOperation {
  return {
    async enter(server) {
      const entry = await gate.admit(server.sender);
      server.onStanding(entry.standing);
      return entry.kind === 'refused' ? entry : { kind: 'entered', caller: entry.caller };
    },
    decide(server, caller, request) {
      if (server.isGone()) return abandoned();
      const generation = request.found?.generation ?? keeper.current;
      const prepared = request.found?.prepared ?? generation.documents.prepare(request.query);
      const decision = withOperation(admitPrepared(generation, prepared, request.variables), request);
      const admission: OperationAdmission =
        decision.kind === 'refused' ? decision : { ...decision, generation, caller };
      const points = toPoints(decision.usage, cost, generation.limits);
      if (points === 1) return admission;
      return gate.charge(caller, points - 1).then((charge) => {
        server.onStanding(charge.standing);
        if (charge.kind === 'refused')
          return { kind: 'refused', errors: [asFinal(charge.error)], usage: decision.usage };
        return server.isGone() ? abandoned() : admission;
      });
    },
    async charge(server, caller, points, isDone = false) {
      const charge = await gate.charge(caller, points);
      const { standing } = charge;
      if (!isDone) {
        server.onStanding(standing);
        return charge.kind === 'refused' ? charge.error : null;
      }
      // It is served, so it is not told when to come back.
      const { limit = 0, remaining = 0, resetsAtMs = 0 } = standing ?? {};
      server.onStanding(standing && { limit, remaining, resetsAtMs });
      return null;
    },
  };
}

/** Refuses where the document has no such operation; one that was looked up has been found with it. */
function withOperation(decision: DocumentAdmission, { operationName, found }: OperationRequest): DocumentAdmission {
  if (decision.kind === 'refused' || found) return decision;
  const operation = findOperation(decision.document, operationName);
  if (!(operation instanceof GraphQLError)) return decision;
  return { kind: 'refused', errors: [asRequestError(operation)], usage: decision.usage };
}

/** Nobody reads it: it keeps from beginning what the caller could not be told the outcome of. */
function abandoned(): OperationAdmission {
  const error = gatewayError('REQUEST_TIMEOUT', 'The caller was gone before the operation began.');
  return { kind: 'refused', errors: [error], usage: null };
}

/** The same decision for a document that the generation need not keep. */
export function admitPrepared(
  generation: Generation,
  prepared: PreparedDocument,
  variables: Readonly<Record<string, unknown>>,
): DocumentAdmission {
  const admission = admitDocument(prepared, variables, generation.limits);
  if (admission.kind === 'admitted') return admission;
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

/** A request error: nothing was executed, and a strict client gets status 400. */
function asRequestError(error: GraphQLError): GraphQLError {
  return withHttp(error, { spec: true, status: 400 });
}

/** A refusal of the caller, not of the document: its status is the same whatever the client accepts. */
export function asFinal(error: GraphQLError): GraphQLError {
  return withHttp(error, { status: errorCatalogue[error.extensions.code as ErrorCode].status });
}

function withHttp(error: GraphQLError, http: { readonly status: number; readonly spec?: boolean }): GraphQLError {
  const { message, nodes = null, source = null, positions = null, path = null, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, http } });
}
