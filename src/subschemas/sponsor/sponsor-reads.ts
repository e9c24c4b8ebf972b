import type { Secret } from '../../config/secret.ts';
import type { Cancellation } from '../../transport/cancellation.ts';
import type { SponsorClient } from './sponsor-client.ts';

export interface SponsorReads {
  health(): Promise<string>;
  version(): Promise<string>;
}

/** What one operation reads of the sponsor: each endpoint is asked when first wanted, and once. */
export function createSponsorReads(
  client: SponsorClient,
  authorization: Secret | null,
  cancellation: Cancellation,
): SponsorReads {
  let health: Promise<string> | undefined;
  let version: Promise<string> | undefined;
  return {
    health: () => {
      health ??= client.health(authorization, cancellation);
      return health;
    },
    version: () => {
      version ??= client.version(authorization, cancellation);
      return version;
    },
  };
}
