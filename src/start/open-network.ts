import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { RunningNetwork } from './siblings.ts';

/** Addresses and credentials in force, of real upstreams or of the embedded network. */
export interface Network {
  /** `null` for an upstream that is not configured. */
  readonly addressOf: (upstream: Upstream) => string | null;
  /** With the credentials in force. */
  readonly config: Config;
  /** The running embedded network; `null` with real upstreams. */
  readonly running: RunningNetwork | null;
  /** Call it when the service is ready: does work that the start has left for later. */
  completeStart(): void;
  close(): Promise<void>;
}

/**
 * The configured upstreams, or the embedded network that simulates them.
 * @param running the embedded network of another process, which this process uses too; `null`: start one if it is needed
 */
export async function openNetwork(
  config: Config,
  telemetry: Pick<Telemetry, 'networkSimulated'>,
  running: RunningNetwork | null = null,
): Promise<Network> {
  const { upstreams, profile } = config;
  if (upstreams.kind === 'remote') {
    const { addresses } = upstreams;
    return {
      addressOf: ({ setting }) => addresses[setting.name] ?? null,
      config,
      running: null,
      completeStart() {},
      close: () => Promise.resolve(),
    };
  }
  if (running) return { ...toNetwork(config, running), completeStart() {}, close: () => Promise.resolve() };
  const token = config.sponsorship.token?.reveal() ?? randomBytes(24).toString('base64url');
  // Loaded only here: a gateway over real upstreams does not need its code.
  const { startDevnet } = await import('../devnet/start-devnet.ts');
  const devnet = await startDevnet({
    sponsorToken: token,
    dialect: { headers: profile.headers, timeRange: profile.events.timeRange },
    isHistoryDeferred: true,
  });
  telemetry.networkSimulated(profile.name);
  const { graphqlUrl, sponsorUrl, rpcUrl } = devnet;
  return {
    ...toNetwork(config, { graphqlUrl, sponsorUrl, rpcUrl, sponsorToken: token }),
    completeStart: devnet.writeHistory,
    close: () => devnet.close(),
  };
}

function toNetwork(config: Config, running: RunningNetwork): Omit<Network, 'close' | 'completeStart'> {
  const token = new Secret(running.sponsorToken);
  return {
    addressOf: ({ addressOnDevnet }) => addressOnDevnet?.(running) ?? null,
    config: { ...config, sponsorship: { ...config.sponsorship, token } },
    running,
  };
}
