import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { networkProfiles } from '../../src/config/network-profile.ts';
import { type ImmutableFields, immutableFields } from '../../src/ledger/immutable/immutable-fields.ts';

export interface LedgerSchema {
  readonly name: string;
  readonly profile: keyof typeof networkProfiles;
  readonly sdl: string;
  readonly schema: GraphQLSchema;
  readonly tables: readonly ImmutableFields[];
}

const files = [
  { name: 'the ledger', profile: 'ledger', file: 'schema/ledger.graphql' },
  {
    name: 'IOTA 2025.2',
    profile: 'iota',
    file: 'node_modules/@iota/iota-sdk/src/graphql/generated/2025.2/schema.graphql',
  },
  {
    name: 'Sui 2024.4',
    profile: 'sui-legacy',
    file: 'node_modules/@mysten/sui/src/graphql/generated/2024.4/schema.graphql',
  },
  {
    name: 'Sui',
    profile: 'sui',
    file: 'node_modules/@mysten/sui-v2/src/graphql/generated/schema.graphql',
  },
] as const;

/** The published schemas of the known networks. */
export const ledgerSchemas: readonly LedgerSchema[] = files.map(({ name, profile, file }) => {
  const sdl = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const tables = networkProfiles[profile].immutableFields.map((table) => immutableFields[table]);
  return { name, profile, sdl, schema: buildSchema(sdl), tables };
});
