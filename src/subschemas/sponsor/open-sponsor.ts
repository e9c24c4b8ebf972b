import { createSponsorClient, type SponsorClientOptions } from './create-sponsor-client.ts';
import { gatewayAuthorization, type SponsorAuthorizationOptions } from './sponsor-authorization.ts';
import type { SponsorClient } from './sponsor-client.ts';
import { watchSponsorVersion } from './watch-sponsor-version.ts';

export interface OpenSponsorOptions extends SponsorClientOptions {
  readonly sponsorship: SponsorAuthorizationOptions;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface OpenSponsor {
  readonly client: SponsorClient;
  /** Which version it runs; `null` where it does not say. */
  readonly version: () => Promise<string | null>;
}

/** The client of a sponsor, and what is known of it besides. */
export function openSponsor({ sponsorship, now, ...options }: OpenSponsorOptions): OpenSponsor {
  const { call, basePath } = options;
  const watch = watchSponsorVersion({ call, basePath, authorization: gatewayAuthorization(sponsorship), now });
  return { client: watch.listen(createSponsorClient(options)), version: watch.tell };
}
