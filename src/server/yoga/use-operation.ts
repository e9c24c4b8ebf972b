import { GraphQLError } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { ResultStream } from '../../operation/operation-answer.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { EventStreamPlace } from './event-stream-place.ts';
import { multipartType } from './framing.ts';
import type { AdmittedContext } from './use-admission.ts';

/** A stream that is opened. */
interface OpenedStream {
  /** `null` where the client's transport keeps none. */
  readonly place: EventStreamPlace | null;
  /** If it hands on its results by itself. What Yoga makes of it asks for them, one by one. */
  pushed: ResultStream | null;
}

/** By the request for each. */
export type OpenedStreams = WeakMap<Request, OpenedStream>;

/**
 * Runs what was admitted.
 * @param opened receives each stream that is opened
 */
export function useOperation(
  runner: Pick<OperationRunner, 'run'>,
  opened: OpenedStreams,
): Plugin<ServerContext & AdmittedContext> {
  const batches = new WeakSet<Request>();
  return {
    onRequestParse: ({ request }) => ({
      onRequestParseDone({ requestParserResult }) {
        if (Array.isArray(requestParserResult)) batches.add(request);
      },
    }),
    onSubscribe({ args, setSubscribeFn }) {
      const server = args.contextValue as ServerContext & AdmittedContext & YogaInitialContext;
      const { admission, request } = server;
      if (admission?.kind !== 'admitted') throw new Error('a stream is opened that was not admitted');
      if (batches.has(request)) throw subscriptionInBatch();
      // Said before anything is opened: whoever cannot read a stream shall not cost one.
      const type = chooseStreamType(request);
      if (!type) throw notAStream();
      const isPlaced = type === 'text/event-stream';
      const streamPlace = isPlaced ? new EventStreamPlace(request.headers.get('last-event-id')) : undefined;
      const stream: OpenedStream = { place: streamPlace ?? null, pushed: null };
      opened.set(request, stream);
      setSubscribeFn((async () => {
        const answer = await runner.run(admission, streamPlace ? { ...server, streamPlace } : server);
        if ('isPushed' in answer && answer.isPushed) stream.pushed = answer;
        return answer;
      }) as never);
    },
    onExecute({ args, setExecuteFn }) {
      const server = args.contextValue as ServerContext & AdmittedContext;
      const { admission } = server;
      if (admission?.kind !== 'admitted') throw new Error('an operation is executed that was not admitted');
      setExecuteFn(() => runner.run(admission, server));
    },
  };
}

/** The first in the Accept header in which a subscription can be answered; `null` if there is none. */
export function chooseStreamType({ headers }: Request): 'text/event-stream' | 'multipart/mixed' | null {
  const accepted = headers.get('accept')?.split(', ') ?? [];
  const found = accepted.find((type) => type === 'text/event-stream' || type === multipartType);
  return found === multipartType ? 'multipart/mixed' : found ? 'text/event-stream' : null;
}

function subscriptionInBatch() {
  return gatewayError('BAD_REQUEST', 'A subscription cannot be an entry of a batch: send it in a request of its own.');
}

function notAStream() {
  const says = `A subscription is answered as text/event-stream or ${multipartType}: accept either, or subscribe over WebSocket.`;
  return new GraphQLError(says, { extensions: { code: 'BAD_REQUEST' satisfies ErrorCode, http: { status: 406 } } });
}
