import { gatewayError } from '../errors/gateway-error.ts';
import { createQuota, once, type QuotaGroup, type QuotaOptions } from '../upstream/quota.ts';

/** When a retry may succeed. A guess: nothing says when other streams end. */
export const retryAfterMs = 10_000;

export type StreamQuota = ReturnType<typeof createStreamQuota>;

export function createStreamQuota(options: QuotaOptions) {
  const quota = createQuota(options);
  let count = 0;
  return {
    get count(): number {
      return count;
    },
    /**
     * Counts a stream, as `weight` streams. @returns releases it; safe to call twice
     * @throws `RATE_LIMITED` or `UNAVAILABLE`
     */
    take(caller: string, weight = 1, group?: QuotaGroup): () => void {
      const bound = quota.boundOf(caller, weight, group);
      if (bound && bound.of !== 'gateway') {
        const counted = weight > 1 ? ` This one counts as ${weight}, for the size of its filter.` : '';
        const says = `Over the limit of ${bound.max} live streams of ${bound.of === 'group' ? 'all visitors of one key' : 'one caller'} at once.${counted}`;
        throw gatewayError('RATE_LIMITED', says, { retryAfterMs });
      }
      if (bound) throw gatewayError('UNAVAILABLE', 'This gateway is at its limit of live streams.', { retryAfterMs });
      const { leave } = quota.take(caller, weight, group);
      count += 1;
      return once(() => {
        count -= 1;
        leave();
      });
    },
  };
}
