import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDevnetAccounts } from '../../../src/devnet/genesis/accounts.ts';
import { createActivity } from '../../../src/devnet/genesis/activity.ts';
import { createDevnetContracts } from '../../../src/devnet/genesis/contracts.ts';
import { toSharedIds } from '../../../src/devnet/genesis/genesis-objects.ts';
import { encodeTransactionData } from '../../../src/devnet/transactions/encode-transaction.ts';
import { createProgrammableBuilder } from '../../../src/devnet/transactions/programmable-builder.ts';
import { signTransaction } from '../../../src/devnet/transactions/signature.ts';
import { toRef } from '../../support/small-devnet.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../../support/start-graphql-devnet.ts';

const seed = 7;
const token = 'token-of-this-test';
let net: GraphqlDevnet;

beforeEach(async () => {
  net = await startGraphqlDevnet({ seed, sponsorToken: token });
});

afterEach(async () => {
  await net[Symbol.asyncDispose]();
});

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** A transaction of one of the devnet's users, signed and not yet run. */
function nextTransaction() {
  const accounts = createDevnetAccounts(seed);
  const contracts = createDevnetContracts(seed);
  const activity = createActivity({ ledger: net.devnet.ledger, accounts, contracts, seed, sequenceSeed: 5 });
  let next = activity.next();
  while (next.data.kind.kind !== 'PROGRAMMABLE_TX' || next.signatures().length !== 1) next = activity.next();
  return { txBytes: base64(next.bytes), signatures: next.signatures(), sender: next.data.sender };
}

const executeMutation =
  'mutation ($txBytes: String!, $signatures: [String!]!) { executeTransactionBlock(txBytes: $txBytes, signatures: $signatures) { errors effects { status lamportVersion timestamp checkpoint { sequenceNumber } transactionBlock { digest sender { address } } gasEffects { gasSummary { computationCost } gasObject { version } } events { nodes { type { repr } timestamp transactionBlock { digest } } } } } }';

describe('executeTransactionBlock', () => {
  test('runs a transaction, which is visible after a checkpoint', async () => {
    const { sender, ...args } = nextTransaction();
    const { executeTransactionBlock: result } = await net.data(executeMutation, args);
    const { digest } = result.effects.transactionBlock;
    expect(result.errors).toBeNull();
    expect(result.effects).toMatchObject({
      status: 'SUCCESS',
      timestamp: null,
      checkpoint: null,
      transactionBlock: { sender: { address: sender } },
    });
    for (const event of result.effects.events.nodes)
      expect(event).toMatchObject({ timestamp: null, transactionBlock: null });

    const look = `{ transactionBlock(digest: "${digest}") { effects { status checkpoint { sequenceNumber } lamportVersion } } }`;
    expect((await net.data(look)).transactionBlock).toBeNull();
    net.step(0);
    expect((await net.data(look)).transactionBlock.effects).toEqual({
      status: 'SUCCESS',
      checkpoint: { sequenceNumber: 60 },
      lamportVersion: result.effects.lamportVersion,
    });
  });

  test('returns the first result again for the same transaction', async () => {
    const { txBytes, signatures } = nextTransaction();
    const first = await net.data(executeMutation, { txBytes, signatures });
    expect(await net.data(executeMutation, { txBytes, signatures })).toEqual(first);
  });

  test('is an internal error if the network rejects the transaction', async () => {
    const { txBytes } = nextTransaction();
    const forged = base64(new Uint8Array(97));
    const { data, errors } = await net.query(executeMutation, { txBytes, signatures: [forged] });
    expect(data).toBeNull();
    expect(errors).toEqual([
      {
        message: expect.stringMatching(
          /^Internal error occurred while processing request: Unable to execute transaction: /,
        ),
        locations: [{ line: 1, column: 57 }],
        path: ['executeTransactionBlock'],
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ]);
  });

  test('rejects invalid base64 and invalid transactions', async () => {
    const { txBytes } = nextTransaction();
    const messageOf = async (args: object) => (await net.query(executeMutation, args)).errors![0]!.message;
    expect(await messageOf({ txBytes: 'not base64', signatures: [] })).toMatch(
      /^Unable to deserialize transaction bytes from Base64: /,
    );
    expect(await messageOf({ txBytes: 'AAAA', signatures: [] })).toMatch(
      /^Unable to deserialize transaction bytes as BCS: /,
    );
    expect(await messageOf({ txBytes, signatures: ['?'] })).toMatch(
      /^Unable to deserialize signature bytes \? from Base64: /,
    );
  });
});

describe('dryRunTransactionBlock', () => {
  const dryRun =
    'query ($txBytes: String!, $txMeta: TransactionMetadata, $skipChecks: Boolean) { dryRunTransactionBlock(txBytes: $txBytes, txMeta: $txMeta, skipChecks: $skipChecks) { error transaction { digest signatures sender { address } gasInput { gasPrice gasBudget } effects { status timestamp checkpoint { sequenceNumber } gasEffects { gasSummary { computationCost storageCost } } } } } }';

  test('returns what a transaction would do, without doing it', async () => {
    const { txBytes, signatures, sender } = nextTransaction();
    const { dryRunTransactionBlock: dry } = await net.data(dryRun, { txBytes });
    expect(dry).toMatchObject({
      error: null,
      transaction: {
        digest: null,
        signatures: null,
        sender: { address: sender },
        effects: { status: 'SUCCESS', timestamp: null, checkpoint: null },
      },
    });
    const before = net.devnet.ledger.transactions.length;
    net.step(0);
    expect(net.devnet.ledger.transactions.slice(before).every(({ kind }) => kind !== 'PROGRAMMABLE_TX')).toBe(true);
    const { executeTransactionBlock: real } = await net.data(executeMutation, { txBytes, signatures });
    expect(real.effects.gasEffects.gasSummary.computationCost).toBe(
      dry.transaction.effects.gasEffects.gasSummary.computationCost,
    );
  });

  test('completes a bare transaction kind', async () => {
    const owned = net.devnet.ledger
      .liveObjects(59)
      .find(({ balance, owner }) => balance !== null && balance > 1_000_000_000n && owner.kind === 'address')!;
    const sender = owned.owner.kind === 'address' ? owned.owner.address : '';
    // One pure input, an address; one command, which transfers the gas coin to it.
    const kind = base64(Uint8Array.of(0, 1, 0, 32, ...new Uint8Array(32).fill(9), 1, 1, 1, 0, 1, 0, 0));
    const txMeta = {
      sender,
      gasPrice: 1000,
      gasBudget: 50_000_000,
      gasObjects: [{ address: owned.objectId, version: owned.version, digest: owned.digest }],
    };
    const { dryRunTransactionBlock: result } = await net.data(dryRun, { txBytes: kind, txMeta });
    expect(result).toMatchObject({
      error: null,
      transaction: { sender: { address: sender }, gasInput: { gasPrice: '1000', gasBudget: '50000000' } },
    });
    const { errors } = await net.query(dryRun, { txBytes: kind, txMeta: { sender: 'nobody' } });
    expect(errors![0]!.message).toMatch(
      /^Failed to parse "LedgerAddress": .* \(occurred while parsing "TransactionMetadata"\)$/,
    );
  });

  test('reports why a transaction could not run at all', async () => {
    const { txBytes, signatures } = nextTransaction();
    await net.data(executeMutation, { txBytes, signatures });
    net.step(0);
    const { dryRunTransactionBlock: stale } = await net.data(dryRun, { txBytes });
    expect(stale.transaction).toBeNull();
    expect(stale.error).toEqual(expect.any(String));
  });
});

describe('devnetSignTransaction', () => {
  const sign =
    'query ($sponsorAddress: LedgerAddress!, $gasCoins: [DevnetGasCoinInput!]!, $gasBudget: UInt53!) { devnetSignTransaction(sponsorAddress: $sponsorAddress, gasCoins: $gasCoins, gasBudget: $gasBudget) { txBytes userSig digest } }';

  const callSponsor = async (path: string, body: object) => {
    const response = await fetch(`${net.devnet.sponsorUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
    return (await response.json()) as any;
  };

  test('builds a transaction for a reservation without an SDK, and the ledger shows it', async () => {
    const gasBudget = 50_000_000;
    const { result } = await callSponsor('/v1/reserve_gas', { gas_budget: gasBudget, reserve_duration_secs: 60 });
    const gasCoins = result.gas_coins.map(
      ({ objectId, version, digest }: { objectId: string; version: number; digest: string }) => ({
        objectId,
        version,
        digest,
      }),
    );
    const signed = await net.data(sign, { sponsorAddress: result.sponsor_address, gasCoins, gasBudget });
    const { txBytes, userSig, digest } = signed.devnetSignTransaction;
    const executed = await callSponsor('/v1/execute_tx', {
      reservation_id: result.reservation_id,
      tx_bytes: txBytes,
      user_sig: userSig,
    });
    expect(executed.error).toBeNull();
    expect(executed.effects).toMatchObject({ transactionDigest: digest, status: { status: 'success' } });
    net.step(0);
    const { transactionBlock } = await net.data(
      `{ transactionBlock(digest: "${digest}") { bcs signatures gasInput { gasSponsor { address } gasBudget gasPayment { nodes { address } } } effects { status events { nodes { sender { address } } } } } }`,
    );
    expect(transactionBlock).toMatchObject({
      bcs: txBytes,
      gasInput: {
        gasSponsor: { address: result.sponsor_address },
        gasBudget: String(gasBudget),
        gasPayment: { nodes: gasCoins.map((coin: { objectId: string }) => ({ address: coin.objectId })) },
      },
      effects: { status: 'SUCCESS' },
    });
    expect(transactionBlock.signatures[0]).toBe(userSig);
    expect(transactionBlock.signatures).toHaveLength(2);
    expect(transactionBlock.effects.events.nodes).toHaveLength(1);
  });

  test('rejects invalid gas coins', async () => {
    const coin = { objectId: '0x1', version: 1, digest: '1'.repeat(32) };
    const messageOf = async (wrong: object) =>
      (await net.query(sign, { sponsorAddress: '0x1', gasCoins: [{ ...coin, ...wrong }], gasBudget: 1 })).errors![0]!
        .message;
    expect(await messageOf({ objectId: '1' })).toMatch(/occurred while parsing "DevnetGasCoinInput"/);
    expect(await messageOf({ version: '1' })).toBe(
      'Expected input type "UInt53", found "1". (occurred while parsing "DevnetGasCoinInput")',
    );
    expect(await messageOf({ digest: '1' })).toMatch(/Expected digest to be 32 bytes but got 1/);
  });
});

describe('a transaction', () => {
  test('is indexed as soon as it is executed, with the objects it only read in its effects', async () => {
    const accounts = createDevnetAccounts(seed);
    const { board } = toSharedIds(seed);
    const [alice] = accounts.users;
    const { ledger } = net.devnet;
    const builder = createProgrammableBuilder();
    builder.call('0x7::a::look', [builder.shared(board, false)]);
    const [coin] = ledger
      .ownedObjects(alice.address, ledger.latestCheckpoint().sequenceNumber)
      .filter(({ balance, type }) => balance !== null && balance > 10n ** 9n && type.includes('::ledger::'));
    const bytes = encodeTransactionData({
      kind: builder.build(),
      sender: alice.address,
      gas: { payment: [toRef(coin!)], owner: alice.address, price: ledger.referenceGasPrice, budget: 50_000_000n },
      expirationEpoch: null,
    });
    const fields =
      'transactionBlock { indexedOnNode digest } bcs unchangedSharedObjects { nodes { __typename ... on SharedObjectRead { address version digest object { digest } } } }';
    const { executeTransactionBlock: result } = await net.data(
      `mutation ($txBytes: String!, $signatures: [String!]!) { executeTransactionBlock(txBytes: $txBytes, signatures: $signatures) { effects { ${fields} } } }`,
      { txBytes: base64(bytes), signatures: [signTransaction(alice, bytes)] },
    );
    const read = ledger.currentObject(board)!;
    expect(result.effects).toEqual({
      transactionBlock: { indexedOnNode: true, digest: expect.any(String) },
      bcs: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      unchangedSharedObjects: {
        nodes: [
          {
            __typename: 'SharedObjectRead',
            address: board,
            version: read.version,
            digest: read.digest,
            object: { digest: read.digest },
          },
        ],
      },
    });
  });

  test('of a dry run returns what each command changed and returned', async () => {
    const [alice] = createDevnetAccounts(seed).users;
    const { packages } = createDevnetContracts(seed);
    const run = async (write: (builder: ReturnType<typeof createProgrammableBuilder>) => void) => {
      const builder = createProgrammableBuilder();
      write(builder);
      const bytes = encodeTransactionData({
        kind: builder.build(),
        sender: alice.address,
        gas: { payment: [], owner: alice.address, price: 1000n, budget: 50_000_000n },
        expirationEpoch: null,
      });
      const query =
        'query ($txBytes: String!) { dryRunTransactionBlock(txBytes: $txBytes) { error results { mutatedReferences { input { __typename } type { repr } bcs } returnValues { type { repr } bcs } } transaction { indexedOnNode } } }';
      return (await net.data(query, { txBytes: base64(bytes) })).dryRunTransactionBlock;
    };
    const { error, results, transaction } = await run((builder) => {
      const made = builder.split(builder.gasCoin, builder.u64(77));
      const hero = builder.call(`${packages.arena}::hero::mint`, [builder.text('Ember'), builder.u64(9)]);
      builder.transfer([made, hero], alice.address);
    });
    expect(error).toBeNull();
    expect(transaction.indexedOnNode).toBeNull();
    const coinType = `0x${'2'.padStart(64, '0')}::coin::Coin<${net.devnet.ledger.nativeCoinType}>`;
    const [split, mint, transfer] = results;
    expect(split).toMatchObject({
      mutatedReferences: [{ input: { __typename: 'GasCoin' }, type: { repr: coinType } }],
      returnValues: [{ type: { repr: coinType } }],
    });
    expect(Buffer.from(split.returnValues[0].bcs, 'base64').readBigUInt64LE(32)).toBe(77n);
    expect(mint).toMatchObject({
      mutatedReferences: [],
      returnValues: [{ type: { repr: `${packages.arena}::hero::Hero` } }],
    });
    expect(transfer).toEqual({ mutatedReferences: [], returnValues: [] });
    const failed = await run((builder) => void builder.split(builder.gasCoin, builder.u64(5)));
    expect(failed).toMatchObject({ error: expect.stringContaining('UnusedValueWithoutDrop'), results: null });
  });

  test('owners have no stakes and no names, and types have their abilities and layout', async () => {
    const { market, arena } = createDevnetContracts(seed).packages;
    const empty = { nodes: [], pageInfo: { hasNextPage: false } };
    const page = '{ nodes { address } pageInfo { hasNextPage } }';
    const answer = await net.data(
      `{ address(address: "0x5") { stakedLedgers ${page} ledgerNamesRegistrations ${page} ledgerNamesDefaultName(format: AT) }
         sold: type(type: "${market}::listings::ItemSold") { abilities layout }
         hero: type(type: "${arena}::hero::Hero") { abilities } }`,
    );
    expect(answer.address).toEqual({
      stakedLedgers: empty,
      ledgerNamesRegistrations: empty,
      ledgerNamesDefaultName: null,
    });
    expect(answer.hero.abilities).toEqual(['KEY', 'STORE']);
    expect(answer.sold.abilities).toEqual(['COPY', 'DROP']);
    expect(answer.sold.layout.struct.fields.map(({ name }: { name: string }) => name)).toEqual([
      'board',
      'item',
      'price',
    ]);
    const { errors } = await net.query('{ type(type: "0x7::a::B") { layout } }');
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }]);
  });
});
