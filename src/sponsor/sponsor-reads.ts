import { createPerOperation, type OperationContext } from '../upstream/operation-context.ts';
import type { SponsorAuthorization } from './sponsor-authorization.ts';
import type { SponsorClient } from './sponsor-client.ts';

/** What one operation reads of the sponsor: each endpoint is asked when first wanted, and once. */
export interface SponsorReads {
  health(): Promise<string>;
  version(): Promise<string>;
}

/**
 * Gives each operation one set of reads, so that a field selected twice, under aliases too, is one call.
 * @param demandSponsor throws where no sponsor is configured
 */
export function createSponsorReads(
  demandSponsor: () => { readonly client: SponsorClient; readonly authorization: SponsorAuthorization },
): (context: OperationContext) => SponsorReads {
  return createPerOperation((context) => {
    const { client, authorization } = demandSponsor();
    const header = authorization.headerFor(context.caller);
    let health: Promise<string> | undefined;
    let version: Promise<string> | undefined;
    return {
      health: () => {
        health ??= client.health(header, context.cancellation);
        return health;
      },
      version: () => {
        version ??= client.version(header, context.cancellation);
        return version;
      },
    };
  });
}
