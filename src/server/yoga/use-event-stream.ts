import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { noteCodes } from '../../errors/note-codes.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import { itemPlace, type PlacedResult } from '../../upstream/item-place.ts';
import { printResult } from '../whole-answer.ts';
import type { EventStreamPlace } from './event-stream-place.ts';
import { eventFraming, type Framing, multipartFraming } from './framing.ts';
import { createHeart, type Heart } from './heart.ts';
import { PushedBody } from './pushed-body.ts';
import { chooseStreamType, type OpenedStreams } from './use-operation.ts';

/**
 * Answers a subscription as an event stream, or in parts: each result, its end, and something at once and every so often, by
 * which both sides notice that the other is gone. Yoga would have a timer for each stream, and round numbers.
 */
export function useEventStream(opened: OpenedStreams, heart: Heart = createHeart()): Plugin<object, ServerContext> {
  return {
    onResultProcess({ request, result, setResultProcessor, serverContext }) {
      if (!(Symbol.asyncIterator in result)) return;
      const results = (result as AsyncIterable<ExecutionResult>)[Symbol.asyncIterator]();
      const note = ({ errors = [] }: ExecutionResult) => noteCodes(serverContext.codes, errors);
      const type = chooseStreamType(request) ?? 'text/event-stream';
      const framing = type === 'text/event-stream' ? eventFraming : multipartFraming;
      const { place = null, pushed = null } = opened.get(request) ?? {};
      // Yoga lets a client read nothing of a stream for ever, and what was written then waits for ever.
      const onSent = () => serverContext.boundStream?.();
      setResultProcessor((_, { Response, ReadableStream }) => {
        if (pushed) {
          const body = new PushedBody({ stream: pushed, framing, place, heart, onSent, onResult: note });
          return new Response(body as never, { headers: framing.headers });
        }
        const stream = { results, framing, place, onSent };
        return new Response(new ReadableStream<Uint8Array>(toSource(stream, heart, note)), {
          headers: framing.headers,
        });
      }, type);
    },
  };
}

const encoder = new TextEncoder();

interface FramedStream {
  readonly results: AsyncIterator<ExecutionResult>;
  readonly framing: Framing;
  readonly place: EventStreamPlace | null;
  readonly onSent: () => void;
}

/** Asks for a result only when the client has read those before it. */
function toSource(
  { results, framing, place, onSent }: FramedStream,
  heart: Heart,
  note: (result: ExecutionResult) => void,
): UnderlyingDefaultSource<Uint8Array> {
  let stopBeating = () => {};
  return {
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const beat = () => {
        // Nothing is put behind what the client has not read yet.
        if ((controller.desiredSize ?? 0) <= 0) return;
        const at = place?.take() ?? null;
        send((at === null ? null : framing.place(at)) ?? framing.beat);
      };
      send(framing.begin());
      // Who is cut off before the first event goes on from here, and not from when it is back.
      place?.onFirst(beat);
      stopBeating = heart.onBeat(beat);
    },
    async pull(controller) {
      onSent();
      try {
        const { done, value } = await results.next();
        if (!done) {
          note(value);
          place?.pass();
          const at = (value as PlacedResult)[itemPlace] ?? null;
          return controller.enqueue(encoder.encode(framing.next(printResult(value), at)));
        }
        stopBeating();
        controller.enqueue(encoder.encode(framing.end));
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
