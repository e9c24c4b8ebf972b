import { type DocumentNode, execute } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { OpenOperation, ServerContext } from './operation-run.ts';
import type { AdmittedCaller } from './use-admission.ts';

/** Gives resolvers their context, bounds the operation in time, and tidies its result. */
export function useOperation(openOperation: OpenOperation): Plugin<ServerContext & AdmittedCaller> {
  return {
    onExecute({ args, setExecuteFn }) {
      // Yoga's own executor gives keys in the order in which fields resolve; clients get them as they asked.
      setExecuteFn(execute);
      const server = args.contextValue as ServerContext & AdmittedCaller & { request: Request };
      const run = openOperation(server, server.request.signal, {
        caller: server.caller,
        document: args.document as DocumentNode,
        operationName: args.operationName,
      });
      Object.assign(args.contextValue as object, run.context);
      return {
        onExecuteDone({ result, setResult }) {
          if (result && !(Symbol.asyncIterator in result)) setResult(run.finish(result));
        },
      };
    },
  };
}
