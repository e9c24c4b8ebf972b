import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { describe, expect, test } from 'vitest';
import { createDevnetAccounts } from '../../../../src/devnet/genesis/accounts.ts';
import { createActivity } from '../../../../src/devnet/genesis/activity.ts';
import { createDevnetContracts } from '../../../../src/devnet/genesis/contracts.ts';
import { createLedger, defaultSeed } from '../../../../src/devnet/state/ledger.ts';
import { checkSignatures } from '../../../../src/devnet/transactions/check-signatures.ts';
import { parseTransactionData } from '../../../../src/devnet/transactions/parse-transaction.ts';

const now = 1_800_000_000_000;
const ledger = createLedger({ clock: () => now });
const newest = ledger.latestCheckpoint().sequenceNumber;
const programmable = ledger.transactions.filter(({ kind }) => kind === 'PROGRAMMABLE_TX');

describe('the initial history of a simulated network', () => {
  test('is long enough to page through', () => {
    expect(newest).toBe(319);
    expect(ledger.latestEpoch().epochId).toBe(3);
    expect(ledger.events.length).toBeGreaterThan(1500);
    expect(ledger.firstAvailableCheckpoint()).toBe(19);
  });

  test('ends before now, in order', () => {
    const times = ledger.transactions.map(({ timestampMs }) => timestampMs);
    expect(times.at(-1)).toBeLessThan(now);
    expect([...times].sort((left, right) => left - right)).toEqual(times);
    expect(ledger.checkpoint(0)?.timestampMs).toBe(now - 320_000);
  });

  test('numbers transactions and events by position', () => {
    expect(ledger.transactions.every(({ sequence }, index) => sequence === index)).toBe(true);
    expect(ledger.events.every(({ sequence }, index) => sequence === index)).toBe(true);
    expect(ledger.transactions.flatMap(({ events }) => events)).toEqual(ledger.events);
  });

  test('has every kind of transaction, also failed and sponsored ones', () => {
    const kinds = new Set(ledger.transactions.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'CONSENSUS_COMMIT_PROLOGUE_V1',
      'END_OF_EPOCH_TX',
      'GENESIS',
      'PROGRAMMABLE_TX',
    ]);
    expect(programmable.filter(({ status }) => !status.ok).length).toBeGreaterThan(5);
    expect(programmable.filter(({ status }) => !status.ok).length).toBeLessThan(programmable.length / 10);
    expect(programmable.filter(({ sender, gas }) => sender !== gas.owner).length).toBeGreaterThan(10);
    expect(new Set(programmable.map(({ sender }) => sender)).size).toBeGreaterThanOrEqual(8);
  });

  test('has events of many types, one generic, one defined elsewhere than it is emitted', () => {
    const types = new Set(ledger.events.map(({ type }) => type));
    expect(types.size).toBeGreaterThanOrEqual(8);
    expect([...types].some((type) => type.includes('<'))).toBe(true);
    const elsewhere = ledger.events.filter(
      ({ type, packageId, transactionModule }) => !type.startsWith(`${packageId}::${transactionModule}::`),
    );
    expect(new Set(elsewhere.map(({ type }) => type.split('::')[2]))).toEqual(new Set(['NewObject']));
    expect(new Set(elsewhere.map(({ transactionModule }) => transactionModule))).toEqual(new Set(['listings', 'hero']));
    expect(ledger.events.some(({ recipients }) => recipients.length > 0)).toBe(true);
  });

  test('has shared, immutable, owned and object-owned objects, and coins of three types', () => {
    const objects = ledger.liveObjects(newest);
    expect(new Set(objects.map(({ owner }) => owner.kind))).toEqual(
      new Set(['address', 'object', 'shared', 'immutable']),
    );
    const coinTypes = new Set(objects.flatMap(({ type, balance }) => (balance === null ? [] : [type])));
    expect(coinTypes.size).toBe(3);
    for (const type of coinTypes) {
      const coinType = type.slice(type.indexOf('<') + 1, -1);
      const metadata = ledger.coinMetadata(coinType);
      expect(ledger.object(metadata!.objectId)?.json.symbol).toBe(metadata!.symbol);
    }
  });

  test('is really signed: every signature verifies, every byte decodes', () => {
    for (const { bytes, signatures } of programmable.slice(0, 60)) {
      expect(checkSignatures(parseTransactionData(bytes), bytes, signatures())).toBeNull();
    }
    const digests = new Set(ledger.transactions.map(({ digest }) => digest));
    expect(digests.size).toBe(ledger.transactions.length);
  });

  test('has dynamic fields under the ids that the SDK derives', () => {
    const registry = ledger.liveObjects(0).find(({ type }) => type.endsWith('::events::Registry'))!;
    const fields = ledger.ownedObjects(registry.objectId, newest);
    expect(fields.map(({ json }) => json.name).sort()).toEqual(['heroes', 'listings', 'pools']);
    for (const { objectId, json } of fields) {
      const name = Buffer.from(String(json.name));
      const key = Uint8Array.from([name.length, ...name]);
      expect(deriveDynamicFieldID(registry.objectId, '0x1::string::String', key)).toBe(objectId);
    }
  });

  test('conserves coins, except for gas', () => {
    const total = (checkpoint: number) =>
      ledger
        .liveObjects(checkpoint)
        .reduce((sum, { balance, type }) => (type.includes('::gold::') ? sum + (balance ?? 0n) : sum), 0n);
    expect(total(newest)).toBe(total(0));
  });
});

describe('later activity', () => {
  test('is accepted like any other transaction', () => {
    const live = createLedger({ clock: () => now, genesis: { checkpoints: 40, sponsorCoins: 2 } });
    const accounts = createDevnetAccounts(defaultSeed);
    const contracts = createDevnetContracts(defaultSeed);
    const activity = createActivity({ ledger: live, accounts, contracts, seed: defaultSeed, sequenceSeed: 77 });
    for (let count = 0; count < 60; count += 1) {
      const { bytes, signatures } = activity.next();
      expect(live.execute(bytes, signatures())).toMatchObject({ kind: 'executed', replayed: false });
      if (count % 4 === 3) live.closeCheckpoint();
    }
  });
});
