import { type DocumentNode, type ExecutionResult, execute, GraphQLError, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Secret } from '../config/secret.ts';
import { unwrapErrors } from '../errors/mask-error.ts';
import { restoreCauses } from '../subschemas/ledger/attribute-errors.ts';
import type { Caller, OperationContext } from '../subschemas/operation-context.ts';

/** What the listener knows of a request before GraphQL does. */
export interface ServerContext {
  readonly requestId: string;
  readonly authorization: Secret | null;
  readonly remoteAddress: string;
  /** Is the caller to be told what the operation cost? */
  readonly showUsage: boolean;
  /** Filled while the request is served, for the one log line at its end. */
  readonly operations: OperationRecord[];
}

export interface OperationRecord {
  readonly name: string | null;
  readonly type: string;
  errors: number;
}

export interface OperationOptions {
  readonly identify: (context: ServerContext) => Caller;
  readonly timeouts: { readonly queryMs: number; readonly mutationMs: number };
}

/** Gives resolvers their context, bounds the operation in time, and tidies the errors of its result. */
export function useOperation({ identify, timeouts }: OperationOptions): Plugin<ServerContext> {
  return {
    onExecute({ args, setExecuteFn }) {
      // Yoga's own executor gives keys in the order in which fields resolve; clients get them as they asked.
      setExecuteFn(execute);
      const context = args.contextValue as ServerContext & { request: Request };
      const operation = getOperationAST(args.document as DocumentNode, args.operationName);
      const isMutation = operation?.operation === 'mutation';
      // A caller who hangs up ends a query. A mutation runs on: what it started cannot be taken back.
      const signal = isMutation
        ? AbortSignal.timeout(timeouts.mutationMs)
        : AbortSignal.any([context.request.signal, AbortSignal.timeout(timeouts.queryMs)]);
      const own: OperationContext = { requestId: context.requestId, signal, caller: identify(context) };
      Object.assign(args.contextValue as object, own);
      const record: OperationRecord = {
        name: operation?.name?.value ?? null,
        type: operation?.operation ?? 'unknown',
        errors: 0,
      };
      context.operations.push(record);
      return {
        onExecuteDone({ result, setResult }) {
          if (!result || Symbol.asyncIterator in result || !result.errors) return;
          const unwrapped = unwrapErrors(result.errors);
          const errors = result.data === null ? restoreCauses(unwrapped) : unwrapped;
          record.errors = errors.length;
          setResult({ ...result, errors: result.data === undefined ? errors.map(asVariableError) : errors });
        },
      };
    },
  };
}

/** Without `data` nothing was executed: the variables do not fit the operation. */
function asVariableError(error: GraphQLError): NonNullable<ExecutionResult['errors']>[number] {
  if (error.extensions.code) return error;
  const { message, nodes = null, source = null, positions = null } = error;
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    extensions: { code: 'BAD_USER_INPUT', http: { spec: true, status: 400 } },
  });
}
