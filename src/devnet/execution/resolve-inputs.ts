import type { CallArg, ObjectRef, ProgrammableTransaction } from '../../transactions/transaction-bcs.ts';
import type { ObjectRecord } from '../state/records.ts';
import type { AnyTransactionData } from '../transactions/system-transaction.ts';
import type { LedgerView } from './ledger-view.ts';
import { inputRefusal } from './refusal.ts';

/** An input of a programmable transaction that exists and may be used. */
export type ResolvedInput =
  | { readonly kind: 'pure'; readonly bytes: Uint8Array }
  | { readonly kind: 'object'; readonly record: ObjectRecord; readonly access: ObjectAccess };

/**
 * How an object may be used: `owned` by the sender; `shared` mutably or read-only; `immutable`; `receiving`: owned by
 * the address of another object.
 */
export type ObjectAccess = 'owned' | 'shared-mutable' | 'shared-read' | 'immutable' | 'receiving';

/**
 * Finds every input at the version it names and checks that the sender may use it; refuses otherwise.
 * @param skipChecks take the current version of an object, whoever owns it
 */
export function resolveInputs(
  transaction: ProgrammableTransaction,
  sender: string,
  view: LedgerView,
  skipChecks: boolean,
): ResolvedInput[] {
  return transaction.inputs.map((input): ResolvedInput => {
    if (input.kind === 'pure') return input;
    if (input.kind === 'shared') return resolveShared(input, view);
    const record = findExact(input.ref, view, skipChecks);
    if (record.type === 'package') {
      throw inputRefusal(`A move object is expected, instead a move package is passed: ${record.objectId}`);
    }
    if (input.kind === 'receiving') return { kind: 'object', record, access: 'receiving' };
    return { kind: 'object', record, access: checkOwned(record, sender, skipChecks) };
  });
}

function resolveShared(input: CallArg & { kind: 'shared' }, view: LedgerView): ResolvedInput {
  const record = view.currentObject(input.objectId);
  if (!record) throw inputRefusal(`Could not find the referenced object ${input.objectId} at version None`);
  if (record.owner.kind !== 'shared')
    throw inputRefusal('Mutable shared or read-only shared object expected: the object is not shared');
  if (record.owner.initialSharedVersion !== input.initialSharedVersion) {
    throw inputRefusal('The shared object starting version does not match the version provided by the transaction');
  }
  return { kind: 'object', record, access: input.mutable ? 'shared-mutable' : 'shared-read' };
}

function checkOwned(record: ObjectRecord, sender: string, skipChecks: boolean): ObjectAccess {
  switch (record.owner.kind) {
    case 'immutable':
      return 'immutable';
    case 'shared':
      throw inputRefusal(`Object ${record.objectId} is shared and cannot be used as an owned input`);
    case 'object':
      throw inputRefusal(
        `Object ${record.objectId} is owned by object ${record.owner.address}. Objects owned by other objects cannot be used as input arguments`,
      );
    case 'address':
      if (!skipChecks && record.owner.address !== sender)
        throw notSignedByOwner(record.objectId, record.owner.address, sender);
      return 'owned';
  }
}

function notSignedByOwner(objectId: string, owner: string, signer: string): Error {
  return inputRefusal(
    `Transaction was not signed by the correct sender: Object ${objectId} is owned by account address ${owner}, but given owner/signer address is ${signer}`,
  );
}

/** The object at exactly this reference, which must also be its newest version. */
export function findExact(ref: ObjectRef, view: LedgerView, skipChecks = false): ObjectRecord {
  const current = view.currentObject(ref.objectId);
  if (!current) {
    throw inputRefusal(
      `Could not find the referenced object ${ref.objectId} at version Some(SequenceNumber(${ref.version}))`,
    );
  }
  if (skipChecks) return current;
  if (current.version < ref.version) {
    throw inputRefusal(
      `Could not find the referenced object ${ref.objectId} at version Some(SequenceNumber(${ref.version}))`,
    );
  }
  if (current.version !== ref.version) {
    throw inputRefusal(
      `Object ID ${ref.objectId} Version ${ref.version} Digest ${ref.digest} is not available for consumption, current version: ${current.version}`,
    );
  }
  if (current.digest !== ref.digest) {
    throw inputRefusal(`Invalid Object digest for object ${ref.objectId}. Expected digest : ${current.digest}`);
  }
  return current;
}

/** No object may be named twice, gas payment included. */
export function checkDistinct(data: AnyTransactionData): void {
  const seen = new Set<string>();
  const inputs = data.kind.kind === 'PROGRAMMABLE_TX' ? data.kind.inputs : [];
  const named = inputs.flatMap((input) => {
    if (input.kind === 'pure') return [];
    return [input.kind === 'shared' ? input.objectId : input.ref.objectId];
  });
  for (const objectId of [...named, ...data.gas.payment.map((ref) => ref.objectId)]) {
    if (seen.has(objectId)) throw inputRefusal("The transaction inputs contain duplicated ObjectRef's");
    seen.add(objectId);
  }
}
