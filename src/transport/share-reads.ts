import { type Cancellation, createCancellation } from './cancellation.ts';
import type { UpstreamCall, UpstreamRequest, UpstreamResponse } from './upstream-call.ts';
import { toCancelledError } from './upstream-call-error.ts';

/** A call under way and how many wait for it. */
interface SharedCall {
  readonly answer: Promise<UpstreamResponse>;
  readonly abandon: () => void;
  waiting: number;
}

/**
 * Lets identical reads that are under way at the same time be one call. Only requests marked `isShareable` are shared: a
 * read that carries nothing of its caller, so that whoever asks gets the same answer. Each waits for itself: who gives
 * up leaves the others alone, and the call is cut short when nobody is left. Nothing is kept once it is answered.
 */
export function shareReads(call: UpstreamCall): UpstreamCall {
  const underWay = new Map<string, SharedCall>();

  const join = (request: UpstreamRequest): SharedCall => {
    const key = `${request.method} ${request.path}\n${String(request.body)}`;
    const known = underWay.get(key);
    if (known) return known;
    const abandoned = createCancellation();
    const forget = () => {
      if (underWay.get(key) === shared) underWay.delete(key);
    };
    const answer = call({ ...request, cancellation: abandoned }).finally(forget);
    const shared: SharedCall = {
      answer,
      waiting: 0,
      abandon: () => {
        // A newcomer must not be handed what is being given up.
        forget();
        abandoned.cancel('aborted');
      },
    };
    underWay.set(key, shared);
    return shared;
  };

  return (request) => {
    if (!request.isShareable) return call(request);
    const { cancellation } = request;
    if (cancellation?.cause) return Promise.reject(toCancelledError(cancellation.cause));
    const shared = join(request);
    shared.waiting += 1;
    return waitFor(shared, cancellation).finally(() => {
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.abandon();
    });
  };
}

function waitFor({ answer }: SharedCall, cancellation: Cancellation | undefined): Promise<UpstreamResponse> {
  if (!cancellation) return answer;
  return new Promise((resolve, reject) => {
    const stopListening = cancellation.onCancel((cause) => reject(toCancelledError(cause)));
    answer.then(resolve, reject).finally(stopListening);
  });
}
