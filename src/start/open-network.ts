import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { Secret } from '../config/secret.ts';
import type { Telemetry } from '../telemetry/events.ts';

/** Addresses and credentials in force, whoever provides them. */
export interface Network {
  readonly ledgerUrl: string;
  readonly sponsorUrl: string | null;
  readonly rpcUrl: string | null;
  /** The sponsor's. */
  readonly token: Secret | null;
  close(): Promise<void>;
}

/** The configured upstreams, or an embedded network that plays all three. */
export async function openNetwork(
  { upstreams, sponsorship, profile }: Config,
  telemetry: Pick<Telemetry, 'networkSimulated'>,
): Promise<Network> {
  if (upstreams.kind === 'remote') {
    return {
      ledgerUrl: upstreams.ledger.graphqlUrl,
      sponsorUrl: upstreams.sponsor?.url ?? null,
      rpcUrl: upstreams.events?.rpcUrl ?? null,
      token: sponsorship.token,
      close: () => Promise.resolve(),
    };
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
    ledgerUrl: devnet.graphqlUrl,
    sponsorUrl: devnet.sponsorUrl,
    rpcUrl: devnet.rpcUrl,
    token,
    close: () => devnet.close(),
  };
}
