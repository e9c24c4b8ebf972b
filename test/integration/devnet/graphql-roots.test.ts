import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTransactionData } from '../../../src/devnet/transactions/parse-transaction.ts';
import { type GraphqlDevnet, startGraphqlDevnet } from '../../support/start-graphql-devnet.ts';

let net: GraphqlDevnet;

beforeAll(async () => {
  net = await startGraphqlDevnet();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const iso = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const short = (address: string) => address.replace(/^0x0+/, '0x');

describe('a root field resolves from the state:', () => {
  test('chainIdentifier', async () => {
    const genesis = net.devnet.ledger.checkpoint(0)!;
    const { chainIdentifier } = await net.data('{ chainIdentifier }');
    expect(chainIdentifier).toMatch(/^[0-9a-f]{8}$/);
    expect(chainIdentifier).toBe(net.devnet.ledger.chainIdentifier);
    expect(genesis.digest).not.toBe('');
  });

  test('availableRange', async () => {
    await using moving = await startGraphqlDevnet({ availableCheckpoints: 10 });
    const query = '{ availableRange { first { sequenceNumber digest } last { sequenceNumber digest } } }';
    expect((await moving.data(query)).availableRange).toMatchObject({
      first: { sequenceNumber: 49 },
      last: { sequenceNumber: 59 },
    });
    moving.step();
    expect((await moving.data(query)).availableRange).toEqual({
      first: { sequenceNumber: 50, digest: moving.devnet.ledger.checkpoint(50)!.digest },
      last: { sequenceNumber: 60, digest: moving.devnet.ledger.checkpoint(60)!.digest },
    });
  });

  test('serviceConfig', async () => {
    const { serviceConfig } = await net.data(
      `{ serviceConfig { availableVersions enabledFeatures subscriptions: isEnabled(feature: SUBSCRIPTIONS) coins: isEnabled(feature: COINS)
         maxQueryDepth maxQueryNodes maxOutputNodes maxDbQueryCost defaultPageSize maxPageSize mutationTimeoutMs requestTimeoutMs
         maxTransactionPayloadSize maxQueryPayloadSize maxTypeArgumentDepth maxTypeArgumentWidth maxTypeNodes maxMoveValueDepth
         maxTransactionIds maxScanLimit } }`,
    );
    expect(serviceConfig).toEqual({
      availableVersions: [net.devnet.ledger.buildVersion.split('.').slice(0, 2).join('.')],
      enabledFeatures: ['COINS', 'DYNAMIC_FIELDS'],
      subscriptions: false,
      coins: true,
      maxQueryDepth: 20,
      maxQueryNodes: 300,
      maxOutputNodes: 100_000,
      maxDbQueryCost: 20_000,
      defaultPageSize: 20,
      maxPageSize: 50,
      mutationTimeoutMs: 74_000,
      requestTimeoutMs: 40_000,
      maxTransactionPayloadSize: 174_763,
      maxQueryPayloadSize: 5_000,
      maxTypeArgumentDepth: 16,
      maxTypeArgumentWidth: 32,
      maxTypeNodes: 256,
      maxMoveValueDepth: 128,
      maxTransactionIds: 1_000,
      maxScanLimit: 1_000_000,
    });
  });

  test('epoch', async () => {
    const fields =
      '{ epochId referenceGasPrice startTimestamp endTimestamp totalCheckpoints totalTransactions totalGasFees checkpoints(last: 1) { nodes { sequenceNumber epoch { epochId } } } }';
    const answer = await net.data(`{ epoch ${fields} first: epoch(id: 0) ${fields} none: epoch(id: 99) { epochId } }`);
    const [first, second] = [net.devnet.ledger.epoch(0)!, net.devnet.ledger.epoch(1)!];
    expect(answer.first).toEqual({
      epochId: 0,
      referenceGasPrice: String(first.referenceGasPrice),
      startTimestamp: iso(first.startMs),
      endTimestamp: iso(first.endMs!),
      totalCheckpoints: second.firstCheckpoint,
      totalTransactions: second.firstTransaction,
      totalGasFees: String(first.totalGasFees),
      checkpoints: { nodes: [{ sequenceNumber: second.firstCheckpoint - 1, epoch: { epochId: 0 } }] },
    });
    expect(answer.epoch).toMatchObject({
      epochId: net.devnet.ledger.latestEpoch().epochId,
      endTimestamp: null,
      totalGasFees: null,
    });
    expect(answer.none).toBeNull();
  });

  test('checkpoint', async () => {
    const record = net.devnet.ledger.checkpoint(17)!;
    const fields =
      '{ digest sequenceNumber timestamp validatorSignatures previousCheckpointDigest networkTotalTransactions rollingGasSummary { computationCost computationCostBurned storageCost storageRebate nonRefundableStorageFee } epoch { epochId } transactionBlocks { nodes { digest } } }';
    const answer = await net.data(
      `{ a: checkpoint(id: { sequenceNumber: 17 }) ${fields} b: checkpoint(id: { digest: "${record.digest}" }) ${fields} c: checkpoint(id: { digest: "${record.digest}", sequenceNumber: 17 }) ${fields}
         other: checkpoint(id: { digest: "${record.digest}", sequenceNumber: 18 }) { digest } none: checkpoint(id: { sequenceNumber: 9999 }) { digest } newest: checkpoint { sequenceNumber } }`,
    );
    const gas = record.rollingGasSummary;
    expect(answer.a).toEqual({
      digest: record.digest,
      sequenceNumber: 17,
      timestamp: iso(record.timestampMs),
      validatorSignatures: record.validatorSignatures,
      previousCheckpointDigest: record.previousDigest,
      networkTotalTransactions: record.networkTotalTransactions,
      rollingGasSummary: Object.fromEntries(Object.entries(gas).map(([name, value]) => [name, String(value)])),
      epoch: { epochId: record.epoch },
      transactionBlocks: {
        nodes: net.devnet.ledger.transactions
          .slice(record.firstTransaction, record.endTransaction)
          .map(({ digest }) => ({ digest })),
      },
    });
    expect(answer.b).toEqual(answer.a);
    expect(answer.c).toEqual(answer.a);
    expect([answer.other, answer.none, answer.newest]).toEqual([null, null, { sequenceNumber: 59 }]);
  });

  test('checkpoints, transactionBlocks and events', async () => {
    const { ledger } = net.devnet;
    const answer = await net.data(
      '{ checkpoints(last: 1) { nodes { digest } } transactionBlocks(last: 1) { nodes { digest } } events(last: 1) { nodes { bcs } } }',
    );
    expect(answer).toEqual({
      checkpoints: { nodes: [{ digest: ledger.latestCheckpoint().digest }] },
      transactionBlocks: { nodes: [{ digest: ledger.transactions.at(-1)!.digest }] },
      events: { nodes: [{ bcs: base64(ledger.events.at(-1)!.bcs) }] },
    });
  });

  test('events, field by field', async () => {
    const record = net.devnet.ledger.events.at(-1)!;
    const { events } = await net.data(
      '{ events(last: 1) { nodes { sendingModule { name package { address digest module(name: "none") { name } modules { nodes { name } } } } type { repr signature } sender { address } timestamp json data bcs transactionBlock { digest } } } }',
    );
    const home = net.devnet.ledger.object(record.packageId)!;
    const [node] = events.nodes;
    expect(node).toMatchObject({
      sendingModule: {
        name: record.transactionModule,
        package: { address: record.packageId, digest: home.digest, module: null },
      },
      type: { repr: record.type },
      sender: { address: record.sender },
      timestamp: iso(record.timestampMs),
      json: record.json,
      bcs: base64(record.bcs),
      transactionBlock: { digest: record.txDigest },
    });
    expect(node.sendingModule.package.modules.nodes).toContainEqual({ name: record.transactionModule });
    expect(node.data.Struct.map((field: { name: string }) => field.name)).toEqual(Object.keys(record.json));
    const system = await net.data('{ events(first: 1, filter: { sender: "0x0" }) { nodes { sender { address } } } }');
    expect(system.events.nodes).toEqual([{ sender: null }]);
  });

  test('transactionBlock', async () => {
    const record = net.devnet.ledger.transactions.findLast(
      ({ events, gas, sender }) => events.length > 0 && gas.owner !== sender,
    )!;
    const { transactionBlock } = await net.data(
      `{ transactionBlock(digest: "${record.digest}") { digest sender { address } signatures bcs expiration { epochId }
         gasInput { gasSponsor { address } gasPrice gasBudget gasPayment { nodes { address version } } }
         kind { __typename ... on ProgrammableTransactionBlock {
           inputs { nodes { __typename ... on Pure { bytes } ... on SharedInput { address initialSharedVersion mutable } ... on OwnedOrImmutable { address version digest object { digest } } } }
           transactions { nodes { __typename
             ... on MoveCallTransaction { package module functionName typeArguments { repr } arguments { ...argument } }
             ... on TransferObjectsTransaction { inputs { ...argument } address { ...argument } }
             ... on SplitCoinsTransaction { coin { ...argument } amounts { ...argument } }
             ... on MergeCoinsTransaction { coin { ...argument } coins { ...argument } } } } } }
         effects { status errors lamportVersion timestamp epoch { epochId } checkpoint { sequenceNumber } transactionBlock { digest } dependencies { nodes { digest } }
           gasEffects { gasObject { address version } gasSummary { computationCost storageCost storageRebate nonRefundableStorageFee } }
           objectChanges(first: 50) { nodes { address idCreated idDeleted inputState { version } outputState { version digest } } }
           balanceChanges { nodes { owner { address } coinType { repr } amount } }
           events { nodes { bcs } } } } }
       fragment argument on TransactionArgument { __typename ... on GasCoin { object { address version } } ... on Input { ix } ... on Result { cmd nested: ix } }`,
    );
    const ref = ({ objectId, version }: { objectId: string; version: number }) => ({ address: objectId, version });
    expect(transactionBlock).toMatchObject({
      digest: record.digest,
      sender: { address: record.sender },
      signatures: record.signatures(),
      bcs: base64(record.bytes),
      expiration: null,
      gasInput: {
        gasSponsor: { address: record.gas.owner },
        gasPrice: String(record.gas.price),
        gasBudget: String(record.gas.budget),
        gasPayment: { nodes: record.gas.payment.map(ref) },
      },
      kind: {
        __typename: 'ProgrammableTransactionBlock',
      },
      effects: {
        status: record.status.ok ? 'SUCCESS' : 'FAILURE',
        errors: null,
        lamportVersion: record.lamportVersion,
        timestamp: iso(record.timestampMs),
        epoch: { epochId: record.epoch },
        checkpoint: { sequenceNumber: record.checkpoint },
        transactionBlock: { digest: record.digest },
        dependencies: { nodes: record.dependencies.map((digest) => ({ digest })) },
        gasEffects: {
          gasObject: ref(record.gasObject!),
          gasSummary: {
            computationCost: String(record.gasUsed.computationCost),
            storageCost: String(record.gasUsed.storageCost),
          },
        },
        objectChanges: {
          nodes: record.changes.map((change) => ({
            address: change.objectId,
            idCreated: change.kind === 'created',
            idDeleted: change.kind === 'deleted',
            inputState: change.input && { version: change.input.version },
            outputState: change.output && {
              version: change.output.version,
              digest: change.output.live ? change.output.digest : null,
            },
          })),
        },
        balanceChanges: {
          nodes: record.balanceChanges.map((change) => ({
            owner: { address: change.owner },
            coinType: { repr: change.coinType },
            amount: String(change.amount),
          })),
        },
        events: { nodes: record.events.map((event) => ({ bcs: base64(event.bcs) })) },
      },
    });
    const { kind } = parseTransactionData(record.bytes);
    if (kind.kind !== 'PROGRAMMABLE_TX') throw new Error('not a programmable transaction');
    expect(transactionBlock.kind.inputs.nodes).toHaveLength(kind.inputs.length);
    expect(transactionBlock.kind.transactions.nodes).toHaveLength(kind.commands.length);
    expect(
      transactionBlock.kind.transactions.nodes
        .filter((command: { __typename: string }) => command.__typename === 'MoveCallTransaction')
        .map(
          (command: { package: string; module: string; functionName: string; typeArguments: { repr: string }[] }) => ({
            package: command.package,
            module: command.module,
            function: command.functionName,
            typeArguments: command.typeArguments.map(({ repr }) => repr),
          }),
        ),
    ).toEqual(record.moveCalls);
    const none = await net.data(`{ transactionBlock(digest: "${'1'.repeat(32)}") { digest } }`);
    expect(none.transactionBlock).toBeNull();
  });

  test('transactionBlock of the network itself', async () => {
    const { transactionBlocks } = await net.data(
      `{ transactionBlocks(first: 50) { nodes { sender { address } gasInput { gasPrice } kind { __typename
         ... on GenesisTransaction { objects(first: 2) { nodes { address } } }
         ... on ConsensusCommitPrologueTransaction { epoch { epochId } consensusCommitTimestamp } } } } }`,
    );
    const [genesis] = transactionBlocks.nodes;
    expect(genesis).toMatchObject({ sender: null, gasInput: null, kind: { __typename: 'GenesisTransaction' } });
    expect(genesis.kind.objects.nodes).toHaveLength(2);
    const prologue = net.devnet.ledger.transactions.find(({ kind }) => kind === 'CONSENSUS_COMMIT_PROLOGUE_V1')!;
    expect(transactionBlocks.nodes[prologue.sequence].kind).toEqual({
      __typename: 'ConsensusCommitPrologueTransaction',
      epoch: { epochId: prologue.epoch },
      consensusCommitTimestamp: iso(prologue.timestampMs),
    });
  });

  test('object, at its newest and at an exact version', async () => {
    const { ledger } = net.devnet;
    const coin = ledger.transactions.findLast(({ gasObject }) => gasObject !== null)!.gasObject!;
    const versions = ledger.objectVersions(coin.objectId);
    const answer = await net.data(
      `query ($old: UInt53) { object(address: "${short(coin.objectId)}") { address version status digest storageRebate owner { __typename ... on AddressOwner { owner { address } } } previousTransactionBlock { digest }
         asMovePackage { address } asMoveObject { contents { type { repr } bcs json } asCoin { coinBalance } asCoinMetadata { symbol } } }
         old: object(address: "${coin.objectId}", version: $old) { version status digest } none: object(address: "0x1234") { version } }`,
      { old: versions[0]!.version },
    );
    expect(answer.object).toEqual({
      address: coin.objectId,
      version: coin.version,
      status: 'INDEXED',
      digest: coin.digest,
      storageRebate: String(coin.storageRebate),
      owner: { __typename: 'AddressOwner', owner: { address: coin.owner.kind === 'address' && coin.owner.address } },
      previousTransactionBlock: { digest: coin.previousTransaction },
      asMovePackage: null,
      asMoveObject: {
        contents: { type: { repr: coin.type }, bcs: base64(coin.bcs), json: coin.json },
        asCoin: { coinBalance: String(coin.balance) },
        asCoinMetadata: null,
      },
    });
    expect(answer.old).toEqual({ version: versions[0]!.version, status: 'NOT_INDEXED', digest: versions[0]!.digest });
    expect(answer.none).toBeNull();
  });

  test('object, of every kind of owner, and deleted', async () => {
    const { ledger } = net.devnet;
    const live = ledger.liveObjects(59);
    const owners =
      'owner { __typename ... on Shared { initialSharedVersion } ... on Immutable { isPackage } ... on Parent { parent { address } } ... on AddressOwner { owner { address } } }';
    const ownerOf = async (kind: string) => {
      const record = live.find(({ owner }) => owner.kind === kind)!;
      const { object } = await net.data(
        `{ object(address: "${record.objectId}") { ${owners} asMovePackage { modules { nodes { name } } } } }`,
      );
      return { record, object };
    };
    const shared = await ownerOf('shared');
    expect(shared.object.owner).toEqual({
      __typename: 'Shared',
      initialSharedVersion: shared.record.owner.kind === 'shared' && shared.record.owner.initialSharedVersion,
    });
    const immutable = await ownerOf('immutable');
    expect(immutable.object.owner).toEqual({ __typename: 'Immutable', isPackage: true });
    expect(immutable.object.asMovePackage.modules.nodes.length).toBeGreaterThan(0);
    const child = await ownerOf('object');
    expect(child.object.owner).toEqual({
      __typename: 'Parent',
      parent: { address: child.record.owner.kind === 'object' && child.record.owner.address },
    });
    const deleted = ledger.transactions.flatMap(({ changes }) => changes).find(({ kind }) => kind === 'deleted')!;
    const end = ledger.objectVersions(deleted.objectId).at(-1)!;
    const answer = await net.data(
      `{ now: object(address: "${end.objectId}") { version } atEnd: object(address: "${end.objectId}", version: ${end.version}) { status digest owner { __typename } asMoveObject { contents { bcs } } } }`,
    );
    expect(answer).toEqual({
      now: null,
      atEnd: { status: 'WRAPPED_OR_DELETED', digest: null, owner: null, asMoveObject: { contents: null } },
    });
  });

  test('dynamic fields of an object', async () => {
    const { ledger } = net.devnet;
    const field = ledger.liveObjects(59).find(({ type }) => type.includes('::dynamic_field::Field<'))!;
    const parent = field.owner.kind === 'object' ? field.owner.address : '';
    const part = '{ name { type { repr } bcs json } value { __typename ... on MoveValue { type { repr } bcs json } } }';
    const { owner } = await net.data(
      `{ owner(address: "${parent}") { asObject { address } dynamicFields { nodes ${part} } } }`,
    );
    expect(owner.asObject).toEqual({ address: parent });
    const [first] = owner.dynamicFields.nodes;
    expect(first.name.json).toEqual(field.json.name);
    expect(first.value.json).toEqual(field.json.value);
    const whole = Buffer.concat([Buffer.from(first.name.bcs, 'base64'), Buffer.from(first.value.bcs, 'base64')]);
    expect(whole.toString('hex')).toBe(Buffer.from(field.bcs).subarray(32).toString('hex'));
    const found = await net.data(
      `query ($name: DynamicFieldName!) { object(address: "${parent}") { dynamicField(name: $name) ${part} dynamicObjectField(name: $name) { name { bcs } } } }`,
      { name: { type: first.name.type.repr, bcs: first.name.bcs } },
    );
    expect(found.object).toEqual({ dynamicField: first, dynamicObjectField: null });
  });

  test('objects, coins and owners', async () => {
    const { ledger, sponsor } = net.devnet;
    const live = ledger.liveObjects(59);
    const address = sponsor.sponsorAddress;
    const coins = ledger.ownedObjects(address, 59).filter(({ balance }) => balance !== null);
    const answer = await net.data(
      `{ objects(first: 2) { nodes { address } } coins(first: 2) { nodes { address coinBalance contents { json } } } gold: coins(type: "0x2::none::NONE") { nodes { address } }
         address(address: "${address}") { address objects(first: 1) { nodes { address } } coins(first: 1) { nodes { address } } balance { coinObjectCount totalBalance coinType { repr } } balances { nodes { coinObjectCount totalBalance coinType { repr } } } none: balance(type: "0x2::none::NONE") { totalBalance } transactionBlocks { nodes { digest } } }
         owner(address: "${address}") { address asAddress { address } asObject { address } balance { totalBalance } } }`,
    );
    const isCoin = ({ type }: { type: string }) => type.endsWith(`::coin::Coin<${ledger.nativeCoinType}>`);
    const total = coins.reduce((sum, { balance }) => sum + balance!, 0n);
    expect(answer.objects.nodes).toEqual(live.slice(0, 2).map(({ objectId }) => ({ address: objectId })));
    expect(answer.coins.nodes).toEqual(
      live
        .filter(isCoin)
        .slice(0, 2)
        .map(({ objectId, balance, json }) => ({
          address: objectId,
          coinBalance: String(balance),
          contents: { json },
        })),
    );
    expect(answer.gold.nodes).toEqual([]);
    const balance = {
      coinObjectCount: coins.length,
      totalBalance: String(total),
      coinType: { repr: ledger.nativeCoinType },
    };
    expect(answer.address).toMatchObject({
      address,
      coins: { nodes: [{ address: coins[0]!.objectId }] },
      balance,
      balances: { nodes: [balance] },
      none: null,
      transactionBlocks: {
        nodes: ledger.transactions.filter(({ sender }) => sender === address).map(({ digest }) => ({ digest })),
      },
    });
    expect(answer.owner).toEqual({
      address,
      asAddress: { address },
      asObject: null,
      balance: { totalBalance: String(total) },
    });
  });

  test('the supply of each coin is the sum of its coins, before and after transactions', async () => {
    await using live = await startGraphqlDevnet();
    const { ledger } = live.devnet;
    const types = [...ledger.latestCheckpoint().coinSupplies.keys()];
    expect(types).toHaveLength(3);
    const sumOf = async (type: string) => {
      let sum = 0n;
      for (let after: string | null = null, more = true; more; ) {
        const { coins } = await live.data(
          'query ($type: String, $after: String) { coins(type: $type, first: 50, after: $after) { nodes { coinBalance } pageInfo { hasNextPage endCursor } } }',
          { type, after },
        );
        for (const { coinBalance } of coins.nodes) sum += BigInt(coinBalance);
        ({ hasNextPage: more, endCursor: after } = coins.pageInfo);
      }
      return String(sum);
    };
    const supplyOf = async (type: string) =>
      (await live.data('query ($type: String!) { coinMetadata(coinType: $type) { supply } }', { type })).coinMetadata
        .supply;
    const before = await Promise.all(types.map(supplyOf));
    expect(before).toEqual(await Promise.all(types.map(sumOf)));
    for (let count = 0; count < 5; count += 1) live.step(4);
    const after = await Promise.all(types.map(supplyOf));
    expect(after).toEqual(await Promise.all(types.map(sumOf)));
    expect(after).not.toEqual(before);
  });

  test('an ended epoch contains its storage fund, and the objects alive at its end', async () => {
    const fields =
      'epochId fundSize netInflow fundInflow fundOutflow ledgerTotalSupply liveObjectSetDigest checkpoints(last: 1) { nodes { rollingGasSummary { storageCost storageRebate } } }';
    const { one, two, now } = await net.data(
      `{ one: epoch(id: 0) { ${fields} } two: epoch(id: 1) { ${fields} } now: epoch { ${fields} } }`,
    );
    for (const epoch of [one, two]) {
      const [{ rollingGasSummary }] = epoch.checkpoints.nodes;
      expect(epoch.fundInflow).toBe(rollingGasSummary.storageCost);
      expect(epoch.fundOutflow).toBe(rollingGasSummary.storageRebate);
      expect(BigInt(epoch.netInflow)).toBe(BigInt(epoch.fundInflow) - BigInt(epoch.fundOutflow));
    }
    expect(BigInt(two.fundSize) - BigInt(one.fundSize)).toBe(BigInt(two.netInflow));
    expect(one.liveObjectSetDigest).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    expect(one.liveObjectSetDigest).not.toBe(two.liveObjectSetDigest);
    expect(now).toMatchObject({ fundSize: null, netInflow: null, fundInflow: null, liveObjectSetDigest: null });
    // Computation is paid for with coins that are then no more.
    expect(BigInt(one.ledgerTotalSupply)).toBeGreaterThan(BigInt(now.ledgerTotalSupply));
  });

  test.each([
    'totalStakeRewards',
    'validatorSet { totalStake }',
    'protocolConfigs { protocolVersion }',
    'storageFund { nonRefundableBalance }',
    'safeMode { enabled }',
    'systemStateVersion',
    'systemParameters { durationMs }',
    'ledgerTreasuryCapId',
  ])('system state fields are disabled, with the name of their feature: %s', async (selection) => {
    const [field] = selection.split(' ');
    const { data, errors } = await net.query(`{ epoch { ${selection} } }`);
    expect(data).toBeNull();
    expect(errors?.[0]?.message).toBe(
      `Cannot query field "${field}" on type "Epoch". Feature "system-state" is disabled.`,
    );
  });

  test('coinMetadata and type', async () => {
    const { ledger } = net.devnet;
    const metadata = ledger.coinMetadata(ledger.nativeCoinType)!;
    const answer = await net.data(
      `{ coinMetadata(coinType: "${short(ledger.nativeCoinType)}") { address decimals name symbol description iconUrl supply } none: coinMetadata(coinType: "0x2::none::NONE") { symbol }
         type(type: "vector<0x2::coin::Coin<u64>>") { repr signature } }`,
    );
    expect(answer.coinMetadata).toEqual({
      address: metadata.objectId,
      decimals: metadata.decimals,
      name: metadata.name,
      symbol: metadata.symbol,
      description: metadata.description,
      iconUrl: metadata.iconUrl,
      supply: expect.stringMatching(/^[1-9]\d*$/),
    });
    expect(answer.none).toBeNull();
    const two = `0x${'2'.padStart(64, '0')}`;
    expect(answer.type).toEqual({
      repr: `vector<${two}::coin::Coin<u64>>`,
      signature: { vector: { datatype: { package: two, module: 'coin', type: 'Coin', typeParameters: ['u64'] } } },
    });
  });

  test('type, within the service’s limits', async () => {
    const wrap = (depth: number) => `${'vector<'.repeat(depth - 1)}u8${'>'.repeat(depth - 1)}`;
    expect((await net.data('query ($t: String!) { type(type: $t) { repr } }', { t: wrap(16) })).type.repr).toBe(
      wrap(16),
    );
    const messageOf = async (t: string) =>
      (await net.query('query ($t: String!) { type(type: $t) { repr } }', { t })).errors?.[0]?.message;
    expect(await messageOf(wrap(17))).toMatch(/^Bad type: /);
    const generic = (width: number) => `0x2::a::B<${Array.from({ length: width }, () => 'u8').join(',')}>`;
    expect(await messageOf(generic(32))).toBeUndefined();
    expect(await messageOf(generic(33))).toBe('Bad type: type argument width is over 32');
  });
});
