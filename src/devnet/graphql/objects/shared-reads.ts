import type { ObjectRef } from '../../../transactions/transaction-bcs.ts';
import type { TransactionRecord } from '../../state/records.ts';
import { parseTransactionData } from '../../transactions/parse-transaction.ts';

/** Shared objects that a transaction took as inputs and left as they were, at the versions it read. */
export function sharedReadsOf({ bytes, changes, inputObjects, kind }: TransactionRecord): readonly ObjectRef[] {
  if (kind !== 'PROGRAMMABLE_TX') return [];
  const payload = parseTransactionData(bytes).kind;
  if (payload.kind !== 'PROGRAMMABLE_TX') return [];
  const changed = new Set(changes.map(({ objectId }) => objectId));
  return payload.inputs.flatMap((input) => {
    if (input.kind !== 'shared' || changed.has(input.objectId)) return [];
    return inputObjects.filter(({ objectId }) => objectId === input.objectId);
  });
}
