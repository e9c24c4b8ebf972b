import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import { withUsage } from '../../limits/usage-extension.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import { hangUpOn, type OpenOperation, type ServerContext } from '../../operation/open-operation.ts';
import { refusedSubscription } from '../../operation/refused-subscription.ts';
import type { RunPlan } from '../../operation/run-plan.ts';

/** An operation as a `subscribe` message carries it. */
export interface SocketRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
}

/** What a WebSocket shell needs of GraphQL: the same admission and execution as over HTTP. */
export interface SocketOperations {
  /** Admits an operation: arguments to execute, or the errors that refuse it. */
  admit(
    request: SocketRequest,
    server: ServerContext,
    hangUp: AbortSignal,
  ): Promise<ExecutionArgs | readonly GraphQLError[]>;
  /** Counts an operation that is refused without being looked at. */
  count(server: ServerContext): void;
  /** Runs what was admitted. Never rejects. */
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
}

export interface SocketOperationsOptions {
  readonly admit: AdmitOperation;
  readonly openOperation: OpenOperation;
  readonly runPlan: RunPlan;
  readonly maskError: (error: unknown) => GraphQLError;
}

export function createSocketOperations({
  admit,
  openOperation,
  runPlan,
  maskError,
}: SocketOperationsOptions): SocketOperations {
  const runs = new WeakMap<object, () => Promise<ExecutionResult>>();
  return {
    async admit({ query, operationName, variables }, server, hangUp) {
      const entry = await admit.enter(server);
      if (entry.kind === 'refused') return [entry.error];
      const request = { query, variables: variables ?? {}, operationName: operationName ?? null };
      const admission = await admit.decide(server, entry.caller, request);
      if (admission.kind === 'refused') return admission.errors.map(withoutHttp);
      const { caller, document, generation, usage } = admission;
      if (getOperationAST(document, operationName)?.operation === 'subscription') return [refusedSubscription()];
      const run = openOperation(server, { caller, document, operationName });
      const contextValue = { ...run.context };
      runs.set(contextValue, async () => {
        const { variables: sent, operationName: name } = request;
        const planned = {
          generation,
          document,
          text: query,
          operationName: name,
          variables: sent,
          context: contextValue,
        };
        const stopListening = hangUpOn(hangUp, run);
        const result = await runPlan.run(planned).finally(() => {
          stopListening();
          run.end();
        });
        const finished = run.finish(result);
        return server.showUsage && usage ? withUsage(finished, usage) : finished;
      });
      return {
        schema: generation.schema,
        document,
        contextValue,
        operationName: operationName ?? null,
        variableValues: variables ?? {},
      };
    },
    count(server) {
      admit.enter(server).catch(maskError);
    },
    async execute(args) {
      try {
        const result = (await runs.get(args.contextValue as object)?.()) ?? { data: null };
        return result.errors
          ? { ...result, errors: result.errors.map((error) => withoutHttp(maskError(error))) }
          : result;
      } catch (error) {
        return { errors: [withoutHttp(maskError(error))] };
      }
    },
  };
}

/** The hint that sets an HTTP status means nothing on a socket, and would be shown. */
function withoutHttp(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  if (http === undefined) return error;
  const { message, nodes = null, source = null, positions = null, path = null } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}
