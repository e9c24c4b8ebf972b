import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { printResult } from '../whole-answer.ts';
import { eventFraming } from './framing.ts';

/**
 * Answers an operation that is no stream, or was refused, to a client that reads events and nothing else: one result, and the
 * end. Yoga's own answer might be kept by caches, and names a coding that there is not.
 */
export function useWholeEventStream(): Plugin {
  return {
    onResultProcess({ request, result, setResultProcessor }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || !readsEventsAlone(request)) return;
      setResultProcessor((whole, { Response }) => {
        const { body, status, headers } = toWholeStream(whole as ExecutionResult);
        return new Response(body, { status, headers });
      }, 'text/event-stream');
    },
  };
}

function readsEventsAlone({ headers }: Request): boolean {
  const accepted = headers.get('accept') ?? '';
  return accepted.includes('text/event-stream') && !accepted.includes('json');
}

/** In milliseconds: an `EventSource` asks again and again for what it was refused. */
const refusedAgainMs = 60_000;

interface RefusalHints {
  readonly code?: string;
  readonly retryAfterSeconds?: number;
  readonly http?: {
    readonly status?: number;
    readonly spec?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

function toWholeStream(result: ExecutionResult) {
  const [refusal] = result.data === undefined ? (result.errors ?? []) : [];
  const { code, retryAfterSeconds, http } = (refusal?.extensions ?? {}) as RefusalHints;
  const againMs = retryAfterSeconds === undefined ? refusedAgainMs : retryAfterSeconds * 1_000;
  const begin = refusal && code !== 'UNAVAILABLE' ? eventFraming.begin(againMs) : eventFraming.begin();
  return {
    body: begin + eventFraming.next(printResult(result), null) + eventFraming.end,
    // What is wrong with the document is told by the stream, not by a status: an `EventSource` could not read it then.
    status: (!http?.spec && http?.status) || 200,
    headers: { ...eventFraming.headers, ...http?.headers },
  };
}
