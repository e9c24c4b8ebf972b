import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { NetworkProfile } from '../config/network-profile.ts';
import { Secret } from '../config/secret.ts';
import type { ServedDevnet } from '../devnet/devnet-thread.ts';
import type { DevnetOptions, NetworkDialect } from '../devnet/start-devnet.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { RunningNetwork } from './siblings.ts';

/** Addresses and credentials in force, of real upstreams or of the embedded network. */
export interface Network {
  /** `null` for an upstream that is not configured. */
  readonly addressesOf: (upstream: Upstream) => readonly string[] | null;
  readonly config: Config;
  /** The running embedded network; `null` with real upstreams. */
  readonly running: RunningNetwork | null;
  /** Resolves when the embedded network can answer reads without writing its history first. */
  readonly hasHistory: Promise<unknown>;
  close(): Promise<void>;
}

type StartDevnet = (options: DevnetOptions) => Promise<ServedDevnet>;

/** Runs the embedded network in this thread. The first read completes the history. */
const startDevnetHere: StartDevnet = async (options) => {
  // Loaded on demand: a gateway over real upstreams does not need this code.
  const { startDevnet } = await import('../devnet/start-devnet.ts');
  const devnet = await startDevnet({ ...options, isHistoryDeferred: true });
  return { ...devnet, hasHistory: Promise.resolve() };
};

/**
 * The configured upstreams, or the embedded network that simulates them.
 * @param running the embedded network of another process, which this process uses too; `null`: start one if it is needed
 */
export async function openNetwork(
  config: Config,
  running: RunningNetwork | null = null,
  startDevnet: StartDevnet = startDevnetHere,
): Promise<Network> {
  const { upstreams, profile } = config;
  if (upstreams.kind === 'remote') {
    const { addresses } = upstreams;
    return {
      addressesOf: ({ setting }) => addresses[setting.name] ?? null,
      config,
      running: null,
      hasHistory: Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
  if (running) return { ...toNetwork(config, running), hasHistory: Promise.resolve(), close: () => Promise.resolve() };
  const token = config.sponsorship.token?.reveal() ?? randomBytes(24).toString('base64url');
  const devnet = await startDevnet({
    sponsorToken: token,
    dialect: toDialect(profile),
  });
  const { graphqlUrl, sponsorUrl, rpcUrl, hasHistory } = devnet;
  return {
    ...toNetwork(config, { graphqlUrl, sponsorUrl, rpcUrl, sponsorToken: token }),
    hasHistory,
    close: () => devnet.close(),
  };
}

/** The wire format of a simulated network with this profile. */
export function toDialect({ name, headers, events }: NetworkProfile): NetworkDialect {
  const [rpcPrefix = null] = /^[a-z]+x(?=_)/.exec(events.methods.queryEvents) ?? [];
  return { headers, timeRange: events.timeRange, schema: name, rpcPrefix };
}

function toNetwork(config: Config, running: RunningNetwork): Omit<Network, 'close' | 'hasHistory'> {
  const token = new Secret(running.sponsorToken);
  return {
    addressesOf: ({ addressOnDevnet }) => (addressOnDevnet ? [addressOnDevnet(running)] : null),
    config: { ...config, sponsorship: { ...config.sponsorship, token } },
    running,
  };
}
