import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildGeneration } from '../graph/generation.ts';
import { createOwnSchema } from '../graph/own-schema.ts';
import { createStreamPlaces } from '../limits/stream-places.ts';
import { parseConfig } from '../settings/parse-config.ts';
import { fetchLedgerIntrospection } from '../subschemas/ledger/fetch-ledger-schema.ts';
import { silentLedgerService } from '../subschemas/ledger/ledger-service.ts';
import { connectUpstream } from '../transport/connect-upstream.ts';
import { upstreamList } from './upstreams.ts';

/** The graph as clients of the embedded network see it, as SDL. */
export async function printPublicSchema(): Promise<string> {
  const { startDevnet } = await import('../devnet/start-devnet.ts');
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0 });
  const { graph, ownFields } = upstreamList;
  const connection = connectUpstream({ url: graph.addressOnDevnet(devnet), now: Date.now });
  try {
    const config = parseConfig({ env: {}, readFile: () => '' });
    const { execute } = graph.connect(connection, config, createStreamPlaces({ max: 0, maxPerCaller: 0 }));
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
