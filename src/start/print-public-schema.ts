import { lexicographicSortSchema, printSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/parse-config.ts';
import { buildGeneration } from '../graph/generation.ts';
import { createOwnSchema } from '../graph/own-schema.ts';
import { fetchLedgerIntrospection } from '../ledger/fetch-ledger-schema.ts';
import { silentLedgerService } from '../ledger/ledger-service.ts';
import { createStreamQuota } from '../live/quota.ts';
import { connectUpstream } from '../upstream/connect-upstream.ts';
import { upstreamList } from './upstreams.ts';

/** The graph as clients of the embedded network see it, as SDL. */
export async function printPublicSchema(): Promise<string> {
  const { schema } = await readGraph(parseConfig({ env: {}, readFile: () => '' }));
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/** The graph over the configured ledger as a Federation 2 subgraph, as SDL. */
export async function printSubgraphSchema(config: Config): Promise<string> {
  const { subgraphSdl } = await readGraph({ ...config, federation: true });
  return `${subgraphSdl}\n`;
}

async function readGraph(config: Config) {
  const { graph, ownFields } = upstreamList;
  const { url, close } = await openLedger(config);
  const connection = connectUpstream({ name: graph.name, url, now: Date.now });
  try {
    const { execute } = graph.connect(connection, config, createStreamQuota({ max: 0, maxPerCaller: 0 }));
    const introspection = await fetchLedgerIntrospection(execute);
    const source = { introspection, service: silentLedgerService, origin: 'ledger' } as const;
    return buildGeneration(source, {
      // Nothing is executed.
      prepareOn: () => () => null,
      ownSchema: createOwnSchema(ownFields),
      execute,
      names: config.profile.joins,
      config,
    });
  } finally {
    await connection.close();
    await close();
  }
}

async function openLedger({ upstreams }: Config): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { graph } = upstreamList;
  const url = upstreams.kind === 'remote' ? upstreams.addresses[graph.setting.name] : undefined;
  if (url !== undefined) return { url, close: async () => {} };
  const { startDevnet } = await import('../devnet/start-devnet.ts');
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, isHistoryDeferred: true });
  return { url: graph.addressOnDevnet(devnet), close: () => devnet.close() };
}
