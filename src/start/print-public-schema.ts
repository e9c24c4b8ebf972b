import { lexicographicSortSchema, printSchema } from 'graphql';
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
  const { startDevnet } = await import('../devnet/start-devnet.ts');
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, isHistoryDeferred: true });
  const { graph, ownFields } = upstreamList;
  const connection = connectUpstream({ name: graph.name, url: graph.addressOnDevnet(devnet), now: Date.now });
  try {
    const config = parseConfig({ env: {}, readFile: () => '' });
    const { execute } = graph.connect(connection, config, createStreamQuota({ max: 0, maxPerCaller: 0 }));
    const introspection = await fetchLedgerIntrospection(execute);
    const source = { introspection, service: silentLedgerService, origin: 'ledger' } as const;
    const { schema } = buildGeneration(source, {
      // Nothing is executed.
      prepareOn: () => () => null,
      ownSchema: createOwnSchema(ownFields),
      execute,
      names: config.profile.joins,
      config,
    });
    return `${printSchema(lexicographicSortSchema(schema))}\n`;
  } finally {
    await connection.close();
    await devnet.close();
  }
}
