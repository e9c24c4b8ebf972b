import type { Plugin } from 'graphql-yoga';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServerContext } from '../../operation/server-context.ts';

/** Runs what was admitted. Subscriptions were opened before Yoga, except for those in a batch. */
export function useOperation(runner: Pick<OperationRunner, 'run'>): Plugin<ServerContext> {
  return {
    onSubscribe() {
      throw gatewayError(
        'BAD_REQUEST',
        'A subscription cannot be an entry of a batch: send it in a request of its own.',
      );
    },
    onExecute({ args, setExecuteFn }) {
      const server = args.contextValue as ServerContext;
      const { admission } = server;
      if (admission?.kind !== 'admitted') throw new Error('an operation is executed that was not admitted');
      setExecuteFn(() => runner.run(admission, server));
    },
  };
}
