import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import * as apollo from '@apollo/composition';
import * as theguild from '@theguild/federation-composition';
import { buildSchema, graphqlSync, parse } from 'graphql';
import { secondSdl, startGraphql } from './second-subgraph.mjs';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const blocks = { transaction: 'TransactionBlock' };
const networks = [
  { name: 'the simulated network', ...blocks, address: 'LedgerAddress' },
  { name: 'IOTA', profile: 'iota', sdk: '@iota/iota-sdk', version: '2025.2/', ...blocks, address: 'IotaAddress' },
  {
    name: 'Sui 2024.4',
    profile: 'sui-legacy',
    sdk: '@mysten/sui',
    version: '2024.4/',
    ...blocks,
    address: 'SuiAddress',
  },
  {
    name: 'Sui',
    profile: 'sui',
    sdk: '@mysten/sui-v2',
    version: '',
    transaction: 'Transaction',
    address: 'SuiAddress',
  },
];

/** What `schema print --federation` prints for a network. */
async function printSubgraph({ profile, sdk, version }) {
  const print = async (env) => {
    const args = [new URL('dist/cli.js', root).pathname, 'schema', 'print', '--federation'];
    return (await run(process.execPath, args, { env: { ...process.env, ...env }, maxBuffer: 1e7 })).stdout;
  };
  if (!sdk) return print({});
  const file = new URL(`node_modules/${sdk}/src/graphql/generated/${version}schema.graphql`, root);
  const schema = buildSchema(readFileSync(file, 'utf8'));
  const ledger = await startGraphql((source) => graphqlSync({ schema, source }));
  try {
    return await print({ LEDGER_GRAPHQL_URL: ledger.url, NETWORK_PROFILE: profile });
  } finally {
    await ledger.close();
  }
}

for (const network of networks) {
  test(`${network.name} composes beside a subgraph that extends its types`, async () => {
    const subgraphs = [
      { name: 'ledger', url: 'http://ledger', typeDefs: parse(await printSubgraph(network)) },
      { name: 'second', url: 'http://second', typeDefs: parse(secondSdl(network)) },
    ];
    for (const [library, { composeServices }] of Object.entries({ apollo, theguild })) {
      const { errors, supergraphSdl } = composeServices(subgraphs);
      assert.deepEqual(errors?.map(({ message }) => message) ?? [], [], library);
      assert.match(supergraphSdl, /join__Graph/);
      for (const type of [
        'Address',
        'Object',
        network.transaction,
        'Epoch',
        'Checkpoint',
        'MovePackage',
        'CoinMetadata',
      ])
        assert.match(supergraphSdl, new RegExp(`^type ${type}\\b[^{]*join__type\\(graph: LEDGER, key: `, 'm'), type);
    }
  });
}
