import { variablesOf } from '../documents/plan/split-document.ts';
import type { PreparedOperation, UnreadSplit } from './prepared-operation.ts';

/** `null` if the operation has one owner, or mixes root keys of both, so that its answer must be merged key by key. */
export function toUnreadSplit(prepared: PreparedOperation): UnreadSplit | null {
  if (prepared.plan !== 'SPLIT' || prepared.isConditional) return null;
  const owners = [...prepared.rootFields({}).values()].map(([node]) => prepared.isLedgers(node?.name.value ?? ''));
  // All keys of one owner must come before all of the other: the owner changes exactly once.
  if (owners.filter((owner, index) => index > 0 && owner !== owners[index - 1]).length !== 1) return null;
  const { ledger, own } = prepared.parts();
  return {
    kind: 'split',
    queryJson: JSON.stringify(ledger.text),
    ledgerVariables: (sent) => variablesOf(ledger, sent),
    isLedgerFirst: owners[0] === true,
    executeOwn: (sent, context) => own.execute(variablesOf(own, sent), context),
  };
}
