import { Ed25519Keypair } from '@mysten/sui-v2/keypairs/ed25519';
import { Transaction } from '@mysten/sui-v2/transactions';
import { describe, expect, it } from 'vitest';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import { startSuiNetwork } from '../../support/networks/sui-network.ts';
import { isSimulation, onDevnet, onNetwork, token } from '../../support/sponsor-stage.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { until } from '../../support/until.ts';

const key = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(7));

interface Reserved {
  readonly reservationId: string;
  readonly sponsorAddress: string;
  readonly gasCoins: { objectId: string; version: number; digest: string }[];
}

async function reserve(gateway: TestGateway, headers: Record<string, string> = {}): Promise<Reserved> {
  const { data, errors } = await gateway.query(
    'mutation { reserveGas(gasBudget: 20000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
    {},
    headers,
  );
  expect(errors).toBeUndefined();
  return data.reserveGas;
}

interface Signed {
  readonly tx: string;
  readonly sig: string;
}

async function sign(reserved: Reserved, fill: (tx: Transaction) => void, version = 0): Promise<Signed> {
  const tx = new Transaction();
  tx.setSender(key.toSuiAddress());
  tx.setGasOwner(reserved.sponsorAddress);
  tx.setGasPayment(reserved.gasCoins);
  tx.setGasPrice(1000);
  tx.setGasBudget(20_000_000);
  fill(tx);
  const bytes = Uint8Array.from(await tx.build());
  bytes[0] = version;
  const { signature } = await key.signTransaction(bytes);
  return { tx: Buffer.from(bytes).toString('base64'), sig: signature };
}

const greets = (tx: Transaction) =>
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hi')] });
/** A coin that nobody has. */
const lost = { objectId: `0x${'e'.repeat(64)}`, version: 3, digest: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' };
const fails = (tx: Transaction) => tx.transferObjects([tx.objectRef(lost)], key.toSuiAddress());
const drains = (tx: Transaction) => tx.transferObjects([tx.splitCoins(tx.gas, [1_000_000])], key.toSuiAddress());

const execute = (
  gateway: TestGateway,
  { reservationId }: Reserved,
  { tx, sig }: Signed,
  idempotencyKey?: string,
  headers: Record<string, string> = {},
) =>
  gateway.query(
    'mutation ($id: ID!, $tx: Base64!, $sig: Base64!, $key: String) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, idempotencyKey: $key) { digest outcome } }',
    { id: reservationId, tx, sig, key: idempotencyKey },
    headers,
  );

describe.each([
  ['the embedded network', onDevnet],
  ['Sui', () => onNetwork(startSuiNetwork)],
  ['IOTA', () => onNetwork(startIotaNetwork)],
] as const)('SPONSOR_DRY_RUN on %s', (_network, start) => {
  it('rejects a transaction that would fail: nothing is sent, and the reservation stays usable', async () => {
    await using stage = await start();
    for (const dryRun of ['failing', 'strict']) {
      stage.sponsor.requests.length = 0;
      await using gateway = await stage.open({ SPONSOR_DRY_RUN: dryRun });
      const reserved = await reserve(gateway);
      const { data, errors } = await execute(gateway, reserved, await sign(reserved, fails));
      expect(data).toEqual({ executeTx: null });
      expect(errors?.[0]).toMatchObject({
        message: expect.stringMatching(
          /simulation says: .*Could not find the referenced object 0xe+.*Nothing was sent/,
        ),
        extensions: { code: 'BAD_USER_INPUT', upstream: 'ledger', argument: 'txBytes' },
      });
      expect(stage.executions()).toBe(0);
      expect(gateway.log.filter(({ event }) => event === 'declined')).toHaveLength(1);
      const right = await execute(gateway, reserved, await sign(reserved, greets));
      expect(right.data.executeTx.outcome).toBe('EXECUTED');
      expect(stage.executions()).toBe(1);
    }
  });
});

describe('a simulation', () => {
  const failing = { SPONSOR_DRY_RUN: 'failing' };

  it('is one call for twins, and is counted with the calls of the operation', async () => {
    await using stage = await onDevnet();
    await using gateway = await stage.open(failing);
    const reserved = await reserve(gateway);
    const signed = await sign(reserved, greets);
    // Open the connections first: a twin that arrives after the end of the execution is told that the lease is spent.
    await Promise.all([1, 2, 3].map(() => gateway.query('{ __typename }')));
    const twins = await Promise.all([1, 2, 3].map(() => execute(gateway, reserved, signed)));
    for (const { data, errors } of twins) expect([data?.executeTx?.outcome, errors]).toEqual(['EXECUTED', undefined]);
    expect([stage.simulations(), stage.executions()]).toEqual([1, 1]);
    const next = await reserve(gateway);
    await execute(gateway, next, await sign(next, greets));
    const lastLine = () => JSON.stringify(gateway.log.filter(({ msg }) => msg === 'request').at(-1));
    await until(() => /"calls":2,.*"variables":3/.test(lastLine()), 'a line about an operation with two calls');
  });

  it('does not keep a repeated call from the stored answer, although the transaction would fail now', async () => {
    await using stage = await onDevnet();
    await using gateway = await stage.open(failing);
    const reserved = await reserve(gateway);
    const signed = await sign(reserved, greets);
    const first = await execute(gateway, reserved, signed, 'once');
    expect(first.data.executeTx.outcome).toBe('EXECUTED');
    expect((await execute(gateway, reserved, signed, 'once')).data).toEqual(first.data);
    const other = await execute(gateway, reserved, await sign(reserved, (tx) => [greets(tx), greets(tx)]));
    expect(other.errors?.[0]?.extensions.code).toBe('RESERVATION_NOT_FOUND');
    expect(stage.executions()).toBe(1);
  });

  it('that fails leaves the idempotency key and the gas budget as they were', async () => {
    await using stage = await onDevnet();
    const apiKey = toApiKey('shop', new Uint8Array(32).fill(4)).reveal();
    const shop = {
      id: 'shop',
      hash: hashApiKey(apiKey),
      scopes: ['read', 'sponsor'],
      gas: { perDay: 50_000_000 },
      visitors: 'one',
    };
    const clients = { CLIENTS_FILE: '/clients', SPONSOR_ALLOW_ANONYMOUS: '' };
    await using gateway = await stage.open({ ...failing, ...clients }, { '/clients': JSON.stringify([shop]) });
    const own = { 'x-api-key': apiKey };
    const gasOf = async () => (await gateway.query('{ viewer { gas { held remaining } } }', {}, own)).data.viewer.gas;
    const reserved = await reserve(gateway, own);
    const before = await gasOf();
    expect(before).toEqual({ held: '20000000', remaining: '30000000' });
    const wrong = await execute(gateway, reserved, await sign(reserved, fails), 'once', own);
    expect(wrong.errors?.[0]?.message).toContain('simulation says');
    expect(await gasOf()).toEqual(before);
    const right = await execute(gateway, reserved, await sign(reserved, greets), 'once', own);
    expect(right.data.executeTx.outcome).toBe('EXECUTED');
    expect((await gasOf()).held).toBe('0');
  });

  it('is not made for a transaction that its reservation rules out', async () => {
    await using stage = await onDevnet();
    await using gateway = await stage.open(failing);
    const reserved = await reserve(gateway);
    const { errors } = await execute(gateway, reserved, await sign(reserved, drains));
    expect(errors?.[0]?.message).toContain('gas coins may only pay gas');
    expect([stage.simulations(), stage.executions()]).toEqual([0, 0]);
  });

  it('that the ledger cannot make lets the transaction pass, except under strict, where nothing is spent', async () => {
    await using stage = await onDevnet();
    stage.ledger.intercept = (request, res) => {
      if (isSimulation(request)) res.writeHead(503).end();
      return isSimulation(request);
    };
    await using lenient = await stage.open(failing);
    const first = await reserve(lenient);
    expect((await execute(lenient, first, await sign(first, greets))).data.executeTx.outcome).toBe('EXECUTED');

    stage.sponsor.requests.length = 0;
    await using strict = await stage.open({ SPONSOR_DRY_RUN: 'strict' });
    const second = await reserve(strict);
    const signed = await sign(second, greets);
    const { errors } = await execute(strict, second, signed);
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('could not simulate the transaction'),
      extensions: { code: 'UPSTREAM_UNAVAILABLE', upstream: 'ledger', retry: 'backoff' },
    });
    expect(stage.executions()).toBe(0);
    stage.ledger.intercept = undefined;
    expect((await execute(strict, second, signed)).data.executeTx.outcome).toBe('EXECUTED');
  });

  it('that hangs delays the transaction, but does not keep it from being sent in time', async () => {
    await using stage = await onDevnet();
    stage.ledger.intercept = isSimulation;
    await using gateway = await stage.open({ ...failing, MUTATION_TIMEOUT_MS: '6000' });
    const reserved = await reserve(gateway);
    expect((await execute(gateway, reserved, await sign(reserved, greets))).data.executeTx.outcome).toBe('EXECUTED');
    expect(stage.simulations()).toBe(1);
  });

  it('in forward mode leaves the reservation usable too', async () => {
    await using stage = await onDevnet();
    const forward = { SPONSOR_AUTH: 'forward', SPONSOR_TOKEN: '', SPONSOR_ALLOW_ANONYMOUS: '' };
    await using gateway = await stage.open({ ...failing, ...forward });
    const own = { authorization: `Bearer ${token}` };
    const reserved = await reserve(gateway, own);
    const { errors } = await execute(gateway, reserved, await sign(reserved, fails), undefined, own);
    expect(errors?.[0]?.message).toContain('simulation says');
    expect(stage.executions()).toBe(0);
    const right = await execute(gateway, reserved, await sign(reserved, greets), undefined, own);
    expect(right.data.executeTx.outcome).toBe('EXECUTED');
  });

  it('that outlasts its client sends nothing', async () => {
    await using stage = await onDevnet();
    await using gateway = await stage.open(failing);
    const reserved = await reserve(gateway);
    const signed = await sign(reserved, greets);
    stage.ledger.intercept = isSimulation;
    const client = new AbortController();
    const query = `mutation { executeTx(reservationId: "${reserved.reservationId}", txBytes: "${signed.tx}", userSig: "${signed.sig}") { outcome } }`;
    const headers = { 'content-type': 'application/json' };
    const left = fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
      signal: client.signal,
    }).catch(() => null);
    await until(() => stage.simulations() === 1, 'a simulation');
    client.abort();
    await left;
    stage.ledger.intercept = undefined;
    expect((await execute(gateway, reserved, signed)).data.executeTx.outcome).toBe('EXECUTED');
    expect(stage.executions()).toBe(1);
  });
});

describe('SPONSOR_UNREADABLE=dry-run, for a transaction of the next version', () => {
  const settings = { SPONSOR_UNREADABLE: 'dry-run', SPONSOR_PREFLIGHT: 'enforce' };

  it('passes on Sui if the sponsor pays only gas', async () => {
    await using stage = await onNetwork(startSuiNetwork);
    await using gateway = await stage.open(settings);
    const reserved = await reserve(gateway);
    await execute(gateway, reserved, await sign(reserved, greets, 1));
    // The embedded sponsor does not know the version, and rejects what was sent to it.
    expect([stage.simulations(), stage.executions()]).toEqual([1, 1]);
  });

  it('is rejected on Sui if the sponsor pays more, under every policy', async () => {
    await using stage = await onNetwork(startSuiNetwork);
    for (const policy of ['enforce', 'warn', 'off']) {
      await using gateway = await stage.open({ ...settings, SPONSOR_PREFLIGHT: policy });
      const reserved = await reserve(gateway);
      const { errors } = await execute(gateway, reserved, await sign(reserved, drains, 1));
      expect(errors?.[0]).toMatchObject({
        message: expect.stringMatching(/the sponsor would pay \d+, of which \d+ is gas; it may pay only gas/),
        extensions: { code: 'BAD_USER_INPUT' },
      });
    }
    expect(stage.executions()).toBe(0);
  });

  it('is checked against its reservation', async () => {
    await using stage = await onNetwork(startSuiNetwork);
    await using gateway = await stage.open(settings);
    const [reserved, other] = [await reserve(gateway), await reserve(gateway)];
    const { errors } = await execute(gateway, reserved, await sign(other, greets, 1));
    expect(errors?.[0]?.message).toContain('the gas payment is 0x');
    expect(stage.executions()).toBe(0);
  });

  it('is not proven on IOTA, whose simulations have no balance changes', async () => {
    await using stage = await onNetwork(startIotaNetwork);
    await using gateway = await stage.open(settings);
    const reserved = await reserve(gateway);
    const { errors } = await execute(gateway, reserved, await sign(reserved, greets, 1));
    expect(errors?.[0]?.message).toContain('cannot be verified');
    expect([stage.simulations(), stage.executions()]).toEqual([1, 0]);
  });

  it('costs no simulation if it can be parsed', async () => {
    await using stage = await onNetwork(startSuiNetwork);
    await using gateway = await stage.open(settings);
    const reserved = await reserve(gateway);
    expect((await execute(gateway, reserved, await sign(reserved, greets))).data.executeTx.outcome).toBe('EXECUTED');
    expect(stage.simulations()).toBe(0);
  });
});
