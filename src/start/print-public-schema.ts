import { lexicographicSortSchema, printSchema } from 'graphql';
import { networkProfiles } from '../config/network-profile.ts';
import { parseConfig } from '../config/parse-config.ts';
import { buildGeneration } from '../graph/generation.ts';
import { createLocalSchema } from '../graph/own-schema.ts';
import { fetchLedgerIntrospection } from '../subschemas/ledger/fetch-ledger-schema.ts';
import { createLedgerExecutor } from '../subschemas/ledger/ledger-executor.ts';
import { silentLedgerService } from '../subschemas/ledger/ledger-service.ts';
import { createRpcVersion } from '../subschemas/ledger/rpc-version.ts';
import { connectUpstream } from '../transport/connect-upstream.ts';

/** The graph as clients of the embedded network see it, as SDL. */
export async function printPublicSchema(): Promise<string> {
  const { startDevnet } = await import('../devnet/start-devnet.ts');
  const devnet = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0 });
  const ledger = connectUpstream({ url: devnet.graphqlUrl, now: Date.now });
  try {
    const execute = createLedgerExecutor({
      call: ledger.call,
      path: ledger.path,
      versionHeader: networkProfiles.ledger.headers.version,
      version: createRpcVersion(),
      timeouts: { queryMs: 10_000, mutationMs: 10_000 },
    });
    const introspection = await fetchLedgerIntrospection(execute);
    const source = { introspection, service: silentLedgerService, origin: 'ledger' } as const;
    const { schema } = buildGeneration(source, {
      local: createLocalSchema([]),
      execute,
      names: networkProfiles.ledger.joins,
      config: parseConfig({ env: {}, readFile: () => '' }),
    });
    return `${printSchema(lexicographicSortSchema(schema))}\n`;
  } finally {
    await ledger.close();
    await devnet.close();
  }
}
