import type { Quota, RateLimiter } from '../../admission/rate-limiter.ts';
import type { Resolvers, ViewerAllowance } from '../../generated/own.ts';

/** Resolvers of `Query.viewer`. Looking takes nothing of what the caller has left. */
export function createViewerResolvers(limiter: Pick<RateLimiter, 'peek'>): Resolvers {
  return {
    Query: {
      viewer: async (_parent, _args, { caller }) => {
        const quota = await limiter.peek(caller);
        return {
          id: caller.id,
          kind: caller.kind,
          scopes: [...caller.scopes],
          rate: quota && toAllowance(quota),
          gas: null,
        };
      },
    },
  };
}

function toAllowance({ limit, remaining, resetsAtMs }: Quota): ViewerAllowance {
  return {
    limit: String(limit),
    remaining: String(remaining),
    held: null,
    resetsAt: new Date(resetsAtMs).toISOString(),
  };
}
