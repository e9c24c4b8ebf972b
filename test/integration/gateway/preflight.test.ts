import { Ed25519Keypair as IotaKeypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { Ed25519Keypair as SuiKeypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction as SuiTransaction } from '@mysten/sui/transactions';
import { Transaction as NewestTransaction } from '@mysten/sui-v2/transactions';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { type Devnet, startDevnet } from '../../../src/devnet/start-devnet.ts';
import { type RecordingUpstream, recordUpstream } from '../../support/recording-upstream.ts';
import { createTestGateway, type TestGateway } from '../../support/test-gateway.ts';

const token = 'token-behind-the-preflight';
const keys = {
  shop: toApiKey('shop', new Uint8Array(32).fill(1)).reveal(),
  open: toApiKey('open', new Uint8Array(32).fill(2)).reveal(),
  counted: toApiKey('counted', new Uint8Array(32).fill(3)).reveal(),
};
const clients = JSON.stringify([
  {
    id: 'shop',
    hash: hashApiKey(keys.shop),
    scopes: ['read', 'sponsor'],
    moveCalls: ['0xd0e::greeter::say_hello', '0x2'],
  },
  { id: 'open', hash: hashApiKey(keys.open), scopes: ['read', 'sponsor'] },
  {
    id: 'counted',
    hash: hashApiKey(keys.counted),
    scopes: ['read', 'sponsor'],
    gas: { perDay: 50_000_000 },
    visitors: 'one',
  },
]);
const secret = new Uint8Array(32).fill(9);
const iotaKey = IotaKeypair.fromSecretKey(secret);
const suiKey = SuiKeypair.fromSecretKey(secret);

let devnet: Devnet;
let sponsor: RecordingUpstream;

beforeAll(async () => {
  devnet = await startDevnet({ sponsorToken: token, genesis: { checkpoints: 5 } });
  sponsor = await recordUpstream(devnet.sponsorUrl);
});
afterAll(async () => {
  await sponsor?.[Symbol.asyncDispose]();
  await devnet?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  sponsor.requests.length = 0;
});

interface Reservation {
  readonly reservationId: string;
  readonly sponsorAddress: string;
  readonly gasCoins: { objectId: string; version: number; digest: string }[];
}

/** A transaction as a dApp builds it, with the given changes. */
interface Changes {
  readonly owner?: string;
  readonly payment?: Reservation['gasCoins'];
  readonly budget?: number;
  readonly target?: string;
  readonly splitsGas?: boolean;
  readonly withdrawsFrom?: 'sender' | 'sponsor' | 'allowance of the sponsor';
}

type Sign = (reserved: Reservation, changes?: Changes) => Promise<{ tx: string; sig: string; digest: string }>;

function fill(transaction: IotaTransaction | SuiTransaction, sender: string, reserved: Reservation, changes: Changes) {
  const { owner = reserved.sponsorAddress, payment = reserved.gasCoins, budget = 20_000_000 } = changes;
  const tx = transaction as IotaTransaction;
  tx.setSender(sender);
  tx.setGasOwner(owner);
  tx.setGasPayment(payment);
  tx.setGasPrice(1000);
  tx.setGasBudget(budget);
  tx.moveCall({ target: changes.target ?? '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hi')] });
  if (changes.splitsGas) tx.transferObjects([tx.splitCoins(tx.gas, [1_000_000])[0]!], tx.pure.address(sender));
}

const withIota: Sign = async (reserved, changes = {}) => {
  const tx = new IotaTransaction();
  fill(tx, iotaKey.toIotaAddress(), reserved, changes);
  const { bytes, signature } = await tx.sign({ signer: iotaKey });
  return { tx: bytes, sig: signature, digest: await tx.getDigest() };
};
const withSui: Sign = async (reserved, changes = {}) => {
  const tx = new SuiTransaction();
  fill(tx, suiKey.toSuiAddress(), reserved, changes);
  const { bytes, signature } = await tx.sign({ signer: suiKey });
  return { tx: bytes, sig: signature, digest: await tx.getDigest() };
};

const withNewestSui: Sign = async (reserved, changes = {}) => {
  const tx = new NewestTransaction();
  fill(tx as never, suiKey.toSuiAddress(), reserved, changes);
  const funds = { type: '0x2::sui::SUI', amount: 5 };
  if (changes.withdrawsFrom === 'sponsor' || changes.withdrawsFrom === 'sender')
    tx.withdrawal({ ...funds, from: changes.withdrawsFrom });
  if (changes.withdrawsFrom === 'allowance of the sponsor')
    tx.withdrawal({ ...funds, from: 'allowance', allowance: '0xa1', funder: reserved.sponsorAddress });
  if (changes.payment?.length === 0) {
    const unbounded = { minTimestamp: null, maxTimestamp: null, chain: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' };
    tx.setExpiration({ ValidDuring: { minEpoch: '1', maxEpoch: '2', ...unbounded, nonce: 1 } });
  }
  const bytes = await tx.build();
  const { signature } = await suiKey.signTransaction(bytes);
  return { tx: Buffer.from(bytes).toString('base64'), sig: signature, digest: await tx.getDigest() };
};

const start = (settings: Record<string, string>) =>
  createTestGateway(
    { LEDGER_GRAPHQL_URL: devnet.graphqlUrl, SPONSOR_URL: sponsor.url, CLIENTS_FILE: '/clients', ...settings },
    { '/clients': clients },
  );

async function reserve(gateway: TestGateway, headers: Record<string, string>): Promise<Reservation> {
  const { data, errors } = await gateway.query(
    'mutation { reserveGas(gasBudget: 20000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    {},
    headers,
  );
  expect(errors).toBeUndefined();
  return data.reserveGas;
}

const execute = (
  gateway: TestGateway,
  id: string,
  signed: { tx: string; sig: string },
  headers: Record<string, string>,
) =>
  gateway.query(
    'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { digest outcome } }',
    { id, tx: signed.tx, sig: signed.sig },
    headers,
  );

const executions = () => sponsor.requests.filter(({ path }) => path.endsWith('/execute_tx')).length;

describe.each([
  ['iota', 'the IOTA SDK', withIota],
  ['sui', 'the Sui SDK', withSui],
] as const)('on the network %s, with %s', (profile, _sdk, sign) => {
  const shop = { 'x-api-key': keys.shop };
  let gateway: TestGateway;
  let other: Reservation;
  beforeAll(async () => {
    gateway = await start({ NETWORK_PROFILE: profile, SPONSOR_TOKEN: token });
    other = await reserve(gateway, shop);
  });
  afterAll(() => gateway?.close());

  it('a reserved, signed and executed transaction is on the ledger', async () => {
    const reserved = await reserve(gateway, shop);
    const signed = await sign(reserved);
    const { data, errors } = await execute(gateway, reserved.reservationId, signed, shop);
    expect(errors).toBeUndefined();
    expect(data.executeTx).toEqual({ digest: signed.digest, outcome: 'EXECUTED' });
    expect(devnet.ledger.transaction(signed.digest)?.status).toEqual({ ok: true });
    expect(executions()).toBe(1);
  });

  const stranger = `0x${'b'.padStart(64, '0')}`;
  const wrongs: [string, (reserved: Reservation) => Changes, string, RegExp][] = [
    [
      'pays with the coins of another reservation',
      () => ({ payment: other.gasCoins }),
      'BAD_USER_INPUT',
      /gas payment is 0x/,
    ],
    ['pays with nothing', () => ({ payment: [] }), 'BAD_USER_INPUT', /gas payment is empty/],
    [
      'names another gas owner',
      () => ({ owner: stranger }),
      'BAD_USER_INPUT',
      /gas owner is 0x0+b; it must be the sponsor/,
    ],
    ['goes over the budget', () => ({ budget: 20_000_001 }), 'BAD_USER_INPUT', /20000001; it may be at most 20000000/],
    ['takes of the sponsor’s coins', () => ({ splitsGas: true }), 'BAD_USER_INPUT', /may only pay gas/],
    ['calls what is not allowed', () => ({ target: '0xbad::drain::all' }), 'FORBIDDEN', /it calls 0xbad::drain::all;/],
  ];
  it.each(wrongs)(
    'a transaction that %s is never sent, and the lease stays usable',
    async (_what, changes, code, message) => {
      const reserved = await reserve(gateway, shop);
      const wrong = await sign(reserved, changes(reserved));
      const refused = await execute(gateway, reserved.reservationId, wrong, shop);
      expect(refused.data).toEqual({ executeTx: null });
      expect(refused.errors).toHaveLength(1);
      expect(refused.errors?.[0]).toMatchObject({
        path: ['executeTx'],
        extensions: { code, argument: 'txBytes', digest: wrong.digest },
      });
      expect(refused.errors?.[0]?.message).toMatch(message);
      expect(gateway.log.filter(({ event }) => event === 'declined').at(-1)).toMatchObject({
        msg: 'sponsorship',
        caller: 'client:shop',
        digest: wrong.digest,
        budget: 20_000_000,
        code,
      });
      expect(executions()).toBe(0);

      const right = await execute(gateway, reserved.reservationId, await sign(reserved), shop);
      expect(right.errors).toBeUndefined();
      expect(right.data.executeTx.outcome).toBe('EXECUTED');
      expect(executions()).toBe(1);
    },
  );

  it('a caller without moveCalls may call any function', async () => {
    const open = { 'x-api-key': keys.open };
    const reserved = await reserve(gateway, open);
    const { data } = await execute(
      gateway,
      reserved.reservationId,
      await sign(reserved, { target: '0xbad::drain::all' }),
      open,
    );
    expect(data.executeTx.outcome).toBe('EXECUTED');
  });
});

describe('what the policy leaves to the sponsor', () => {
  const open = { 'x-api-key': keys.open };
  const doubtsOf = (gateway: TestGateway) =>
    gateway.log.filter(({ msg }) => String(msg).startsWith('sent a transaction'));

  it('is sent with a log line under warn, and without one under off', async () => {
    for (const policy of ['warn', 'off']) {
      sponsor.requests.length = 0;
      await using gateway = await start({ SPONSOR_TOKEN: token, SPONSOR_PREFLIGHT: policy });
      const reserved = await reserve(gateway, open);
      const wrong = await withIota(reserved, { budget: 20_000_001 });
      const { errors } = await execute(gateway, reserved.reservationId, wrong, open);
      expect(errors?.[0]?.message).toContain('over the reserved');
      expect(executions()).toBe(1);
      expect(doubtsOf(gateway)).toEqual(
        policy === 'off'
          ? []
          : [
              expect.objectContaining({
                caller: 'client:open',
                digest: wrong.digest,
                reason: expect.stringContaining('gas budget'),
              }),
            ],
      );
    }
  });

  it.each(['enforce', 'warn', 'off'])('never includes more of the sponsor than gas, with %s', async (policy) => {
    await using gateway = await start({ SPONSOR_TOKEN: token, SPONSOR_PREFLIGHT: policy, NETWORK_PROFILE: 'sui' });
    const reserved = await reserve(gateway, open);
    const forms: [Changes, string][] = [
      [{ splitsGas: true }, 'gas coins may only pay gas'],
      [{ payment: [] }, 'the gas payment is empty'],
      [{ withdrawsFrom: 'sponsor' }, 'it withdraws funds from the balance of 0x'],
      [{ withdrawsFrom: 'allowance of the sponsor' }, 'it withdraws funds from the balance of 0x'],
    ];
    for (const [changes, told] of forms) {
      const { errors } = await execute(gateway, reserved.reservationId, await withNewestSui(reserved, changes), open);
      expect(errors?.[0]).toMatchObject({
        message: expect.stringContaining(told),
        extensions: { code: 'BAD_USER_INPUT' },
      });
    }
    expect(executions()).toBe(0);
    expect(doubtsOf(gateway)).toEqual([]);
    // The embedded network has no address balances, so it rejects what a Sui sponsor would execute.
    await execute(gateway, reserved.reservationId, await withNewestSui(reserved, { withdrawsFrom: 'sender' }), open);
    expect(executions()).toBe(1);
  });

  it('never includes calls outside moveCalls', async () => {
    await using gateway = await start({ SPONSOR_TOKEN: token, SPONSOR_PREFLIGHT: 'off' });
    const shop = { 'x-api-key': keys.shop };
    const reserved = await reserve(gateway, shop);
    const wrong = await withIota(reserved, { target: '0xbad::drain::all' });
    const { errors } = await execute(gateway, reserved.reservationId, wrong, shop);
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    const unreadable = { tx: Buffer.from([1]).toString('base64'), sig: wrong.sig };
    const { errors: others } = await execute(gateway, reserved.reservationId, unreadable, shop);
    expect(others?.[0]?.message).toContain('cannot be verified');
    expect(executions()).toBe(0);
  });

  it('never includes spending more of a gas budget than was held', async () => {
    await using gateway = await start({ SPONSOR_TOKEN: token, SPONSOR_PREFLIGHT: 'off' });
    const counted = { 'x-api-key': keys.counted };
    const reserved = await reserve(gateway, counted);
    const dear = await execute(
      gateway,
      reserved.reservationId,
      await withIota(reserved, { budget: 20_000_001 }),
      counted,
    );
    expect(dear.errors?.[0]?.message).toContain('20000001; it may be at most 20000000');
    expect(executions()).toBe(0);
    const right = await execute(gateway, reserved.reservationId, await withIota(reserved), counted);
    expect(right.data.executeTx.outcome).toBe('EXECUTED');
  });
});

describe('in forward mode', () => {
  const own = { authorization: `Bearer ${token}` };
  const doubtsOf = (gateway: TestGateway) =>
    gateway.log.filter(({ msg }) => String(msg).startsWith('sent a transaction'));
  /** A backend that reserves without the gateway. */
  const reserveElsewhere = async (): Promise<Reservation> => {
    const response = await fetch(new URL('v1/reserve_gas', `${sponsor.url.replace(/\/$/, '')}/`), {
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({ gas_budget: 20_000_000, reserve_duration_secs: 60 }),
    });
    const { result } = (await response.json()) as { result: Record<string, never> };
    return {
      reservationId: `${result.reservation_id}`,
      sponsorAddress: `${result.sponsor_address}`,
      gasCoins: result.gas_coins as never,
    };
  };

  it('a transaction is checked against a reservation of the gateway: logged or rejected', async () => {
    for (const policy of ['warn', 'enforce']) {
      sponsor.requests.length = 0;
      await using gateway = await start(policy === 'warn' ? {} : { SPONSOR_PREFLIGHT: policy });
      const reserved = await reserve(gateway, own);
      const wrong = await execute(
        gateway,
        reserved.reservationId,
        await withSui(reserved, { budget: 20_000_001 }),
        own,
      );
      expect(wrong.errors?.[0]?.message).toContain('20000001');
      expect(executions()).toBe(policy === 'warn' ? 1 : 0);
      expect(doubtsOf(gateway)).toHaveLength(policy === 'warn' ? 1 : 0);
      const right = await execute(gateway, reserved.reservationId, await withSui(reserved), own);
      // The sponsor may object to the earlier mistake, but not to a reservation unknown to the gateway.
      if (policy === 'enforce') expect(right.data.executeTx.outcome).toBe('EXECUTED');
    }
  });

  it('a transaction of an unknown reservation passes, except under enforce', async () => {
    await using lenient = await start({});
    const first = await reserveElsewhere();
    const { data } = await execute(lenient, first.reservationId, await withIota(first), own);
    expect(data.executeTx.outcome).toBe('EXECUTED');
    expect(doubtsOf(lenient)).toEqual([]);

    await using strict = await start({ SPONSOR_PREFLIGHT: 'enforce' });
    const second = await reserveElsewhere();
    sponsor.requests.length = 0;
    const { errors } = await execute(strict, second.reservationId, await withIota(second), own);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'reservationId' });
    expect(executions()).toBe(0);
  });
});
