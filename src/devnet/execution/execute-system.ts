import { transactionDigest } from '../../transactions/digest.ts';
import type { ObjectRecord, TransactionRecord } from '../state/records.ts';
import { zeroAddress } from '../transactions/address.ts';
import { encodeTransactionData } from '../transactions/encode-transaction.ts';
import type { AnyTransactionData, SystemTransaction } from '../transactions/system-transaction.ts';
import { zeroGas } from './gas-schedule.ts';
import type { LedgerView } from './ledger-view.ts';
import type { EventDraft } from './move-call.ts';
import type { ObjectDraft } from './move-object.ts';
import { TemporaryStore } from './temporary-store.ts';
import { toTransactionRecord } from './transaction-record.ts';

export interface SystemEffects {
  /** The objects that the transaction replaces, as they were before. */
  readonly inputs: readonly ObjectRecord[];
  /** The objects after the transaction: replaced ones and new ones. */
  readonly outputs: readonly ObjectDraft[];
  readonly events: readonly EventDraft[];
}

/** A transaction that validators make themselves: zero sender, no gas, no signature, and it cannot fail. */
export function executeSystem(payload: SystemTransaction, effects: SystemEffects, view: LedgerView): TransactionRecord {
  const data: AnyTransactionData = {
    kind: payload,
    sender: zeroAddress,
    gas: { payment: [], owner: zeroAddress, price: 1n, budget: 0n },
    expirationEpoch: null,
  };
  const bytes = encodeTransactionData(data);
  const digest = transactionDigest(bytes);
  const store = new TemporaryStore(effects.inputs);
  for (const output of effects.outputs) {
    if (store.isMutable(output.objectId)) store.write(output);
    else store.create(output);
  }
  const lamportVersion = Math.max(0, ...effects.inputs.map((input) => input.version)) + 1;
  return toTransactionRecord(
    {
      data,
      bytes,
      digest,
      signatures: () => [],
      status: { ok: true },
      gasUsed: zeroGas,
      lamportVersion,
      changes: store.toChanges(lamportVersion, digest),
      inputs: effects.inputs,
      gasCoinId: null,
      events: effects.events,
    },
    view,
  );
}
