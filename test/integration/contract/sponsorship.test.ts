import { Ed25519Keypair as IotaKeypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { Ed25519Keypair as SuiKeypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction as SuiTransaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const token = 'token-of-the-sponsorship';
const secret = new Uint8Array(32).fill(7);
const iotaKey = IotaKeypair.fromSecretKey(secret);
const suiKey = SuiKeypair.fromSecretKey(secret);
let devnet: Devnet;
let ledger: RecordingUpstream;
let sponsor: RecordingUpstream;
let events: RecordingUpstream;
let gateway: TestGateway;
/** A short timeout, for lookups in vain. */
let hurried: TestGateway;

const settings = () => ({ LEDGER_GRAPHQL_URL: ledger.url, LEDGER_RPC_URL: events.url, SPONSOR_URL: sponsor.url });

beforeAll(async () => {
  devnet = await startDevnet({
    sponsorToken: token,
    checkpointIntervalMs: 0,
    genesis: { checkpoints: 20, fundedAddresses: [iotaKey.toIotaAddress(), suiKey.toSuiAddress()] },
  });
  ledger = await recordUpstream(devnet.graphqlUrl);
  sponsor = await recordUpstream(devnet.sponsorUrl);
  events = await recordUpstream(devnet.rpcUrl);
  const env = {
    ...settings(),
    SPONSOR_TOKEN: token,
    // Only if all transactions are sent does the sponsor respond to them.
    SPONSOR_PREFLIGHT: 'off',
    SPONSOR_ALLOW_ANONYMOUS: 'true',
    CORS_ORIGINS: 'http://127.0.0.1:4000',
    LOG_LEVEL: 'debug',
  };
  gateway = await createTestGateway(env);
  hurried = await createTestGateway({ ...env, MUTATION_TIMEOUT_MS: '1500' });
});

beforeEach(() => {
  for (const upstream of [ledger, sponsor, events]) {
    upstream.requests.length = 0;
    upstream.intercept = undefined;
    upstream.onAnswer = undefined;
  }
});

afterAll(async () => {
  await Promise.all([gateway?.close(), hurried?.close()]);
  for (const each of [ledger, sponsor, events, devnet]) await each?.[Symbol.asyncDispose]();
});

interface Reservation {
  readonly reservationId: string;
  readonly sponsorAddress: string;
  readonly gasCoins: { objectId: string; version: number; digest: string }[];
}

async function reserve(at = gateway): Promise<Reservation> {
  const { data, errors } = await at.query(/* GraphQL */ `mutation {
    reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) {
      reservationId sponsorAddress gasBudget gasCoins { objectId version digest } state secondsLeft expiresAt
    }
  }`);
  expect(errors).toBeUndefined();
  return data.reserveGas;
}

const execute = /* GraphQL */ `mutation ($id: ID!, $tx: Base64!, $sig: Base64!, $type: ExecuteTxRequestType, $wait: Int = 5000) {
  executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, requestType: $type) {
    digest
    outcome
    effects {
      transactionDigest
      status { status error }
      gasUsed { computationCost }
      created { reference { objectId version object { address version } } }
      mutated { reference { objectId version object { address version } } }
      gasObject { owner { kind address } reference { objectId object { version } version } }
      again: transactionBlock(waitMs: $wait) { digest }
    }
    transactionBlock(waitMs: $wait) { digest sender { address } gasInput { gasSponsor { address } } effects { status } }
  }
}`;

/** Closes checkpoints after each sponsor call, as the network would. */
async function withCheckpoint<Result>(work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => devnet.ledger.closeCheckpoint(), 30);
  return work.finally(() => clearInterval(timer));
}

async function expectVisible(digest: string, sender: string, objectId: string | undefined) {
  const seen = await gateway.query(
    /* GraphQL */ `query ($digest: String!, $id: LedgerAddress!) {
      transactionBlock(digest: $digest) { digest sender { address } effects { status } }
      queryEvents(filter: { transaction: $digest }) { nodes { id txDigest sender transactionBlock { digest } } }
      object(address: $id) { previousTransactionBlock { digest } }
    }`,
    { digest, id: objectId },
  );
  expect(seen.errors).toBeUndefined();
  expect(seen.data).toMatchObject({
    transactionBlock: { digest, sender: { address: sender }, effects: { status: 'SUCCESS' } },
    object: { previousTransactionBlock: { digest } },
  });
  expect(seen.data.queryEvents.nodes.length).toBeGreaterThan(0);
  for (const node of seen.data.queryEvents.nodes)
    expect(node).toEqual({ id: `${digest}:0`, txDigest: digest, sender, transactionBlock: { digest } });
}

describe('reserve, sign, execute', () => {
  it('works with the simulated network’s signer, and every interface shows the transaction', async () => {
    const reserved = await reserve();
    const { sponsorAddress, gasCoins } = reserved;
    const signed = await gateway.query(
      /* GraphQL */ `query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) {
        devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 50000000) { txBytes userSig digest }
      }`,
      { sponsor: sponsorAddress, coins: gasCoins },
    );
    const { txBytes: tx, userSig: sig, digest } = signed.data.devnetSignTransaction;
    // In a checkpoint before the response is read, because joins of objects do not wait.
    sponsor.onAnswer = () => devnet.ledger.closeCheckpoint();
    const done = await gateway.query(execute, { id: reserved.reservationId, tx, sig });
    expect(done.errors).toBeUndefined();
    const { executeTx } = done.data;
    expect(executeTx).toMatchObject({
      digest,
      outcome: 'EXECUTED',
      effects: { transactionDigest: digest, status: { status: 'success', error: null }, again: { digest } },
      transactionBlock: {
        digest,
        gasInput: { gasSponsor: { address: sponsorAddress } },
        effects: { status: 'SUCCESS' },
      },
    });
    for (const { reference } of [...executeTx.effects.created, ...executeTx.effects.mutated])
      expect(reference.object).toEqual({ address: reference.objectId, version: reference.version });
    const { sender } = executeTx.transactionBlock;
    await expectVisible(digest, sender.address, gasCoins[0]?.objectId);
  });

  it.each(['the IOTA SDK', 'the Sui SDK'])('works with a transaction built and signed by %s', async (sdk) => {
    const isIota = sdk.includes('IOTA');
    const address = isIota ? iotaKey.toIotaAddress() : suiKey.toSuiAddress();
    const { data } = await gateway.query(
      'query ($a: LedgerAddress!) { address(address: $a) { coins { nodes { objectId: address version digest } } } }',
      { a: address },
    );
    const [coin] = data.address.coins.nodes;
    const reserved = await reserve();
    const tx = (isIota ? new IotaTransaction() : new SuiTransaction()) as IotaTransaction;
    tx.setSender(address);
    tx.setGasOwner(reserved.sponsorAddress);
    tx.setGasPayment(reserved.gasCoins);
    tx.setGasPrice(1000);
    tx.setGasBudget(20_000_000);
    const own = tx.objectRef(coin);
    const [part] = tx.splitCoins(own, [tx.pure.u64(123)]);
    tx.transferObjects([part!], tx.pure.address('0xb0b'));
    tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hi'), own] });
    const { bytes, signature } = await tx.sign({ signer: (isIota ? iotaKey : suiKey) as IotaKeypair });
    const digest = await tx.getDigest();

    const done = await withCheckpoint(
      gateway.query(execute, {
        id: reserved.reservationId,
        tx: bytes,
        sig: signature,
        type: 'WAIT_FOR_LOCAL_EXECUTION',
      }),
    );
    expect(done.errors).toBeUndefined();
    expect(done.data.executeTx).toMatchObject({ digest, outcome: 'EXECUTED', transactionBlock: { digest } });
    await expectVisible(digest, address, coin.objectId);
  });
});

const reserveWith = (args: string) => `mutation { reserveGas(${args}) { reservationId } }`;
const executeWith = (args: string) => `mutation { executeTx(${args}) { digest } }`;

describe('invalid input never reaches an upstream:', () => {
  it.each<[string, RegExp, string, code?: string]>([
    [reserveWith('gasBudget: 0, reserveDurationSecs: 1'), /gasBudget.*"0".*1 to 1999999999/, 'gasBudget'],
    [reserveWith('gasBudget: 2000000000, reserveDurationSecs: 1'), /gasBudget.*"2000000000"/, 'gasBudget'],
    [reserveWith('gasBudget: 9007199254740993, reserveDurationSecs: 1'), /gasBudget/, 'gasBudget'],
    [reserveWith('gasBudget: 1, reserveDurationSecs: 0'), /reserveDurationSecs.*"0".*1 to 600/, 'reserveDurationSecs'],
    [reserveWith('gasBudget: 1, reserveDurationSecs: 601'), /reserveDurationSecs.*"601"/, 'reserveDurationSecs'],
    [reserveWith('gasBudget: 1, reserveDurationSecs: -5'), /reserveDurationSecs.*"-5"/, 'reserveDurationSecs'],
    [executeWith('reservationId: "1", txBytes: "AAA", userSig: "AAAA"'), /txBytes.*"AAA".*base64/, 'txBytes'],
    [executeWith('reservationId: "1", txBytes: "A_-A", userSig: "AAAA"'), /txBytes.*base64/, 'txBytes'],
    [executeWith('reservationId: "1", txBytes: "", userSig: "AAAA"'), /txBytes/, 'txBytes'],
    [executeWith('reservationId: "1", txBytes: "AAAA", userSig: "AA A"'), /userSig.*base64/, 'userSig'],
    [executeWith('reservationId: "1", txBytes: "AAAA", userSig: "AAB="'), /userSig.*base64/, 'userSig'],
  ])('%s', async (query, message, argument) => {
    const { data, errors, status } = await gateway.query(query);
    expect(status).toBe(200);
    expect(Object.values(data)).toEqual([null]);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.message).toMatch(message);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument });
    expect([ledger, sponsor, events].flatMap(({ requests }) => requests)).toEqual([]);
  });

  it.each<[string, object | undefined]>([
    [reserveWith('gasBudget: -1, reserveDurationSecs: 1'), undefined],
    [reserveWith('gasBudget: 1.5, reserveDurationSecs: 1'), undefined],
    [reserveWith('gasBudget: "5", reserveDurationSecs: 1'), undefined],
    [reserveWith('gasBudget: 5'), undefined],
    ['mutation ($b: UInt53!) { reserveGas(gasBudget: $b, reserveDurationSecs: 1) { state } }', { b: 1.5 }],
    ['mutation ($b: UInt53!) { reserveGas(gasBudget: $b, reserveDurationSecs: 1) { state } }', { b: null }],
    ['mutation ($b: UInt53!) { reserveGas(gasBudget: $b, reserveDurationSecs: 1) { state } }', {}],
    ['mutation ($b: UInt53!, $c: Int) { reserveGas(gasBudget: $b, reserveDurationSecs: 1) { state } }', { b: 5 }],
    ['mutation { reserveGas(gasBudget: $b, reserveDurationSecs: 1) { state } }', { b: 5 }],
  ])('%s with %j', async (query, variables) => {
    const { text, errors } = await gateway.query(query, variables);
    expect(JSON.parse(text)).not.toHaveProperty('data');
    expect(errors?.[0]?.extensions.code).toMatch(/^(GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT)$/);
    expect(sponsor.requests).toEqual([]);
  });
});

describe('a waitMs out of range is rejected before anything is sent:', () => {
  const spendBy = (id: string) => `executeTx(reservationId: "${id}", txBytes: "AAAA", userSig: "AAAA")`;
  const spend = spendBy('1');
  const refused: [text: string, got: number, variables?: object][] = [
    [`mutation { ${spend} { transactionBlock(waitMs: 10001) { digest } } }`, 10_001],
    [`mutation { ${spend} { effects { transactionBlock(waitMs: -1) { digest } } } }`, -1],
    [
      `mutation ($w: Int) { ${spend} { digest ...R } } fragment R on ExecuteTxResult { again: transactionBlock(waitMs: $w) { digest } }`,
      20_000,
      { w: 20_000 },
    ],
    [
      `mutation ($w: Int = 10002) { ${spend} { ... @include(if: true) { transactionBlock(waitMs: $w) { digest } } } }`,
      10_002,
    ],
    [
      `mutation { a: executeTransactionBlock(txBytes: "AA==", signatures: []) { errors } ${spend} { transactionBlock(waitMs: 10001) { digest } } }`,
      10_001,
    ],
  ];

  it.each(refused)('%s', async (text, got, variables = {}) => {
    // The second request finds the document in memory.
    for (let sight = 1; sight <= 2; sight += 1) {
      const { data, errors, status } = await gateway.query(text, variables);
      expect(status).toBe(200);
      expect(data).toBeUndefined();
      expect(errors).toEqual([
        {
          message: `waitMs must be from 0 to 10000 milliseconds; got ${got}.`,
          locations: [{ line: 1, column: text.search(/(again: )?transactionBlock\(/) + 1 }],
          extensions: { code: 'BAD_USER_INPUT', retry: 'never', argument: 'waitMs' },
        },
      ]);
    }
    const strict = await gateway.query(text, variables, { accept: 'application/graphql-response+json' });
    expect(strict.status).toBe(400);
    const judged = await gateway.query(
      'query ($q: String!, $v: JSON) { estimate(query: $q, variables: $v) { refused reasons } }',
      { q: text, v: variables },
    );
    expect(judged.data.estimate).toEqual({ refused: true, reasons: [expect.stringMatching(/^waitMs must be/)] });
    expect([ledger, sponsor, events].flatMap(({ requests }) => requests)).toEqual([]);
  });

  it('and is ignored if its field is skipped', async () => {
    const { reservationId } = await reserve();
    const text = `mutation ($no: Boolean!) { ${spendBy(reservationId)} { digest transactionBlock(waitMs: 10001) @include(if: $no) { digest } } }`;
    const { data } = await gateway.query(text, { no: false });
    expect(data).toEqual({ executeTx: null });
    expect(sponsor.requests.filter(({ path }) => path.includes('execute'))).toHaveLength(1);
  });
});

const someExecution =
  'mutation ($id: ID!) { executeTx(reservationId: $id, txBytes: "AAAA", userSig: "AAAA") { digest } }';
const someReservation = reserveWith('gasBudget: 5000000, reserveDurationSecs: 5');

describe('the sponsor’s errors have codes:', () => {
  const envelope = (error: string) => JSON.stringify({ result: null, error });
  it.each<[query: string, status: number, body: string, type: string, code: string, message: RegExp]>([
    [
      someReservation,
      401,
      envelope('Invalid authorization token'),
      'json',
      'SPONSOR_UNAUTHORIZED',
      /^Invalid authorization token$/,
    ],
    [
      someReservation,
      401,
      envelope('Authorization token is required or invalid'),
      'json',
      'SPONSOR_UNAUTHORIZED',
      /required or invalid/,
    ],
    [
      someReservation,
      400,
      envelope('Gas budget must be positive'),
      'json',
      'SPONSOR_REJECTED',
      /^Gas budget must be positive$/,
    ],
    [someReservation, 403, envelope('no'), 'json', 'SPONSOR_FORBIDDEN', /^no$/],
    [
      someReservation,
      500,
      envelope('Unable to reserve gas coins for the given budget.'),
      'json',
      'SPONSOR_EXHAUSTED',
      /Unable to reserve/,
    ],
    [someReservation, 500, envelope('Gas usage exceeds daily cap'), 'json', 'SPONSOR_EXHAUSTED', /daily cap/],
    [
      someReservation,
      503,
      envelope('Gas station is in maintenance mode. Please try again later.'),
      'json',
      'SPONSOR_MAINTENANCE',
      /maintenance/,
    ],
    [
      someReservation,
      500,
      envelope('redis://user:pw@10.0.0.9 is gone'),
      'json',
      'UPSTREAM_BAD_RESPONSE',
      /^The sponsor failed/,
    ],
    [
      someReservation,
      415,
      'Expected request with `Content-Type: application/json`',
      'plain',
      'UPSTREAM_BAD_RESPONSE',
      /could not read/,
    ],
    [someReservation, 502, '<html>bad gateway at 10.0.0.9</html>', 'html', 'UPSTREAM_UNAVAILABLE', /not available/],
    [someReservation, 200, '{"result":', 'json', 'UPSTREAM_BAD_RESPONSE', /not of its contract/],
    [
      someExecution,
      400,
      envelope('Invalid transaction signature'),
      'json',
      'SPONSOR_REJECTED',
      /^Invalid transaction signature$/,
    ],
    [someExecution, 400, envelope('Invalid bcs bytes for TransactionData'), 'json', 'SPONSOR_REJECTED', /Invalid bcs/],
    [
      someExecution,
      401,
      envelope('Invalid authorization token'),
      'json',
      'SPONSOR_UNAUTHORIZED',
      /Invalid authorization/,
    ],
    [
      someExecution,
      403,
      envelope('Access denied by access controller'),
      'json',
      'SPONSOR_FORBIDDEN',
      /access controller/,
    ],
    [
      someExecution,
      500,
      envelope('Reservation no longer exist: 77'),
      'json',
      'RESERVATION_NOT_FOUND',
      /no longer exist/,
    ],
    [someExecution, 500, envelope('something else'), 'json', 'EXECUTION_OUTCOME_UNKNOWN', /look its digest up/],
    [
      someExecution,
      200,
      '{"effects":{"status":{"status":"succ',
      'json',
      'EXECUTION_OUTCOME_UNKNOWN',
      /look its digest up/,
    ],
  ])('%s: %i %s (%s) is %s', async (query, status, body, type, code, message) => {
    const at = code === 'EXECUTION_OUTCOME_UNKNOWN' ? hurried : gateway;
    const variables = query === someExecution ? { id: (await reserve(at)).reservationId } : {};
    sponsor.requests.length = 0;
    sponsor.intercept = (_, res) => {
      const types = { json: 'application/json', plain: 'text/plain', html: 'text/html' };
      res.writeHead(status, { 'content-type': types[type as keyof typeof types] }).end(body);
      return true;
    };
    const { data, errors, text, status: own } = await at.query(query, variables);
    expect(own).toBe(200);
    expect(Object.values(data)).toEqual([null]);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.message).toMatch(message);
    expect(errors?.[0]?.extensions).toMatchObject({ code, upstream: 'sponsor' });
    expect(text).not.toMatch(/redis|10\.0\.0\.9|html/);
    expect(sponsor.requests).toHaveLength(1);
    if (code === 'EXECUTION_OUTCOME_UNKNOWN')
      expect(errors?.[0]?.extensions).toMatchObject({ digest: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/) });
  });
});

describe('a transaction that the ledger rejects', () => {
  const own = iotaKey.toIotaAddress();
  type Coin = Reservation['gasCoins'][number];
  const firstCoinOf = async (address: string): Promise<Coin> => {
    const { data } = await gateway.query(
      'query ($a: LedgerAddress!) { address(address: $a) { coins { nodes { objectId: address version digest } } } }',
      { a: address },
    );
    return data.address.coins.nodes[0];
  };

  /** Reserves, builds a transfer of a coin to its sender, and executes it. */
  async function attempt(coin: Coin, spoil: (tx: IotaTransaction) => void = () => {}, at = gateway) {
    const reserved = await reserve(at);
    const tx = new IotaTransaction();
    tx.setSender(own);
    tx.setGasOwner(reserved.sponsorAddress);
    tx.setGasPayment(reserved.gasCoins);
    tx.setGasPrice(1000);
    tx.setGasBudget(20_000_000);
    tx.transferObjects([tx.objectRef(coin)], tx.pure.address(own));
    spoil(tx);
    const { bytes, signature } = await tx.sign({ signer: iotaKey });
    const asked = at.query(execute, { id: reserved.reservationId, tx: bytes, sig: signature });
    const { data, errors } = await withCheckpoint(asked);
    const facts = { digest: await tx.getDigest(), reservationId: reserved.reservationId };
    return { executeTx: data.executeTx, error: errors?.[0], facts };
  }

  const missing = `0x${'9'.padStart(64, '0')}`;
  it.each<[string, RegExp, (tx: IotaTransaction) => void, Partial<Coin>?]>([
    [
      'a gas price under the reference',
      /: Gas price 1 under reference gas price \(RGP\) 1000$/,
      (tx) => tx.setGasPrice(1),
    ],
    ['a budget too low', /: Gas budget: 1 is lower than min: \d+$/, (tx) => tx.setGasBudget(1)],
    [
      'an object that is not there',
      /: Could not find the referenced object 0x0+9 at version Some\(SequenceNumber\(\d+\)\)$/,
      () => {},
      { objectId: missing },
    ],
  ])('for %s is refused for good, in its own words', async (_, message, spoil, other) => {
    const { executeTx, error, facts } = await attempt({ ...(await firstCoinOf(own)), ...other }, spoil);
    expect(executeTx).toBeNull();
    expect(error?.message).toMatch(message);
    expect(error?.extensions).toEqual({ code: 'SPONSOR_REJECTED', retry: 'never', upstream: 'sponsor', ...facts });
  });

  it('because of a foreign object is rejected for good', async () => {
    const { error, facts } = await attempt(await firstCoinOf(suiKey.toSuiAddress()));
    expect(error?.message).toMatch(/was not signed by the correct sender: Object 0x/);
    expect(error?.extensions).toEqual({ code: 'SPONSOR_REJECTED', retry: 'never', upstream: 'sponsor', ...facts });
  });

  it('because of an outdated object may have run nevertheless', async () => {
    const coin = await firstCoinOf(own);
    expect((await attempt(coin)).executeTx.outcome).toBe('EXECUTED');
    const { error, facts } = await attempt(coin, () => {}, hurried);
    expect(error?.extensions).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN', ...facts });
  });
});

const admin = 'mutation { checkSponsorHealth { ok message } reloadAccessController { result } }';

describe('authorization', () => {
  it('in token mode is the gateway’s own, whatever the caller sends, and goes to the sponsor only', async () => {
    await gateway.query(
      '{ sponsor { health } chainIdentifier queryEvents(last: 1) { nodes { transactionBlock { digest } } } }',
      {},
      {
        authorization: 'Bearer of-the-caller',
      },
    );
    expect(sponsor.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
    for (const { headers, body } of [...ledger.requests, ...events.requests]) {
      expect(headers.authorization).toBeUndefined();
      expect(JSON.stringify(headers) + body).not.toMatch(/of-the-caller|token-of/);
    }
  });

  it('for admin fields is required before the sponsor is called', async () => {
    const { data, errors } = await gateway.query(admin);
    expect(data).toEqual({ checkSponsorHealth: null, reloadAccessController: null });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    expect(sponsor.requests).toEqual([]);
  });

  it('for admin fields exists on the embedded network for callers of this machine', async () => {
    await using embedded = await createTestGateway();
    const { data, errors } = await embedded.query(admin);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      checkSponsorHealth: { ok: true, message: 'OK' },
      reloadAccessController: { result: 'success' },
    });
  });

  it('in forward mode is the caller’s, complete, to the sponsor and nowhere else', async () => {
    await using forward = await createTestGateway(settings());
    for (const upstream of [ledger, sponsor, events]) upstream.requests.length = 0;
    const authorization = `Bearer ${token}`;
    const { data, errors } = await forward.query(
      `mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 2) { reservationId sponsor { address } gasCoins { object { version } } } ${admin.slice(10, -1)} }`,
      {},
      { authorization },
    );
    expect(errors).toBeUndefined();
    expect(data.checkSponsorHealth.ok).toBe(true);
    await forward.query(
      '{ chainIdentifier queryEvents(last: 1) { nodes { senderAddress { address } } } sponsor { version { raw } } }',
      {},
      { authorization },
    );
    expect(sponsor.requests).toHaveLength(4);
    for (const { headers } of sponsor.requests) expect(headers.authorization).toBe(authorization);
    expect(ledger.requests.length + events.requests.length).toBeGreaterThan(2);
    for (const { headers, body } of [...ledger.requests, ...events.requests])
      expect(JSON.stringify(headers) + body).not.toContain(token);

    const anonymous = await forward.query(
      `mutation { reserveGas(gasBudget: 5000000, reserveDurationSecs: 2) { state } ${admin.slice(10, -1)} }`,
    );
    expect(anonymous.errors?.map(({ extensions }) => extensions.code)).toEqual(
      Array.from({ length: 3 }, () => 'SPONSOR_UNAUTHORIZED'),
    );
    expect(sponsor.requests.at(-1)?.headers.authorization).toBeUndefined();
  });
});

describe('without an upstream’s URL', () => {
  it('its fields name the missing key, and the rest works', async () => {
    await using alone = await createTestGateway({ LEDGER_GRAPHQL_URL: ledger.url, EVENTS_SOURCE: 'rpc' });
    const { data, errors } = await alone.query(
      '{ chainIdentifier sponsor { health } queryEvents { nodes { type } } queryTransactionBlocks { nodes { digest } } }',
    );
    expect(data).toMatchObject({ chainIdentifier: expect.any(String), sponsor: { health: null }, queryEvents: null });
    expect(errors?.map(({ path, extensions }) => [path?.[0], extensions.code, extensions.setting])).toEqual([
      ['sponsor', 'NOT_CONFIGURED', 'SPONSOR_URL'],
      ['queryEvents', 'NOT_CONFIGURED', 'LEDGER_RPC_URL'],
      ['queryTransactionBlocks', 'NOT_CONFIGURED', 'LEDGER_RPC_URL'],
    ]);
    const mutation = await alone.query(
      `mutation { reserveGas(gasBudget: 1, reserveDurationSecs: 1) { state } ${admin.slice(10, -1)} }`,
    );
    expect(mutation.errors?.map(({ extensions }) => extensions.setting)).toEqual([
      'SPONSOR_URL',
      'SPONSOR_URL',
      'SPONSOR_URL',
    ]);
  });

  it.each(['ledger', 'sponsor', 'events'] as const)(
    'with %s down, the others respond and the error names it',
    async (down) => {
      const upstream = { ledger, sponsor, events }[down];
      upstream.intercept = (_, res) => {
        res.destroy();
        return true;
      };
      const { data, errors } = await gateway.query(
        '{ epoch { epochId } sponsor { health } queryEvents(last: 1) { nodes { type } } gateway { version } }',
      );
      const answered = { ledger: data.epoch, sponsor: data.sponsor.health, events: data.queryEvents };
      for (const [name, value] of Object.entries(answered)) expect(value === null, name).toBe(name === down);
      expect(data.gateway.version).toBeTypeOf('string');
      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', upstream: down });
    },
  );
});
