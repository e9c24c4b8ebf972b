import { buildSchema, type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { Config } from '../config/config.ts';
import { compareSchemas, type SchemaChange } from '../graph/compare-schemas.ts';
import { buildGeneration } from '../graph/generation.ts';
import { createOwnSchema } from '../graph/own-schema.ts';
import { buildLedgerSchema } from '../ledger/fetch-ledger-schema.ts';
import { silentLedgerService } from '../ledger/ledger-service.ts';
import { openNetwork } from './open-network.ts';
import { introspectLedger, withNetworkOf } from './recognise-network.ts';
import { upstreamList } from './upstreams.ts';

export type { SchemaChange };

/** `graph`: the schema that clients of the gateway see. `subgraph`: the same as a Federation 2 subgraph. */
export type SchemaScope = 'ledger' | 'graph' | 'subgraph';

/** Reads a schema over the configured ledger, or over the simulated network if none is configured. @returns SDL */
export async function readSchema(scope: SchemaScope, config: Config): Promise<string> {
  const network = await openNetwork(config);
  try {
    const urls = network.addressesOf(upstreamList.graph) ?? [];
    const introspection = await introspectLedger(upstreamList, urls, config);
    const ledger = buildLedgerSchema(introspection);
    if (scope === 'ledger') return toSdl(ledger);
    const recognised = withNetworkOf(ledger, config);
    const { settings } = config;
    const source = { introspection, service: silentLedgerService, origin: 'ledger' } as const;
    const { schema, subgraphSdl } = buildGeneration(source, {
      // The schema is only printed: it needs no resolvers.
      prepareOn: () => () => null,
      ownSchema: createOwnSchema(upstreamList.ownFields),
      execute: () => Promise.reject(new Error('a schema that is only printed asks no upstream')),
      names: recognised.profile.joins,
      config: { ...recognised, settings: { ...settings, FEDERATION: scope === 'subgraph' || settings.FEDERATION } },
    });
    return scope === 'subgraph' ? `${subgraphSdl}\n` : toSdl(schema);
  } finally {
    await network.close();
  }
}

/** Compares two schemas in SDL. Rejects if one of them is not a schema. */
export async function compareSdl(before: string, after: string): Promise<readonly SchemaChange[]> {
  return compareSchemas(buildSchema(before), buildSchema(after));
}

/** Sorted, so that two runs print the same text. */
function toSdl(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
