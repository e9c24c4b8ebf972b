import { type DocumentNode, GraphQLError } from 'graphql';
import type { CallerGate } from '../admission/caller-gate.ts';
import { type RateCost, toPoints } from '../admission/to-points.ts';
import { admitDocument, type Admission as DocumentAdmission } from '../documents/admit-document.ts';
import type { PreparedDocument } from '../documents/prepared-document.ts';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { Usage } from '../limits/usage.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { Generation } from './generation.ts';
import type { ServerContext } from './operation-run.ts';
import type { SchemaKeeper } from './schema-keeper.ts';

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
  /** Its document, where it was looked up already; believed as long as its generation is in force. */
  readonly found?: { readonly generation: Generation; readonly prepared: PreparedDocument };
}

/**
 * Decides whether an operation may run, whichever shell it came through: who asks, may they ask again, and is the
 * document within the limits and valid. What is refused first costs nothing of what comes after.
 * @returns a function that takes `null` where the request has no query to look at: the attempt counts all the same
 */
export function createAdmitOperation({ gate, keeper, cost }: AdmitOperationOptions) {
  return async (server: ServerContext, request: OperationRequest | null): Promise<OperationAdmission | null> => {
    const entry = await gate.admit(server.sender);
    server.onStanding(entry.standing);
    if (entry.kind === 'refused') return { kind: 'refused', errors: [asFinal(entry.error)], usage: null };
    if (!request) return null;
    const generation = keeper.current;
    const operation = admitDocumentOf(generation, request);
    const points = toPoints(operation.usage, cost, generation.limits);
    if (points > 1) {
      const charge = await gate.charge(entry.caller, points - 1);
      server.onStanding(charge.standing);
      if (charge.kind === 'refused')
        return { kind: 'refused', errors: [asFinal(charge.error)], usage: operation.usage };
    }
    if (operation.kind === 'refused') return operation;
    const { document, usage } = operation;
    return { kind: 'admitted', document, usage, generation, caller: entry.caller };
  };
}

export type AdmitOperation = ReturnType<typeof createAdmitOperation>;

function admitDocumentOf(generation: Generation, { query, variables, found }: OperationRequest): DocumentAdmission {
  const prepared = found?.generation === generation ? found.prepared : generation.documents.prepare(query);
  return admitPrepared(generation, prepared, variables);
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
function asFinal(error: GraphQLError): GraphQLError {
  return withHttp(error, { status: errorCatalogue[error.extensions.code as ErrorCode].status });
}

function withHttp(error: GraphQLError, http: { readonly status: number; readonly spec?: boolean }): GraphQLError {
  const { message, nodes = null, source = null, positions = null, path = null, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, http } });
}
