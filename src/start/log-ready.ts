import { type Config, losesCursors } from '../config/config.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { WorkerFacts } from './siblings.ts';
import { upstreamList } from './upstreams.ts';

/** Logs once that the service is ready. @param workers the number of processes, if there are several */
export function logReady(
  telemetry: Pick<Telemetry, 'ready' | 'listening' | 'cursorKeyMade' | 'variablesUnknown'>,
  config: Config,
  { graphqlUrl, schema, workers }: Omit<WorkerFacts, 'url'> & { readonly workers?: number },
): void {
  const { upstreams, profile } = config;
  const devnet = upstreams.kind === 'devnet';
  const service = { url: graphqlUrl, devnet, schema, profile: profile.name, ...(workers && { workers }) };
  if (schema === 'ledger') telemetry.ready(service);
  else telemetry.listening({ ...service, ...describeLedger(config) });
  if (losesCursors(config)) telemetry.cursorKeyMade();
  if (config.unknownVariables.length > 0) telemetry.variablesUnknown(config.unknownVariables);
}

/** The setting with the ledger's address, and the host in it. */
export function describeLedger({ upstreams }: Pick<Config, 'upstreams'>): {
  readonly setting: string;
  readonly host: string;
} {
  const setting = upstreamList.graph.setting.name;
  if (upstreams.kind === 'devnet') return { setting, host: 'the simulated network' };
  const hosts = upstreams.addresses[setting]?.map((address) => new URL(address).host) ?? [];
  return { setting, host: hosts.join(', ') };
}
