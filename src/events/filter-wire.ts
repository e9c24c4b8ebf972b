import { type EventFilterMember, eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';
import type {
  EventQueryFilter,
  MoveFunctionFilter,
  MoveModuleFilter,
  TimeRangeFilter,
  TransactionQueryFilter,
} from '../generated/own.ts';
import {
  argumentError,
  checkAddress,
  checkDigest,
  checkIdentifier,
  checkStructType,
  checkStructTypeOrName,
  checkU64Text,
  checkUInt53,
  refuseArgument,
} from '../ledger/values/check-argument.ts';
import type { FilterWire } from './wire.ts';

type EventsProfile = Pick<NetworkProfile['events'], 'filters' | 'timeRange'>;

/** A filter ready for the wire. */
interface CheckedFilter<Wire> {
  readonly wire: Wire;
  /** The wire form as text: the same for every way of writing the same filter. Cursors are bound to it. */
  readonly identity: string;
}

/**
 * The wire form of an event filter under a network profile. No filter, or `{ all: true }`, selects every event. Addresses are
 * sent with all 32 bytes, and types in canonical form, because nodes reject short addresses.
 * @throws `BAD_USER_INPUT` if the network has no such filter, or a value breaks its rule
 */
export function toEventFilterWire(
  filter: EventQueryFilter | null | undefined,
  profile: EventsProfile,
): CheckedFilter<FilterWire> {
  const given = filter ?? { all: true };
  const member = soleMember(given);
  const variant = profile.filters[member];
  if (variant === null) return refuseFilter(member, profile.filters);
  return toChecked({ [variant]: toEventMemberWire(member, given, variant, profile) });
}

export function refuseFilter(member: EventFilterMember, filters: EventsProfile['filters']): never {
  const offered = eventFilterMembers.filter((name) => filters[name] !== null).join(', ');
  const what =
    member === 'all' ? 'no query of all events; its event filters are' : `no event filter '${member}'; it has`;
  throw argumentError(`filter.${member}`, `This network has ${what}: ${offered}.`);
}

/** @param where path of the argument, for the message */
export function soleMember<Filter extends object>(filter: Filter, where = 'filter'): keyof Filter & string {
  const given = Object.entries(filter).filter(([, value]) => value !== null && value !== undefined);
  if (given.length === 1) return given[0]?.[0] as keyof Filter & string;
  throw argumentError(where, `Argument '${where}' must have exactly one member; got ${given.length}.`);
}

function toChecked<Wire>(wire: Wire): CheckedFilter<Wire> {
  return { wire, identity: JSON.stringify(wire) };
}

function toEventMemberWire(
  member: EventFilterMember,
  filter: EventQueryFilter,
  variant: string,
  profile: EventsProfile,
): unknown {
  const argument = `filter.${member}`;
  const text = filter[member] as string;
  switch (member) {
    case 'all':
      return filter.all === true ? [] : refuseArgument(argument, filter.all, 'must be true or left out');
    case 'transaction':
      return checkDigest(argument, text);
    case 'sender':
    case 'object':
    case 'package':
      return checkAddress(argument, text);
    case 'moveEvent':
      return checkStructTypeOrName(argument, text);
    case 'eventType':
    case 'moveEventType':
      // MoveEventType takes types alone. A network with another variant filters by kind of event, which may also be a bare
      // word such as NewObject.
      return variant === 'MoveEventType' ? checkStructType(argument, text) : checkStructTypeOrName(argument, text);
    case 'moveModule':
    case 'moveEventModule':
      return checkModule(argument, filter[member]);
    case 'recipient':
      return { AddressOwner: checkAddress(`${argument}.addressOwner`, filter.recipient?.addressOwner ?? '') };
    case 'timeRange':
      return toTimeRangeWire(checkTimeRange(argument, filter.timeRange), profile.timeRange);
  }
}

export function checkModule(argument: string, given: EventQueryFilter['moveModule']): MoveModuleFilter {
  const { package: id = '', module = '' } = given ?? {};
  return {
    package: checkAddress(`${argument}.package`, id),
    module: checkIdentifier(`${argument}.module`, module),
  };
}

export function checkTimeRange(argument: string, given: EventQueryFilter['timeRange']): TimeRangeFilter {
  const startTime = checkUInt53(`${argument}.startTime`, given?.startTime ?? Number.NaN);
  const endTime = checkUInt53(`${argument}.endTime`, given?.endTime ?? Number.NaN);
  if (startTime > endTime) refuseArgument(argument, { startTime, endTime }, 'must not end before it starts');
  return { startTime, endTime };
}

/** Clients give a closed interval; networks with an exclusive end get one millisecond more. */
function toTimeRangeWire({ startTime: start, endTime: end }: TimeRangeFilter, wire: EventsProfile['timeRange']) {
  const wireEnd = wire.endExclusive ? BigInt(end) + 1n : BigInt(end);
  return wire.encoding === 'text'
    ? { startTime: String(start), endTime: String(wireEnd) }
    : { startTime: start, endTime: Number(wireEnd) };
}

const maxKinds = 32;

/**
 * The wire form of a transaction filter. No filter is `null` and selects every transaction. Addresses are sent with all 32
 * bytes, as for events.
 * @throws `BAD_USER_INPUT` if a value breaks its rule
 */
export function toTransactionFilterWire(
  filter: TransactionQueryFilter | null | undefined,
): CheckedFilter<FilterWire | null> {
  if (!filter) return toChecked(null);
  const member = soleMember(filter);
  const variant = `${member.charAt(0).toUpperCase()}${member.slice(1)}`;
  return toChecked({ [variant]: toTransactionMemberWire(member, filter) });
}

function toTransactionMemberWire(member: keyof TransactionQueryFilter, filter: TransactionQueryFilter): unknown {
  const argument = `filter.${member}`;
  const text = filter[member] as string;
  switch (member) {
    case 'checkpoint':
      return checkU64Text(argument, text);
    case 'inputObject':
    case 'changedObject':
    case 'fromAddress':
    case 'toAddress':
      return checkAddress(argument, text);
    case 'fromOrToAddress':
      return { addr: checkAddress(argument, text) };
    case 'fromAndToAddress': {
      const { from, to } = filter.fromAndToAddress ?? { from: '', to: '' };
      return { from: checkAddress(`${argument}.from`, from), to: checkAddress(`${argument}.to`, to) };
    }
    case 'transactionKind':
      return checkIdentifier(argument, text);
    case 'transactionKindIn': {
      const kinds = filter.transactionKindIn ?? [];
      if (kinds.length < 1 || kinds.length > maxKinds)
        refuseArgument(argument, kinds, `must have 1 to ${maxKinds} entries`);
      return [...new Set(kinds.map((kind) => checkIdentifier(argument, kind)))].sort();
    }
    case 'moveFunction':
      return toFunctionWire(argument, filter.moveFunction as MoveFunctionFilter);
  }
}

function toFunctionWire(argument: string, { package: id, module, function: name }: MoveFunctionFilter) {
  if (name != null && module == null)
    throw argumentError(`${argument}.module`, `Argument '${argument}.function' needs '${argument}.module'.`);
  return {
    package: checkAddress(`${argument}.package`, id),
    ...(module != null && { module: checkIdentifier(`${argument}.module`, module) }),
    ...(name != null && { function: checkIdentifier(`${argument}.function`, name) }),
  };
}
