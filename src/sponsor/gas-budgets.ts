import type { Config } from '../config/config.ts';
import { anonymousPolicy, groups, noPolicy } from '../config/policy.ts';
import { budgetPositions } from '../telemetry/metric-table.ts';
import type { CallerPolicy } from '../upstream/operation-context.ts';
import { toGasBounds } from './sponsor-policy.ts';
import type { SponsorshipStore } from './store/decide.ts';

/** Budgets whose use is watched: further ones are not. */
const maxWatchedBudgets = budgetPositions.length;
const usualEveryMs = 10_000;

type GasConfig = Pick<Config, 'clients' | 'jwt' | 'sponsorship'>;

/** What bounds all visitors of a client by day. */
interface GasBudget {
  readonly client: string;
  readonly policy: CallerPolicy;
}

/** The daily budgets in force, in the order of the file. None in forward mode. */
export function toGasBudgets({ clients: listed, jwt, sponsorship }: GasConfig): readonly GasBudget[] {
  if (sponsorship.auth === 'forward') return [];
  const { clients = [], policies = [] } = listed ?? {};
  const named = policies.filter(({ id }) => id === anonymousPolicy || jwt !== null);
  const all = [
    ...clients.map(({ id, policy }) => ({ client: groups.client(id), policy })),
    ...named.map(({ id, policy }) => ({
      client: id === anonymousPolicy ? groups.anonymous : groups.jwtPolicy(id),
      policy,
    })),
  ];
  const budgets = all.flatMap(({ client, policy: { gas } }) => {
    const rules = { ...noPolicy, gas: { ...noPolicy.gas, perDay: gas.perDay } };
    return gas.perDay === null ? [] : [{ client, policy: { group: client, rules, total: null } }];
  });
  const perDay = jwt?.gasPerDayInAll ?? null;
  const total = perDay === null ? null : { key: groups.jwt, perDay };
  const inAll = total ? [{ client: groups.jwt, policy: { group: groups.jwt, rules: noPolicy, total } }] : [];
  return [...inAll, ...budgets].slice(0, maxWatchedBudgets);
}

export interface GasBudgetsOptions {
  /** The configuration in force. */
  readonly config: GasConfig;
  readonly store: Pick<SponsorshipStore, 'gasAllowance'>;
  readonly now: () => number;
  /** Milliseconds between two readings. */
  readonly everyMs?: number;
}

/** Reads again and again how much of each budget is used, by all instances together. */
export function watchGasBudgets({ config, store, now, everyMs = usualEveryMs }: GasBudgetsOptions) {
  let shares: readonly number[] = [];
  const read = async () => {
    const shareOf = async ({ policy }: GasBudget) => {
      const nowMs = now();
      const bounds = toGasBounds({ visitor: '', policy }, null, nowMs);
      const allowance = await store.gasAllowance({ bounds, nowMs }).catch(() => null);
      return allowance ? (allowance.held + allowance.settled) / allowance.limit : Number.NaN;
    };
    shares = await Promise.all(toGasBudgets(config).map(shareOf));
  };
  void read();
  const timer = setInterval(read, everyMs).unref();
  return {
    /** The held and the settled part, from 0; `NaN`: not known. */
    shareOf: (index: number): number => shares[index] ?? Number.NaN,
    stop: () => clearInterval(timer),
  };
}
