import { BcsWriter } from '@mysten/bcs';
import { ledgerBcs } from '../../transactions/ledger-bcs.ts';
import type { MoveCallCommand } from '../../transactions/transaction-bcs.ts';
import { toTypeText } from '../transactions/type-text.ts';
import type { LedgerView } from './ledger-view.ts';
import { guessPureValue, readPureValue } from './pure-value.ts';

/** An event that the ledger has not numbered yet. */
export interface EventDraft {
  readonly packageId: string;
  readonly transactionModule: string;
  readonly type: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly bcs: Uint8Array;
}

/** An argument of a Move call: bytes, an object, or the unknown result of an earlier call. */
export type CallValue =
  | { readonly kind: 'pure'; readonly bytes: Uint8Array }
  | { readonly kind: 'object'; readonly objectId: string }
  | { readonly kind: 'opaque' };

export interface CallOutcome {
  readonly event: EventDraft;
  /** The object its result turns into when it is transferred. */
  readonly returned: Pick<EventDraft, 'type' | 'json' | 'bcs'>;
}

/**
 * Any Move call succeeds and emits one event. A function the devnet knows has named fields and a declared event type;
 * for the others the type is `package::module::<Function>Event` with the call's type arguments, the fields `arg0`, `arg1`, ….
 * The event's BCS is that of its fields in order.
 */
export function runMoveCall(
  command: MoveCallCommand,
  values: readonly CallValue[],
  describeCall: LedgerView['describeCall'],
): CallOutcome {
  const module = `${command.package}::${command.module}`;
  const signature = describeCall(`${module}::${command.function}`);
  const typeArguments =
    command.typeArguments.length === 0 ? '' : `<${command.typeArguments.map(toTypeText).join(',')}>`;
  const toName = (suffix: string) => `${module}::${toPascalCase(command.function)}${suffix}`;
  const fields: Record<string, unknown> = {};
  const writer = new BcsWriter({ initialSize: 128 });
  values.forEach((value, index) => {
    const parameter = signature?.parameters[index];
    fields[parameter?.name ?? `arg${index}`] = toJson(value, parameter?.type);
    if (value.kind === 'pure') writer.writeBytes(value.bytes);
    if (value.kind === 'object') ledgerBcs.address.write(value.objectId, writer);
  });
  const bcs = writer.toBytes();
  const type = signature?.eventType ?? toName('Event');
  return {
    event: {
      packageId: command.package,
      transactionModule: command.module,
      type: signature && !signature.isEventGeneric ? type : `${type}${typeArguments}`,
      json: fields,
      bcs,
    },
    returned: { type: signature?.returns ?? `${toName('Object')}${typeArguments}`, json: fields, bcs },
  };
}

function toJson(value: CallValue, type: Parameters<typeof readPureValue>[1] | undefined): unknown {
  if (value.kind === 'object') return value.objectId;
  if (value.kind === 'opaque') return null;
  const declared = type === undefined ? undefined : readPureValue(value.bytes, type);
  return declared ?? guessPureValue(value.bytes);
}

/** `place_bid` → `PlaceBid`. */
function toPascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}
