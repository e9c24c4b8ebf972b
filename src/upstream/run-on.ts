import type { CancelCause, Held } from './cancellation.ts';
import { startPeerTimeout } from './peer-timeout.ts';
import type { CallInFlight, CallLayer, CallWatch, RawCall, RawListener, RawRequest, RawResponse } from './raw-call.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';

/** Counts what may make earlier reads out of date, such as the end of a mutation. */
export interface Changes {
  count: number;
}

export interface RunOnOptions {
  /** Told of timeouts while the call goes on. */
  readonly watch: CallWatch;
  readonly changes: Changes;
  /** Is the gateway stopping? Then no call that cannot be undone is begun. */
  readonly isStopping: () => boolean;
}

/**
 * Lets calls with `runOnMs`, which cannot be undone, run to their end. Such a call is not begun while the gateway stops, and
 * can be cancelled while it waits for a connection. Once sent it is not cut: if its client leaves it goes on, and at its
 * deadline `failed` reports a timeout while it goes on for at most `runOnMs` more. `late` then reports how it ended.
 */
export function letRunOn(options: RunOnOptions): CallLayer {
  return (next) => (request, listener) => {
    if (request.runOnMs === undefined) return next(request, listener);
    if (options.isStopping()) {
      listener.failed(new UpstreamCallError('stopping', 'not begun: the gateway is stopping'));
      return notStarted;
    }
    const call = new LastingCall(listener, options);
    call.start(next, request, request.runOnMs);
    return call;
  };
}

const notStarted: CallInFlight = { isSent: false, cancel() {} };

class LastingCall implements RawListener, CallInFlight {
  readonly #listener: RawListener;
  readonly #options: RunOnOptions;
  #underWay: CallInFlight | undefined;
  #stopDeadline = () => {};
  #held: Held | undefined;
  /** The listener was called with an answer or a failure. */
  #isReported = false;
  /** The call itself has ended. */
  #isOver = false;

  constructor(listener: RawListener, options: RunOnOptions) {
    this.#listener = listener;
    this.#options = options;
  }

  start(next: RawCall, request: RawRequest, runOnMs: number): void {
    const { timeoutMs, operation } = request;
    this.#held = operation?.held;
    this.#held?.keep();
    this.#stopDeadline = startPeerTimeout(timeoutMs, () => this.#expire(timeoutMs));
    this.#underWay = next({ ...request, timeoutMs: timeoutMs + runOnMs, isVital: true }, this);
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
    // If the event loop was blocked, the last deadline may fire before the first. `late` always follows a timeout.
    if (!this.#isReported && error.failure === 'timeout') this.#report(error);
    this.#end();
    if (this.#isReported) this.#listener.late?.(error);
    else this.#report(error);
  }

  /** Called at the call's own deadline. The operation's deadline may have come before, since the operation began earlier. */
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
    // The call may go on, and may have changed something already.
    this.#options.changes.count += 1;
    this.#listener.failed(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#held?.release();
    this.#held = undefined;
    this.#options.changes.count += 1;
    this.#stopDeadline();
  }
}

/** The error of a call that was given up before it was sent. */
function toUnsentError(cause: CancelCause): UpstreamCallError {
  return cause === 'timeout'
    ? new UpstreamCallError('no-connection', 'no connection was free within the time of the call')
    : new UpstreamCallError('unsent', 'given up before it was sent');
}
