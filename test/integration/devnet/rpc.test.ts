import { bcs } from '@iota/iota-sdk/bcs';
import { IotaClient } from '@iota/iota-sdk/client';
import { SuiClient } from '@mysten/sui/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { startDevnet } from '../../../src/devnet/start-devnet.ts';
import type { EventRecord, TransactionRecord } from '../../../src/devnet/state/records.ts';
import { toDialect } from '../../../src/start/open-network.ts';
import { type RpcDevnet, startRpcDevnet } from '../../support/start-rpc-devnet.ts';

let devnet: RpcDevnet;
beforeAll(async () => {
  devnet = await startRpcDevnet();
});
afterAll(() => devnet[Symbol.asyncDispose]());

/** Every page of a query, in order. */
async function walk(
  method: string,
  filter: unknown,
  limit: number,
  descending: boolean,
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let cursor: unknown = null; ; ) {
    const { result, error } = await devnet.call(method, filter, cursor, limit, descending);
    if (error) throw new Error(error.message);
    items.push(...result.data);
    cursor = result.nextCursor;
    if (!result.hasNextPage) return items;
  }
}

const nameOf = ({ txDigest, eventSeq }: { txDigest: string; eventSeq: string | number }) => `${txDigest}:${eventSeq}`;

describe('queryEvents on a seeded ledger: each filter matches some events and not others', () => {
  type Case = (devnet: RpcDevnet) => readonly [filter: unknown, selects: (event: EventRecord) => boolean];
  const cases: Readonly<Record<string, Case>> = {
    Transaction: ({ ledger }) => {
      const { txDigest } = ledger.events[40]!;
      return [{ Transaction: txDigest }, (event) => event.txDigest === txDigest];
    },
    MoveModule: ({ contracts: { packages } }) => [
      { MoveModule: { package: packages.market, module: 'listings' } },
      (event) => event.packageId === packages.market && event.transactionModule === 'listings',
    ],
    MoveEventModule: ({ contracts: { packages } }) => [
      { MoveEventModule: { package: packages.core, module: 'events' } },
      (event) => event.type.startsWith(`${packages.core}::events::`),
    ],
    MoveEvent: () => [{ MoveEvent: 'ItemSold' }, (event) => event.type.endsWith('::ItemSold')],
    'EventType by name': () => [{ EventType: 'NewObject' }, (event) => event.type.endsWith('::NewObject')],
    'EventType without arguments': ({ contracts: { packages } }) => [
      { EventType: `${packages.dex}::pool::SwapExecuted` },
      (event) => event.type.startsWith(`${packages.dex}::pool::SwapExecuted<`),
    ],
    'EventType with arguments': ({ contracts: { packages, goldType, silverType } }) => [
      { EventType: `${packages.dex}::pool::SwapExecuted<${goldType}, ${silverType}>` },
      (event) => event.type === `${packages.dex}::pool::SwapExecuted<${goldType},${silverType}>`,
    ],
    MoveEventType: ({ contracts: { packages } }) => [
      { MoveEventType: `${packages.arena}::battle::Greeted` },
      (event) => event.type === `${packages.arena}::battle::Greeted`,
    ],
    Sender: ({ ledger }) => {
      const { sender } = ledger.events[60]!;
      return [{ Sender: sender }, (event) => event.sender === sender];
    },
    Recipient: ({ ledger }) => {
      const recipient = ledger.events.flatMap(({ recipients }) => recipients)[3]!;
      return [{ Recipient: { AddressOwner: recipient } }, (event) => event.recipients.includes(recipient)];
    },
    Object: ({ ledger }) => {
      const objectId = ledger.events[70]!.objectIds[0]!;
      return [{ Object: objectId }, (event) => event.objectIds.includes(objectId)];
    },
    Package: ({ contracts: { packages } }) => [{ Package: packages.dex }, (event) => event.packageId === packages.dex],
    TimeRange: ({ ledger }) => {
      const startTime = ledger.events[30]!.timestampMs;
      const endTime = ledger.events[120]!.timestampMs;
      return [
        { TimeRange: { startTime, endTime } },
        ({ timestampMs }) => startTime <= timestampMs && timestampMs <= endTime,
      ];
    },
  };

  test.each(Object.entries(cases))('%s', async (_, toCase) => {
    const [filter, selects] = toCase(devnet);
    const expected = devnet.ledger.events.filter(selects).map(nameOf);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(devnet.ledger.events.length);
    for (const descending of [false, true]) {
      const items = await walk('queryEvents', filter, 3, descending);
      const found = items.map(({ id }) => nameOf(id as { txDigest: string; eventSeq: string }));
      expect(found).toEqual(descending ? expected.toReversed() : expected);
    }
  });

  test('All matches everything', async () => {
    const items = await walk('queryEvents', { All: [] }, 50, false);
    expect(items).toHaveLength(devnet.ledger.events.length);
  });

  test('a time range includes both ends', async () => {
    const { timestampMs } = devnet.ledger.events[100]!;
    const items = await walk(
      'queryEvents',
      { TimeRange: { startTime: timestampMs, endTime: String(timestampMs) } },
      50,
      false,
    );
    expect(items.length).toBe(devnet.ledger.events.filter((event) => event.timestampMs === timestampMs).length);
  });
});

describe('queryTransactionBlocks on a seeded ledger: each filter matches some transactions and not others', () => {
  type Case = (devnet: RpcDevnet) => readonly [filter: unknown, selects: (transaction: TransactionRecord) => boolean];
  const someone = ({ ledger }: RpcDevnet) => ledger.transactions.find(({ kind }) => kind === 'PROGRAMMABLE_TX')!.sender;
  const owns = (transaction: TransactionRecord, address: string) =>
    transaction.changes.some(
      ({ output }) => output?.live && output.owner.kind === 'address' && output.owner.address === address,
    );
  const friendOf = (devnet: RpcDevnet) =>
    devnet.ledger.transactions.flatMap(
      ({ sender, events }) => events[0]?.recipients.filter((to) => to !== sender) ?? [],
    )[0]!;
  const senderTo = (devnet: RpcDevnet) => {
    const to = friendOf(devnet);
    return {
      to,
      from: devnet.ledger.transactions.find(
        (each) => each.sender !== to && each.kind === 'PROGRAMMABLE_TX' && owns(each, to),
      )!.sender,
    };
  };
  const cases: Readonly<Record<string, Case>> = {
    Checkpoint: () => [{ Checkpoint: '12' }, ({ checkpoint }) => checkpoint === 12],
    'MoveFunction, package alone': ({ contracts: { packages } }) => [
      { MoveFunction: { package: packages.dex } },
      ({ moveCalls }) => moveCalls.some((call) => call.package === packages.dex),
    ],
    'MoveFunction, whole': ({ contracts: { packages } }) => [
      { MoveFunction: { package: packages.arena, module: 'hero', function: 'mint' } },
      ({ moveCalls }) => moveCalls.some((call) => call.module === 'hero' && call.function === 'mint'),
    ],
    InputObject: ({ ledger }) => {
      const { objectId } = ledger.transactions.find(({ kind }) => kind === 'PROGRAMMABLE_TX')!.inputObjects[0]!;
      return [{ InputObject: objectId }, ({ inputIds }) => inputIds.includes(objectId)];
    },
    ChangedObject: ({ ledger }) => {
      const { objectId } = ledger.transactions.find(({ kind }) => kind === 'PROGRAMMABLE_TX')!.changes[0]!;
      return [
        { ChangedObject: objectId },
        ({ changes }) => changes.some((change) => change.objectId === objectId && change.kind !== 'deleted'),
      ];
    },
    FromAddress: (net) => [{ FromAddress: someone(net) }, ({ sender }) => sender === someone(net)],
    ToAddress: (net) => [{ ToAddress: friendOf(net) }, (transaction) => owns(transaction, friendOf(net))],
    FromAndToAddress: (net) => {
      const { from, to } = senderTo(net);
      return [
        { FromAndToAddress: { from, to } },
        (transaction) => transaction.sender === from && owns(transaction, to),
      ];
    },
    FromOrToAddress: (net) => {
      const addr = friendOf(net);
      return [{ FromOrToAddress: { addr } }, (transaction) => transaction.sender === addr || owns(transaction, addr)];
    },
    TransactionKind: () => [{ TransactionKind: 'ProgrammableTransaction' }, ({ kind }) => kind === 'PROGRAMMABLE_TX'],
    TransactionKindIn: () => [
      { TransactionKindIn: ['Genesis', 'EndOfEpochTransaction'] },
      ({ kind }) => kind === 'GENESIS' || kind === 'END_OF_EPOCH_TX',
    ],
  };

  test.each(Object.entries(cases))('%s', async (_, toCase) => {
    const [filter, selects] = toCase(devnet);
    const expected = devnet.ledger.transactions.filter(selects).map(({ digest }) => digest);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(devnet.ledger.transactions.length);
    for (const descending of [false, true]) {
      const found = (await walk('queryTransactionBlocks', { filter }, 3, descending)).map(({ digest }) => digest);
      expect(found).toEqual(descending ? expected.toReversed() : expected);
    }
  });
});

test("every part of a transaction comes from the ledger's records", async () => {
  const record = devnet.ledger.transactions.find(
    ({ balanceChanges, events }) => balanceChanges.length > 1 && events.length > 0,
  )!;
  const options = {
    showInput: true,
    showEffects: true,
    showEvents: true,
    showObjectChanges: true,
    showBalanceChanges: true,
  };
  const { result } = await devnet.call('queryTransactionBlocks', {
    filter: { Checkpoint: String(record.checkpoint) },
    options,
  });
  const item = result.data.find(({ digest }: { digest: string }) => digest === record.digest);
  expect(item.transaction.data).toMatchObject({
    sender: record.sender,
    gasData: { owner: record.gas.owner, budget: String(record.gas.budget), payment: record.gas.payment },
    transaction: { kind: 'ProgrammableTransaction' },
  });
  expect(item.transaction.txSignatures).toEqual(record.signatures());
  const calls = item.transaction.data.transaction.transactions.flatMap(
    (command: Record<string, unknown>) => command.MoveCall ?? [],
  );
  expect(calls.map((call: { function: string }) => call.function)).toEqual(
    record.moveCalls.map((call) => call.function),
  );
  expect(item.effects).toMatchObject({
    status: { status: 'success' },
    transactionDigest: record.digest,
    eventsDigest: record.eventsDigest,
  });
  expect(item.effects.gasUsed.computationCost).toBe(String(record.gasUsed.computationCost));
  expect(item.events).toHaveLength(record.events.length);
  expect(item.objectChanges).toHaveLength(record.changes.length);
  expect(item.balanceChanges.map(({ amount }: { amount: string }) => amount)).toEqual(
    record.balanceChanges.map(({ amount }) => String(amount)),
  );
});

test("the raw transaction is what the network's SDK makes of bytes and signatures", async () => {
  const record = devnet.ledger.transactions.find(({ signatures }) => signatures().length === 2)!;
  const { result } = await devnet.call('queryTransactionBlocks', {
    filter: { Checkpoint: String(record.checkpoint) },
    options: { showRawInput: true },
  });
  const item = result.data.find(({ digest }: { digest: string }) => digest === record.digest);
  const expected = bcs.SenderSignedData.serialize([
    {
      intentMessage: {
        intent: { scope: { TransactionData: true }, version: { V0: true }, appId: { Iota: true } },
        value: bcs.TransactionData.parse(record.bytes),
      },
      txSignatures: [...record.signatures()],
    },
  ]).toBase64();
  expect(item.rawTransaction).toBe(expected);
});

describe('over HTTP', () => {
  const post = async (body: string, init: RequestInit = {}) => {
    const response = await fetch(devnet.url, { method: 'POST', body, ...init });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  test.each<[string, number, string]>([
    ['{', -32700, 'Parse error'],
    ['[{"jsonrpc":"2.0","id":1,"method":"queryEvents"}]', -32005, 'Batched'],
    ['{"id":1,"method":"queryEvents"}', -32600, 'jsonrpc'],
    ['{"jsonrpc":"2.0","id":1,"method":"ledgerx_nothing"}', -32601, 'ledgerx_nothing'],
    ['{"jsonrpc":"2.0","id":1,"method":"ledgerx_queryEvents","params":[{"Nonsense":1}]}', -32602, 'unknown variant'],
    ['{"jsonrpc":"2.0","id":1,"method":"suix_subscribeEvent","params":[{"All":[]}]}', -32603, 'WebSocket'],
    ['{"jsonrpc":"2.0","id":1,"method":"iotax_unsubscribeTransaction","params":[1]}', -32603, 'WebSocket'],
    [`"${'x'.repeat(1024 * 1024)}"`, -32007, 'too large'],
  ])('%.60s is status 200 with error %i', async (body, code, text) => {
    const { status, type, text: answer } = await post(body);
    expect({ status, type }).toEqual({ status: 200, type: 'application/json; charset=utf-8' });
    expect(JSON.parse(answer).error).toEqual({ code, message: expect.stringContaining(text) });
  });

  test('the id is returned unchanged', async () => {
    const { text } = await post('{"jsonrpc":"2.0","id":"a-7","method":"queryEvents","params":[{"All":[]},null,1]}');
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 'a-7', result: { data: [{}] } });
  });

  test('a notification gets an empty response', async () => {
    expect(await post('{"jsonrpc":"2.0","method":"queryEvents","params":[{"All":[]}]}')).toMatchObject({
      status: 200,
      text: '',
    });
  });

  test('only POST is accepted', async () => {
    const response = await fetch(devnet.url);
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
  });
});

test.each([
  ['IOTA', () => new IotaClient({ url: devnet.url })],
  ['Sui', () => new SuiClient({ url: devnet.url })],
] as const)("%s's own SDK reads events and transactions", async (_, createClient) => {
  const client = createClient();
  const { sender } = devnet.ledger.events[60]!;
  const events = await client.queryEvents({ query: { Sender: sender }, limit: 2, order: 'descending' });
  const own = devnet.ledger.events.filter((event) => event.sender === sender);
  expect(events.data.map(({ id }) => nameOf(id))).toEqual(own.slice(-2).reverse().map(nameOf));
  expect(events.hasNextPage).toBe(own.length > 2);
  const transactions = await client.queryTransactionBlocks({
    filter: { FromAddress: sender },
    options: { showEffects: true },
    limit: 1,
  });
  expect(transactions.data[0]?.effects?.status.status).toBeDefined();
});

test.each(['iota', 'sui'] as const)('as %s, it knows the methods of that network alone', async (profile) => {
  const dialect = toDialect(networkProfiles[profile]);
  await using network = await startDevnet({ sponsorToken: 'unused', checkpointIntervalMs: 0, dialect });
  const codeOf = async (method: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [{ All: [] }] });
    const response = await fetch(network.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return ((await response.json()) as { error?: { code: number } }).error?.code;
  };
  expect(await codeOf(`${profile}x_queryEvents`)).toBeUndefined();
  for (const other of ['ledgerx_queryEvents', 'queryEvents', `${profile}_queryEvents`])
    expect(await codeOf(other)).toBe(-32601);
});
