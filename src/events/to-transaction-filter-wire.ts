import type { MoveFunctionFilter, TransactionQueryFilter } from '../generated/own.ts';
import { argumentError, checkAddress, checkIdentifier, checkU64Text, refuse } from '../ledger/values/check-argument.ts';
import { type CheckedFilter, soleMember, toChecked } from './to-event-filter-wire.ts';
import type { FilterWire } from './wire.ts';

const maxKinds = 32;

/**
 * The wire form of a transaction filter. No filter is `null` and selects every transaction. Addresses are sent with all 32
 * bytes, as for events.
 * @throws `BAD_USER_INPUT` if a value breaks its rule
 */
export function toTransactionFilterWire(
  filter: TransactionQueryFilter | null | undefined,
): CheckedFilter<FilterWire | null> {
  return toChecked(filter ? toMemberWire(soleMember(filter), filter) : null);
}

function toMemberWire(member: keyof TransactionQueryFilter, filter: TransactionQueryFilter): FilterWire {
  const argument = `filter.${member}`;
  const text = filter[member] as string;
  switch (member) {
    case 'checkpoint':
      return { Checkpoint: checkU64Text(argument, text) };
    case 'inputObject':
      return { InputObject: checkAddress(argument, text) };
    case 'changedObject':
      return { ChangedObject: checkAddress(argument, text) };
    case 'fromAddress':
      return { FromAddress: checkAddress(argument, text) };
    case 'toAddress':
      return { ToAddress: checkAddress(argument, text) };
    case 'fromOrToAddress':
      return { FromOrToAddress: { addr: checkAddress(argument, text) } };
    case 'fromAndToAddress': {
      const { from, to } = filter.fromAndToAddress ?? { from: '', to: '' };
      return {
        FromAndToAddress: { from: checkAddress(`${argument}.from`, from), to: checkAddress(`${argument}.to`, to) },
      };
    }
    case 'transactionKind':
      return { TransactionKind: checkIdentifier(argument, text) };
    case 'transactionKindIn':
      return toKindsWire(argument, filter.transactionKindIn ?? []);
    case 'moveFunction':
      return toFunctionWire(argument, filter.moveFunction as MoveFunctionFilter);
  }
}

function toKindsWire(argument: string, kinds: readonly string[]): FilterWire {
  if (kinds.length < 1 || kinds.length > maxKinds) refuse(argument, kinds, `must have 1 to ${maxKinds} entries`);
  return { TransactionKindIn: [...new Set(kinds.map((kind) => checkIdentifier(argument, kind)))].sort() };
}

function toFunctionWire(argument: string, { package: id, module, function: name }: MoveFunctionFilter): FilterWire {
  if (name != null && module == null)
    throw argumentError(`${argument}.module`, `Argument '${argument}.function' needs '${argument}.module'.`);
  return {
    MoveFunction: {
      package: checkAddress(`${argument}.package`, id),
      ...(module != null && { module: checkIdentifier(`${argument}.module`, module) }),
      ...(name != null && { function: checkIdentifier(`${argument}.function`, name) }),
    },
  };
}
