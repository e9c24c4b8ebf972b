import { gatewayError } from '../errors/gateway-error.ts';
import { Quota, type QuotaShare } from '../upstream/quota.ts';

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
  const quota = new Quota({ max, maxPerCaller: maxPerAddress });
  return {
    /** Why the network may not open another WebSocket; `null` if it may. */
    refusalFor(network: string): ReturnType<typeof gatewayError> | null {
      const bound = quota.boundOf(network);
      if (!bound) return null;
      if (bound.of === 'gateway')
        return gatewayError('UNAVAILABLE', 'This gateway has reached its limit of WebSockets.', { retryAfterMs });
      const message = `Over the limit of ${maxPerAddress} concurrent WebSockets of one address.`;
      return gatewayError('RATE_LIMITED', message, { retryAfterMs });
    },
    /** Counts a WebSocket. */
    take: (network: string): QuotaShare => quota.take(network),
  };
}
