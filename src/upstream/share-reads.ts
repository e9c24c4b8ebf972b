import type { CancelCause } from './cancellation.ts';
import { callAll } from './fair-turns.ts';
import type { CallInFlight, CallLayer, RawCall, RawListener, RawRequest, RawResponse, RawSink } from './raw-call.ts';
import type { WriteCounter } from './run-on.ts';
import { toCancelledError, type UpstreamCallError } from './upstream-call-error.ts';

export interface ShareReadsOptions {
  readonly changes: WriteCounter;
  /** Clock in monotonic milliseconds. */
  readonly now?: () => number;
}

/** Share of a call's timeout in which it can be joined, so that a lost call fails only those members that joined early. */
const joinedFor = 0.25;
/**
 * Finds calls in flight by the length of their body, and compares the bodies. A `Map` would hash each whole body, and a `Map`
 * that changes with every request allocates a new table every few changes, whose predecessors keep whole responses alive until
 * the next full garbage collection.
 */
const bucketCount = 256;
/** Maximum of calls that a new request is compared with. With more, it is not shared. */
const maxCompared = 64;

/**
 * Makes identical reads in flight share one call and the buffers of its response. Shares only requests marked `isShareable`,
 * which contain no data about their caller. A member that leaves does not affect the others; the call is cancelled when none
 * is left. The timeout is the first member's, so a call can be joined only early. A call that began before a change is not
 * joined after it, since its response may be older than the change. A call that waits because its caller has too many in flight
 * is joined only by requests of that caller. A response is streamed only to a single member, and then
 * no other can join; for several members it is buffered. Nothing is kept after the response.
 */
export function shareReads({ changes, now = () => performance.now() }: ShareReadsOptions): CallLayer {
  return (next) => {
    const inFlight = Array.from({ length: bucketCount }, (): SharedCall[] => []);
    return (request, listener) => {
      const { body } = request;
      if (!request.isShareable || body === null) return next(request, listener);
      const calls = inFlight[body.length % bucketCount] as SharedCall[];
      const nowMs = now();
      const known = calls.find((each) => isSame(each.request, request));
      const isCurrent = known?.changesBefore === changes.count && nowMs < known.joinedUntilMs;
      if (isCurrent && !known.isHeldBackFrom(request)) return known.join(listener);
      // The new call replaces this one in the list.
      known?.forget();
      if (calls.length >= maxCompared) return next(request, listener);
      const shared = new SharedCall(request, calls, changes.count, nowMs + request.timeoutMs * joinedFor);
      const member = shared.join(listener);
      shared.start(next);
      return member;
    };
  };
}

/** Compares shareable requests. All of those to one upstream have the same headers. */
function isSame(one: RawRequest, other: RawRequest): boolean {
  return (
    one.variablesText === other.variablesText &&
    isSameBody(one.body, other.body) &&
    one.path === other.path &&
    one.method === other.method
  );
}

function isSameBody(one: RawRequest['body'], other: RawRequest['body']): boolean {
  return one === other || (one instanceof Buffer && other instanceof Buffer && one.equals(other));
}

/** One call and the members that wait for it. */
class SharedCall implements RawListener {
  readonly request: RawRequest;
  /** Number of changes counted before the call began. */
  readonly changesBefore: number;
  readonly joinedUntilMs: number;
  readonly #siblings: SharedCall[];
  #members: Member[] = [];
  #underWay: CallInFlight | undefined;

  /** @param siblings the list that contains this call while it can be joined */
  constructor(request: RawRequest, siblings: SharedCall[], changesBefore: number, joinedUntilMs: number) {
    this.request = request;
    this.#siblings = siblings;
    this.changesBefore = changesBefore;
    this.joinedUntilMs = joinedUntilMs;
    siblings.push(this);
  }

  start(next: RawCall): void {
    this.#underWay = next(this.request, this);
  }

  get isSent(): boolean {
    return this.#underWay?.isSent ?? false;
  }

  /** Does it wait behind the calls of a caller other than this request's? */
  isHeldBackFrom({ operation }: RawRequest): boolean {
    return this.request.operation?.caller !== operation?.caller && this.#underWay?.isHeldBack === true;
  }

  join(listener: RawListener): Member {
    const member = new Member(this, listener);
    this.#members.push(member);
    return member;
  }

  forget(): void {
    const at = this.#siblings.indexOf(this);
    if (at >= 0) this.#siblings.splice(at, 1);
  }

  leave(member: Member, cause: CancelCause): void {
    const at = this.#members.indexOf(member);
    if (at >= 0) this.#members.splice(at, 1);
    if (at < 0 || this.#members.length > 0) return;
    // Remove it first, so that no new member joins a call that is being cancelled.
    this.forget();
    this.cut(cause);
  }

  cut(cause: CancelCause): void {
    this.#underWay?.cancel(cause);
  }

  stream(begun: RawResponse, resume: () => void): RawSink | null {
    const [only] = this.#members;
    const sink = only && this.#members.length === 1 ? only.stream(begun, resume) : null;
    if (sink) this.forget();
    return sink;
  }

  answered(response: RawResponse): void {
    // No member knows when the others have read it.
    if (this.#members.length !== 1) response.recycle = undefined;
    this.#callMembers((listener) => listener.answered(response));
  }

  failed(error: UpstreamCallError): void {
    this.#callMembers((listener) => listener.failed(error));
  }

  /** Calls every member, even if one throws; then rethrows the first error. */
  #callMembers(how: (listener: RawListener) => void): void {
    this.forget();
    callAll(
      this.#members.splice(0).map((member) => () => {
        const listener = member.take();
        if (listener) how(listener);
      }),
    );
  }
}

/** One of the waiting requests. Drops its listener after its last event. */
class Member implements CallInFlight {
  readonly #shared: SharedCall;
  #listener: RawListener | null;
  #isStreamed = false;

  constructor(shared: SharedCall, listener: RawListener) {
    this.#shared = shared;
    this.#listener = listener;
  }

  get isSent(): boolean {
    return this.#shared.isSent;
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
