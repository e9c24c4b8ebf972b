import { Ed25519Keypair as IotaKeypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { Ed25519Keypair as SuiKeypair } from '@mysten/sui-v2/keypairs/ed25519';
import { Transaction as SuiTransaction } from '@mysten/sui-v2/transactions';
import { describe, expect, it } from 'vitest';
import { Audit } from '../../../src/cli/run-audit.ts';
import { hashApiKey, toApiKey } from '../../../src/config/client.ts';
import { transactionDigest } from '../../../src/transactions/digest.ts';
import { startIotaNetwork } from '../../support/networks/iota-network.ts';
import { startSuiNetwork } from '../../support/networks/sui-network.ts';
import { isSimulation, onDevnet, onNetwork, type Stage } from '../../support/sponsor-stage.ts';
import type { TestGateway } from '../../support/test-gateway.ts';

const seed = new Uint8Array(32).fill(7);

interface Sdk {
  readonly address: string;
  readonly sign: (bytes: Uint8Array) => Promise<{ readonly signature: string }>;
  /** Base64 of a kind, as the SDK builds it. */
  readonly kind: (fill: (tx: SuiTransaction) => unknown) => Promise<string>;
}

function iotaSdk(): Sdk {
  const key = IotaKeypair.fromSecretKey(seed);
  return {
    address: key.toIotaAddress(),
    sign: (bytes) => key.signTransaction(bytes),
    kind: async (fill) => {
      const tx = new IotaTransaction();
      // Both SDKs share what the tests use.
      fill(tx as unknown as SuiTransaction);
      return Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
    },
  };
}

function suiSdk(): Sdk {
  const key = SuiKeypair.fromSecretKey(seed);
  return {
    address: key.toSuiAddress(),
    sign: (bytes) => key.signTransaction(bytes),
    kind: async (fill) => {
      const tx = new SuiTransaction();
      fill(tx);
      return Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
    },
  };
}

const greets = (tx: SuiTransaction) =>
  tx.moveCall({ target: '0xd0e::greeter::say_hello', arguments: [tx.pure.string('hi')] });

interface Asked {
  readonly kind: string;
  readonly sender: string;
  readonly budget?: number;
  readonly key?: string;
}

const document =
  'mutation ($kind: Base64!, $sender: String!, $budget: UInt53, $key: String) { sponsorTransaction(transactionKind: $kind, sender: $sender, gasBudget: $budget, idempotencyKey: $key) { txBytes digest gasBudget gasPrice reservation { reservationId sponsorAddress gasBudget state gasCoins { objectId version digest } } } }';

const ask = (gateway: TestGateway, asked: Asked, headers: Record<string, string> = {}) =>
  gateway.query(document, { ...asked }, headers);

async function execute(gateway: TestGateway, sdk: Sdk, sponsored: { txBytes: string; reservation: object }) {
  const { signature } = await sdk.sign(Buffer.from(sponsored.txBytes, 'base64'));
  return gateway.query(
    'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { digest outcome } }',
    { id: (sponsored.reservation as { reservationId: string }).reservationId, tx: sponsored.txBytes, sig: signature },
  );
}

describe.each([
  ['the embedded network, with the SDK of IOTA', onDevnet, iotaSdk],
  ['the embedded network, with the SDK of Sui', onDevnet, suiSdk],
  ['IOTA', () => onNetwork(startIotaNetwork), iotaSdk],
  ['Sui', () => onNetwork(startSuiNetwork), suiSdk],
] as const)('sponsorTransaction on %s', (_network, start, toSdk) => {
  const sdk = toSdk();

  it('makes complete bytes of a kind, which the sender signs and the sponsor executes', async () => {
    await using stage = await start();
    await using gateway = await stage.open({});
    const { data, errors } = await ask(gateway, { kind: await sdk.kind(greets), sender: sdk.address });
    expect(errors).toBeUndefined();
    const sponsored = data.sponsorTransaction;
    expect(sponsored).toMatchObject({
      digest: transactionDigest(Buffer.from(sponsored.txBytes, 'base64')),
      gasPrice: 1000,
      reservation: { state: 'ACTIVE', gasBudget: sponsored.gasBudget },
    });
    expect(sponsored.gasBudget).toBeLessThan(20_000_000);
    expect([stage.simulations(), stage.reservations()]).toEqual([1, 1]);
    const executed = await execute(gateway, sdk, sponsored);
    expect(executed.data.executeTx).toEqual({ digest: sponsored.digest, outcome: 'EXECUTED' });
  });

  it('refuses before a coin is reserved what would cost more than gas, or would fail', async () => {
    await using stage = await start();
    await using gateway = await stage.open({});
    const first = await ask(gateway, { kind: await sdk.kind(greets), sender: sdk.address });
    const { sponsorAddress, gasCoins } = first.data.sponsorTransaction.reservation;
    const reserved = stage.reservations();
    const attempts = [
      [
        /gas coins may only pay gas/,
        { fill: (tx: SuiTransaction) => tx.transferObjects([tx.splitCoins(tx.gas, [1])], sdk.address) },
      ],
      [
        /simulation says/,
        { fill: (tx: SuiTransaction) => tx.transferObjects([tx.objectRef(gasCoins[0])], sdk.address) },
      ],
      [/the sender is the sponsor/, { fill: greets, sender: sponsorAddress }],
      [/from 1 to 1999999999/, { fill: greets, budget: 2_000_000_000 }],
      [/simulation says/, { fill: greets, budget: 1 }],
      [/must be an address/, { fill: greets, sender: 'me' }],
    ] as const;
    for (const [message, { fill, ...more }] of attempts) {
      const { data, errors } = await ask(gateway, { kind: await sdk.kind(fill), sender: sdk.address, ...more });
      expect(errors?.[0]).toMatchObject({
        message: expect.stringMatching(message),
        extensions: { code: 'BAD_USER_INPUT' },
      });
      expect(data).toEqual({ sponsorTransaction: null });
    }
    expect(stage.reservations()).toBe(reserved);
  });
});

describe('sponsorTransaction', () => {
  const sdk = suiSdk();
  const greeting = sdk.kind(greets);
  const openedOn = async (stage: Stage, settings: Record<string, string> = {}, files = {}) =>
    stage.open(settings, files);

  it('repeats the same bytes under the same key, without a simulation or a reservation', async () => {
    await using stage = await onDevnet();
    await using gateway = await openedOn(stage);
    const asked = { kind: await greeting, sender: sdk.address, key: 'once' };
    const { data } = await ask(gateway, asked);
    await execute(gateway, sdk, data.sponsorTransaction);
    const repeated = (await ask(gateway, asked)).data.sponsorTransaction;
    expect(repeated).toEqual({
      ...data.sponsorTransaction,
      reservation: { ...data.sponsorTransaction.reservation, state: 'CONSUMED' },
    });
    expect([stage.simulations(), stage.reservations()]).toEqual([1, 1]);
    const other = await ask(gateway, { ...asked, budget: 30_000_000 });
    expect(other.errors?.[0]?.extensions.code).toBe('IDEMPOTENCY_CONFLICT');
  });

  it('makes one reservation for twins under one key', async () => {
    await using stage = await onDevnet();
    await using gateway = await openedOn(stage);
    const asked = { kind: await greeting, sender: sdk.address, key: 'twins' };
    const twins = await Promise.all([1, 2, 3].map(() => ask(gateway, asked)));
    const bytes = new Set(twins.map(({ data }) => data.sponsorTransaction.txBytes));
    expect([bytes.size, stage.reservations()]).toEqual([1, 1]);
  });

  it('reserves nothing if the ledger is away', async () => {
    await using stage = await onDevnet();
    await using gateway = await openedOn(stage);
    stage.ledger.intercept = (request, res) => {
      if (isSimulation(request)) res.writeHead(503).end();
      return isSimulation(request);
    };
    const { errors } = await ask(gateway, { kind: await greeting, sender: sdk.address, budget: 20_000_000 });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', retry: 'backoff' });
    expect(stage.reservations()).toBe(0);
    const declined = gateway.log.filter(({ event }) => event === 'declined');
    expect(declined).toMatchObject([{ code: 'UPSTREAM_UNAVAILABLE', budget: 20_000_000 }]);
  });

  it('holds the budget that it found, and refuses calls that the client may not make', async () => {
    await using stage = await onDevnet();
    const apiKey = toApiKey('shop', new Uint8Array(32).fill(4)).reveal();
    const own = { 'x-api-key': apiKey };
    const shop = {
      id: 'shop',
      hash: hashApiKey(apiKey),
      scopes: ['read', 'sponsor'],
      gas: { perDay: 50_000_000 },
      moveCalls: ['0xd0e::greeter'],
    };
    const clients = { CLIENTS_FILE: '/clients', SPONSOR_ALLOW_ANONYMOUS: '' };
    await using gateway = await openedOn(stage, clients, { '/clients': JSON.stringify([shop]) });
    const { data } = await ask(gateway, { kind: await greeting, sender: sdk.address }, own);
    const { viewer } = (await gateway.query('{ viewer { gas { held } } }', {}, own)).data;
    expect(viewer.gas.held).toBe(String(data.sponsorTransaction.gasBudget));
    const kind = await sdk.kind((tx) => tx.moveCall({ target: '0x2::coin::zero', typeArguments: ['0x2::sui::SUI'] }));
    const { errors } = await ask(gateway, { kind, sender: sdk.address }, own);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', argument: 'transactionKind' });
    expect(stage.reservations()).toBe(1);
  });

  it('refuses bytes that are more than a kind', async () => {
    await using stage = await onDevnet();
    await using gateway = await openedOn(stage);
    const kind = Buffer.from(await greeting, 'base64');
    for (const bytes of [Buffer.concat([kind, Buffer.of(0)]), kind.subarray(1), Buffer.of(5)]) {
      const { errors } = await ask(gateway, { kind: bytes.toString('base64'), sender: sdk.address });
      expect(errors?.[0]).toMatchObject({
        message: expect.stringContaining('it cannot be verified'),
        extensions: { code: 'BAD_USER_INPUT', argument: 'transactionKind' },
      });
    }
    expect([stage.simulations(), stage.reservations()]).toEqual([0, 0]);
  });

  describe('with a policy of a client', () => {
    const apiKey = toApiKey('shop', new Uint8Array(32).fill(4)).reveal();
    const own = { 'x-api-key': apiKey };
    const openWith = (stage: Stage, policy: object) => {
      const shop = { id: 'shop', hash: hashApiKey(apiKey), scopes: ['read', 'sponsor'], ...policy };
      const settings = { CLIENTS_FILE: '/clients', SPONSOR_ALLOW_ANONYMOUS: '' };
      return openedOn(stage, settings, { '/clients': JSON.stringify([shop]) });
    };

    it('refuses more storage than it allows, exactly, before a coin is reserved', async () => {
      await using stage = await onDevnet();
      const asked = { kind: await greeting, sender: sdk.address };
      const open = async (storage: number) => {
        await using gateway = await openWith(stage, { gas: { storage } });
        return ask(gateway, asked, own);
      };
      const { errors } = await open(1);
      expect(errors?.[0]).toMatchObject({
        message: expect.stringMatching(/pays \d+ for storage.* at most 1\. Nothing was sent/),
        extensions: { code: 'FORBIDDEN', argument: 'transactionKind', policy: { rule: 'gas.storage', limit: 1 } },
      });
      const { used = 0 } = (errors?.[0]?.extensions.policy ?? {}) as { used?: number };
      expect((await open(used - 1)).errors?.[0]?.extensions.policy).toMatchObject({ limit: used - 1, used });
      expect(stage.reservations()).toBe(0);
      expect((await open(used)).data.sponsorTransaction.digest).toEqual(expect.any(String));
    });

    it('refuses storage of a transaction that the app built, and leaves its lease unspent', async () => {
      await using stage = await onDevnet();
      await using gateway = await openWith(stage, { gas: { storage: 1 } });
      const { data } = await gateway.query(
        'mutation { reserveGas(gasBudget: 20000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
        {},
        own,
      );
      const { reservationId, sponsorAddress: sponsor, gasCoins: coins } = data.reserveGas;
      // It creates an object.
      const signed = await gateway.query(
        'query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) { devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 20000000) { txBytes userSig } }',
        { sponsor, coins },
      );
      const { txBytes, userSig } = signed.data.devnetSignTransaction;
      const { errors } = await gateway.query(
        'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { outcome } }',
        { id: reservationId, tx: txBytes, sig: userSig },
        own,
      );
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', policy: { rule: 'gas.storage', limit: 1 } });
      expect([stage.simulations(), stage.executions()]).toEqual([1, 0]);
      const { reservation } = (
        await gateway.query(
          'query ($id: ID!) { reservation(reservationId: $id) { state } }',
          { id: reservationId },
          own,
        )
      ).data;
      expect(reservation.state).toBe('ACTIVE');
    });

    it('refuses a budget above that of one transaction, and finds one within it', async () => {
      await using stage = await onDevnet();
      await using gateway = await openWith(stage, { gas: { perTransaction: 3_000_000 } });
      const asked = { kind: await greeting, sender: sdk.address };
      const { errors } = await ask(gateway, { ...asked, budget: 3_000_001 }, own);
      expect(errors?.[0]?.extensions.policy).toMatchObject({ rule: 'gas.perTransaction', limit: 3_000_000 });
      expect(stage.reservations()).toBe(0);
      const { data } = await ask(gateway, asked, own);
      expect(data.sponsorTransaction.gasBudget).toBeLessThanOrEqual(3_000_000);
    });

    it('tells the audit log who spent what', async () => {
      await using stage = await onDevnet();
      await using gateway = await openWith(stage, { gas: { perTransaction: 20_000_000 } });
      const asked = { kind: await greeting, sender: sdk.address };
      const { data } = await ask(gateway, asked, own);
      const { signature } = await sdk.sign(Buffer.from(data.sponsorTransaction.txBytes, 'base64'));
      const { reservation, txBytes, gasBudget } = data.sponsorTransaction;
      await gateway.query(
        'mutation ($id: ID!, $tx: Base64!, $sig: Base64!) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) { outcome } }',
        { id: reservation.reservationId, tx: txBytes, sig: signature },
        own,
      );
      await ask(gateway, { ...asked, budget: 20_000_001 }, own);
      const audit = new Audit();
      for (const line of gateway.log) audit.add(JSON.stringify(line));
      const who = { client: 'client:shop', visitor: expect.stringContaining('shop'), sender: sdk.address };
      const target = `0x${'d0e'.padStart(64, '0')}::greeter::say_hello`;
      expect(audit.rows()).toMatchObject([
        { ...who, target, reserved: gasBudget, executed: 1, failed: 0, gas: expect.any(Number), refused: {} },
        { ...who, target: null, reserved: 0, executed: 0, refused: { 'gas.perTransaction': 1 } },
      ]);
    });
  });
});
