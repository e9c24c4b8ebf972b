import { gatewayError } from '../errors/gateway-error.ts';

export interface QuotaOptions {
  /** Of this process. */
  readonly max: number;
  /** Of one caller among them. */
  readonly maxPerCaller: number;
}

/** A bound that a caller has reached. */
export interface ReachedBound {
  readonly of: 'caller' | 'gateway';
  readonly max: number;
}

/** Bounds how many streams or readers exist at once, in this process and per caller. */
export interface Quota {
  /** The bound that prevents the caller from taking so many more; `null` = none does. */
  boundOf(caller: string, count?: number): ReachedBound | null;
  /** Counts them without checking the bounds. */
  take(caller: string, count?: number): QuotaShare;
}

/** Both are safe to call twice. */
export interface QuotaShare {
  /** No longer counts for the caller. */
  readonly leaveCaller: () => void;
  /** No longer counts. */
  readonly leave: () => void;
}

export function createQuota({ max, maxPerCaller }: QuotaOptions): Quota {
  /** By caller; callers without any are left out. */
  const taken = new Map<string, number>();
  let all = 0;
  return {
    boundOf(caller, count = 1) {
      if ((taken.get(caller) ?? 0) + count > maxPerCaller) return { of: 'caller', max: maxPerCaller };
      return all + count > max ? { of: 'gateway', max } : null;
    },
    take(caller, count = 1) {
      taken.set(caller, (taken.get(caller) ?? 0) + count);
      all += count;
      const leaveCaller = once(() => {
        const rest = (taken.get(caller) ?? count) - count;
        if (rest > 0) taken.set(caller, rest);
        else taken.delete(caller);
      });
      const leaveGateway = once(() => {
        all -= count;
      });
      return {
        leaveCaller,
        leave() {
          leaveCaller();
          leaveGateway();
        },
      };
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** Live streams of all kinds. */
export interface StreamQuota {
  /**
   * Counts a stream, as `weight` streams. @returns releases it; must be called once
   * @throws `RATE_LIMITED` or `UNAVAILABLE`
   */
  take(caller: string, weight?: number): () => void;
  /** Open streams. */
  readonly count: number;
}

/** When a retry may succeed. A guess: nothing says when other streams end. */
export const retryAfterMs = 10_000;

export function createStreamQuota(options: QuotaOptions): StreamQuota {
  const quota = createQuota(options);
  let count = 0;
  return {
    get count() {
      return count;
    },
    take(caller, weight = 1) {
      const bound = quota.boundOf(caller, weight);
      if (bound?.of === 'caller') {
        const counted = weight > 1 ? ` This one counts as ${weight}, for the size of its filter.` : '';
        const says = `Over the limit of ${bound.max} live streams of one caller at once.${counted}`;
        throw gatewayError('RATE_LIMITED', says, { retryAfterMs });
      }
      if (bound) throw gatewayError('UNAVAILABLE', 'All live streams of this gateway are taken.', { retryAfterMs });
      const { leave } = quota.take(caller, weight);
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
  /** The least that each member gets. */
  readonly least: number;
}

/** Divides something, such as memory, evenly among its members. */
export interface Shares {
  /**
   * Counts a member.
   * @param onLess called when another member reduces the share
   * @returns removes the member; safe to call twice
   */
  enter(onLess?: () => void): () => void;
  /** The share of each member now. */
  share(): number;
}

export function createShares({ total, least }: SharesOptions): Shares {
  const members = new Set<{ onLess?: (() => void) | undefined }>();
  return {
    enter(onLess) {
      const member = { onLess };
      members.add(member);
      for (const each of members) if (each !== member) each.onLess?.();
      return () => void members.delete(member);
    },
    share: () => Math.max(least, total / Math.max(1, members.size)),
  };
}
