import { gatewayError } from '../errors/gateway-error.ts';

export interface SocketQuotaOptions {
  /** WebSockets in this process. */
  readonly max: number;
  /** WebSockets of one client network. */
  readonly maxPerAddress: number;
}

export type SocketQuota = ReturnType<typeof createSocketQuota>;

/** An estimate: a WebSocket may close at any time. */
const retryAfterMs = 10_000;

/** Limits the number of open WebSockets. */
export function createSocketQuota({ max, maxPerAddress }: SocketQuotaOptions) {
  /** Only networks with open WebSockets. */
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** Why the network may not open another WebSocket; `null` if it may. */
    refusalFor(network: string): ReturnType<typeof gatewayError> | null {
      if ((taken.get(network) ?? 0) >= maxPerAddress) {
        const message = `Over the limit of ${maxPerAddress} concurrent WebSockets of one address.`;
        return gatewayError('RATE_LIMITED', message, { retryAfterMs });
      }
      if (all < max) return null;
      return gatewayError('UNAVAILABLE', 'This gateway has reached its limit of WebSockets.', { retryAfterMs });
    },
    /**
     * Counts a WebSocket.
     * @returns a function that removes it from the count; safe to call twice
     */
    take(network: string): () => void {
      all += 1;
      taken.set(network, (taken.get(network) ?? 0) + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        all -= 1;
        const rest = (taken.get(network) ?? 1) - 1;
        if (rest === 0) taken.delete(network);
        else taken.set(network, rest);
      };
    },
  };
}
