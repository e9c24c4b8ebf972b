import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { networkProfiles } from '../../../src/config/network-profile.ts';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { toDialect } from '../../../src/start/open-network.ts';
import { recordUpstream } from '../../support/recording-upstream.ts';
import { type SuiLedger, startSuiLedger } from '../../support/sui-ledger.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

/** Plays the sponsor and the JSON-RPC node beside the ledgers. */
let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken: 'token',
    checkpointIntervalMs: 0,
    genesis: { checkpoints: 20 },
    dialect: { ...toDialect(networkProfiles.sui), schema: 'ledger' },
  });
});
afterAll(() => devnet?.close());

const start = (ledger: SuiLedger, env: Record<string, string> = {}, files: Record<string, string> = {}) =>
  createTestGateway(
    {
      NETWORK_PROFILE: 'sui',
      LEDGER_GRAPHQL_URL: ledger.url,
      LEDGER_RPC_URL: devnet.rpcUrl,
      EVENTS_SOURCE: 'rpc',
      SPONSOR_URL: devnet.sponsorUrl,
      ...env,
    },
    files,
  );

describe.each([
  ['2024.1', 'TransactionBlock'],
  ['2024.4', 'TransactionBlock'],
  ['newest', 'Transaction'],
] as const)('on the unmodified Sui schema %s', (version, type) => {
  let ledger: SuiLedger;
  let gateway: TestGateway;
  beforeAll(async () => {
    ledger = await startSuiLedger(version);
    gateway = await start(ledger, { NETWORK_PROFILE: version === 'newest' ? 'sui' : 'sui-legacy' });
  });
  afterAll(async () => {
    await gateway?.close();
    await ledger?.[Symbol.asyncDispose]();
  });

  it('every join exists and is listed', async () => {
    const { data } = await gateway.query('{ gateway { capabilities { name available reason } } }');
    const joins = data.gateway.capabilities.filter(({ name }: { name: string }) => name.startsWith('join:'));
    expect(joins).toHaveLength(8);
    for (const join of joins) expect(join).toMatchObject({ available: true, reason: null });
  });

  it('serviceConfig has the timeouts in force under the network’s names', async () => {
    const asked = version === 'newest' ? 'queryTimeoutMs' : 'requestTimeoutMs';
    const { data, errors } = await gateway.query(`{ serviceConfig { ${asked} mutationTimeoutMs } }`);
    expect(errors).toBeUndefined();
    // The ledger's timeout is stricter for queries, the gateway's for mutations.
    expect(data.serviceConfig).toEqual({ [asked]: 9_000, mutationTimeoutMs: 30_000 });
  });

  it('events join their transactions and senders in one request', async () => {
    ledger.asked.length = 0;
    const { data, errors } = await gateway.query(
      '{ queryEvents(last: 3) { nodes { txDigest sender transactionBlock { __typename digest } senderAddress { address } } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.queryEvents.nodes).toHaveLength(3);
    for (const { txDigest, sender, ...joined } of data.queryEvents.nodes) {
      expect(joined).toEqual({
        transactionBlock: { __typename: type, digest: txDigest },
        senderAddress: { address: sender },
      });
    }
    expect(ledger.asked).toHaveLength(1);
  });

  it('joins work in a stitched operation, with the estimated cost', async () => {
    const text = '{ chainIdentifier queryTransactionBlocks(last: 1) { nodes { digest transactionBlock { digest } } } }';
    const { data, errors } = await gateway.query(text);
    expect(errors).toBeUndefined();
    const [node] = data.queryTransactionBlocks.nodes;
    expect(node.transactionBlock.digest).toBe(node.digest);
    const asked = await gateway.query('query ($q: String!) { estimate(query: $q) { refused plan upstreamCalls } }', {
      q: text,
    });
    expect(asked.data.estimate).toEqual({ refused: false, plan: 'STITCHED', upstreamCalls: 3 });
  });

  it('a reservation joins its coins, at their versions, and its sponsor', async () => {
    const { data, errors } = await gateway.query(
      'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { sponsorAddress sponsor { address } gasCoins { objectId version object { address version } } } }',
      {},
      { authorization: 'Bearer token' },
    );
    expect(errors).toBeUndefined();
    const { sponsorAddress, sponsor, gasCoins } = data.reserveGas;
    expect(sponsor).toEqual({ address: sponsorAddress });
    expect(gasCoins.length).toBeGreaterThan(0);
    for (const { objectId, version: at, object } of gasCoins)
      expect(object).toEqual({ address: objectId, version: at });
  });

  it('one address variable serves fields of the gateway and of the ledger', async () => {
    const { data, errors } = await gateway.query(
      'query ($a: SuiAddress!) { address(address: $a) { address } queryEvents(filter: { sender: $a }, last: 1) { nodes { sender } } }',
      { a: devnet.ledger.events.at(-1)?.sender },
    );
    expect(errors).toBeUndefined();
    expect(data.queryEvents.nodes).toEqual([{ sender: data.address.address }]);
  });
});

test('a join without a matching ledger field is left out, and the reason lists the names tried', async () => {
  await using ledger = await startSuiLedger('newest');
  const overrides = JSON.stringify({
    joins: { transaction: { field: ['transactionBlock', 'tx'] }, object: { field: 'objects' } },
  });
  await using gateway = await start(ledger, { PROFILE_OVERRIDES: overrides });
  const { data } = await gateway.query('{ gateway { capabilities { name available reason } } }');
  const reasons = Object.fromEntries(
    data.gateway.capabilities.map(({ name, reason }: { name: string; reason: string | null }) => [name, reason]),
  );
  expect(reasons['join:RpcEvent.transactionBlock']).toBe('The ledger has no root field transactionBlock or tx.');
  expect(reasons['join:ReservedGasCoin.object']).toBe("The ledger's objects has no argument address.");
  expect(reasons['join:RpcEvent.senderAddress']).toBeNull();
  const refused = await gateway.query('{ queryEvents(last: 1) { nodes { transactionBlock { digest } } } }');
  expect(refused.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
});

describe('a fork of Sui that the gateway does not know', () => {
  let ledger: SuiLedger;
  beforeAll(async () => {
    ledger = await startSuiLedger('2024.4', 'Mgo');
  });
  afterAll(() => ledger?.[Symbol.asyncDispose]());

  it('is recognised by its scalar and its header, and the log has the settings that fit it', async () => {
    await using first = await start(ledger, { NETWORK_PROFILE: 'auto' });
    const advice = first.log.find(({ msg }) => String(msg).startsWith('the network is not known but resembles'));
    expect(advice).toMatchObject({
      level: 'warn',
      scalar: 'MgoAddress',
      header: 'x-mgo-rpc-version',
      NETWORK_PROFILE: 'sui-legacy',
    });
    const { NETWORK_PROFILE, PROFILE_OVERRIDES } = advice as Record<string, string>;
    await using second = await start(ledger, {
      NETWORK_PROFILE: `${NETWORK_PROFILE}`,
      PROFILE_OVERRIDES: `${PROFILE_OVERRIDES}`,
    });
    expect(second.log.filter(({ msg }) => /profile does not fit|resembles/.test(String(msg)))).toEqual([]);
    expect((await second.query('{ gateway { networkProfile rpcVersion } }')).data.gateway).toEqual({
      networkProfile: 'mgo',
      rpcVersion: '2026.9.1-abc',
    });
  });

  it('is served by the profile file of the documentation: version, methods and joins', async () => {
    const page = readFileSync(new URL('../../../docs/networks.md', import.meta.url), 'utf8');
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    await using node = await recordUpstream(devnet.rpcUrl);
    node.intercept = ({ body }, res) => {
      const { id } = JSON.parse(body);
      const result = { data: [], nextCursor: null, hasNextPage: false };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    };
    await using gateway = await start(
      ledger,
      { NETWORK_PROFILE: 'mango.yaml', LEDGER_RPC_URL: node.url },
      { 'mango.yaml': yaml },
    );
    expect(gateway.log.filter(({ msg }) => /profile does not fit|resembles/.test(String(msg)))).toEqual([]);
    expect((await gateway.query('{ gateway { networkProfile } address(address: "0x2") { address } }')).data).toEqual({
      gateway: { networkProfile: 'mango' },
      address: { address: '0x2' },
    });
    expect((await gateway.query('{ queryEvents(first: 1) { nodes { type } } }')).data).toEqual({
      queryEvents: { nodes: [] },
    });
    expect(JSON.parse(node.requests.at(-1)?.body ?? '').method).toBe('mgox_queryEvents');
    const { headers } = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-mgo-rpc-show-usage': '1' },
      body: JSON.stringify({ query: '{ chainIdentifier }' }),
    });
    expect(headers.get('x-mgo-rpc-version')).toBe('2026.9.1-abc');
  });
});
