import type { CancelCause } from './cancellation.ts';
import type { CallUnderWay, RawCall, RawListener, RawRequest, RawResponse, RawSink } from './raw-call.ts';
import { toCancelledError, type UpstreamCallError } from './upstream-call-error.ts';

/**
 * Lets identical reads that are under way at the same time be one call. Only requests marked `isShareable` are shared: a
 * read that carries nothing of its caller, so that whoever asks gets the same answer, in the same buffers. Each waits
 * for itself: who gives up leaves the others alone, and the call is cut short when nobody is left. The time of a call is
 * that of the first who asked. An answer that one alone waits for may be taken as it comes, and is then nobody else's;
 * one that several wait for is collected. Nothing is kept once it is answered.
 */
export function shareReads(rawCall: RawCall): RawCall {
  /**
   * By the length of their bodies, and then compared. As keys of a map the bodies themselves would be hashed whole, and,
   * young as they are, held by something old: together that cost a tenth of a small request.
   */
  const underWay = new Map<number, SharedCall[]>();
  const forget = (shared: SharedCall): void => {
    const calls = underWay.get(shared.request.body.length);
    const at = calls?.indexOf(shared) ?? -1;
    if (at >= 0) calls?.splice(at, 1);
    if (calls?.length === 0) underWay.delete(shared.request.body.length);
  };
  return (request, listener) => {
    if (!isShareable(request)) return rawCall(request, listener);
    const { length } = request.body;
    let calls = underWay.get(length);
    if (!calls) {
      calls = [];
      underWay.set(length, calls);
    }
    for (const known of calls) if (isSame(known.request, request)) return known.join(listener);
    if (calls.length >= maxCompared) return rawCall(request, listener);
    const shared = new SharedCall(request, forget);
    calls.push(shared);
    const member = shared.join(listener);
    shared.start(rawCall);
    return member;
  };
}

/** Calls of one length among which a newcomer looks for its like. With more under way, those that come are not shared. */
const maxCompared = 64;

type ShareableRequest = RawRequest & { readonly body: string };

function isShareable(request: RawRequest): request is ShareableRequest {
  return request.isShareable === true && typeof request.body === 'string';
}

/** Requests that may be shared have all headers in common. */
function isSame(one: RawRequest, other: RawRequest): boolean {
  return one.body === other.body && one.path === other.path && one.method === other.method;
}

/** A call under way and those who wait for it. */
class SharedCall implements RawListener {
  readonly request: ShareableRequest;
  readonly #forget: (shared: SharedCall) => void;
  #members: Member[] = [];
  #underWay: CallUnderWay | undefined;

  constructor(request: ShareableRequest, forget: (shared: SharedCall) => void) {
    this.request = request;
    this.#forget = forget;
  }

  start(rawCall: RawCall): void {
    this.#underWay = rawCall(this.request, this);
  }

  join(listener: RawListener): Member {
    const member = new Member(this, listener);
    this.#members.push(member);
    return member;
  }

  leave(member: Member, cause: CancelCause): void {
    const at = this.#members.indexOf(member);
    if (at >= 0) this.#members.splice(at, 1);
    if (at < 0 || this.#members.length > 0) return;
    // A newcomer must not be handed what is being given up.
    this.#forget(this);
    this.cut(cause);
  }

  cut(cause: CancelCause): void {
    this.#underWay?.cancel(cause);
  }

  stream(begun: RawResponse, resume: () => void): RawSink | null {
    const [only] = this.#members;
    const sink = only && this.#members.length === 1 ? only.stream(begun, resume) : null;
    if (sink) this.#forget(this);
    return sink;
  }

  answered(response: RawResponse): void {
    this.#tell((listener) => listener.answered(response));
  }

  failed(error: UpstreamCallError): void {
    this.#tell((listener) => listener.failed(error));
  }

  /** All of them, whatever one of them makes of it. */
  #tell(how: (listener: RawListener) => void): void {
    this.#forget(this);
    const members = this.#members;
    this.#members = [];
    let fault: { readonly thrown: unknown } | undefined;
    for (const member of members) {
      try {
        const listener = member.take();
        if (listener) how(listener);
      } catch (thrown) {
        fault ??= { thrown };
      }
    }
    if (fault) throw fault.thrown;
  }
}

/** One of those who wait. It is told once, and then holds nobody. */
class Member implements CallUnderWay {
  readonly #shared: SharedCall;
  #listener: RawListener | null;
  #isStreamed = false;

  constructor(shared: SharedCall, listener: RawListener) {
    this.#shared = shared;
    this.#listener = listener;
  }

  take(): RawListener | null {
    const listener = this.#listener;
    this.#listener = null;
    return listener;
  }

  stream(begun: RawResponse, resume: () => void): RawSink | null {
    const sink = this.#listener?.stream?.(begun, resume) ?? null;
    if (!sink) return null;
    this.#listener = null;
    this.#isStreamed = true;
    return sink;
  }

  cancel(cause: CancelCause): void {
    if (this.#isStreamed) this.#shared.cut(cause);
    const listener = this.take();
    if (!listener) return;
    this.#shared.leave(this, cause);
    listener.failed(toCancelledError(cause));
  }
}
