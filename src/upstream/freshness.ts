import { setTimeout as delay } from 'node:timers/promises';
import { type AddressState, newestOf, recordNewest } from './choose-address.ts';
import type { RawCall, RawRequest } from './raw-call.ts';
import { createUpstreamCall, type UpstreamCall } from './upstream-call.ts';

/** How to compare the data of several addresses of one upstream. */
export interface FreshnessRules {
  /** Asks one address for its newest data, as a number that grows; `null` if the response does not say. */
  readonly readNewest: (call: UpstreamCall, timeoutMs: number) => Promise<number | null>;
  /** An address further behind the newest one is not used. */
  readonly maxBehind: number;
  /** The oldest data with which a request can be answered, such as that of its cursor; `null` = any. */
  readonly leastOf: (request: RawRequest) => number | null;
}

/** Nodes close a few checkpoints a second, so an address can lag about that much unnoticed. */
export const refreshMs = 1_000;
const readTimeoutMs = 2_000;
/** Milliseconds between two rounds that calls wait for. */
const pauseMs = 20;
/** Multiple of `maxBehind` by which a cursor may be ahead of all known data. */
const maxAhead = 5;

export type Freshness = ReturnType<typeof createFreshness>;

/** Knows how new the data of each address is. */
export function createFreshness(
  addresses: readonly { readonly send: RawCall; readonly path: string; readonly state: AddressState }[],
  clock: () => number = () => performance.now(),
) {
  let rules: FreshnessRules | null = null;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  const readers = addresses.map(({ send, path, state }) => ({
    state,
    call: createUpstreamCall((request, listener) => send({ ...request, path }, listener)),
  }));

  async function ask(readNewest: FreshnessRules['readNewest']): Promise<void> {
    const asked = readers.map(async ({ call, state }) => {
      const askedMs = clock();
      const newest = await readNewest(call, readTimeoutMs).catch(() => undefined);
      if (newest === undefined) return;
      state.heardAtMs = clock();
      if (newest !== null) recordNewest(state, newest, askedMs);
    });
    // One address that does not answer must not delay the others.
    await Promise.race([Promise.all(asked), delay(refreshMs, undefined, { ref: false })]);
    await delay(pauseMs, undefined, { ref: false });
  }

  const freshness = {
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
