import { gatewayError } from '../errors/gateway-error.ts';
import { Quota, type QuotaGroup, type QuotaOptions, type QuotaShare } from '../upstream/quota.ts';

/** When a retry may succeed. A guess: nothing says when other streams end. */
export const retryAfterMs = 10_000;

export type StreamQuota = ReturnType<typeof createStreamQuota>;

export function createStreamQuota(options: QuotaOptions) {
  const quota = new Quota(options);
  return {
    get count(): number {
      return quota.shares;
    },
    /**
     * Counts a stream, as `weight` streams.
     * @throws `RATE_LIMITED` or `UNAVAILABLE`
     */
    take(caller: string, weight = 1, group?: QuotaGroup): Pick<QuotaShare, 'leave'> {
      const bound = quota.boundOf(caller, weight, group);
      if (bound && bound.of !== 'gateway') {
        const counted = weight > 1 ? ` This one counts as ${weight}, for the size of its filter.` : '';
        const says = `Over the limit of ${bound.max} live streams of ${bound.of === 'group' ? 'all visitors of one key' : 'one caller'} at once.${counted}`;
        throw gatewayError('RATE_LIMITED', says, { retryAfterMs });
      }
      if (bound) throw gatewayError('UNAVAILABLE', 'This gateway is at its limit of live streams.', { retryAfterMs });
      return quota.take(caller, weight, group);
    },
  };
}
