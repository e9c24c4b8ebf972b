import type { LedgerReader } from '../state/ledger-state.ts';
import type { ObjectRecord, OwnerRecord, TransactionRecord } from '../state/records.ts';

/** Shown as the gas object of a transaction that paid none. */
const noGasObject = {
  owner: { AddressOwner: `0x${'0'.repeat(64)}` },
  reference: { objectId: `0x${'0'.repeat(64)}`, version: 0, digest: '1'.repeat(32) },
};

export function toOwnerJson(owner: OwnerRecord) {
  switch (owner.kind) {
    case 'address':
      return { AddressOwner: owner.address };
    case 'object':
      return { ObjectOwner: owner.address };
    case 'shared':
      return { Shared: { initial_shared_version: owner.initialSharedVersion } };
    case 'immutable':
      return 'Immutable';
  }
}

/** Effects as nodes send them: lists that would be empty are left out. */
export function toEffectsJson(transaction: TransactionRecord, ledger: Pick<LedgerReader, 'object'>) {
  const { changes, gasUsed, status, gasObject } = transaction;
  const outputs = (kind: 'created' | 'mutated') =>
    changes.flatMap((change) => (change.kind === kind && change.output ? [toOwnedReference(change.output)] : []));
  return {
    messageVersion: 'v1',
    status: status.ok ? { status: 'success' } : { status: 'failure', error: status.error },
    executedEpoch: String(transaction.epoch),
    gasUsed: {
      computationCost: String(gasUsed.computationCost),
      computationCostBurned: String(gasUsed.computationCostBurned),
      storageCost: String(gasUsed.storageCost),
      storageRebate: String(gasUsed.storageRebate),
      nonRefundableStorageFee: String(gasUsed.nonRefundableStorageFee),
    },
    ...unlessEmpty(
      'modifiedAtVersions',
      changes.flatMap(({ objectId, input }) => (input ? [{ objectId, sequenceNumber: String(input.version) }] : [])),
    ),
    ...unlessEmpty(
      'sharedObjects',
      transaction.inputObjects.filter(
        ({ objectId, version }) => ledger.object(objectId, { version })?.owner.kind === 'shared',
      ),
    ),
    transactionDigest: transaction.digest,
    ...unlessEmpty('created', outputs('created')),
    ...unlessEmpty('mutated', outputs('mutated')),
    ...unlessEmpty(
      'deleted',
      changes.flatMap(({ kind, output }) => (kind === 'deleted' && output ? [toReference(output)] : [])),
    ),
    gasObject: gasObject ? toOwnedReference(gasObject) : noGasObject,
    ...(transaction.eventsDigest !== null && { eventsDigest: transaction.eventsDigest }),
    ...unlessEmpty('dependencies', transaction.dependencies),
  };
}

function toReference({ objectId, version, digest }: ObjectRecord) {
  return { objectId, version, digest };
}

function toOwnedReference(object: ObjectRecord) {
  return { owner: toOwnerJson(object.owner), reference: toReference(object) };
}

function unlessEmpty<Key extends string, Item>(key: Key, list: readonly Item[]) {
  return list.length > 0 ? { [key]: list } : {};
}
