/** A call that may have to wait for a connection. */
export interface WaitingCall {
  /** Size of the call's body, in bytes. */
  readonly bytes: number;
  /** Sends the call. Must not throw. */
  send(): void;
}

export interface WaitingCallsOptions {
  readonly maxSent: number;
  readonly maxWaiting: number;
  /** Limit on the bodies of waiting calls. */
  readonly maxWaitingBytes: number;
}

export type WaitingCalls = ReturnType<typeof createWaitingCalls>;

/**
 * Queue of the calls to one upstream: a limited number is in flight, and the others wait in order.
 * The HTTP client itself would queue any number of calls, and keep cancelled ones in the queue.
 */
export function createWaitingCalls({ maxSent, maxWaiting, maxWaitingBytes }: WaitingCallsOptions) {
  const waiting: WaitingCall[] = [];
  let waitingBytes = 0;
  let sent = 0;
  let isSending = false;

  /** Not recursive: a call that cannot be sent ends immediately and makes room for the next one. */
  const sendNext = (): void => {
    if (isSending) return;
    isSending = true;
    for (let next = waiting[0]; next && sent < maxSent; next = waiting[0]) {
      waiting.shift();
      waitingBytes -= next.bytes;
      sent += 1;
      next.send();
    }
    isSending = false;
  };

  return {
    get inFlight(): number {
      return sent;
    },
    get waiting(): number {
      return waiting.length;
    },
    /** Sends a call now or later. @returns `false` if the queue is full, so the call is not sent */
    begin(call: WaitingCall): boolean {
      if (sent < maxSent && waiting.length === 0) {
        sent += 1;
        call.send();
        return true;
      }
      if (waiting.length >= maxWaiting || waitingBytes + call.bytes > maxWaitingBytes) return false;
      waitingBytes += call.bytes;
      waiting.push(call);
      return true;
    },
    /** Call when a sent call has ended. */
    ended(): void {
      sent -= 1;
      sendNext();
    },
    /** Removes a call that was not sent. Does nothing if it is not waiting. */
    leave(call: WaitingCall): void {
      const at = waiting.indexOf(call);
      if (at < 0) return;
      waiting.splice(at, 1);
      waitingBytes -= call.bytes;
    },
  };
}
