import type { MoveFunctionFilter, TransactionQueryFilter } from '../generated/own.ts';
import { argumentError, checkAddress, checkIdentifier, checkU64Text, refuse } from '../ledger/values/check-argument.ts';
import { type CheckedFilter, soleMember } from './to-event-filter-wire.ts';
import type { FilterWire } from './wire.ts';

const maxKinds = 32;

/**
 * The wire form of a transaction filter. No filter is `null` and asks for every transaction. Values go out as the
 * client wrote them.
 * @throws `BAD_USER_INPUT` if a value breaks its rule
 */
export function toTransactionFilterWire(
  filter: TransactionQueryFilter | null | undefined,
): CheckedFilter<FilterWire | null> {
  if (!filter) return { wire: null, identity: 'null' };
  const member = soleMember(filter);
  const { variant, value, identity } = toMemberWire(member, filter);
  return { wire: { [variant]: value }, identity: JSON.stringify([variant, identity]) };
}

interface MemberWire {
  readonly variant: string;
  readonly value: unknown;
  readonly identity: unknown;
}

function toMemberWire(member: keyof TransactionQueryFilter, filter: TransactionQueryFilter): MemberWire {
  const argument = `filter.${member}`;
  const text = filter[member] as string;
  switch (member) {
    case 'checkpoint':
      return { variant: 'Checkpoint', value: text, identity: checkU64Text(argument, text) };
    case 'inputObject':
      return { variant: 'InputObject', value: text, identity: checkAddress(argument, text) };
    case 'changedObject':
      return { variant: 'ChangedObject', value: text, identity: checkAddress(argument, text) };
    case 'fromAddress':
      return { variant: 'FromAddress', value: text, identity: checkAddress(argument, text) };
    case 'toAddress':
      return { variant: 'ToAddress', value: text, identity: checkAddress(argument, text) };
    case 'fromOrToAddress':
      return { variant: 'FromOrToAddress', value: { addr: text }, identity: checkAddress(argument, text) };
    case 'fromAndToAddress': {
      const { from, to } = filter.fromAndToAddress ?? { from: '', to: '' };
      const identity = [checkAddress(`${argument}.from`, from), checkAddress(`${argument}.to`, to)];
      return { variant: 'FromAndToAddress', value: { from, to }, identity };
    }
    case 'transactionKind':
      return { variant: 'TransactionKind', value: text, identity: checkIdentifier(argument, text) };
    case 'transactionKindIn':
      return toKindsWire(argument, filter.transactionKindIn ?? []);
    case 'moveFunction':
      return toFunctionWire(argument, filter.moveFunction as MoveFunctionFilter);
  }
}

function toKindsWire(argument: string, kinds: readonly string[]): MemberWire {
  if (kinds.length < 1 || kinds.length > maxKinds) refuse(argument, kinds, `must have 1 to ${maxKinds} entries`);
  const identity = [...new Set(kinds.map((kind) => checkIdentifier(argument, kind)))].sort();
  return { variant: 'TransactionKindIn', value: kinds, identity };
}

function toFunctionWire(argument: string, { package: id, module, function: name }: MoveFunctionFilter): MemberWire {
  const identity = [checkAddress(`${argument}.package`, id)];
  if (module != null) identity.push(checkIdentifier(`${argument}.module`, module));
  if (name != null) {
    if (module == null)
      throw argumentError(`${argument}.module`, `Argument '${argument}.function' needs '${argument}.module'.`);
    identity.push(checkIdentifier(`${argument}.function`, name));
  }
  const value = { package: id, ...(module != null && { module }), ...(name != null && { function: name }) };
  return { variant: 'MoveFunction', value, identity };
}
