import { isWithinShare } from './quota.ts';

/** A call that may have to wait for a connection. */
export interface WaitingCall {
  /** Size of the call's body, in bytes. */
  readonly bytes: number;
  /** Key of the operation's caller; `undefined`: the gateway itself. */
  readonly caller: string | undefined;
  /** Position among the calls in flight, once it was sent. */
  slot: number;
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

/** A caller may have this many times the free space: three quarters of the whole if it is alone. */
const maxTimesFree = 3;

/**
 * Queue of the calls to one upstream: a limited number is in flight, and the others wait in order. A caller with more than its
 * share in flight is passed by other callers, so calls that hang cost their own caller.
 * The HTTP client itself would queue any number of calls, and keep cancelled ones in the queue.
 */
export function createWaitingCalls({ maxSent, maxWaiting, maxWaitingBytes }: WaitingCallsOptions) {
  const waiting: WaitingCall[] = [];
  let waitingBytes = 0;
  /** Callers of the calls in flight. A list with fixed positions, because a `Map` of counts would cost more per call. */
  const inFlight: (string | undefined | null)[] = Array.from({ length: maxSent }, () => null);
  const freeSlots = inFlight.map((_, index) => index);
  let isSending = false;

  const free = () => freeSlots.length;
  const mayBegin = (caller: string | undefined, ofFree = free()): boolean => {
    // The gateway itself makes few calls. Mostly, all calls together are within the share of one caller.
    if (caller === undefined || isWithinShare(maxSent - free() + 1, ofFree, maxTimesFree)) return true;
    return isWithinShare(inFlight.filter((each) => each === caller).length + 1, ofFree, maxTimesFree);
  };
  const mayWait = ({ caller, bytes }: WaitingCall): boolean => {
    const freeBytes = maxWaitingBytes - waitingBytes - bytes;
    const freeCalls = maxWaiting - waiting.length;
    if (freeCalls <= 0 || freeBytes < 0) return false;
    if (caller === undefined) return true;
    const own = waiting.filter((each) => each.caller === caller);
    const ownBytes = own.reduce((sum, each) => sum + each.bytes, bytes);
    return isWithinShare(own.length + 1, freeCalls, maxTimesFree) && isWithinShare(ownBytes, freeBytes, maxTimesFree);
  };
  const send = (call: WaitingCall): void => {
    call.slot = freeSlots.pop() ?? 0;
    inFlight[call.slot] = call.caller;
    call.send();
  };
  /** Removes and returns the first call whose caller is within its share. */
  const takeNext = (): WaitingCall | undefined => {
    if (free() === 0) return undefined;
    const refused = new Set<string | undefined>();
    const at = waiting.findIndex(({ caller }) => {
      if (refused.has(caller)) return false;
      if (mayBegin(caller)) return true;
      refused.add(caller);
      return false;
    });
    const next = waiting[at];
    if (!next) return undefined;
    waiting.splice(at, 1);
    waitingBytes -= next.bytes;
    return next;
  };

  /** Not recursive: a call that cannot be sent ends immediately and makes room for the next one. */
  const sendNext = (): void => {
    if (isSending) return;
    isSending = true;
    for (let next = takeNext(); next; next = takeNext()) send(next);
    isSending = false;
  };

  return {
    get inFlight(): number {
      return maxSent - free();
    },
    get waiting(): number {
      return waiting.length;
    },
    /** Sends a call now or later. @returns `false` if the queue is full for its caller, so the call is not sent */
    begin(call: WaitingCall): boolean {
      // No call waits while its caller may begin one.
      if (free() > 0 && mayBegin(call.caller)) {
        send(call);
        return true;
      }
      if (!mayWait(call)) return false;
      waitingBytes += call.bytes;
      waiting.push(call);
      return true;
    },
    /** Would the next free connection go to other callers? */
    isHeldBack: ({ caller }: WaitingCall): boolean => !mayBegin(caller, Math.max(1, free())),
    /** Call when a sent call has ended. */
    ended({ slot }: Pick<WaitingCall, 'slot'>): void {
      inFlight[slot] = null;
      freeSlots.push(slot);
      // Without this check, every call would pay for the search.
      if (waiting.length > 0) sendNext();
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
