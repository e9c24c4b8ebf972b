import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import type { Upstream } from '../subschemas/upstream.ts';
import type { Telemetry } from '../telemetry/events.ts';

/** Addresses and credentials in force, whoever provides them. */
export interface Network {
  /** `null` where an upstream is not configured. */
  readonly addressOf: (upstream: Upstream) => string | null;
  /** With the credentials in force. */
  readonly config: Config;
  close(): Promise<void>;
}

/** The configured upstreams, or the embedded network that plays them. */
export async function openNetwork(config: Config, telemetry: Pick<Telemetry, 'networkSimulated'>): Promise<Network> {
  const { upstreams, sponsorship, profile } = config;
  if (upstreams.kind === 'remote') {
    const { addresses } = upstreams;
    return { addressOf: ({ setting }) => addresses[setting.name] ?? null, config, close: () => Promise.resolve() };
  }
  const token = sponsorship.token ?? new Secret(randomBytes(24).toString('base64url'));
  // Loaded only where it runs: a gateway over real upstreams has no use for its code.
  const { startDevnet } = await import('../devnet/start-devnet.ts');
  const devnet = await startDevnet({
    sponsorToken: token.reveal(),
    dialect: { headers: profile.headers, timeRange: profile.events.timeRange },
  });
  telemetry.networkSimulated(profile.name);
  return {
    addressOf: ({ addressOnDevnet }) => addressOnDevnet?.(devnet) ?? null,
    config: { ...config, sponsorship: { ...sponsorship, token } },
    close: () => devnet.close(),
  };
}
