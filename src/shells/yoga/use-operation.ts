import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { errorCatalogue } from '../../errors/catalogue.ts';
import { hangUpOn, type OpenOperation, type ServerContext } from '../../operation/open-operation.ts';
import { refusedSubscription } from '../../operation/refused-subscription.ts';
import type { RunPlan } from '../../operation/run-plan.ts';
import type { AdmittedContext } from './use-admission.ts';

/** Gives resolvers their context, bounds the operation in time, runs its plan, and tidies its result. */
export function useOperation(openOperation: OpenOperation, runPlan: RunPlan): Plugin<ServerContext & AdmittedContext> {
  return {
    onExecute({ args, setExecuteFn }) {
      const server = args.contextValue as ServerContext & AdmittedContext & { request: Request };
      const document = args.document as DocumentNode;
      const operationName = args.operationName ?? null;
      const { caller, generation, text } = server;
      const run = openOperation(server, { caller, document, operationName });
      const context = Object.assign(args.contextValue as object, run.context);
      const variables = args.variableValues ?? {};
      const stopListening = hangUpOn(server.request.signal, run);
      setExecuteFn(() =>
        runPlan.run({ generation, document, text, operationName, variables, context }).finally(() => {
          stopListening();
          run.end();
        }),
      );
      return {
        onExecuteDone({ result, setResult }) {
          if (result && !(Symbol.asyncIterator in result)) setResult(run.finish(result as ExecutionResult));
        },
      };
    },
    onSubscribe({ setSubscribeFn }) {
      const { message, extensions } = refusedSubscription();
      const http = { spec: true, status: errorCatalogue.NOT_CONFIGURED.status };
      setSubscribeFn(() => ({ errors: [new GraphQLError(message, { extensions: { ...extensions, http } })] }));
    },
  };
}
