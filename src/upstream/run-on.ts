import type { CancelCause, Held } from './cancellation.ts';
import { startPeerTimeout } from './peer-timeout.ts';
import type { CallUnderWay, RawListener, RawResponse, SentCall } from './raw-answer.ts';
import type { RawCall, RawRequest, SendingCall } from './raw-call.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';
import type { CallWatch } from './upstream-health.ts';

/** Counts what may make earlier reads out of date, such as a call that cannot be undone, when its end is told. */
export interface Changes {
  count: number;
}

export interface RunOnOptions {
  readonly watch: CallWatch;
  /** Left out: nobody asks. */
  readonly changes?: Changes;
  /** Is the gateway stopping? Then no call that cannot be undone is begun. */
  readonly isStopping: () => boolean;
}

/**
 * Lets calls with `runOnMs`, which cannot be undone, run to their end. Such a call is not begun while the gateway stops, and
 * can be cancelled while it waits for a connection. Once sent it is not cut: if its client leaves it goes on, and at its
 * deadline `failed` reports a timeout while it goes on for at most `runOnMs` more. `late` then reports how it ended.
 */
export function letRunOn(rawCall: SendingCall, options: RunOnOptions): RawCall {
  return (request, listener) => {
    const { runOnMs } = request;
    if (runOnMs === undefined) return rawCall(request, listener);
    if (options.isStopping()) {
      listener.failed(new UpstreamCallError('stopping', 'not begun: the gateway is stopping'));
      return over;
    }
    const call = new LastingCall(listener, options);
    call.start(rawCall, request, runOnMs);
    return call;
  };
}

const over: CallUnderWay = { cancel() {} };

class LastingCall implements RawListener, CallUnderWay {
  readonly #listener: RawListener;
  readonly #watch: CallWatch;
  readonly #changes: Changes;
  #underWay: SentCall | undefined;
  #stopDeadline = () => {};
  #held: Held | undefined;
  /** The listener was told an answer or a failure. */
  #isTold = false;
  /** The call itself has ended. */
  #isOver = false;

  constructor(listener: RawListener, { watch, changes = { count: 0 } }: RunOnOptions) {
    this.#listener = listener;
    this.#watch = watch;
    this.#changes = changes;
  }

  start(rawCall: SendingCall, request: RawRequest, runOnMs: number): void {
    const { method, path, headers, body, timeoutMs, held } = request;
    held?.keep();
    this.#held = held;
    this.#stopDeadline = startPeerTimeout(timeoutMs, () => this.#late(timeoutMs));
    this.#underWay = rawCall({ method, path, headers, body, timeoutMs: timeoutMs + runOnMs, isVital: true }, this);
  }

  cancel(cause: CancelCause): void {
    if (this.#isTold) return;
    if (!this.#underWay?.isSent) this.#giveUp(toUnsentError(cause));
    else if (cause === 'timeout') this.#tell(toCancelledError(cause));
  }

  answered(response: RawResponse): void {
    this.#end();
    if (this.#isTold) {
      this.#listener.late?.(response);
      return;
    }
    this.#isTold = true;
    this.#listener.answered(response);
  }

  failed(error: UpstreamCallError): void {
    if (this.#isOver) return;
    // Where this process was held up, the last deadline may be noticed before the first. A timeout is always followed by `late`.
    if (!this.#isTold && error.failure === 'timeout') this.#tell(error);
    this.#end();
    if (this.#isTold) this.#listener.late?.(error);
    else this.#tell(error);
  }

  /** Called at the call's own deadline. The operation's deadline may have come before, since the operation began earlier. */
  #late(timeoutMs: number): void {
    if (!this.#underWay?.isSent) {
      this.#giveUp(toUnsentError('timeout'));
      return;
    }
    const error = new UpstreamCallError('timeout', `no answer within ${timeoutMs} ms`);
    this.#watch.failed(error);
    if (!this.#isTold) this.#tell(error);
  }

  #giveUp(error: UpstreamCallError): void {
    this.#end();
    this.#underWay?.cancel('aborted');
    this.#watch.failed(error);
    this.#tell(error);
  }

  #tell(error: UpstreamCallError): void {
    this.#isTold = true;
    // It goes on perhaps, and may have changed something already.
    this.#changes.count += 1;
    this.#listener.failed(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#held?.release();
    this.#held = undefined;
    this.#changes.count += 1;
    this.#stopDeadline();
  }
}

/** The error of a call that was given up before it was sent. */
function toUnsentError(cause: CancelCause): UpstreamCallError {
  return cause === 'timeout'
    ? new UpstreamCallError('no-connection', 'no connection was free within the time of the call')
    : new UpstreamCallError('unsent', 'given up before it was sent');
}
