import type { ObjectRef } from '../../transactions/transaction-bcs.ts';
import type { ObjectRecord, OwnerRecord, TransactionRecord } from '../state/records.ts';
import { parseTransactionData } from '../transactions/parse-transaction.ts';

/**
 * Effects as the service writes them: empty lists left out, versions of references numbers, versions in
 * `modifiedAtVersions` and all amounts decimal text.
 */
export function toEffectsJson(transaction: TransactionRecord): Record<string, unknown> {
  const { status, gasUsed, changes } = transaction;
  const outputs = (kind: 'created' | 'mutated') =>
    changes.flatMap((change) => (change.kind === kind && change.output ? [toObjectChange(change.output)] : []));
  const deleted = changes.flatMap(({ kind, output }) => (kind === 'deleted' && output ? [toReference(output)] : []));
  const modified = changes.flatMap(({ input }) =>
    input ? [{ objectId: input.objectId, sequenceNumber: String(input.version) }] : [],
  );
  return {
    messageVersion: 'v1',
    status: status.ok ? { status: 'success' } : { status: 'failure', error: status.error },
    executedEpoch: String(transaction.epoch),
    gasUsed: {
      computationCost: gasUsed.computationCost.toString(),
      computationCostBurned: gasUsed.computationCostBurned.toString(),
      storageCost: gasUsed.storageCost.toString(),
      storageRebate: gasUsed.storageRebate.toString(),
      nonRefundableStorageFee: gasUsed.nonRefundableStorageFee.toString(),
    },
    ...listOf('modifiedAtVersions', modified),
    ...listOf('sharedObjects', toSharedObjects(transaction)),
    transactionDigest: transaction.digest,
    ...listOf('created', outputs('created')),
    ...listOf('mutated', outputs('mutated')),
    ...listOf('deleted', deleted),
    ...(transaction.gasObject ? { gasObject: toObjectChange(transaction.gasObject) } : {}),
    ...(transaction.eventsDigest === null ? {} : { eventsDigest: transaction.eventsDigest }),
    ...listOf('dependencies', transaction.dependencies),
  };
}

function listOf(name: string, items: readonly unknown[]): Record<string, unknown> {
  return items.length === 0 ? {} : { [name]: items };
}

function toObjectChange(object: ObjectRecord): Record<string, unknown> {
  return { owner: toOwner(object.owner), reference: toReference(object) };
}

function toReference({ objectId, version, digest }: ObjectRef): ObjectRef {
  return { objectId, version, digest };
}

function toOwner(owner: OwnerRecord): unknown {
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

/** Shared inputs at the versions they were read at. */
function toSharedObjects({ bytes, inputObjects }: TransactionRecord): ObjectRef[] {
  const { kind } = parseTransactionData(bytes);
  const inputs = kind.kind === 'PROGRAMMABLE_TX' ? kind.inputs : [];
  const shared = new Set(inputs.flatMap((input) => (input.kind === 'shared' ? [input.objectId] : [])));
  return inputObjects.filter(({ objectId }) => shared.has(objectId)).map(toReference);
}
