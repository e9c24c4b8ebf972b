import { GraphQLError } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import type { AdmittedContext } from './use-admission.ts';

/** Runs what was admitted, or finishes what the lane has begun. */
export function useOperation(runner: Pick<OperationRunner, 'run'>): Plugin<ServerContext & AdmittedContext> {
  return {
    onSubscribe({ args, setSubscribeFn }) {
      const server = args.contextValue as ServerContext & AdmittedContext & YogaInitialContext;
      const { admission, request } = server;
      if (admission?.kind !== 'admitted') throw new Error('a stream is opened that was not admitted');
      // Said before anything is opened: whoever cannot read a stream shall not cost one.
      if (!request.headers.get('accept')?.includes(streamType)) throw notAStream();
      setSubscribeFn(() => runner.run(admission, server) as never);
    },
    onExecute({ args, setExecuteFn }) {
      const server = args.contextValue as ServerContext & AdmittedContext;
      const { admission, begun } = server;
      if (admission?.kind !== 'admitted') throw new Error('an operation is executed that was not admitted');
      setExecuteFn(() => runner.run(admission, server, begun?.answer));
    },
  };
}

const streamType = 'text/event-stream';

function notAStream() {
  const says = `A subscription is answered as ${streamType}: accept it, or subscribe over WebSocket.`;
  return new GraphQLError(says, { extensions: { code: 'BAD_REQUEST' satisfies ErrorCode, http: { status: 406 } } });
}
