import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { type RecordedRequest, type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const token = 'token-of-the-joins';
let devnet: Devnet;
let ledger: RecordingUpstream;
let sponsor: RecordingUpstream;
let events: RecordingUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken: token,
    checkpointIntervalMs: 0,
    genesis: { checkpoints: 60, sponsorCoins: 60 },
  });
  ledger = await recordUpstream(devnet.graphqlUrl);
  sponsor = await recordUpstream(devnet.sponsorUrl);
  events = await recordUpstream(devnet.rpcUrl);
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    LEDGER_RPC_URL: events.url,
    SPONSOR_URL: sponsor.url,
    SPONSOR_TOKEN: token,
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'http://127.0.0.1:4000',
  });
});

beforeEach(() => {
  for (const upstream of [ledger, sponsor, events]) {
    upstream.requests.length = 0;
    upstream.intercept = undefined;
    upstream.onAnswer = undefined;
  }
});

afterAll(async () => {
  await gateway?.close();
  for (const each of [ledger, sponsor, events, devnet]) await each?.[Symbol.asyncDispose]();
});

describe('one operation over all three upstreams', () => {
  it('calls each once, and returns the keys in the operation’s order', async () => {
    const { data, errors } = await gateway.query(/* GraphQL */ `{
      queryEvents(last: 2) { nodes { type } }
      chainIdentifier
      sponsor { version { raw } health }
      epoch { epochId }
      gateway { networkProfile }
    }`);
    expect(errors).toBeUndefined();
    expect(Object.keys(data)).toEqual(['queryEvents', 'chainIdentifier', 'sponsor', 'epoch', 'gateway']);
    expect(data.sponsor.health).toBe('OK');
    expect(ledger.requests).toHaveLength(1);
    expect(events.requests).toHaveLength(1);
    expect(sponsor.requests.map(({ path }) => path).sort()).toEqual(['/', '/version']);
  });
});

/** Holds the response to the chosen request back until the returned function is called. */
function holdBack(isHeld: (requests: readonly RecordedRequest[]) => boolean): () => void {
  const held: (() => Promise<void>)[] = [];
  events.intercept = ({ body }, res) => {
    if (!isHeld(events.requests)) return false;
    held.push(async () => {
      const answer = await fetch(devnet.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    return true;
  };
  return () => {
    for (const pass of held.splice(0)) void pass();
  };
}

describe('joins', () => {
  it('of fifty events, two fields each and under several names, are one request', async () => {
    const { data, errors } = await gateway.query(/* GraphQL */ `
      { queryEvents(last: 50) { nodes {
        sender txDigest
        transactionBlock { digest ...Gas }
        again: transactionBlock { effects { status } }
        who: senderAddress { ...Named }
      } } }
      fragment Gas on TransactionBlock { gasInput { gasSponsor { ...Named } } }
      fragment Named on IOwner { address __typename }
    `);
    expect(errors).toBeUndefined();
    expect(data.queryEvents.nodes).toHaveLength(50);
    for (const node of data.queryEvents.nodes) {
      expect(node.transactionBlock.digest).toBe(node.txDigest);
      expect(node.again.effects.status).toBe('SUCCESS');
      expect(node.who).toEqual({ address: node.sender, __typename: 'Address' });
    }
    expect(ledger.requests).toHaveLength(1);
    expect(ledger.requests[0]?.body.length).toBeLessThan(5_000);
  });

  it.each([
    ['compiled', ''],
    ['stitched', 'chainIdentifier'],
    ['stitched for a directive', 'chainIdentifier @skip(if: true)'],
  ])('of several root fields are one request, in any order: %s', async (_, beside) => {
    // The node answers the first request last.
    const release = holdBack(({ length }) => length === 1);
    events.onAnswer = () => void (events.requests.length === 3 && release());
    const text = `{ ${beside}
      queryEvents(last: 3) { nodes { txDigest transactionBlock { digest } } }
      more: queryEvents(first: 2) { nodes { sender senderAddress { address } } }
      queryTransactionBlocks(last: 2) { nodes { digest transactionBlock { digest } } }
    }`;
    const { data, errors } = await gateway.query(text);
    expect(errors).toBeUndefined();
    for (const { txDigest, transactionBlock } of data.queryEvents.nodes) expect(transactionBlock.digest).toBe(txDigest);
    for (const { sender, senderAddress } of data.more.nodes) expect(senderAddress.address).toBe(sender);
    for (const { digest, transactionBlock } of data.queryTransactionBlocks.nodes)
      expect(transactionBlock.digest).toBe(digest);
    const own = ledger.requests.filter(({ body }) => body.includes('chainIdentifier'));
    expect(ledger.requests.length - own.length).toBe(1);
    const { upstreamCalls } = (
      await gateway.query('query ($q: String!) { estimate(query: $q) { upstreamCalls } }', { q: text })
    ).data.estimate;
    // Each of the three fields could take over a second, and then needs a request of its own.
    expect(upstreamCalls).toBe(ledger.requests.length + events.requests.length + 2);
  });

  it('of one root field wait at most one second for another that hangs', async () => {
    const release = holdBack((requests) => requests.at(-1)?.body.includes('queryTransactionBlocks') ?? false);
    const text = `{
      queryEvents(last: 1) { nodes { senderAddress { address } } }
      queryTransactionBlocks(last: 1) { nodes { transactionBlock { digest } } }
    }`;
    const answer = gateway.query(text);
    await until(() => ledger.requests.length === 1, 'the joins of the first field');
    release();
    expect((await answer).errors).toBeUndefined();
    expect(ledger.requests).toHaveLength(2);
    const estimated = await gateway.query('query ($q: String!) { estimate(query: $q) { upstreamCalls } }', { q: text });
    expect(estimated.data.estimate.upstreamCalls).toBe(ledger.requests.length + events.requests.length);
  });

  it('are split where one request would exceed the ledger’s limits, and all succeed', async () => {
    const { data, errors } = await gateway.query(/* GraphQL */ `{
      queryTransactionBlocks(last: 50) { nodes { digest transactionBlock {
        digest sender { address } gasInput { gasPrice gasBudget } effects { status timestamp lamportVersion checkpoint { sequenceNumber } }
      } } }
    }`);
    expect(errors).toBeUndefined();
    for (const { digest, transactionBlock } of data.queryTransactionBlocks.nodes)
      expect(transactionBlock.digest).toBe(digest);
    // 50 lookups of 14 nodes each; a request has at most 300 nodes.
    expect(ledger.requests).toHaveLength(3);
  });

  it('send only the variables of their selection', async () => {
    const { data, errors } = await gateway.query(
      /* GraphQL */ `query ($n: Int!, $last: Int!, $skip: Boolean!) { queryEvents(last: $last) { nodes {
        transactionBlock { digest @skip(if: $skip) effects { events(first: $n) { nodes { sender { address } } } } }
      } } }`,
      { n: 1, last: 2, skip: true },
    );
    expect(errors).toBeUndefined();
    for (const { transactionBlock } of data.queryEvents.nodes) {
      expect(transactionBlock.effects.events.nodes).toHaveLength(1);
      expect(transactionBlock).not.toHaveProperty('digest');
    }
    expect(JSON.parse(ledger.requests[0]?.body ?? '').variables).toEqual({ n: 1, skip: true });
  });

  it('find their keys behind any alias of the client', async () => {
    const { data, errors } = await gateway.query(/* GraphQL */ `
      mutation {
        reserved: reserveGas(gasBudget: 5000000, reserveDurationSecs: 5) {
          sponsorAddress: reservationId
          owner: sponsorAddress
          sponsor { address }
          gasCoins { objectId: digest digest: objectId version: digest is: version object { ...Coin } other: object { address ...Coin } }
        }
      }
      fragment Coin on Object { version ... on IOwner { ... on Object { id: address } } owner { __typename ... on AddressOwner { owner { address } } } }
    `);
    expect(errors).toBeUndefined();
    const { reserved } = data;
    expect(reserved.sponsor.address).toBe(reserved.owner);
    for (const coin of reserved.gasCoins) {
      const expected = {
        id: coin.digest,
        version: coin.is,
        owner: { __typename: 'AddressOwner', owner: { address: reserved.owner } },
      };
      expect(coin.object).toEqual(expected);
      expect(coin.other).toEqual({ address: coin.digest, ...expected });
    }
    expect(ledger.requests).toHaveLength(1);
  });

  it.each(['__joinId_object', '__joinVersion_object', '__joinanything'])(
    'cannot be misled by the alias %s, which is rejected',
    async (alias) => {
      const { errors, text } = await gateway.query(
        `mutation { reserveGas(gasBudget: 5, reserveDurationSecs: 1) { gasCoins { ${alias}: digest object { version } } } }`,
      );
      expect(JSON.parse(text)).not.toHaveProperty('data');
      expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
        [expect.stringContaining(`"${alias}" is reserved`), 'GRAPHQL_VALIDATION_FAILED'],
      ]);
      expect(sponsor.requests).toEqual([]);
    },
  );

  it('put their errors at the client’s paths, beside the data', async () => {
    const { data, errors } = await gateway.query(/* GraphQL */ `{
      page: queryEvents(last: 2) { nodes {
        fine: senderAddress { address }
        tb: transactionBlock { digest bad: effects { status events(first: 60) { nodes { bcs } } } }
      } }
    }`);
    expect(data.page.nodes).toEqual([
      { fine: expect.anything(), tb: { digest: expect.any(String), bad: null } },
      { fine: expect.anything(), tb: { digest: expect.any(String), bad: null } },
    ]);
    expect(errors?.map(({ message, path, extensions }) => ({ message, path, code: extensions.code }))).toEqual(
      [0, 1].map((index) => ({
        message: "Connection's page size of 60 exceeds max of 50",
        path: ['page', 'nodes', index, 'tb', 'bad', 'events'],
        code: 'BAD_USER_INPUT',
      })),
    );
  });

  it('affect only themselves when the ledger fails', async () => {
    ledger.intercept = (_, res) => {
      res.writeHead(503, { 'content-type': 'text/html' }).end('<h1>away</h1>');
      return true;
    };
    const { data, errors } = await gateway.query(
      '{ queryEvents(last: 2) { nodes { type transactionBlock { digest } } } }',
    );
    expect(data.queryEvents.nodes).toEqual([
      { type: expect.any(String), transactionBlock: null },
      { type: expect.any(String), transactionBlock: null },
    ]);
    expect(errors?.map(({ path, extensions }) => [path, extensions])).toEqual(
      [0, 1].map((index) => [
        ['queryEvents', 'nodes', index, 'transactionBlock'],
        { code: 'UPSTREAM_UNAVAILABLE', retry: 'backoff', upstream: 'ledger' },
      ]),
    );
  });

  it('are all listed by the gateway', async () => {
    const { data } = await gateway.query('{ gateway { capabilities { name available reason } } }');
    const joins = data.gateway.capabilities.filter(({ name }: { name: string }) => name.startsWith('join:'));
    expect(joins.map(({ name }: { name: string }) => name).sort()).toEqual([
      'join:ExecuteTxResult.transactionBlock',
      'join:GasReservation.sponsor',
      'join:ReservedGasCoin.object',
      'join:RpcEvent.senderAddress',
      'join:RpcEvent.transactionBlock',
      'join:RpcTransaction.transactionBlock',
      'join:SponsoredEffects.transactionBlock',
      'join:SponsoredObjectRef.object',
    ]);
    for (const join of joins) expect(join).toMatchObject({ available: true, reason: null });
  });
});
