import { bcs } from '@mysten/bcs';
import { ledgerBcs } from '../../transactions/ledger-bcs.ts';
import type { TransactionCommand } from '../../transactions/transaction-bcs.ts';
import { toWellKnownAddress } from '../transactions/address.ts';
import { encodeBcs } from '../transactions/encode-bcs.ts';
import { toTypeText } from '../transactions/type-text.ts';
import { type CommandContext, makeResult, readAddress } from './command-context.ts';
import type { CommandResult, Value } from './command-values.ts';
import { runMoveCall } from './move-call.ts';
import { type ObjectDraft, toObjectBcs } from './move-object.ts';
import { createPackage } from './move-package.ts';

const packageModule = `${toWellKnownAddress(2)}::package`;

const upgradeCap = bcs.struct('UpgradeCap', {
  id: ledgerBcs.address,
  package: ledgerBcs.address,
  version: bcs.u64(),
  policy: bcs.u8(),
});

export function transferObjects(
  context: CommandContext,
  command: TransactionCommand & { kind: 'transferObjects' },
): CommandResult {
  const { store, values } = context;
  const taken = command.objects.map((argument, position) => {
    const value = values.resolve(argument, position);
    checkTransferable(context, value, position);
    values.markMoved(value);
    return value;
  });
  const address = readAddress(values, command.recipient, command.objects.length);
  for (const value of taken) {
    const draft = toTransferred(context, value);
    if (draft) store.write({ ...draft, owner: { kind: 'address', address } });
  }
  return { kind: 'values', values: [] };
}

function checkTransferable({ values }: CommandContext, value: Value, position: number): void {
  if (value.kind === 'pure') throw values.fault(position, 'TypeMismatch');
  if (value.kind === 'opaque') {
    if (value.returned.type.startsWith('vector<')) throw values.fault(position, 'TypeMismatch');
    return;
  }
  switch (value.access) {
    case 'shared-mutable':
    case 'shared-read':
      throw values.failure('SharedObjectOperationNotAllowed');
    case 'immutable':
      throw values.fault(position, 'InvalidObjectByValue');
    case 'receiving':
      throw values.fault(position, 'TypeMismatch');
    case 'owned':
    case 'gas':
    case 'result':
  }
}

/**
 * The result of a call turns out to be an object when it is transferred: it is created here, with the call's
 * arguments as fields.
 */
function toTransferred(context: CommandContext, value: Value): ObjectDraft | undefined {
  if (value.kind === 'object') return context.store.read(value.objectId);
  if (value.kind === 'pure') return undefined;
  const objectId = context.nextObjectId();
  const draft: ObjectDraft = {
    objectId,
    type: value.returned.type,
    owner: { kind: 'address', address: context.sender },
    json: { id: objectId, ...value.returned.json },
    bcs: toObjectBcs(objectId, value.returned.bcs),
    balance: null,
  };
  context.store.create(draft);
  return draft;
}

export function moveCall(context: CommandContext, command: TransactionCommand & { kind: 'moveCall' }): CommandResult {
  const given = command.arguments.map((argument, position) =>
    takeSeen(context, context.values.resolve(argument, position)),
  );
  const { event, returned } = runMoveCall(command, given, context.view.describeCall);
  context.events.push(event);
  return { kind: 'call', returned };
}

/** A list can only be used in a call, so objects put into it count as handed to a call. */
export function makeMoveVec(
  context: CommandContext,
  command: TransactionCommand & { kind: 'makeMoveVec' },
): CommandResult {
  for (const [position, argument] of command.elements.entries()) {
    takeSeen(context, context.values.resolve(argument, position));
  }
  const element = command.type === null ? 'u8' : toTypeText(command.type);
  return { kind: 'call', returned: { type: `vector<${element}>`, json: {}, bcs: new Uint8Array() } };
}

function takeSeen(context: CommandContext, value: Value): Value {
  if (value.kind === 'object') context.seenByCalls.add(value.objectId);
  return value;
}

export function publish(context: CommandContext, command: TransactionCommand & { kind: 'publish' }): CommandResult {
  const packageId = context.nextObjectId();
  context.store.create(createPackage(packageId, 1, command.modules));
  const capId = context.nextObjectId();
  const cap = makeResult(context, {
    objectId: capId,
    type: `${packageModule}::UpgradeCap`,
    json: { id: capId, package: packageId, version: '1', policy: 0 },
    bcs: encodeBcs(upgradeCap, { id: capId, package: packageId, version: 1, policy: 0 }),
    balance: null,
  });
  return { kind: 'values', values: [cap] };
}

/**
 * The new version of a package is an object of its own. The result of the command is the receipt that a commit call
 * takes.
 */
export function upgrade(context: CommandContext, command: TransactionCommand & { kind: 'upgrade' }): CommandResult {
  context.values.resolve(command.ticket, 0);
  const before = context.view.currentObject(command.package);
  if (before?.type !== 'package') throw context.values.failure('PublishUpgradeMissingDependency');
  context.store.create(createPackage(context.nextObjectId(), before.version + 1, command.modules));
  const json = { package: command.package };
  return { kind: 'call', returned: { type: `${packageModule}::UpgradeReceipt`, json, bcs: new Uint8Array() } };
}
