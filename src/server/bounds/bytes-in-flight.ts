import { gatewayError } from '../../errors/gateway-error.ts';
import { type Arrivals, createArrivals } from '../../upstream/arrivals.ts';
import type { Held } from '../../upstream/cancellation.ts';

/** Request bodies and messages, from their first byte until their operations are over. */
export interface BytesInFlight extends Arrivals {
  /**
   * Counts a whole body or message against its caller.
   * @returns to be released once; `null` = there is no room, and it must be refused
   */
  take(caller: string, bytes: number): Held | null;
}

/** Bodies of the largest size for which there is room while they arrive. One whose operation runs counts as `copies`. */
const largestAtOnce = 96;
/**
 * Copies of a body in memory while its operation runs: its variables, which take up to two bytes per character, and the
 * forwarded body.
 */
const copies = 3;
/** In bytes. Smaller bodies are not counted: other bounds limit them, and the rest of a request takes as much memory. */
const smallBytes = 16 * 1024;

/**
 * A caller may hold as much as it leaves free: alone a half, beside one other caller a third, and so on. So there is always
 * room for one more caller. Bodies that have arrived in part use the rest, and are given up when it is needed.
 * @param maxBodyBytes of the largest body or message
 */
export function createBytesInFlight(maxBodyBytes: number): BytesInFlight {
  const maxBytes = largestAtOnce * maxBodyBytes;
  const callers = new Map<string, CallerShare>();
  let heldBytes = 0;
  const arrivals = createArrivals(() => maxBytes - heldBytes);

  return {
    begin: arrivals.begin,
    take(caller, bytes) {
      if (bytes <= smallBytes) return uncounted;
      const weight = copies * bytes;
      const own = callers.get(caller) ?? new CallerShare();
      if (own.bytes + weight > maxBytes - heldBytes - weight) return null;
      callers.set(caller, own);
      own.bytes += weight;
      heldBytes += weight;
      arrivals.shrink();
      return new CountedBody(() => {
        own.bytes -= weight;
        heldBytes -= weight;
        if (own.bytes === 0) callers.delete(caller);
      });
    },
  };
}

/** What one caller holds. */
export class CallerShare {
  bytes = 0;
}

const uncounted: Held = { keep() {}, release() {} };

class CountedBody implements Held {
  #holders = 1;
  readonly #giveBack: () => void;

  constructor(giveBack: () => void) {
    this.#giveBack = giveBack;
  }

  keep(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#giveBack();
  }
}

/** In seconds: a third of the usual timeout of a query. */
const retryAfterSeconds = 5;

export function tooMuchInFlight(): ReturnType<typeof gatewayError> {
  const says = 'The requests in flight leave no room for one of this size. Send fewer large requests at a time.';
  return gatewayError('UNAVAILABLE', says, { retryAfterSeconds });
}
