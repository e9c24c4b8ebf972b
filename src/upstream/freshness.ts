import { setTimeout as delay } from 'node:timers/promises';
import { type AddressState, newestOf, recordNewest } from './choose-address.ts';
import { NetworkInForce, type NetworkReport } from './network-in-force.ts';
import type { RawCall, RawRequest } from './raw-call.ts';
import { createUpstreamCall, type UpstreamCall } from './upstream-call.ts';

/** How to compare the data of several addresses of one upstream. */
export interface FreshnessRules {
  readonly readNewest: (call: UpstreamCall, timeoutMs: number) => Promise<NetworkReport>;
  /** An address further behind the newest one is not used. */
  readonly maxBehind: number;
  /** The oldest data with which a request can be answered, such as that of its cursor; `null` = any. */
  readonly leastOf: (request: RawRequest) => number | null;
}

/** Nodes close a few checkpoints a second, so an address can lag about that much unnoticed. */
export const refreshMs = 1_000;
const readTimeoutMs = 2_000;
/** Milliseconds between two rounds. A client can make calls wait with a cursor that it made up. */
const pauseMs = 100;
/** Multiple of `maxBehind` by which a cursor may be ahead of all known data. */
const maxAhead = 5;

export type Freshness = ReturnType<typeof createFreshness>;

/** The network that most addresses report; the first of several. */
function mostFrequent(networks: readonly (string | null)[]): {
  readonly network: string | null;
  readonly count: number;
} {
  let most: { network: string | null; count: number } = { network: null, count: 0 };
  for (const network of new Set(networks)) {
    const count = network === null ? 0 : networks.filter((each) => each === network).length;
    if (count > most.count) most = { network, count };
  }
  return most;
}

/** Knows how new the data of each address is. */
export function createFreshness(
  addresses: readonly { readonly send: RawCall; readonly path: string; readonly state: AddressState }[],
  /** Called once for each address, counted from 0, that reports another network than the others. */
  onOtherNetwork: (index: number, reported: string, expected: string) => void = () => {},
  clock: () => number = () => performance.now(),
  inForce = new NetworkInForce(),
) {
  let rules: FreshnessRules | null = null;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  /** When the last round ended. */
  let endedMs = Number.NEGATIVE_INFINITY;
  let network: string | null = null;
  const readers = addresses.map(({ send, path, state }) => ({
    state,
    /** The network that it reported last, and the last other one that was told. */
    network: null as string | null,
    told: null as string | null,
    /** The time of the newest data that it reported last. */
    newestMs: null as number | null,
    call: createUpstreamCall((request, listener) => send({ ...request, path }, listener)),
  }));

  /**
   * The network of most addresses counts, or at the end of the first round of most that answered; of several, that of the first
   * address, so that all processes choose the same. Another one counts if no address serves it any more: test networks start
   * anew.
   */
  function compareNetworks(isRoundOver: boolean): void {
    const networks = readers.map((each) => each.network);
    if (network === null || !networks.includes(network)) {
      const most = mostFrequent(networks);
      if (isRoundOver || most.count * 2 > networks.length) network = most.network;
    }
    for (const [index, reader] of readers.entries()) {
      const { state, network: reported } = reader;
      state.isOtherNetwork = network !== null && reported !== network;
      if (!state.isOtherNetwork) continue;
      state.newest = null;
      if (reported !== null) state.otherMs = clock();
      if (network === null || reported === null || reader.told === reported) continue;
      reader.told = reported;
      onOtherNetwork(index, reported, network);
    }
  }

  async function ask(readNewest: FreshnessRules['readNewest']): Promise<void> {
    const restMs = endedMs + pauseMs - clock();
    if (restMs > 0) await delay(restMs, undefined, { ref: false });
    const asked = readers.map(async (reader) => {
      const { call, state } = reader;
      const askedMs = clock();
      const report = await readNewest(call, readTimeoutMs).catch(() => null);
      if (!report) return;
      state.heardAtMs = clock();
      if (report.network !== null) reader.network = report.network;
      compareNetworks(false);
      if (state.isOtherNetwork) return;
      // Addresses that report no network cannot be told apart.
      if (network !== null || report.network === null) state.confirmedMs = askedMs;
      if (report.newest === null) return;
      recordNewest(state, report.newest, askedMs);
      reader.newestMs = report.newestMs ?? null;
    });
    // One address that does not answer must not delay the others.
    await Promise.race([Promise.all(asked), delay(refreshMs, undefined, { ref: false })]);
    compareNetworks(true);
    const newest = newestOf(
      readers.map(({ state }) => state),
      clock(),
    );
    const { newestMs = null } = readers.find(({ state }) => state.newest === newest) ?? {};
    inForce.report({ network, newest, newestMs });
    endedMs = clock();
  }

  const freshness = {
    inForce,
    get maxBehind(): number {
      return rules?.maxBehind ?? Number.POSITIVE_INFINITY;
    },
    leastOf: (request: RawRequest): number | null => rules?.leastOf(request) ?? null,
    /** Asks all addresses. Concurrent callers share one round. Never rejects. */
    refresh(): Promise<void> {
      round ??= rules
        ? ask(rules.readNewest).finally(() => {
            round = null;
          })
        : Promise.resolve();
      return round;
    },
    /** May an address soon be as new as this? A cursor that was made up may name any number. */
    mayReach(least: number | null, states: readonly AddressState[]): boolean {
      const newest = newestOf(states, clock());
      return least !== null && newest !== null && least <= newest + freshness.maxBehind * maxAhead;
    },
    /** Asks regularly from now on. */
    follow(given: FreshnessRules): void {
      rules = given;
      clearInterval(timer);
      timer = setInterval(() => void freshness.refresh(), refreshMs).unref();
      void freshness.refresh();
    },
    stop(): void {
      clearInterval(timer);
    },
  };
  return freshness;
}
