import type { RateLimiter, RateQuota } from '../../callers/rate-limiter.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { Resolvers, ViewerAllowance } from '../../generated/own.ts';
import { badArgument, parseSender } from '../../sponsor/sponsor-fields.ts';
import { toGasBounds } from '../../sponsor/sponsor-policy.ts';
import type { SponsorshipStore } from '../../sponsor/store/decide.ts';
import type { GasAllowance } from '../../sponsor/store/sponsorship-store.ts';
import { type Caller, createPerOperation } from '../../upstream/operation-context.ts';

export interface ViewerOptions {
  readonly limiter: Pick<RateLimiter, 'peek'>;
  readonly store: Pick<SponsorshipStore, 'gasAllowance'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Senders in one operation: the store is asked for each. */
const maxSenders = 10;

/** Resolvers of `Query.viewer`. They use up no quota, and read the shared stores once per operation. */
export function createViewerResolvers({ limiter, store, now }: ViewerOptions): Resolvers {
  const quotaIn = createPerOperation(({ caller }) => limiter.peek(caller));
  /** By sender. */
  const allowancesIn = createPerOperation(() => new Map<string | null, Promise<GasAllowance | null>>());
  const readAllowance = async (caller: Caller, sender: string | null): Promise<GasAllowance | null> => {
    const nowMs = now();
    const bounds = toGasBounds(caller, sender, nowMs);
    return bounds.length === 0 ? null : store.gasAllowance({ bounds, nowMs });
  };
  return {
    Query: {
      viewer: async (_parent, _args, context) => {
        const { caller } = context;
        const quota = await quotaIn(context);
        return {
          id: caller.id,
          kind: caller.kind,
          scopes: [...caller.scopes],
          rate: quota && toAllowance(quota),
        };
      },
    },
    Viewer: {
      gas: async (_parent, args, context) => {
        const sender = parseSender(args.sender);
        const allowances = allowancesIn(context);
        if (!allowances.has(sender) && allowances.size >= maxSenders)
          throw badArgument('sender', sender ?? '', `an operation may ask for ${maxSenders} senders at most`);
        const known = allowances.get(sender) ?? readAllowance(context.caller, sender);
        allowances.set(sender, known);
        try {
          const allowance = await known;
          return allowance && toGasAllowance(allowance);
        } catch {
          throw gatewayError('UPSTREAM_UNAVAILABLE', 'The shared store of gas budgets cannot be reached.');
        }
      },
    },
  };
}

function toAllowance({ limit, remaining, resetsAtMs }: RateQuota): ViewerAllowance {
  return {
    limit: String(limit),
    remaining: String(remaining),
    held: null,
    resetsAt: new Date(resetsAtMs).toISOString(),
  };
}

/** At least 0, because a budget that was lowered today may be overdrawn. */
function toGasAllowance({ limit, held, free, resetsAtMs }: GasAllowance): ViewerAllowance {
  // Gas is counted by the day.
  return {
    limit: String(limit),
    remaining: String(Math.max(0, free)),
    held: String(held),
    resetsAt: new Date(resetsAtMs ?? 0).toISOString(),
  };
}
