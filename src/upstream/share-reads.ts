import type { CancelCause } from './cancellation.ts';
import type { CallUnderWay, RawListener, RawResponse, RawSink } from './raw-answer.ts';
import type { RawCall, RawRequest } from './raw-call.ts';
import type { Changes } from './run-on.ts';
import { toCancelledError, type UpstreamCallError } from './upstream-call-error.ts';

/**
 * Makes identical reads that are under way at the same time share one call, and the buffers of its answer. Shares only
 * requests marked `isShareable`, which carry nothing of their caller. A member that gives up does not affect the others; the
 * call is cancelled when none is left. The deadline is the first member's, so a call is joined only early in its time. Nor is
 * one joined that began before a change: whoever made it would be told what was before it. An answer is streamed only to a
 * single member, whom no other can join then; for several members it is collected. Nothing is kept after the answer.
 * @param others makes the calls that are not shareable
 */
export function shareReads(rawCall: RawCall, others: RawCall = rawCall, options: ShareReadsOptions = {}): RawCall {
  const { changes = { count: 0 }, now = () => performance.now() } = options;
  const underWay = Array.from({ length: bucketCount }, (): SharedCall[] => []);
  const bucketOf = ({ body }: ShareableRequest) => underWay[body.length % bucketCount] as SharedCall[];
  const forget = (shared: SharedCall): void => {
    const calls = bucketOf(shared.request);
    const at = calls.indexOf(shared);
    if (at >= 0) calls.splice(at, 1);
  };
  return (request, listener) => {
    if (!isShareable(request)) return others(request, listener);
    const calls = bucketOf(request);
    const nowMs = now();
    for (const known of calls) {
      if (!isSame(known.request, request)) continue;
      if (known.changesBefore === changes.count && nowMs < known.joinedUntilMs) return known.join(listener);
      // It is not compared again: this one takes its place.
      forget(known);
      break;
    }
    if (calls.length >= maxCompared) return rawCall(request, listener);
    const shared = new SharedCall(request, forget, changes.count, nowMs + request.timeoutMs * joinedFor);
    calls.push(shared);
    const member = shared.join(listener);
    shared.start(rawCall);
    return member;
  };
}

export interface ShareReadsOptions {
  /** Of what is read here, by whichever upstream. */
  readonly changes?: Changes;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** The part of its time in which a call is joined. One that got lost then takes only those with it who came early. */
const joinedFor = 0.25;

/**
 * Calls under way are found by the length of their body, and compared. In a `Map` with the bodies as keys each whole body
 * would be hashed; and any `Map` that changes with every request makes itself a new table every few changes, whose
 * predecessors keep whole answers alive until the next full garbage collection.
 */
const bucketCount = 256;
/** Calls that a new request is compared with. Where there are more, it is not shared. */
const maxCompared = 64;

type ShareableRequest = RawRequest & { readonly body: string | Uint8Array };

function isShareable(request: RawRequest): request is ShareableRequest {
  return request.isShareable === true && request.body !== null;
}

/** Compares two shareable requests. Their headers need no look: shareable requests to one upstream all have the same. */
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

/** A call under way and the members that wait for it. */
class SharedCall implements RawListener {
  readonly request: ShareableRequest;
  /** Changes that were counted when it began. */
  readonly changesBefore: number;
  readonly joinedUntilMs: number;
  readonly #forget: (shared: SharedCall) => void;
  #members: Member[] = [];
  #underWay: CallUnderWay | undefined;

  constructor(
    request: ShareableRequest,
    forget: (shared: SharedCall) => void,
    changesBefore: number,
    joinedUntilMs: number,
  ) {
    this.request = request;
    this.changesBefore = changesBefore;
    this.joinedUntilMs = joinedUntilMs;
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
    // Forget it first, so that no new member joins a call that is being cancelled.
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

  /** Calls every member, even if one of them throws; then throws the first fault again. */
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

/** One of the waiting requests. Drops its listener once it has told it. */
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
