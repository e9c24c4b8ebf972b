import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IotaGraphQLClient } from '@iota/iota-sdk/graphql';
import { graphql } from '@iota/iota-sdk/graphql/schemas/2025.2';
import { Ed25519Keypair as IotaKeypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { SuiGraphQLClient } from '@mysten/sui-v2/graphql';
import { Ed25519Keypair as SuiKeypair } from '@mysten/sui-v2/keypairs/ed25519';
import { Transaction as SuiTransaction } from '@mysten/sui-v2/transactions';
import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  parse,
  typeFromAST,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevnetAccounts } from '../../../src/devnet/genesis/accounts.ts';
import { createSponsorFace } from '../../../src/devnet/sponsor/sponsor-face.ts';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import type { MockedNetwork } from '../../support/networks/network-server.ts';
import { startSuiNetwork } from '../../support/networks/sui-network.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const token = 'token-of-the-sponsor';
const secret = new Uint8Array(32).fill(11);

interface Exchange {
  readonly body: string;
  readonly answer: string;
}

interface Stage extends AsyncDisposable {
  readonly network: MockedNetwork;
  readonly gateway: TestGateway;
  readonly url: string;
  /** What went through `record`. */
  readonly exchanges: Exchange[];
  /** A `fetch` for a client that keeps what it sends and receives. */
  readonly record: typeof fetch;
}

/** A network with a sponsor on its ledger, and a gateway in front of both. */
async function openStage(start: () => Promise<MockedNetwork>): Promise<Stage> {
  const network = await start();
  const { sponsor } = createDevnetAccounts(7);
  const face = createSponsorFace({ ledger: network.ledger, clock: Date.now, sponsor, token });
  const server = createServer((req, res) => void face.handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: network.graphqlUrl,
    SPONSOR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    SPONSOR_TOKEN: token,
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'http://127.0.0.1:4000',
  });
  const exchanges: Exchange[] = [];
  return {
    network,
    gateway,
    url: `${gateway.url}/graphql`,
    exchanges,
    record: async (input, init) => {
      const response = await fetch(input, init);
      exchanges.push({ body: String(init?.body), answer: await response.clone().text() });
      return response;
    },
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await network[Symbol.asyncDispose]();
      await face.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

const answerOf = (text: string) => {
  const { data = null, errors = [] } = JSON.parse(text);
  return { data, errors: errors.map(({ message }: { message: string }) => message) };
};

/** Sends a body to a URL, and reads data and messages of the answer. */
async function post(url: string, body: string) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return answerOf(await response.text());
}

const reserve = `mutation ($gasBudget: UInt53!) {
  reserveGas(gasBudget: $gasBudget, reserveDurationSecs: 60) {
    reservationId sponsorAddress gasCoins { objectId version digest }
  }
}`;
const execute = `mutation ($reservationId: ID!, $txBytes: Base64!, $userSig: Base64!) {
  executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig) {
    digest outcome transactionBlock(waitMs: 10000) { digest effects { status } }
  }
}`;

interface Reservation {
  readonly reservationId: string;
  readonly sponsorAddress: string;
  readonly gasCoins: { readonly objectId: string; readonly version: string; readonly digest: string }[];
}

const executed = (digest: string) => ({
  data: { executeTx: { digest, outcome: 'EXECUTED', transactionBlock: { digest, effects: { status: 'SUCCESS' } } } },
});

/** The network shows transactions when their checkpoint is closed. */
async function closeCheckpointWith({ ledger }: MockedNetwork, digest: string): Promise<void> {
  await until(() => ledger.transaction(digest) !== undefined, 'the execution');
  ledger.closeCheckpoint();
}

/** Has the sponsor pay for a transaction that either SDK fills. */
function fill(transaction: IotaTransaction | SuiTransaction, sender: string, reserved: Reservation): void {
  const tx = transaction as SuiTransaction;
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hello')] });
  tx.setSender(sender);
  tx.setGasOwner(reserved.sponsorAddress);
  tx.setGasPayment(reserved.gasCoins);
  tx.setGasBudget(10_000_000);
  tx.setGasPrice(1_000);
}

describe('the Sui SDK through the gateway', () => {
  let stage: Stage;
  let client: SuiGraphQLClient;
  const clientOf = (url: string, record: typeof fetch = fetch) =>
    new SuiGraphQLClient({ url, network: 'localnet', fetch: record });
  beforeAll(async () => {
    stage = await openStage(startSuiNetwork);
    client = clientOf(stage.url, stage.record);
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  it('its methods have the results that they have without the gateway', async () => {
    const { network } = stage;
    const owner = network.ledger.events.at(-1)?.sender ?? '';
    const { digest } = network.ledger.transactions.findLast(({ moveCalls }) => moveCalls.length > 0) ?? { digest: '' };
    const transaction = network.ledger.transaction(digest)?.bytes ?? new Uint8Array();
    const all = { transaction: true, events: true, balanceChanges: true, bcs: true } as const;
    const calls: ((each: SuiGraphQLClient) => Promise<unknown>)[] = [
      (each) => each.core.getTransaction({ digest, include: all }),
      (each) => each.core.getTransaction({ digest: '1'.repeat(32) }),
      (each) => each.core.getObjects({ objectIds: ['0x2', owner], include: { content: true, json: true } }),
      (each) => each.core.listOwnedObjects({ owner, limit: 3 }),
      (each) => each.core.listCoins({ owner, coinType: '0x2::sui::SUI', limit: 3 }),
      (each) => each.core.getBalance({ owner }),
      (each) => each.core.listBalances({ owner, limit: 3 }),
      (each) => each.core.getCoinMetadata({ coinType: '0x2::sui::SUI' }),
      (each) => each.core.getReferenceGasPrice(),
      (each) => each.core.getCurrentSystemState(),
      (each) => each.core.getProtocolConfig(),
      (each) => each.core.getMoveFunction({ packageId: '0x2', moduleName: 'coin', name: 'value' }),
      (each) => each.core.defaultNameServiceName({ address: owner }),
      (each) => each.core.simulateTransaction({ transaction, include: { ...all, commandResults: true } }),
      (each) => each.core.getChainIdentifier(),
      (each) => each.core.listTransactions({ limit: 5 }),
      (each) => each.core.listEvents({ limit: 5 }),
      (each) => each.core.listEvents({ limit: 51 }),
    ];
    const kinds = { fulfilled: 0, rejected: 0 };
    for (const call of calls) {
      const results = await Promise.allSettled([call(client), call(clientOf(network.graphqlUrl))]);
      const [through, direct] = results.map((each) =>
        each.status === 'fulfilled' ? each.value : String((each.reason as Error).message),
      );
      expect(through).toEqual(direct);
      kinds[results[0].status] += 1;
    }
    expect(kinds.fulfilled).toBeGreaterThan(12);
    expect(stage.exchanges.length).toBeGreaterThan(15);
    for (const { body, answer } of stage.exchanges)
      expect([body, answerOf(answer)]).toEqual([body, await post(network.graphqlUrl, body)]);
  });

  it('each of its documents has the same data as without the gateway', async () => {
    const file = '../../../node_modules/@mysten/sui-v2/dist/graphql/generated/queries.mjs';
    const documents = Object.entries(await import(file)).filter(([name]) => name.endsWith('Document'));
    expect(documents.length).toBeGreaterThan(15);
    let served = 0;
    for (const [name, document] of documents) {
      const query = String(document);
      const definition = parse(query).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
      const declared = definition?.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [];
      const required = declared.filter(({ type }) => type.kind === Kind.NON_NULL_TYPE);
      const variables = Object.fromEntries(
        required.map(({ variable, type }) => [
          variable.name.value,
          toValue(typeFromAST(stage.network.schema, type as never) as GraphQLInputType),
        ]),
      );
      const body = JSON.stringify({ query, variables });
      const direct = await post(stage.network.graphqlUrl, body);
      expect([name, await post(stage.url, body)]).toEqual([name, direct]);
      if (direct.data) served += 1;
    }
    expect(served).toBeGreaterThan(0.9 * documents.length);
  });

  it('it pages through all events and transactions', async () => {
    const { ledger } = stage.network;
    const ids: string[] = [];
    const digests: string[] = [];
    const listTransactions = (after: string | null) =>
      client.core.listTransactions({ limit: 50, ...(after !== null && { after }) });
    for (let after: string | null = null, more = true; more; ) {
      const page = await client.core.listEvents({ limit: 50, ...(after !== null && { after }) });
      ids.push(...page.events.map(({ transactionDigest, eventIndex }) => `${transactionDigest}:${eventIndex}`));
      [more, after] = [page.hasNextPage, page.endCursor];
    }
    for (let after: string | null = null, more = true; more; ) {
      const page: Awaited<ReturnType<typeof listTransactions>> = await listTransactions(after);
      digests.push(...page.transactions.map((each) => (each.Transaction ?? each.FailedTransaction).digest));
      [more, after] = [page.hasNextPage, page.endCursor];
    }
    expect(ids).toEqual(ledger.events.map(({ txDigest, eventSeq }) => `${txDigest}:${eventSeq}`));
    expect(digests).toEqual(ledger.transactions.map(({ digest }) => digest));
  });

  it('it builds, signs and sends a transaction that the sponsor pays for, and finds it', async () => {
    const signer = SuiKeypair.fromSecretKey(secret);
    const reserved = await client.query<{ reserveGas: Reservation }>({
      query: reserve,
      variables: { gasBudget: 10_000_000 },
    });
    const tx = new SuiTransaction();
    fill(tx, signer.toSuiAddress(), reserved.data?.reserveGas as Reservation);
    const { bytes, signature } = await tx.sign({ signer, client });
    const digest = await tx.getDigest();
    const { reservationId } = reserved.data?.reserveGas ?? {};
    const variables = { reservationId, txBytes: bytes, userSig: signature };
    const answered = client.query({ query: execute, variables });
    await closeCheckpointWith(stage.network, digest);
    expect(await answered).toMatchObject(executed(digest));
    const found = await client.waitForTransaction({ digest, include: { events: true } });
    expect(found.Transaction).toMatchObject({ digest, status: { success: true } });
    expect(found.Transaction?.events).toHaveLength(1);
  });
});

/** A value of a variable. */
function toValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return toValue(type.ofType);
  if (isListType(type)) return [toValue(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(required.map((each) => [each.name, toValue(each.type)]));
  }
  const values: Readonly<Record<string, unknown>> = {
    Boolean: true,
    Int: 3,
    UInt53: 3,
    Base64: 'AAAA',
    JSON: { a: [1] },
  };
  return Object.hasOwn(values, type.name) ? values[type.name] : '0x2';
}

interface PageOfBlocks {
  readonly data: {
    readonly transactionBlocks: {
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
      readonly nodes: readonly { readonly digest: string }[];
    };
  };
}

describe('the IOTA SDK through the gateway', () => {
  let stage: Stage;
  let client: IotaGraphQLClient;
  beforeAll(async () => {
    stage = await openStage(startIotaNetwork);
    client = new IotaGraphQLClient({ url: stage.url, fetch: stage.record });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  const pages = graphql(`
    query Pages($size: Int, $after: String) {
      transactionBlocks(first: $size, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { digest sender { address } effects { status timestamp checkpoint { sequenceNumber } } }
      }
    }
  `);
  const mixed = graphql(`
    query Mixed($owner: IotaAddress!, $type: String!) {
      chainIdentifier
      epoch { epochId referenceGasPrice }
      address(address: $owner) { address balance { totalBalance } objects(first: 3) { nodes { address version digest } } }
      events(last: 4, filter: { eventType: $type }) { nodes { timestamp json type { repr } sendingModule { name } } }
      coins(first: 2, type: "0x2::iota::IOTA") { nodes { coinBalance owner { __typename } } }
      protocolConfig { protocolVersion featureFlags { key value } }
    }
  `);

  it('its documents have the same data as without the gateway, and it pages through all transactions', async () => {
    const { ledger, graphqlUrl } = stage.network;
    const digests: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { data } = (await client.query({ query: pages, variables: { size: 50, after } })) as PageOfBlocks;
      const { nodes, pageInfo } = data.transactionBlocks;
      digests.push(...nodes.map(({ digest }) => digest));
      [more, after] = [pageInfo.hasNextPage, pageInfo.endCursor];
    }
    expect(digests).toEqual(ledger.transactions.map(({ digest }) => digest));
    const { sender: owner = '', type = '' } = ledger.events.at(-1) ?? {};
    expect(await client.query({ query: mixed, variables: { owner, type } })).toMatchObject({
      data: { events: { nodes: { length: 4 } } },
    });
    for (const { body, answer } of stage.exchanges)
      expect([body, answerOf(answer)]).toEqual([body, await post(graphqlUrl, body)]);
  });

  it('it builds, signs and sends a transaction that the sponsor pays for', async () => {
    const signer = IotaKeypair.fromSecretKey(secret);
    const reserved = await client.query<{ reserveGas: Reservation }>({
      query: reserve,
      variables: { gasBudget: 10_000_000 },
    });
    const tx = new IotaTransaction();
    fill(tx, signer.toIotaAddress(), reserved.data?.reserveGas as Reservation);
    const { bytes, signature } = await tx.sign({ signer });
    const digest = await tx.getDigest();
    const { reservationId } = reserved.data?.reserveGas ?? {};
    const variables = { reservationId, txBytes: bytes, userSig: signature };
    const answered = client.query({ query: execute, variables });
    await closeCheckpointWith(stage.network, digest);
    expect(await answered).toMatchObject(executed(digest));
  });
});
