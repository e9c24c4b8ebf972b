import type { Config } from '../config/config.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { WorkerFacts } from './siblings.ts';

/** Tells those who run the service that it is ready, once. @param workers processes that serve, where there are several */
export function tellReady(
  telemetry: Pick<Telemetry, 'ready' | 'settingsIgnored'>,
  { upstreams, profile, notInForce }: Config,
  { graphqlUrl, schema, workers }: Omit<WorkerFacts, 'url'> & { readonly workers?: number },
): void {
  const devnet = upstreams.kind === 'devnet';
  telemetry.ready({ url: graphqlUrl, devnet, schema, profile: profile.name, ...(workers && { workers }) });
  if (notInForce.length > 0) telemetry.settingsIgnored(notInForce);
}
