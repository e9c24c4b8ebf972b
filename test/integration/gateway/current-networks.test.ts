import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  introspectionFromSchema,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  parse,
  printType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { measureDocument } from '../../../src/documents/cost/measure-document.ts';
import { silentLedgerService } from '../../../src/ledger/ledger-service.ts';
import { readConfig } from '../../../src/start/read-config.ts';
import { readSchema } from '../../../src/start/read-schema.ts';
import { explainOperation } from '../../../src/start/start.ts';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import type { MockedNetwork } from '../../support/networks/network-server.ts';
import { checkSuiLimits, suiLimits } from '../../support/networks/sui-limits.ts';
import { startSuiNetwork, suiSchema } from '../../support/networks/sui-network.ts';
import { plausibleDocument } from '../../support/plausible-documents.ts';
import { runs } from '../../support/runs.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const networks = [
  { name: 'iota', header: 'x-iota-rpc-show-usage', start: startIotaNetwork },
  { name: 'sui', header: 'x-sui-rpc-show-usage', start: startSuiNetwork },
] as const;

type Requests = readonly (readonly [name: string, text: string, variables?: object | undefined])[];

const long = 'A'.repeat(20_000);
const manyChanges =
  'checkpoints(first: 50) { nodes { transactions(first: 50) { nodes { effects { objectChanges { nodes { address } } } } } } }';
const nested = (levels: number) => `{ ${'...{'.repeat(levels)} chainIdentifier ${'}'.repeat(levels)} }`;

const common: Requests = [
  ['a text that is nested too deep', nested(21)],
  ['a text of too many nodes', `{ ${'chainIdentifier '.repeat(301)} }`],
  ['a query that is too long', `{ chainIdentifier }${' '.repeat(6_000)}`],
  ['a body that is too long', `{ chainIdentifier }${' '.repeat(200_000)}`],
];

/** Requests that break one limit each. */
const beyondLimits: Readonly<Record<'iota' | 'sui', Requests>> = {
  iota: [
    ...common,
    [
      'an output that is too large',
      '{ checkpoints(first: 50) { nodes { transactionBlocks(first: 50) { nodes { effects { events(first: 50) { nodes { bcs } } } } } } } }',
    ],
    [
      'what is too complex',
      'query ($n: Int) { transactionBlocks(first: $n) { nodes { effects { events(first: 50) { nodes { type { repr } json } } } } } }',
      { n: 40 },
    ],
    [
      'transactions of events, which are too complex',
      '{ events(first: 50) { nodes { transactionBlock { effects { events(first: 3) { nodes { json } } } } } } }',
    ],
    ['a transaction that is too long', `{ dryRunTransactionBlock(txBytes: "${'A'.repeat(175_000)}") { error } }`],
  ],
  sui: [
    ...common,
    ['an output that is too large', `{ ${manyChanges} }`],
    ['a page that is too large', '{ events(first: 51) { pageInfo { hasNextPage } } }'],
    ['a page of its own bound that is too large', '{ packages(last: 201) { nodes { address } } }'],
    ['a page by a variable', 'query ($n: Int) { events(first: $n) { nodes { timestamp } } }', { n: 1_000 }],
    ['too many keys', 'query ($k: [UInt53!]!) { multiGetEpochs(keys: $k) { epochId } }', { k: Array(201).fill(1) }],
    ['a transaction that is too long', `{ simulateTransaction(transaction: "${'A'.repeat(175_000)}") { __typename } }`],
    [
      'a page that is too large, in a fragment',
      'query { checkpoint { ...P } } fragment P on Checkpoint { a: transactions(first: 99) { nodes { digest } } }',
    ],
    [
      'an output that is too large before a page that is',
      `{ ${manyChanges} events(first: 51) { nodes { timestamp } } }`,
    ],
    [
      'a page that is too large before an output that is',
      `{ events(first: 51) { nodes { timestamp } } ${manyChanges} }`,
    ],
    [
      'a second argument that is too long',
      'mutation ($t: Base64!, $s: [Base64!]!) { executeTransaction(transactionDataBcs: $t, signatures: $s) { effects { digest } } }',
      { t: long, s: ['A'.repeat(155_000)] },
    ],
    ['variables that are too long', 'query ($d: String!) { transaction(digest: $d) { digest } }', { d: long }],
  ],
};

/** Requests that are too long but for the transaction that they carry. */
const carriers: Readonly<Record<'iota' | 'sui', readonly (readonly [text: string, variables?: object])[]>> = {
  iota: [
    [
      'query ($tx: String!, $meta: TransactionMetadata) { chainIdentifier dryRunTransactionBlock(txBytes: $tx, txMeta: $meta) { __typename } }',
      { tx: 'AAAA', meta: { gasObjects: Array(60).fill({ address: '0x2', version: 1, digest: '1'.repeat(32) }) } },
    ],
  ],
  sui: [
    [
      'query ($t: JSON!) { simulateTransaction(transaction: $t) { __typename } }',
      { t: { sender: '0x2', nested: { list: Array(2_000).fill(7), text: long } } },
    ],
    [
      'query ($b: Base64!) { verifyZkLoginSignature(bytes: $b, signature: $b, intentScope: TRANSACTION_DATA, author: "0x2") { success } }',
      { b: long },
    ],
    [`{ simulateTransaction(transaction: { sender: "0x2", bytes: "${long}" }) { __typename } }`],
  ],
};

describe.each(networks)('in front of the current network $name', ({ name, header, start }) => {
  let network: MockedNetwork;
  let gateway: TestGateway;
  beforeAll(async () => {
    network = await start();
    gateway = await createTestGateway({
      LEDGER_GRAPHQL_URL: network.graphqlUrl,
      // `serviceConfig` shows the stricter timeouts; these are the network's.
      REQUEST_TIMEOUT_MS: '40000',
      MUTATION_TIMEOUT_MS: '74000',
    });
  });
  afterAll(async () => {
    await gateway?.close();
    await network?.[Symbol.asyncDispose]();
  });

  it('is recognised by its schema', async () => {
    const { data } = await gateway.query('{ gateway { networkProfile } }');
    expect(data.gateway.networkProfile).toBe(name);
    expect(gateway.log.filter(({ msg }) => /profile does not fit/.test(String(msg)))).toEqual([]);
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

  it('generated documents have the same data, usage and rejections as without the gateway', async () => {
    const seen = { served: 0, rejected: 0 };
    for (let seed = 0; seed < runs(60); seed += 1) {
      const document = plausibleDocument(network.schema, seed);
      const { text } = document;
      const variables = Object.keys(document.variables).length > 0 ? document.variables : undefined;
      const headers = { [header]: 'true' };
      const [direct, through] = [
        await network.ask(text, variables, headers),
        await gateway.query(text, variables, headers),
      ];
      const isRejected = direct.data == null;
      expect([text, through.data ?? null]).toEqual([text, direct.data ?? null]);
      if (isRejected && direct.errors[0].extensions?.code)
        expect([text, rejectionOf(through)]).toEqual([text, rejectionOf(direct)]);
      if (!isRejected)
        expect([text, JSON.parse(through.text).extensions.usage]).toMatchObject([
          text,
          toFlat(direct.extensions.usage),
        ]);
      seen[isRejected ? 'rejected' : 'served'] += 1;
    }
    expect(seen.served).toBeGreaterThan(15);
  });

  it('its usage header asks by presence, whatever its value; the header of the contract does not', async () => {
    for (const [named, value] of [header, 'x-ledger-rpc-show-usage'].flatMap((each) =>
      ['true', 'false', '0', ''].map((text) => [each, text] as const),
    )) {
      const { text } = await gateway.query('{ chainIdentifier }', undefined, { [named]: value });
      expect([named, value, text.includes('usage')]).toEqual([named, value, named === header || value === 'true']);
    }
  });

  for (const [what, text, variables] of beyondLimits[name]) {
    it(`${what} is rejected in the words of the network`, async () => {
      const direct = await network.ask(text, variables);
      expect(direct.data).toBeNull();
      const through = await gateway.query(text, variables);
      expect(rejectionOf(through)).toEqual(rejectionOf(direct));
      if (name === 'sui') expect(locationsOf(through)).toEqual(locationsOf(direct));
    });
  }

  it('every body that the network accepts passes, up to the last byte', async () => {
    const { length: rest } = JSON.stringify({ query: '{chainIdentifier}' });
    for (let spare = 0; spare <= 40; spare += 4) {
      const text = `{chainIdentifier}${' '.repeat(5_000 - rest - spare)}`;
      for (const variables of [undefined, {}]) {
        const direct = await network.ask(text, variables);
        const through = await gateway.query(text, variables);
        if (direct.data) expect(through.data).toEqual(direct.data);
      }
    }
    const over = `{chainIdentifier}${' '.repeat(5_001 - rest)}`;
    expect(rejectionOf(await gateway.query(over))).toEqual(rejectionOf(await network.ask(over)));
  });

  it('what carries a transaction counts as its payload, whatever its arguments are', async () => {
    for (const [text, variables] of carriers[name]) {
      const direct = await network.ask(text, variables);
      const through = await gateway.query(text, variables);
      expect(direct.errors ?? []).toEqual([]);
      expect([text, through.data]).toEqual([text, direct.data]);
    }
  });
});

interface Rejection {
  readonly message: string;
  readonly locations?: unknown;
  readonly path?: readonly unknown[];
}

function locationsOf({ errors = [] }: { readonly errors?: readonly Rejection[] | undefined }) {
  return errors.map(({ locations = null, path = null }) => ({ locations, path }));
}

function rejectionOf({
  errors,
}: {
  readonly errors?: readonly { message: string; extensions?: { code?: unknown } }[] | undefined;
}) {
  return errors?.map(({ message, extensions }) => [message, extensions?.code]);
}

/** The gateway's figures are flat on every network. */
function toFlat(
  usage: Record<string, unknown> & {
    input?: Record<string, number>;
    output?: Record<string, number>;
    payload?: Record<string, number>;
  },
) {
  const { input, output, payload } = usage;
  if (!input) return usage;
  return {
    inputNodes: input.nodes,
    depth: input.depth,
    outputNodes: output?.nodes,
    queryPayload: payload?.query_payload_size,
  };
}

test('page sizes of each connection and the keys of a multi-get are those that Sui reports', async () => {
  const pageSize: typeof suiLimits.pageSize = (type, field) =>
    type === 'Checkpoint' ? { usual: 3, max: 5 } : suiLimits.pageSize(type, field);
  await using network = await startSuiNetwork({ limits: { ...suiLimits, maxMultiGetSize: 2, pageSize } });
  await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: network.graphqlUrl });
  const usage = { 'x-sui-rpc-show-usage': '' };
  const [counted, ...rejected] = [
    '{ checkpoint { transactions { nodes { digest } } } transactions { nodes { digest } } }',
    '{ checkpoint { transactions(first: 6) { nodes { digest } } } }',
    '{ multiGetEpochs(keys: [1, 2, 3]) { epochId } }',
  ];
  const direct = await network.ask(counted, undefined, usage);
  const through = await gateway.query(counted, undefined, usage);
  expect(JSON.parse(through.text).extensions.usage).toMatchObject(toFlat(direct.extensions.usage));
  for (const text of rejected)
    expect(rejectionOf(await gateway.query(text))).toEqual(rejectionOf(await network.ask(text)));
  const { data } = await gateway.query(
    '{ serviceConfig { defaultPageSize(type: "Checkpoint", field: "transactions") } }',
  );
  expect(data.serviceConfig.defaultPageSize).toBe(3);
});

test('a named profile that does not fit is logged with the one that does', async () => {
  await using network = await startSuiNetwork();
  await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: network.graphqlUrl, NETWORK_PROFILE: 'iota' });
  expect(gateway.log).toContainEqual(expect.objectContaining({ profile: 'iota', fitting: 'sui' }));
});

test('the network is recognised by the cached schema if the ledger cannot be reached', async () => {
  const cacheFile = join(await mkdtemp(join(tmpdir(), 'schema-')), 'schema.json');
  const network = await startIotaNetwork();
  const env = { LEDGER_GRAPHQL_URL: network.graphqlUrl, SCHEMA_CACHE_FILE: cacheFile };
  await (await createTestGateway(env)).close();
  await network[Symbol.asyncDispose]();
  await using gateway = await createTestGateway(env);
  const { data } = await gateway.query('{ gateway { networkProfile } }');
  expect(data.gateway.networkProfile).toBe('iota');
  await using unknown = await createTestGateway({ LEDGER_GRAPHQL_URL: network.graphqlUrl });
  expect(unknown.log).toContainEqual(expect.objectContaining({ level: 'warn', network: 'ledger' }));
});

test('a cached schema that cannot be used does not prevent the start', async () => {
  const cacheFile = join(await mkdtemp(join(tmpdir(), 'schema-')), 'schema.json');
  await writeFile(cacheFile, '{ "introspection": {} }');
  await using gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: 'http://127.0.0.1:9/',
    SCHEMA_CACHE_FILE: cacheFile,
  });
  expect(gateway.log).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'the schema cache file cannot be used' }),
  );
  expect((await gateway.query('{ gateway { networkProfile } }')).data).toEqual({
    gateway: { networkProfile: 'ledger' },
  });
});

test('explain and schema print recognise the network too', async () => {
  const cacheFile = join(await mkdtemp(join(tmpdir(), 'schema-')), 'schema.json');
  await using network = await startSuiNetwork();
  const env = { LEDGER_GRAPHQL_URL: network.graphqlUrl, SCHEMA_CACHE_FILE: cacheFile };
  const config = readConfig({ env, readFile: () => '' });
  // Only the profile of Sui knows the root field that serves this join.
  expect(await readSchema('subgraph', config)).toMatch(/^type RpcEvent [^}]* transactionBlock: Transaction$/m);
  const cached = { introspection: introspectionFromSchema(network.schema), service: silentLedgerService };
  await writeFile(cacheFile, JSON.stringify(cached));
  const query = '{ queryEvents(first: 1) { nodes { transactionBlock { digest } } } }';
  const explanation = await explainOperation({ query, variables: {}, operationName: null }, config);
  expect(explanation).toMatchObject({ refused: false, schema: { origin: 'kept' } });
});

test('estimate tells the complexity of a document on IOTA, and explain names the limit', async () => {
  await using network = await startIotaNetwork();
  await using gateway = await createTestGateway({ LEDGER_GRAPHQL_URL: network.graphqlUrl });
  const asked =
    'query ($q: String!, $v: JSON) { estimate(query: $q, variables: $v) { refused reasons codes limits { name max used exceeded } } }';
  const q =
    'query ($n: Int) { transactionBlocks(first: $n) { nodes { effects { events(first: 50) { nodes { json } } } } } }';
  const estimate = async (n: number) => (await gateway.query(asked, { q, v: { n } })).data.estimate;
  // 50 events of 2, and one for the list of transactions.
  const limit = (n: number) => ({ name: 'maxComplexity', max: 6_000, used: n * 101, exceeded: n * 101 > 6_000 });
  const fits = await estimate(50);
  expect(fits).toMatchObject({ refused: false, limits: expect.arrayContaining([limit(50)]) });
  expect(await estimate(60)).toMatchObject({
    refused: true,
    reasons: ['Query is too complex.'],
    limits: expect.arrayContaining([limit(60)]),
  });
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
  const rules = networkProfiles.sui.limits;
  const measured = measureDocument(document, 500, { rules, schema: suiSchema, bodyBytes: 0 });
  expect(measured.outputNodes({}, 20)).toBe(517);
});
