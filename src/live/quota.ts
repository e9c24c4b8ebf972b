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

export interface SharesOptions {
  readonly total: number;
  readonly least: number;
}

export type Shares = ReturnType<typeof createShares>;

/** Divides something, such as memory, evenly among its members. */
export function createShares({ total, least }: SharesOptions) {
  const members = new Set<{ onLess?: (() => void) | undefined }>();
  return {
    /** Counts a member. @param onLess called when another member reduces the share @returns removes the member */
    enter(onLess?: () => void): () => void {
      const member = { onLess };
      members.add(member);
      for (const each of members) if (each !== member) each.onLess?.();
      return () => void members.delete(member);
    },
    share: () => Math.max(least, total / Math.max(1, members.size)),
  };
}
