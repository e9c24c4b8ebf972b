import { describe, expect, test } from 'vitest';
import { guessPureValue } from '../../../../src/devnet/execution/pure-value.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

const full = (id: string) => `0x${id.padStart(64, '0')}`;

describe('a Move call', () => {
  test('of any function succeeds and emits one event named after it', () => {
    const devnet = createSmallDevnet();
    const [, coin] = devnet.coins(devnet.alice.address);
    const { events, status } = devnet.run((tx) => {
      const args = [tx.u64(77), tx.address(devnet.bob.address), tx.text('gm'), tx.owned(coin!), tx.u8(1)];
      tx.call('0xcafe::auction_house::place_bid', args, ['0x2::a::T', 'u8']);
    });
    expect(status).toEqual({ ok: true });
    expect(events).toMatchObject([
      {
        eventSeq: 0,
        packageId: full('cafe'),
        transactionModule: 'auction_house',
        sender: devnet.alice.address,
        type: `${full('cafe')}::auction_house::PlaceBidEvent<${full('2')}::a::T,u8>`,
        json: { arg0: '77', arg1: devnet.bob.address, arg2: 'gm', arg3: coin!.objectId, arg4: 1 },
      },
    ]);
    expect(Buffer.from(events[0]!.bcs).toString('hex')).toBe(
      ['4d00000000000000', devnet.bob.address.slice(2), '02676d', coin!.objectId.slice(2), '01'].join(''),
    );
  });

  test('of a known function has named fields, and the event type it declares', () => {
    const devnet = createSmallDevnet();
    const { core, arena } = devnet.contracts.packages;
    const { events } = devnet.run((tx) =>
      tx.transfer([tx.call(`${arena}::hero::mint`, [tx.text('Aster'), tx.u64(9)])], devnet.bob.address),
    );
    expect(events).toMatchObject([
      {
        packageId: arena,
        transactionModule: 'hero',
        type: `${core}::events::NewObject`,
        json: { name: 'Aster', power: '9' },
      },
    ]);
  });

  test('carries its type arguments into a generic event only', () => {
    const devnet = createSmallDevnet();
    const { dex, market } = devnet.contracts.packages;
    const { events } = devnet.run((tx) => {
      tx.call(`${dex}::pool::swap`, [], ['u8', 'u64']);
      tx.call(`${market}::offers::place_bid`, [], ['u8']);
    });
    expect(events.map(({ type }) => type)).toEqual([
      `${dex}::pool::SwapExecuted<u8,u64>`,
      `${market}::offers::BidPlaced`,
    ]);
  });

  test('returns an object when its result is transferred', () => {
    const devnet = createSmallDevnet();
    const { arena } = devnet.contracts.packages;
    const transaction = devnet.run((tx) =>
      tx.transfer(
        [tx.call(`${arena}::hero::mint`, [tx.text('Dune'), tx.u64(3)]), tx.call('0x5::shop::buy_hat', [])],
        devnet.bob.address,
      ),
    );
    const made = transaction.changes.flatMap(({ kind, output }) => (kind === 'created' && output ? [output] : []));
    expect(made.map(({ type }) => type).sort()).toEqual(
      [`${full('5')}::shop::BuyHatObject`, `${arena}::hero::Hero`].sort(),
    );
    const hero = made.find(({ type }) => type.endsWith('Hero'))!;
    expect(hero).toMatchObject({
      owner: { kind: 'address', address: devnet.bob.address },
      json: { id: hero.objectId, name: 'Dune', power: '3' },
    });
    expect(transaction.events.every(({ recipients }) => recipients.includes(devnet.bob.address))).toBe(true);
    expect(transaction.events[0]!.objectIds).toContain(hero.objectId);
  });

  test('keeps a coin that was split off for it and not used again', () => {
    const devnet = createSmallDevnet();
    const transaction = devnet.run((tx) => void tx.call('0x5::vault::deposit', [tx.split(tx.gasCoin, tx.u64(500))]));
    expect(transaction.status).toEqual({ ok: true });
    expect(transaction.changes.map(({ kind }) => kind)).toEqual(['mutated']);
    const { computationCost, storageCost, storageRebate } = transaction.gasUsed;
    expect(transaction.balanceChanges).toMatchObject([
      { amount: storageRebate - computationCost - storageCost - 500n },
    ]);
  });

  test('accepts an object owned by another object, and leaves it there', () => {
    const devnet = createSmallDevnet();
    const [, coin] = devnet.coins(devnet.alice.address);
    const registry = devnet.ledger.liveObjects(0).find(({ type }) => type.endsWith('::events::Registry'))!;
    devnet.run((tx) => tx.transfer([tx.owned(coin!)], registry.objectId));
    const { objectId, version, digest } = devnet.ledger.currentObject(coin!.objectId)!;
    const data = devnet.build((tx) => void tx.call('0x5::box::take', [tx.owned({ objectId, version, digest })]));
    const inputs = [{ kind: 'receiving', ref: { objectId, version, digest } }] as const;
    expect(devnet.execute({ ...data, kind: { ...data.kind, inputs } as typeof data.kind })).toMatchObject({
      kind: 'executed',
      transaction: { status: { ok: true }, events: [{ json: { arg0: objectId } }] },
    });
    expect(devnet.ledger.currentObject(objectId)?.version).toBe(version);
  });

  test('accepts a list made earlier, which no other command can', () => {
    const devnet = createSmallDevnet();
    const makeList = { kind: 'makeMoveVec', type: null, elements: [{ kind: 'gasCoin' }] } as const;
    const data = devnet.build((tx) => void tx.call('0x5::vault::deposit', [{ kind: 'result', index: 0 }]));
    if (data.kind.kind !== 'PROGRAMMABLE_TX') throw new Error('not programmable');
    const [call] = data.kind.commands;
    const deposit = { ...call!, arguments: [{ kind: 'result', index: 0 }] } as typeof call & object;
    expect(devnet.execute({ ...data, kind: { ...data.kind, commands: [makeList, deposit] } })).toMatchObject({
      transaction: { status: { ok: true } },
    });
    const given = devnet.build((tx) => tx.transfer([{ kind: 'result', index: 0 }], devnet.bob.address));
    if (given.kind.kind !== 'PROGRAMMABLE_TX') throw new Error('not programmable');
    const commands = [makeList, ...given.kind.commands];
    expect(devnet.execute({ ...given, kind: { ...given.kind, commands } })).toMatchObject({
      transaction: {
        status: { ok: false, error: 'CommandArgumentError { arg_idx: 0, kind: TypeMismatch } in command 1' },
      },
    });
  });
});

describe('publishing', () => {
  /** A compiled module named `greeter`: magic, version 6, a directory of two tables, their content, and which handle is its own. */
  const greeter = Buffer.concat([
    Buffer.from('a11ceb0b06000000', 'hex'),
    // Two tables: handles (4 bytes at 0), identifiers (10 bytes at 4).
    Buffer.of(2, 0x01, 0, 4, 0x07, 4, 10),
    Buffer.of(0, 0, 0, 1),
    Buffer.from('\u0001x\u0007greeter'),
    Buffer.of(1),
  ]);

  test('creates a package, named after its bytecode, and a capability for the publisher', () => {
    const devnet = createSmallDevnet();
    const publish = { kind: 'publish', modules: [greeter, Buffer.from('nonsense')], dependencies: [] } as const;
    const data = devnet.build((tx) => tx.transfer([{ kind: 'result', index: 0 }], devnet.alice.address));
    if (data.kind.kind !== 'PROGRAMMABLE_TX') throw new Error('not programmable');
    const outcome = devnet.execute({ ...data, kind: { ...data.kind, commands: [publish, ...data.kind.commands] } });
    if (outcome.kind !== 'executed') throw new Error(outcome.message);
    const made = outcome.transaction.changes.flatMap(({ kind, output }) =>
      kind === 'created' && output ? [output] : [],
    );
    const published = made.find(({ type }) => type === 'package')!;
    expect(published).toMatchObject({
      owner: { kind: 'immutable' },
      version: 1,
      json: { modules: ['greeter', 'module_1'] },
    });
    expect(made.find(({ type }) => type.endsWith('::package::UpgradeCap'))).toMatchObject({
      owner: { kind: 'address', address: devnet.alice.address },
      json: { package: published.objectId },
    });

    const left = devnet.build(() => {});
    const alone = { ...left, kind: { kind: 'PROGRAMMABLE_TX', inputs: [], commands: [publish] } as const };
    expect(devnet.execute(alone)).toMatchObject({
      transaction: { status: { ok: false, error: 'UnusedValueWithoutDrop { result_idx: 0, secondary_idx: 0 }' } },
    });
  });

  test('an upgrade creates the next version, and needs an existing package', () => {
    const devnet = createSmallDevnet();
    const upgrade = (packageId: string) => {
      const data = devnet.build(() => {});
      const ticket = { kind: 'gasCoin' } as const;
      const command = { kind: 'upgrade', modules: [greeter], dependencies: [], package: packageId, ticket } as const;
      return devnet.execute({ ...data, kind: { kind: 'PROGRAMMABLE_TX', inputs: [], commands: [command] } });
    };
    expect(upgrade(devnet.contracts.packages.core)).toMatchObject({
      transaction: {
        status: { ok: true },
        changes: expect.arrayContaining([
          expect.objectContaining({ output: expect.objectContaining({ type: 'package', version: 2 }) as unknown }),
        ]) as unknown,
      },
    });
    expect(upgrade(full('99'))).toMatchObject({
      transaction: { status: { error: 'PublishUpgradeMissingDependency in command 0' } },
    });
  });
});

describe('bytes of unknown type are read as', () => {
  test.each<[string, number[], unknown]>([
    ['text', [2, 0x68, 0x69], 'hi'],
    ['a byte', [7], 7],
    ['a short number', [1, 1], 257],
    ['a long number', [0, 0, 0, 0, 1, 0, 0, 0], '4294967296'],
    ['base64 otherwise', [9, 9, 9], 'CQkJ'],
    ['base64 when empty', [], ''],
  ])('%s', (_what, bytes, value) => {
    expect(guessPureValue(Uint8Array.from(bytes))).toEqual(value);
  });
});
