import { readFileSync } from 'node:fs';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  parse,
  printType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import type { MockedNetwork } from '../../support/networks/network-server.ts';
import { checkSuiLimits } from '../../support/networks/sui-limits.ts';
import { startSuiNetwork, suiSchema } from '../../support/networks/sui-network.ts';
import { plausibleDocument } from '../../support/plausible-documents.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const networks = [
  { name: 'iota', header: 'x-iota-rpc-show-usage', start: startIotaNetwork },
  { name: 'sui', header: 'x-sui-rpc-show-usage', start: startSuiNetwork },
] as const;

describe.each(networks)('in front of the current network $name', ({ name, start }) => {
  let network: MockedNetwork;
  let gateway: TestGateway;
  beforeAll(async () => {
    network = await start();
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: network.graphqlUrl,
      NETWORK_PROFILE: name,
      // `serviceConfig` shows the stricter timeouts; these are the network's.
      REQUEST_TIMEOUT_MS: '40000',
      MUTATION_TIMEOUT_MS: '74000',
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await network?.[Symbol.asyncDispose]();
  });

  it('introspection has every type of the network, element by element', async () => {
    const { data } = await gateway.query(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }));
    const [shown, original] = [buildClientSchema(data), network.schema].map(lexicographicSortSchema) as [
      GraphQLSchema,
      GraphQLSchema,
    ];
    for (const type of Object.values(original.getTypeMap())) {
      if (/^(__|Query$|Mutation$|Subscription$)/.test(type.name) || isSpecifiedScalarType(type)) continue;
      const found = shown.getType(type.name);
      expect(found ? printType(found) : type.name).toBe(printType(type));
    }
    for (const operation of ['getQueryType', 'getMutationType', 'getSubscriptionType'] as const) {
      const fields = shown[operation]()?.getFields() ?? {};
      for (const [field, { args, type, description = null, deprecationReason = null }] of Object.entries(
        original[operation]()?.getFields() ?? {},
      )) {
        const plain = (each: (typeof args)[number]) => `${each.name}: ${each.type} ${each.description ?? ''}`;
        expect(fields[field]?.args.map(plain)).toEqual(args.map(plain));
        expect(String(fields[field]?.type)).toBe(String(type));
        expect([fields[field]?.description, fields[field]?.deprecationReason]).toEqual([
          description,
          deprecationReason,
        ]);
      }
    }
  });

  it('generated documents have the same data as without the gateway', async () => {
    let served = 0;
    for (let seed = 0; seed < 200; seed += 1) {
      const { text, variables } = plausibleDocument(network.schema, seed);
      const [direct, through] = [await network.ask(text, variables), await gateway.query(text, variables)];
      if (direct.data == null) continue;
      expect([text, through.data]).toEqual([text, direct.data]);
      served += 1;
    }
    expect(served).toBeGreaterThan(50);
  }, 180_000);
});

test('the worked example of current Sui counts 517 output nodes, by the source and not by the description', () => {
  const file = '../../../node_modules/@mysten/sui-v2/src/graphql/generated/schema.graphql';
  const description = readFileSync(new URL(file, import.meta.url), 'utf8');
  expect(description).toContain('# 514 = total');
  const document = parse(`query ($a: ObjectKey!, $b: ObjectKey!, $c: ObjectKey!) {
    checkpoint { sequenceNumber }
    multiGetObjects(keys: [$a, $b, $c]) { address digest }
    transactions {
      pageInfo { hasNextPage endCursor }
      nodes { digest effects { objectChanges(first: 10) { nodes { address } } } }
    }
  }`);
  expect(checkSuiLimits(suiSchema, document, { variables: {}, bytes: 500 })).toMatchObject({
    usage: { output: { nodes: 517 } },
  });
});
