import { type EventFilterMember, eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';
import type { EventQueryFilter, MoveModuleFilter, TimeRangeFilter } from '../generated/own.ts';
import {
  argumentError,
  checkAddress,
  checkDigest,
  checkIdentifier,
  checkStructType,
  checkStructTypeOrName,
  checkUInt53,
  refuse,
} from '../ledger/values/check-argument.ts';
import type { FilterWire } from './wire.ts';

export type EventsProfile = Pick<NetworkProfile['events'], 'filters' | 'timeRange'>;

/** A filter ready for the wire. */
export interface CheckedFilter<Wire> {
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
  if (variant === null) {
    const offered = eventFilterMembers.filter((name) => profile.filters[name] !== null).join(', ');
    throw argumentError(`filter.${member}`, `This network has no event filter '${member}'; it has: ${offered}.`);
  }
  return toChecked({ [variant]: toMemberWire(member, given, variant, profile) });
}

export function soleMember<Filter extends object>(filter: Filter): keyof Filter & string {
  const [only, ...others] = Object.entries(filter).filter(([, value]) => value !== null && value !== undefined);
  if (only && others.length === 0) return only[0] as keyof Filter & string;
  throw argumentError('filter', `Argument 'filter' must have exactly one member; got ${only ? others.length + 1 : 0}.`);
}

export function toChecked<Wire>(wire: Wire): CheckedFilter<Wire> {
  return { wire, identity: JSON.stringify(wire) };
}

function toMemberWire(
  member: EventFilterMember,
  filter: EventQueryFilter,
  variant: string,
  profile: EventsProfile,
): unknown {
  const argument = `filter.${member}`;
  const text = filter[member] as string;
  switch (member) {
    case 'all':
      return filter.all === true ? [] : refuse(argument, filter.all, 'must be true or left out');
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
      return toModuleWire(argument, filter[member] as MoveModuleFilter);
    case 'recipient':
      return { AddressOwner: checkAddress(`${argument}.addressOwner`, filter.recipient?.addressOwner ?? '') };
    case 'timeRange':
      return toTimeRangeWire(argument, filter.timeRange as TimeRangeFilter, profile.timeRange);
  }
}

function toModuleWire(argument: string, { package: id, module }: MoveModuleFilter): unknown {
  return {
    package: checkAddress(`${argument}.package`, id),
    module: checkIdentifier(`${argument}.module`, module),
  };
}

/** Clients give a closed interval; networks with an exclusive end get one millisecond more. */
function toTimeRangeWire(argument: string, range: TimeRangeFilter, wire: EventsProfile['timeRange']): unknown {
  const start = checkUInt53(`${argument}.startTime`, range.startTime);
  const end = checkUInt53(`${argument}.endTime`, range.endTime);
  if (start > end) refuse(argument, { startTime: start, endTime: end }, 'must not end before it starts');
  const wireEnd = wire.endExclusive ? BigInt(end) + 1n : BigInt(end);
  return wire.encoding === 'text'
    ? { startTime: String(start), endTime: String(wireEnd) }
    : { startTime: start, endTime: Number(wireEnd) };
}
