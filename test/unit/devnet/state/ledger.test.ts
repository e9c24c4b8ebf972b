import { describe, expect, test } from 'vitest';
import { createLedger } from '../../../../src/devnet/state/ledger.ts';
import { encodeTransactionData } from '../../../../src/devnet/transactions/encode-transaction.ts';
import type { ProgrammableBuilder } from '../../../../src/devnet/transactions/programmable-builder.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

const call = (tx: ProgrammableBuilder) => void tx.call('0x2::a::b', []);

describe('a ledger', () => {
  const options = { clock: () => 1_800_000_000_000, genesis: { checkpoints: 30, sponsorCoins: 2 } };

  test('with the same seed and clock is the same, digest by digest', () => {
    const [one, other] = [createLedger({ ...options, seed: 5 }), createLedger({ ...options, seed: 5 })];
    expect(other.latestCheckpoint()).toEqual(one.latestCheckpoint());
    expect(other.transactions.map(({ digest }) => digest)).toEqual(one.transactions.map(({ digest }) => digest));
    expect([other.chainIdentifier, other.buildVersion]).toEqual([one.chainIdentifier, one.buildVersion]);
  });

  test('with another seed is another chain', () => {
    const [one, other] = [createLedger({ ...options, seed: 5 }), createLedger({ ...options, seed: 6 })];
    expect(other.chainIdentifier).not.toBe(one.chainIdentifier);
    expect(other.buildVersion).not.toBe(one.buildVersion);
  });

  test('has its identifier in the forms that clients expect', () => {
    const ledger = createLedger(options);
    expect(ledger.chainIdentifier).toMatch(/^[0-9a-f]{8}$/);
    expect(ledger.buildVersion).toMatch(/^2026\.11\.0-[0-9a-f]{12}$/);
  });

  test('finds coin metadata by any spelling of the type', () => {
    const ledger = createLedger(options);
    expect(ledger.coinMetadata('0x2::ledger::LEDGER')).toMatchObject({ symbol: 'LEDGER', decimals: 9 });
    expect(ledger.coinMetadata(ledger.nativeCoinType)?.symbol).toBe('LEDGER');
    expect(ledger.coinMetadata('0x2::ledger::OTHER')).toBeUndefined();
    expect(ledger.coinMetadata('not a type')).toBeUndefined();
  });
});

describe('a transaction', () => {
  test('is pending until a checkpoint closes, and then in it with its events', () => {
    const devnet = createSmallDevnet();
    const { ledger } = devnet;
    const [before, eventsBefore] = [ledger.transactions.length, ledger.events.length];
    const record = devnet.run(call);
    expect([ledger.transactions.length, ledger.events.length]).toEqual([before, eventsBefore]);
    expect(ledger.transaction(record.digest)).toMatchObject({ checkpoint: null });

    devnet.now += 1_500;
    const checkpoint = ledger.closeCheckpoint();
    expect(ledger.transaction(record.digest)).toMatchObject({
      checkpoint: checkpoint.sequenceNumber,
      timestampMs: devnet.now,
    });
    expect(ledger.transactions.slice(checkpoint.firstTransaction, checkpoint.endTransaction)).toEqual([
      expect.objectContaining({ kind: 'CONSENSUS_COMMIT_PROLOGUE_V1', sequence: before }),
      expect.objectContaining({ digest: record.digest, sequence: before + 1 }),
    ]);
    expect(ledger.events.at(-1)).toMatchObject({
      txDigest: record.digest,
      sequence: eventsBefore,
      timestampMs: devnet.now,
    });
  });

  test('sent again gets the stored result, also from others', () => {
    const devnet = createSmallDevnet();
    const data = devnet.build(call);
    const first = devnet.execute(data);
    expect(first).toMatchObject({ kind: 'executed', replayed: false });
    const again = devnet.ledger.execute(encodeTransactionData(data), []);
    expect(again).toEqual({ ...first, replayed: true });
    devnet.ledger.closeCheckpoint();
    expect(devnet.execute(data)).toMatchObject({ replayed: true, transaction: { checkpoint: 1 } });
  });

  test('builds on a pending one', () => {
    const devnet = createSmallDevnet();
    const first = devnet.run(call);
    const second = devnet.run(call);
    expect(second.dependencies).toEqual([first.digest]);
    expect(devnet.ledger.closeCheckpoint().endTransaction).toBe(second.sequence + 1);
  });
});

describe('a dry run', () => {
  test('returns what would happen and changes nothing', () => {
    const devnet = createSmallDevnet();
    const { ledger } = devnet;
    const data = devnet.build((tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(5))], devnet.bob.address));
    const dry = ledger.dryRun(encodeTransactionData(data));
    expect(ledger.transaction(dry.kind === 'executed' ? dry.transaction.digest : '')).toBeUndefined();
    const real = devnet.execute(data);
    if (dry.kind !== 'executed' || real.kind !== 'executed') throw new Error('refused');
    expect(dry.transaction.gasUsed).toEqual(real.transaction.gasUsed);
    expect(dry.transaction.changes.map(({ output }) => output?.digest)).toEqual(
      real.transaction.changes.map(({ output }) => output?.digest),
    );
  });

  test('checks everything except signatures', () => {
    const devnet = createSmallDevnet();
    const data = devnet.build(call, { gas: { price: 1n } });
    expect(devnet.ledger.dryRun(encodeTransactionData(data))).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('under reference gas price') as string,
    });
  });

  test('without a payment is paid with an invented coin', () => {
    const devnet = createSmallDevnet();
    const data = devnet.build(call, { gas: { payment: [] } });
    const outcome = devnet.ledger.dryRun(encodeTransactionData(data));
    expect(outcome).toMatchObject({ kind: 'executed', transaction: { status: { ok: true } } });
  });

  test('that skips checks accepts foreign and stale objects, and any gas data', () => {
    const devnet = createSmallDevnet();
    const [bobs] = devnet.coins(devnet.bob.address);
    const data = devnet.build((tx) => tx.transfer([tx.owned({ ...bobs!, version: 99 })], devnet.alice.address), {
      gas: { price: 0n, budget: 40_000_000_000_000_000n },
    });
    const bytes = encodeTransactionData(data);
    expect(devnet.ledger.dryRun(bytes)).toMatchObject({ kind: 'refused' });
    expect(devnet.ledger.dryRun(bytes, { skipChecks: true })).toMatchObject({
      kind: 'executed',
      transaction: { status: { ok: true }, lamportVersion: 2 },
    });
  });
});

describe('checkpoints', () => {
  test('chain their digests and number their transactions without gaps', () => {
    const { ledger } = createSmallDevnet({ checkpoints: 12, checkpointsPerEpoch: 4 });
    for (let at = 1; at <= ledger.latestCheckpoint().sequenceNumber; at += 1) {
      const [previous, current] = [ledger.checkpoint(at - 1)!, ledger.checkpoint(at)!];
      expect(current.previousDigest).toBe(previous.digest);
      expect(current.firstTransaction).toBe(previous.endTransaction);
      expect(current.networkTotalTransactions).toBe(current.endTransaction);
      expect(current.timestampMs).toBeGreaterThan(previous.timestampMs);
      expect(ledger.checkpointByDigest(current.digest)).toBe(current);
    }
    expect(ledger.checkpoint(0)?.previousDigest).toBeNull();
    expect(ledger.checkpoint(99)).toBeUndefined();
  });

  test('sum up gas over their epoch and start again with the next', () => {
    const devnet = createSmallDevnet();
    const cost = devnet.run(call).gasUsed.computationCost;
    expect(devnet.ledger.closeCheckpoint().rollingGasSummary.computationCost).toBe(cost);
    devnet.run(call);
    expect(devnet.ledger.closeCheckpoint().rollingGasSummary.computationCost).toBe(2n * cost);
    devnet.ledger.advanceEpoch();
    devnet.run(call);
    expect(devnet.ledger.closeCheckpoint().rollingGasSummary.computationCost).toBe(cost);
    expect(devnet.ledger.epoch(0)?.totalGasFees).toBe(2n * cost);
  });

  test('never go back in time when the clock does', () => {
    const devnet = createSmallDevnet();
    const before = devnet.ledger.latestCheckpoint().timestampMs;
    devnet.now -= 1_000_000;
    expect(devnet.ledger.closeCheckpoint().timestampMs).toBe(before);
  });

  test('are reported to listeners, until they stop', () => {
    const devnet = createSmallDevnet();
    const seen: [number, string[]][] = [];
    const stop = devnet.ledger.onCheckpoint(({ sequenceNumber }, taken) =>
      seen.push([sequenceNumber, taken.map(({ kind }) => kind)]),
    );
    devnet.run(call);
    devnet.ledger.closeCheckpoint();
    devnet.ledger.advanceEpoch();
    stop();
    devnet.ledger.closeCheckpoint();
    expect(seen).toEqual([
      [1, ['CONSENSUS_COMMIT_PROLOGUE_V1', 'PROGRAMMABLE_TX']],
      [2, ['CONSENSUS_COMMIT_PROLOGUE_V1', 'END_OF_EPOCH_TX']],
    ]);
  });
});

describe('epochs', () => {
  test('end with the checkpoint that holds their last transaction', () => {
    const devnet = createSmallDevnet();
    const { ledger } = devnet;
    devnet.now += 5_000;
    const next = ledger.advanceEpoch();
    expect(ledger.epoch(0)).toMatchObject({ endMs: devnet.now, endCheckpoint: 2 });
    expect(next).toMatchObject({
      epochId: 1,
      startMs: devnet.now,
      endMs: null,
      firstCheckpoint: 2,
      endCheckpoint: null,
    });
    expect(next.firstTransaction).toBe(ledger.latestCheckpoint().endTransaction);
    expect(ledger.latestCheckpoint().epoch).toBe(0);
    expect(ledger.closeCheckpoint().epoch).toBe(1);
    expect(ledger.events.at(-1)).toMatchObject({
      type: `0x${'3'.padStart(64, '0')}::system_state::SystemEpochInfoEvent`,
      json: { epoch: '1' },
      sender: `0x${'0'.repeat(64)}`,
    });
  });
});

describe('objects', () => {
  test('can be read at a version, as of a checkpoint, and now', () => {
    const devnet = createSmallDevnet();
    const { ledger, alice, bob } = devnet;
    const [, coin] = devnet.coins(alice.address);
    const id = coin!.objectId;
    const moved = devnet.run((tx) => tx.transfer([tx.owned(coin!)], bob.address));

    expect(ledger.currentObject(id)).toMatchObject({ owner: { address: bob.address }, checkpoint: null });
    expect(ledger.object(id)).toMatchObject({ owner: { address: alice.address }, checkpoint: 0 });
    ledger.closeCheckpoint();
    expect(ledger.object(id)).toMatchObject({ owner: { address: bob.address }, checkpoint: 1 });
    expect(ledger.object(id, { checkpoint: 0 })).toMatchObject({ owner: { address: alice.address } });
    expect(ledger.object(id, { version: 1 })).toEqual(ledger.object(id, { checkpoint: 0 }));
    expect(ledger.object(id, { version: 9 })).toBeUndefined();
    expect(ledger.objectVersions(id).map(({ version }) => version)).toEqual([1, moved.lamportVersion]);
  });

  test('that were deleted are gone, but not from the past', () => {
    const devnet = createSmallDevnet();
    const { ledger, alice } = devnet;
    const [, second, third] = devnet.coins(alice.address);
    devnet.run((tx) => tx.merge(tx.owned(second!), [tx.owned(third!)]));
    ledger.closeCheckpoint();
    const id = third!.objectId;
    expect(ledger.object(id)).toBeUndefined();
    expect(ledger.currentObject(id)).toBeUndefined();
    expect(ledger.object(id, { checkpoint: 0 })?.balance).toBe(third!.balance);
    expect(ledger.objectVersions(id).at(-1)).toMatchObject({ live: false, version: 2 });
    expect(ledger.object(id, { version: 2 })).toMatchObject({ live: false });
  });

  test('are listed by owner and in total, in the order of their ids, as of any checkpoint', () => {
    const devnet = createSmallDevnet();
    const { ledger, alice, bob } = devnet;
    const [, coin] = devnet.coins(alice.address);
    devnet.run((tx) => tx.transfer([tx.owned(coin!)], bob.address));
    const ids = (objects: readonly { objectId: string }[]) => objects.map(({ objectId }) => objectId);
    expect(ids(ledger.ownedObjects(bob.address, 0))).not.toContain(coin!.objectId);
    ledger.closeCheckpoint();
    expect(ids(ledger.ownedObjects(alice.address, 0))).toContain(coin!.objectId);
    expect(ids(ledger.ownedObjects(alice.address, 1))).not.toContain(coin!.objectId);
    expect(ids(ledger.ownedObjects(bob.address, 1))).toContain(coin!.objectId);
    for (const list of [ledger.liveObjects(1), ledger.ownedObjects(bob.address, 1)]) {
      expect(ids(list)).toEqual([...ids(list)].sort());
    }
    expect(ledger.ownedObjects(`0x${'9'.repeat(64)}`, 1)).toEqual([]);
  });

  test('of a future checkpoint read as of the newest, and again once it exists', () => {
    const devnet = createSmallDevnet();
    const { ledger, bob } = devnet;
    const count = (checkpoint: number) => ledger.ownedObjects(bob.address, checkpoint).length;
    const before = count(1);
    devnet.run((tx) => tx.transfer([tx.split(tx.gasCoin, tx.u64(1))], bob.address));
    expect(count(1)).toBe(before);
    ledger.closeCheckpoint();
    expect(count(1)).toBe(before + 1);
  });

  test('stay readable for a window behind the newest checkpoint', () => {
    const clock = () => 1_800_000_000_000;
    const ledger = createLedger({ clock, genesis: { checkpoints: 20, sponsorCoins: 0 }, availableCheckpoints: 5 });
    expect(ledger.firstAvailableCheckpoint()).toBe(14);
    ledger.closeCheckpoint();
    expect(ledger.firstAvailableCheckpoint()).toBe(15);
    expect(createLedger({ clock, genesis: { checkpoints: 3, sponsorCoins: 0 } }).firstAvailableCheckpoint()).toBe(0);
  });
});
