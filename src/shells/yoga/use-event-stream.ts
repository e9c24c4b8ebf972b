import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { noteCodes } from '../../errors/note-codes.ts';
import { printJson } from '../../json/exact-number.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { eventStreamHeaders } from '../event-streams/event-stream-headers.ts';
import { createHeart, type Heart } from '../event-streams/heart.ts';

/**
 * Answers a subscription as an event stream: `next` with each result, `complete` at its end, and a comment at once and every
 * so often, by which both sides notice that the other is gone. Yoga would have a timer for each stream, and round numbers.
 */
export function useEventStream(heart: Heart = createHeart()): Plugin<object, ServerContext> {
  return {
    onResultProcess({ result, setResultProcessor, serverContext }) {
      if (!(Symbol.asyncIterator in result)) return;
      const results = (result as AsyncIterable<ExecutionResult>)[Symbol.asyncIterator]();
      const note = ({ errors = [] }: ExecutionResult) => noteCodes(serverContext.codes, errors);
      setResultProcessor((_, { Response, ReadableStream }) => {
        const body = new ReadableStream<Uint8Array>(toSource(results, heart, note));
        return new Response(body, { headers: eventStreamHeaders });
      }, 'text/event-stream');
    },
  };
}

const encoder = new TextEncoder();
const silence = encoder.encode(':\n\n');
const complete = encoder.encode('event: complete\ndata:\n\n');

/** Asks for a result only when the client has read those before it. */
function toSource(
  results: AsyncIterator<ExecutionResult>,
  heart: Heart,
  note: (result: ExecutionResult) => void,
): UnderlyingDefaultSource<Uint8Array> {
  let stopBeating = () => {};
  return {
    start(controller) {
      controller.enqueue(silence);
      stopBeating = heart.onBeat(() => {
        // Nothing is put behind what the client has not read yet.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(silence);
      });
    },
    async pull(controller) {
      try {
        const { done, value } = await results.next();
        if (!done) {
          note(value);
          return controller.enqueue(encoder.encode(`event: next\ndata: ${printJson(withoutHints(value))}\n\n`));
        }
        stopBeating();
        controller.enqueue(complete);
        controller.close();
      } catch (error) {
        stopBeating();
        controller.error(error);
      }
    },
    async cancel() {
      stopBeating();
      await results.return?.();
    },
  };
}

/** Hints that set an HTTP status are not for clients. */
function withoutHints({ errors, ...result }: ExecutionResult): object {
  if (!errors) return result;
  return {
    ...result,
    errors: errors.map((error): GraphQLFormattedError => {
      const { http, ...extensions } = error.extensions;
      return { ...error.toJSON(), extensions };
    }),
  };
}
