import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const token = 'token-of-the-entities';
let devnet: Devnet;
let ledger: RecordingUpstream;
let gateway: TestGateway;
let addresses: readonly string[];
let keys: { digest: string; epochId: number; sequenceNumber: number; metadata: string };

beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken: token,
    checkpointIntervalMs: 0,
    genesis: { checkpoints: 60, sponsorCoins: 60 },
  });
  ledger = await recordUpstream(devnet.graphqlUrl);
  gateway = await createTestGateway({
    LEDGER_GRAPHQL_URL: ledger.url,
    SPONSOR_URL: devnet.sponsorUrl,
    SPONSOR_TOKEN: token,
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'http://127.0.0.1:4000',
    TRUSTED_PROXIES: '127.0.0.1',
    FEDERATION: 'true',
  });
  const { data } = await gateway.query(/* GraphQL */ `{
    objects(first: 50) { nodes { address } }
    transactionBlocks(last: 1) { nodes { digest } }
    epoch { epochId }
    checkpoint { sequenceNumber }
    coinMetadata(coinType: "0x2::ledger::LEDGER") { address }
  }`);
  addresses = data.objects.nodes.map((node: { address: string }) => node.address);
  keys = {
    digest: data.transactionBlocks.nodes[0].digest,
    epochId: data.epoch.epochId,
    sequenceNumber: data.checkpoint.sequenceNumber,
    metadata: data.coinMetadata.address,
  };
});

beforeEach(() => {
  ledger.requests.length = 0;
  ledger.intercept = undefined;
});

afterAll(async () => {
  await gateway?.close();
  for (const each of [ledger, devnet]) await each?.[Symbol.asyncDispose]();
});

const objects = (count = addresses.length) =>
  addresses.slice(0, count).map((address) => ({ __typename: 'Object', address }));

/** The same operation compiled and stitched: a directive on a root field is stitched. */
async function askBothWays(document: (directive: string) => string, variables: object) {
  const compiled = await gateway.query(document(''), variables);
  const ledgerRequests = ledger.requests.length;
  const stitched = await gateway.query(document('@include(if: true)'), variables);
  expect(stitched.data).toEqual(compiled.data);
  // Positions in the text differ.
  const plain = (errors: typeof compiled.errors) => errors?.map(({ locations: _, ...error }) => error);
  expect(plain(stitched.errors)).toEqual(plain(compiled.errors));
  return { ...compiled, ledgerRequests };
}

const askAll = (selections: string, representations: readonly object[]) =>
  askBothWays(
    (directive) => `query ($representations: [_Any!]!) {
      _entities(representations: $representations) ${directive} { ${selections} }
    }`,
    { representations },
  );

describe('entities of the ledger', () => {
  test('are all found with one request, in the order of their representations', async () => {
    const { data, errors, ledgerRequests } = await askAll(
      `__typename
      ... on Object { version }
      ... on Address { address }
      ... on TransactionBlock { digest kind { __typename } }
      ... on Epoch { epochId }
      ... on Checkpoint { sequenceNumber }
      ... on MovePackage { modules(first: 1) { nodes { name } } }
      ... on CoinMetadata { symbol }`,
      [
        { __typename: 'CoinMetadata', address: keys.metadata },
        { __typename: 'Epoch', epochId: keys.epochId },
        { __typename: 'Checkpoint', sequenceNumber: String(keys.sequenceNumber) },
        { __typename: 'TransactionBlock', digest: keys.digest },
        { __typename: 'Address', address: '0x2' },
        { __typename: 'MovePackage', address: '0x2' },
        ...objects(1),
      ],
    );
    expect(errors).toBeUndefined();
    expect(data._entities).toEqual([
      { __typename: 'CoinMetadata', symbol: 'LEDGER' },
      { __typename: 'Epoch', epochId: keys.epochId },
      { __typename: 'Checkpoint', sequenceNumber: keys.sequenceNumber },
      { __typename: 'TransactionBlock', digest: keys.digest, kind: { __typename: expect.any(String) } },
      { __typename: 'Address', address: `0x${'2'.padStart(64, '0')}` },
      { __typename: 'MovePackage', modules: { nodes: [{ name: expect.any(String) }] } },
      { __typename: 'Object', version: expect.any(Number) },
    ]);
    expect(ledgerRequests).toBe(1);
  });

  test('are null if the ledger does not have them, or has something else there', async () => {
    const { data, errors } = await askAll('... on Object { version } ... on MovePackage { version }', [
      { __typename: 'Object', address: '0xdead' },
      { __typename: 'MovePackage', address: keys.metadata },
      { __typename: 'Object', address: '0x2' },
    ]);
    expect(errors).toBeUndefined();
    expect(data._entities).toEqual([null, null, { version: 1 }]);
  });

  test('of several aliased fields share requests, and each keeps its selection', async () => {
    const { data, ledgerRequests } = await askBothWays(
      (directive) => `query ($a: [_Any!]!, $b: [_Any!]!, $first: Int) {
        a: _entities(representations: $a) ${directive} { ...Version }
        b: _entities(representations: $b) ${directive} { ... on _Entity { ... on IObject { status } ... on Epoch { epochId } } }
      }
      fragment Version on Object { version dynamicFields(first: $first) { nodes { __typename } } }`,
      { a: objects(2), b: [...objects(1), { __typename: 'Epoch', epochId: keys.epochId }], first: 1 },
    );
    expect(data.a).toEqual([1, 2].map(() => ({ version: expect.any(Number), dynamicFields: expect.any(Object) })));
    expect(data.b).toEqual([{ status: expect.any(String) }, { epochId: keys.epochId }]);
    expect(ledgerRequests).toBe(1);
  });

  test('of which nothing is selected are empty objects, or null', async () => {
    const { data } = await askAll('... on Epoch { epochId }', [
      ...objects(1),
      { __typename: 'Object', address: '0xdead' },
    ]);
    expect(data._entities).toEqual([{}, null]);
  });

  test('keep the errors of the ledger at their paths', async () => {
    const { data, errors } = await askAll(
      '... on Object { dynamicFields(first: 1000) { nodes { __typename } } version }',
      [{ __typename: 'Nothing' }, ...objects(1)],
    );
    expect(data._entities).toEqual([null, null]);
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['_entities', 0], 'BAD_USER_INPUT'],
      [['_entities', 1, 'dynamicFields'], expect.any(String)],
    ]);
  });

  test('that cannot be looked up are errors in their place, and the others are served', async () => {
    const { data, errors } = await askAll('... on Object { version } ... on Epoch { epochId }', [
      { __typename: 'RpcEvent', id: 'x:0' },
      { __typename: 'Object' },
      { __typename: 'Object', address: 'x"){y' },
      { address: '0x2' },
      { __typename: 'Epoch', epochId: 2 ** 31 },
      { __typename: 'TransactionBlock', digest: 'short' },
      ...objects(1),
    ]);
    expect(data._entities).toEqual([null, null, null, null, null, null, { version: expect.any(Number) }]);
    expect(errors?.map(({ message, path }) => [path?.[1], message])).toEqual([
      [0, 'This subgraph finds no entities of type RpcEvent.'],
      [1, 'The address of Object must be 0x and 1 to 64 hex digits.'],
      [2, 'The address of Object must be 0x and 1 to 64 hex digits.'],
      [3, 'A representation must be an object with __typename.'],
      [4, 'The epochId of Epoch must be a whole number that the ledger takes.'],
      [5, 'The digest of TransactionBlock must be a digest: base58 of 32 bytes.'],
    ]);
  });

  test('are null with an error each while the ledger is away', async () => {
    ledger.intercept = (_request, res) => {
      res.destroy();
      return true;
    };
    const { data, errors } = await askAll('... on Object { version }', objects(3));
    expect(data._entities).toEqual([null, null, null]);
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual(
      [0, 1, 2].map((index) => [['_entities', index], 'UPSTREAM_UNAVAILABLE']),
    );
  });

  test('may stand beside fields of the ledger and of the gateway', async () => {
    const document = `query ($r: [_Any!]!) {
      gateway { networkProfile }
      _entities(representations: $r) { ... on Object { version } }
      epoch { epochId }
      _service { sdl }
    }`;
    const { data, errors } = await gateway.query(document, { r: objects(2) });
    expect(errors).toBeUndefined();
    expect(Object.keys(data)).toEqual(['gateway', '_entities', 'epoch', '_service']);
    expect(data._entities).toHaveLength(2);
  });
});

describe('limits', () => {
  const sum = 'address version status digest storageRebate owner { __typename }';

  test('500 representations take as many requests as the ledger’s limits require, four at a time', async () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      __typename: 'Object',
      address: `0x${(index + 1).toString(16)}`,
    }));
    let inFlight = 0;
    let most = 0;
    ledger.intercept = () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      return false;
    };
    ledger.onAnswer = () => {
      inFlight -= 1;
    };
    const { data, errors } = await gateway.query(
      `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Object { ${sum} } } }`,
      { r: many },
    );
    expect(errors).toBeUndefined();
    expect(data._entities).toHaveLength(500);
    // 9 nodes each, 300 in a request.
    const lookups = ledger.requests.filter(({ body }) => body.includes('object('));
    expect(lookups).toHaveLength(Math.ceil(500 / Math.floor(300 / 9)));
    expect(most).toBe(4);
    ledger.onAnswer = undefined;
  });

  test('bound representations and requests of one operation, and estimate tells both', async () => {
    const estimate = async (r: readonly object[], selections: string) => {
      const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Object { ${selections} } } }`;
      const variables = { q: query, v: { r } };
      const asked =
        'query ($q: String!, $v: JSON) { estimate(query: $q, variables: $v) { refused reasons upstreamCalls usage { outputNodes } } }';
      const [judged, answer] = [await gateway.query(asked, variables), await gateway.query(query, { r })];
      return { estimate: judged.data.estimate, errors: answer.errors?.map(({ message }) => message) ?? [] };
    };
    const fits = await estimate(objects(), sum);
    expect(fits.estimate).toEqual({
      refused: false,
      reasons: [],
      upstreamCalls: 2,
      usage: { outputNodes: 1 + addresses.length * 7 },
    });
    expect(fits.errors).toEqual([]);

    const tooMany = 'The entities take 1001 representations, which exceeds max of 1000';
    const repeated = await estimate(
      Array.from({ length: 1_001 }, () => objects(1)[0] ?? {}),
      'version',
    );
    expect(repeated.errors).toEqual([tooMany]);
    expect(repeated.estimate).toMatchObject({ refused: true, reasons: [tooMany] });

    const apart = Array.from({ length: 1_000 }, (_, index) => ({
      __typename: 'Object',
      address: `0x${index.toString(16)}`,
    }));
    const wide = Array.from({ length: 10 }, (_, index) => `a${index}: version`).join(' ');
    const requests = 'The entities take 40 requests to the ledger, which exceeds max of 32';
    const apartAnswer = await estimate(apart, wide);
    expect(apartAnswer.errors).toEqual([requests]);
    expect(apartAnswer.estimate).toMatchObject({ refused: true, reasons: [requests] });
  });

  test('estimate tells as many requests as entities beside joins take at most', async () => {
    const columns = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: version`).join(' ');
    const many = Array.from({ length: 792 }, (_, index) => ({ __typename: 'Object', address: `0x${index + 1}` }));
    const query = `query ($r: [_Any!]!) {
      queryEvents(last: 40) { nodes { transactionBlock { digest sender { address } effects { status timestamp } } } }
      _entities(representations: $r) { ... on Object { ${columns(7)} } }
    }`;
    const asked = 'query ($q: String!, $v: JSON) { estimate(query: $q, variables: $v) { refused upstreamCalls } }';
    const { data } = await gateway.query(asked, { q: query, v: { r: many } });
    ledger.requests.length = 0;
    const { errors } = await gateway.query(query, { r: many });
    expect(errors).toBeUndefined();
    // One for the events, 24 full requests of 33 entities each, and at least one for the joins.
    expect(ledger.requests.length).toBeGreaterThanOrEqual(26);
    expect(data.estimate.upstreamCalls).toBeGreaterThanOrEqual(ledger.requests.length);
    expect(data.estimate.upstreamCalls).toBeLessThanOrEqual(1 + 24 + 2);
  });

  test('a representation twice is looked up once', async () => {
    const { data } = await gateway.query(
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Object { version } } }',
      {
        r: [...objects(1), ...objects(1)],
      },
    );
    expect(data._entities[0]).toEqual(data._entities[1]);
    expect(ledger.requests[0]?.body.match(/object\(/g)).toHaveLength(1);
  });

  test('usage counts the fields below for each representation of their type', async () => {
    const body = await gateway.query(
      `query ($r: [_Any!]!) {
        _entities(representations: $r) { ... on Object { version digest } ... on Epoch { epochId referenceGasPrice } ...T }
        a: _entities(representations: [{ __typename: "Epoch", epochId: 0 }, {}]) { __typename }
      } fragment T on TransactionBlock { digest }`,
      { r: [...objects(3), { __typename: 'Epoch', epochId: 0 }] },
      { 'x-ledger-rpc-show-usage': 'true' },
    );
    expect(JSON.parse(body.text).extensions.usage).toMatchObject({ outputNodes: 1 + 3 * 2 + 2 + 1 + 2 });
  });
});

describe('reservations', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const document = (selections: string) => `query ($r: [_Any!]!) { _entities(representations: $r) { ${selections} } }`;

  test('are found by their owner alone, with joins and without', async () => {
    const reserved = await gateway.query(
      'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId sponsorAddress } }',
      {},
      from('203.0.113.1'),
    );
    const { reservationId, sponsorAddress } = reserved.data.reserveGas;
    const r = [{ __typename: 'GasReservation', reservationId }, ...objects(1)];
    for (const [selections, value] of [
      ['__typename', { __typename: 'GasReservation' }],
      ['... on GasReservation { sponsorAddress }', { sponsorAddress }],
      ['... on GasReservation { sponsor { address } }', { sponsor: { address: sponsorAddress } }],
    ] as const) {
      const own = await gateway.query(document(selections), { r }, from('203.0.113.1'));
      expect(own.errors).toBeUndefined();
      expect(own.data._entities[0]).toEqual(value);
      expect(own.data._entities[1]).not.toBeNull();
      const foreign = await gateway.query(document(selections), { r }, from('203.0.113.2'));
      expect(foreign.errors).toBeUndefined();
      expect(foreign.data._entities[0]).toBeNull();
      expect(foreign.data._entities[1]).not.toBeNull();
    }
    const joined = document('... on GasReservation { sponsor { address } } ... on Object { version }');
    const asked = 'query ($q: String!, $v: JSON) { estimate(query: $q, variables: $v) { upstreamCalls } }';
    expect((await gateway.query(asked, { q: joined, v: { r } })).data.estimate.upstreamCalls).toBe(2);
    ledger.requests.length = 0;
    await gateway.query(joined, { r }, from('203.0.113.1'));
    // Together they are one, because nothing is slow.
    expect(ledger.requests).toHaveLength(1);
  });

  test.each(['', '@include(if: true)'])(
    'share one ledger request with all joins of the operation %s',
    async (directive) => {
      const reserved = await gateway.query(
        'mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 60) { reservationId } }',
      );
      ledger.requests.length = 0;
      const { data, errors } = await gateway.query(
        `query ($id: ID!, $r: [_Any!]!) {
        reservation(reservationId: $id) { sponsor { address } gasCoins { objectId object { address } } }
        again: reservation(reservationId: $id) { gasCoins { object { digest } } }
        _entities(representations: $r) ${directive} { ... on Object { version } }
      }`,
        { id: reserved.data.reserveGas.reservationId, r: objects(3) },
      );
      expect(errors).toBeUndefined();
      const [coin] = data.reservation.gasCoins;
      expect(coin.object.address).toBe(coin.objectId);
      expect(data._entities).toHaveLength(3);
      expect(ledger.requests).toHaveLength(1);
    },
  );
});
