import type { Plugin } from 'graphql-yoga';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import type { AdmittedContext } from './use-admission.ts';

/** Runs what was admitted, or finishes what the lane has begun. Subscriptions are refused at admission. */
export function useOperation(runner: Pick<OperationRunner, 'run'>): Plugin<ServerContext & AdmittedContext> {
  return {
    onExecute({ args, setExecuteFn }) {
      const server = args.contextValue as ServerContext & AdmittedContext;
      const { admission, begun } = server;
      if (admission?.kind !== 'admitted') throw new Error('an operation is executed that was not admitted');
      setExecuteFn(() => runner.run(admission, server, begun?.answer));
    },
  };
}
