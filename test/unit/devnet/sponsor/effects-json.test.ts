import { describe, expect, test } from 'vitest';
import { toEffectsJson } from '../../../../src/devnet/sponsor/effects-json.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

describe('effects as JSON', () => {
  test('of the genesis transaction have every kind of owner and no gas object', () => {
    const { ledger, accounts } = createSmallDevnet();
    const effects = toEffectsJson(ledger.transactions[0]!);
    const owners = (effects.created as { owner: unknown }[]).map(({ owner }) => owner);
    const registry = ledger.liveObjects(0).find(({ type }) => type.endsWith('::events::Registry'))!;
    expect(owners).toEqual(
      expect.arrayContaining([
        { AddressOwner: accounts.sponsor.address },
        { ObjectOwner: registry.objectId },
        { Shared: { initial_shared_version: 1 } },
        'Immutable',
      ]),
    );
    expect(Object.keys(effects)).toEqual([
      'messageVersion',
      'status',
      'executedEpoch',
      'gasUsed',
      'transactionDigest',
      'created',
    ]);
  });

  test('keep numbers numbers in references and text everywhere else', () => {
    const devnet = createSmallDevnet();
    const [, second, third] = devnet.coins(devnet.alice.address);
    const effects = toEffectsJson(devnet.run((tx) => tx.merge(tx.owned(second!), [tx.owned(third!)])));
    expect(effects.deleted).toEqual([
      { objectId: third!.objectId, version: 2, digest: '7gyGAp71YXQRoxmFBaHxofQXAipvgHyBKPyxmdSJxyvz' },
    ]);
    expect(effects.modifiedAtVersions).toContainEqual({ objectId: second!.objectId, sequenceNumber: '1' });
    expect(effects.gasUsed).toMatchObject({ computationCost: '1010000', nonRefundableStorageFee: '29640' });
    expect(effects.executedEpoch).toBe('0');
  });
});
