import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { Standing } from '../admission/caller-gate.ts';
import type { Sender } from '../admission/sender.ts';
import { unwrapErrors } from '../errors/mask-error.ts';
import { restoreCauses } from '../subschemas/ledger/attribute-errors.ts';
import type { Caller, OperationContext } from '../subschemas/operation-context.ts';
import { createCancellation } from '../transport/cancellation.ts';

/** What the listener knows of a request before GraphQL does. */
export interface ServerContext {
  readonly requestId: string;
  readonly sender: Sender;
  /** Is nobody there any more to take the answer? */
  readonly isGone: () => boolean;
  /**
   * The caller, where it was counted before anything of its request was read. One operation takes it: of a batch the first;
   * each other one is counted by itself. `null` once it is taken.
   */
  readonly takeCounted?: () => Caller | null;
  /** Told where the caller stands, each time that was counted. */
  readonly onStanding: (standing: Standing) => void;
  /** Is the caller to be told what the operation cost? */
  readonly showUsage: boolean;
  /** Filled while the request is served, for the one log line at its end. */
  readonly operations: OperationRecord[];
}

export interface OperationRecord {
  readonly caller: string;
  readonly name: string | null;
  readonly type: string;
  errors: number;
}

export interface OperationOptions {
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
  /** Counts work that operations ask for beside their own; left out, nothing of it counts. */
  readonly charge?: (
    server: Pick<ServerContext, 'onStanding'>,
    caller: Caller,
    points: number,
    isDone?: boolean,
  ) => Promise<Error | null>;
  /** What clients see of an error. */
  readonly maskError?: (error: unknown, requestId: string) => GraphQLError;
}

/** One operation under way. */
export interface OperationRun {
  /** What its resolvers may know. */
  readonly context: OperationContext;
  /** The caller is gone. What only reads is ended; what cannot be taken back runs on, and no more of it is begun. */
  readonly hangUp: () => void;
  /** Nothing runs any more: lets go of the deadline. To be called however the operation ends; safe to call twice. */
  readonly end: () => void;
  /** Tidies its result: every error on its own, request errors marked as such. Counts them for the log. */
  readonly finish: (result: ExecutionResult) => ExecutionResult;
}

/** Opens an operation, whichever shell it came through: how long it may take, and a record for the log. */
export function createOpenOperation({ timeouts, charge, maskError }: OperationOptions) {
  return (
    server: ServerContext,
    request: {
      readonly caller: Caller;
      readonly document: DocumentNode;
      readonly operationName?: string | null | undefined;
    },
  ): OperationRun => {
    const operation = getOperationAST(request.document, request.operationName);
    const isMutation = operation?.operation === 'mutation';
    const cancellation = createCancellation(isMutation ? timeouts.mutationMs : timeouts.queryMs);
    const record: OperationRecord = {
      caller: request.caller.id,
      name: operation?.name?.value ?? null,
      type: operation?.operation ?? 'unknown',
      errors: 0,
    };
    server.operations.push(record);
    return {
      context: {
        requestId: server.requestId,
        cancellation,
        caller: request.caller,
        charge: charge && ((points, isDone) => charge(server, request.caller, points, isDone)),
      },
      hangUp: () => cancellation.cancel('aborted'),
      end: () => cancellation.finish(),
      finish: (result) => {
        if (!result.errors) return result;
        const all = unwrapErrors(result.errors);
        const unwrapped = maskError ? all.map((error) => maskError(error, server.requestId)) : all;
        const errors = restoreCauses(unwrapped, result.data === null);
        record.errors = errors.length;
        return { ...result, errors: result.data === undefined ? errors.map(asVariableError) : errors };
      },
    };
  };
}

export type OpenOperation = ReturnType<typeof createOpenOperation>;

/** Ends the operation when a signal says that the caller is gone. @returns how to stop listening */
export function hangUpOn(signal: AbortSignal, { hangUp }: Pick<OperationRun, 'hangUp'>): () => void {
  if (signal.aborted) hangUp();
  signal.addEventListener('abort', hangUp);
  return () => signal.removeEventListener('abort', hangUp);
}

/** Without `data` nothing was executed: the variables do not fit the operation, or an argument is out of its range. */
function asVariableError(error: GraphQLError): GraphQLError {
  const { code = 'BAD_USER_INPUT' } = error.extensions;
  if (code !== 'BAD_USER_INPUT') return error;
  const { message, nodes = null, source = null, positions = null, extensions } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    extensions: { code, ...extensions, http: { spec: true, status: 400 } },
  });
}
