import type { BcsType } from '@mysten/bcs';
import { ledgerBcs, parseBcs } from '../../transactions/ledger-bcs.ts';
import type { Argument } from '../../transactions/transaction-bcs.ts';
import type { CommandValues, Value } from './command-values.ts';
import type { LedgerView } from './ledger-view.ts';
import type { EventDraft } from './move-call.ts';
import type { ObjectDraft } from './move-object.ts';
import type { TemporaryStore } from './temporary-store.ts';

/** State that the commands of one transaction share. */
export interface CommandContext {
  readonly store: TemporaryStore;
  readonly values: CommandValues;
  readonly view: LedgerView;
  readonly sender: string;
  readonly events: EventDraft[];
  /** Objects that were handed to a Move call. */
  readonly seenByCalls: Set<string>;
  nextObjectId(): string;
}

/** Creates an object that belongs to no one until a later command takes it. */
export function makeResult(context: CommandContext, draft: Omit<ObjectDraft, 'owner'>): Value {
  context.store.create({ ...draft, owner: { kind: 'address', address: context.sender } });
  return { kind: 'object', objectId: draft.objectId, access: 'result' };
}

export function readU64(values: CommandValues, argument: Argument, position: number): bigint {
  return readPure(values, argument, position, ledgerBcs.u64);
}

export function readAddress(values: CommandValues, argument: Argument, position: number): string {
  return readPure(values, argument, position, ledgerBcs.address);
}

function readPure<T>(values: CommandValues, argument: Argument, position: number, type: Pick<BcsType<T>, 'read'>): T {
  const value = values.resolve(argument, position);
  if (value.kind !== 'pure') throw values.fault(position, 'TypeMismatch');
  try {
    return parseBcs(type, value.bytes);
  } catch {
    throw values.fault(position, 'InvalidBCSBytes');
  }
}
