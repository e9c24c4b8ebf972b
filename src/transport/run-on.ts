import type { CancelCause } from './cancellation.ts';
import type {
  CallUnderWay,
  CallWatch,
  RawCall,
  RawListener,
  RawRequest,
  RawResponse,
  SendingCall,
  SentCall,
} from './raw-call.ts';
import { toCancelledError, UpstreamCallError } from './upstream-call-error.ts';

export interface RunOnOptions {
  readonly watch: CallWatch;
  /** Nothing that cannot be taken back is begun any more. */
  readonly isStopping: () => boolean;
}

/**
 * Lets calls that cannot be taken back run to their end, those with `runOnMs`. Such a call is not begun while the gateway
 * stops. As long as it waits for a connection it is given up like any other; once it was sent nothing cuts it: a caller
 * that leaves changes nothing, and at the deadline the listener hears that there is no answer in time while the call goes
 * on, for `runOnMs` more at most. How it ended then is told to the listener's `late`.
 */
export function letRunOn(rawCall: SendingCall, options: RunOnOptions): RawCall {
  return (request, listener) => {
    const { runOnMs } = request;
    if (runOnMs === undefined) return rawCall(request, listener);
    if (options.isStopping()) {
      listener.failed(new UpstreamCallError('stopping', 'not begun: the gateway is stopping'));
      return over;
    }
    const call = new LastingCall(listener, options.watch);
    call.start(rawCall, request, runOnMs);
    return call;
  };
}

const over: CallUnderWay = { cancel() {} };

class LastingCall implements RawListener, CallUnderWay {
  readonly #listener: RawListener;
  readonly #watch: CallWatch;
  #underWay: SentCall | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** The listener has heard. */
  #isTold = false;
  /** There is nothing to come. */
  #isOver = false;

  constructor(listener: RawListener, watch: CallWatch) {
    this.#listener = listener;
    this.#watch = watch;
  }

  start(rawCall: SendingCall, request: RawRequest, runOnMs: number): void {
    const { timeoutMs } = request;
    this.#deadline = setTimeout(() => this.#late(timeoutMs), timeoutMs);
    this.#underWay = rawCall({ ...request, timeoutMs: timeoutMs + runOnMs }, this);
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
    this.#end();
    if (this.#isTold) this.#listener.late?.(error);
    else this.#tell(error);
  }

  /** Its own time is up. The operation's may have been before: it began earlier. */
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
    this.#listener.failed(error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#deadline);
  }
}

/** Given up before it was sent, which will not be. */
function toUnsentError(cause: CancelCause): UpstreamCallError {
  return cause === 'timeout'
    ? new UpstreamCallError('no-connection', 'no connection was free within the time of the call')
    : new UpstreamCallError('unsent', 'given up before it was sent');
}
