import type { ExecutionArgs, GraphQLError } from 'graphql';
import { withExtensions } from '../../errors/light-error.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import type { AdmittedOperation } from '../../operation/operation-admission.ts';
import type { OperationAnswer } from '../../operation/operation-answer.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { type BytesInFlight, tooMuchInFlight } from '../bounds/bytes-in-flight.ts';

/** An operation as a `subscribe` message carries it. */
export interface SocketRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
}

/** The same admission and execution as over HTTP. */
export interface SocketOperations {
  /** @returns arguments to execute, or the errors that refuse the operation */
  admit(request: SocketRequest, server: ServerContext): Promise<ExecutionArgs | readonly GraphQLError[]>;
  /** Counts an operation against its caller although it is refused unread. */
  count(server: ServerContext): void;
  /** Runs what was admitted. Never rejects. */
  execute(args: ExecutionArgs): Promise<OperationAnswer>;
}

export interface SocketOperationsOptions {
  readonly admit: AdmitOperation;
  readonly runner: Pick<OperationRunner, 'run'>;
  readonly bytesInFlight: Pick<BytesInFlight, 'take'>;
  readonly maskError: (error: unknown) => GraphQLError;
}

/** graphql-ws hands this from admission to execution. */
interface SocketContext {
  readonly admitted: AdmittedOperation;
  readonly server: ServerContext;
}

export function createSocketOperations({
  admit,
  runner,
  bytesInFlight,
  maskError,
}: SocketOperationsOptions): SocketOperations {
  return {
    async admit({ query, operationName = null, variables }, server) {
      const entry = await admit.enter(server);
      if (entry.kind === 'refused') return [entry.error];
      const held = bytesInFlight.take(entry.caller.rate.key, server.requestBytes ?? 0);
      if (!held) return [tooMuchInFlight()];
      server.held = held;
      const admitted = await admit.decide(server, entry.caller, { query, variables: variables ?? {}, operationName });
      if (admitted.kind === 'refused') return admitted.errors.map(withoutHttp);
      const { schema, outline } = admitted.operation;
      const contextValue: SocketContext = { admitted, server };
      return { schema, document: outline(), contextValue, operationName, variableValues: variables ?? {} };
    },
    count(server) {
      admit.enter(server).catch(maskError);
    },
    async execute(args) {
      try {
        const { admitted, server } = args.contextValue as SocketContext;
        const answer = await runner.run(admitted, server);
        if (Symbol.asyncIterator in answer || !answer.errors) return answer;
        return { ...answer, errors: answer.errors.map((error) => withoutHttp(maskError(error))) };
      } catch (error) {
        return { errors: [withoutHttp(maskError(error))] };
      }
    },
  };
}

/** Such hints set an HTTP status. A socket has none, and the client would see the hint. */
function withoutHttp(error: GraphQLError): GraphQLError {
  const { http, ...extensions } = error.extensions;
  if (http === undefined) return error;
  return withExtensions(error, extensions);
}
