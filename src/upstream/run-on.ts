import type { CancelCause, RequestMemory } from './cancellation.ts';
import type { Floors } from './choose-address.ts';
import { startPeerTimeout } from './peer-timeout.ts';
import type { CallInFlight, CallLayer, CallWatch, RawCall, RawListener, RawRequest, RawResponse } from './raw-call.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';

/** Counts events that may make earlier reads out of date, such as the end of a mutation. */
export interface WriteCounter {
  count: number;
  /** Left out: every upstream has one address, so all callers see what they wrote. */
  readonly writers?: RecentWriters;
}

/** Milliseconds for which a caller reads at an address that is as new as its reads since it wrote. */
const writerMs = 30_000;
const maxWriters = 10_000;

/** Callers that changed data lately, with what they were shown by each upstream since then. */
export class RecentWriters {
  readonly #writers = new Map<string, { readonly untilMs: number; readonly floors: Floors }>();

  note(caller: string, nowMs: number): void {
    const floors = this.floorsOf(caller, nowMs) ?? {};
    this.#writers.delete(caller);
    this.#writers.set(caller, { untilMs: nowMs + writerMs, floors });
    const [oldest] = this.#writers.size > maxWriters ? this.#writers.keys() : [];
    if (oldest !== undefined) this.#writers.delete(oldest);
  }

  /** `null` if the caller has not written lately. */
  floorsOf(caller: string | undefined, nowMs: number): Floors | null {
    const writer = caller === undefined ? undefined : this.#writers.get(caller);
    return writer && nowMs < writer.untilMs ? writer.floors : null;
  }
}

export interface RunOnOptions {
  /** Reports calls that timed out and continue. */
  readonly watch: CallWatch;
  readonly changes: WriteCounter;
  readonly gateway: { readonly isStopping: boolean };
}

/**
 * Lets calls with `runOnMs`, which cannot be cancelled once sent, run to their end. Such a call does not begin while the
 * gateway stops, and can be cancelled while it waits for a connection. Once sent, it continues if its client leaves. At its
 * timeout, `failed` reports a timeout, and the call continues for at most `runOnMs`; `late` then reports its outcome.
 */
export function letRunOn(options: RunOnOptions): CallLayer {
  return (next) => (request, listener) => {
    if (request.runOnMs === undefined) return next(request, listener);
    if (options.gateway.isStopping) {
      listener.failed(new UpstreamCallError('stopping', 'not begun: the gateway is stopping'));
      return notStarted;
    }
    const call = new LastingCall(listener, options);
    call.start(next, request, request.runOnMs);
    return call;
  };
}

export const notStarted: CallInFlight = { isSent: false, cancel() {} };

class LastingCall implements RawListener, CallInFlight {
  readonly #listener: RawListener;
  readonly #options: RunOnOptions;
  #underWay: CallInFlight | undefined;
  #stopDeadline = () => {};
  #held: RequestMemory | undefined;
  #caller: string | undefined;
  /** The listener got a response or a failure. */
  #isReported = false;
  /** The call itself has ended. */
  #isOver = false;

  constructor(listener: RawListener, options: RunOnOptions) {
    this.#listener = listener;
    this.#options = options;
  }

  start(next: RawCall, request: RawRequest, runOnMs: number): void {
    const { method, path, headers, body, timeoutMs, operation, least } = request;
    this.#held = operation?.held;
    this.#caller = operation?.caller;
    this.#noteWriter();
    this.#held?.keep();
    this.#stopDeadline = startPeerTimeout(timeoutMs, () => this.#expire(timeoutMs));
    this.#underWay = next(
      { method, path, headers, body, runOnMs, operation, least, timeoutMs: timeoutMs + runOnMs, isVital: true },
      this,
    );
  }

  get isSent(): boolean {
    return this.#underWay?.isSent ?? false;
  }

  cancel(cause: CancelCause): void {
    if (this.#isReported) return;
    if (!this.isSent) this.#giveUp(toUnsentError(cause));
    else if (cause === 'timeout') this.#report(toCancelledError(cause));
  }

  answered(response: RawResponse): void {
    this.#end();
    if (this.#isReported) {
      this.#listener.late?.(response);
      return;
    }
    this.#isReported = true;
    this.#listener.answered(response);
  }

  failed(error: UpstreamCallError): void {
    if (this.#isOver) return;
    // After a blocked event loop, the last timeout may fire before the first. `late` always follows a timeout.
    if (!this.#isReported && error.failure === 'timeout') this.#report(error);
    this.#end();
    if (this.#isReported) this.#listener.late?.(error);
    else this.#report(error);
  }

  /** Called at the call's own timeout. The operation's timeout may have expired before, since the operation began earlier. */
  #expire(timeoutMs: number): void {
    if (!this.isSent) {
      this.#giveUp(toUnsentError('timeout'));
      return;
    }
    const error = new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`);
    this.#options.watch.failed(error);
    if (!this.#isReported) this.#report(error);
  }

  #giveUp(error: UpstreamCallError): void {
    this.#end();
    this.#underWay?.cancel('aborted');
    this.#options.watch.failed(error);
    this.#report(error);
  }

  #report(error: UpstreamCallError): void {
    this.#isReported = true;
    // The call may continue, and may have changed data already.
    this.#options.changes.count += 1;
    this.#listener.failed(error);
  }

  #noteWriter(): void {
    if (this.#caller !== undefined) this.#options.changes.writers?.note(this.#caller, performance.now());
  }

  #end(): void {
    this.#isOver = true;
    this.#held?.release();
    this.#held = undefined;
    this.#noteWriter();
    this.#options.changes.count += 1;
    this.#stopDeadline();
  }
}

/** The error of a call that was cancelled before it was sent. */
function toUnsentError(cause: CancelCause): UpstreamCallError {
  return cause === 'timeout'
    ? new UpstreamCallError('no-connection', 'no connection was free within the time of the call')
    : new UpstreamCallError('unsent', 'given up before it was sent');
}
