import { type EventFilterMember, eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';
import type { EventQueryFilter, TransactionQueryFilter } from '../generated/own.ts';
import { argumentError, checkStructType } from '../ledger/values/check-argument.ts';
import type { FilterMembers } from './ledger-connection.ts';
import { soleMember, toEventFilterWire } from './to-event-filter-wire.ts';
import { toTransactionFilterWire } from './to-transaction-filter-wire.ts';

/** An event filter as the ledger's GraphQL can read it. */
export interface LedgerEventQuery {
  /** Identifies the filter; the same text as for JSON-RPC. */
  readonly identity: string;
  readonly filter: FilterMembers;
  /** Set if the events of one transaction are read from its effects. */
  readonly digest: string | null;
  /** Time range in milliseconds, both ends included. */
  readonly range: { readonly startMs: number; readonly endMs: number } | null;
}

export interface LedgerTransactionQuery {
  readonly identity: string;
  readonly filter: FilterMembers;
}

/** Which members of `EventQueryFilter` work over the ledger's GraphQL. */
function offersEventFilter(member: EventFilterMember, { history }: NetworkProfile): boolean {
  const { filters } = history.events;
  switch (member) {
    case 'all':
    case 'transaction':
    case 'timeRange':
      return true;
    case 'moveEventType':
      return filters.eventType !== null;
    case 'moveEvent':
    case 'recipient':
    case 'object':
      return false;
    default:
      return filters[member] !== null;
  }
}

/** The node's names of the filters that the ledger's GraphQL has too. */
export function ledgerEventFilters(profile: NetworkProfile): NetworkProfile['events']['filters'] {
  const entries = eventFilterMembers.map((member) => [
    member,
    offersEventFilter(member, profile) ? (profile.events.filters[member] ?? member) : null,
  ]);
  return Object.fromEntries(entries) as NetworkProfile['events']['filters'];
}

/** @throws `BAD_USER_INPUT` if the ledger's GraphQL cannot express the filter, or a value breaks its rule */
export function toLedgerEventQuery(
  given: EventQueryFilter | null | undefined,
  profile: NetworkProfile,
): LedgerEventQuery {
  const filters = ledgerEventFilters(profile);
  const { wire, identity } = toEventFilterWire(given, { filters, timeRange: profile.events.timeRange });
  const member = given ? (soleMember(given) as EventFilterMember) : 'all';
  const value = Object.values(wire)[0];
  const names = profile.history.events.filters;
  const query = { identity, filter: {}, digest: null, range: null };
  const by = (name: string | null, text: string) =>
    name === null ? query : { ...query, filter: { [name]: JSON.stringify(text) } };
  switch (member) {
    case 'transaction':
      return names.transaction === null ? { ...query, digest: String(value) } : by(names.transaction, String(value));
    case 'timeRange': {
      const { startTime, endTime } = given?.timeRange ?? { startTime: 0, endTime: 0 };
      return { ...query, range: { startMs: startTime, endMs: endTime } };
    }
    case 'moveModule':
    case 'moveEventModule': {
      const { package: id, module } = value as { package: string; module: string };
      return by(names[member], `${id}::${module}`);
    }
    case 'eventType':
    case 'moveEventType':
      return by(names.eventType, checkStructType(`filter.${member}`, String(value)));
    case 'sender':
    case 'package':
      return by(names[member], String(value));
    default:
      return query;
  }
}

/** Which members of `TransactionQueryFilter` work over the ledger's GraphQL. */
export function offersTransactionFilter(member: keyof TransactionQueryFilter, { history }: NetworkProfile): boolean {
  const { filters } = history.transactions;
  switch (member) {
    case 'fromOrToAddress':
      return false;
    case 'fromAndToAddress':
      return filters.fromAddress !== null && filters.toAddress !== null;
    case 'transactionKindIn':
      return filters.transactionKind !== null;
    default:
      return filters[member] !== null;
  }
}

export const transactionFilterMembers = [
  'checkpoint',
  'moveFunction',
  'inputObject',
  'changedObject',
  'fromAddress',
  'toAddress',
  'fromAndToAddress',
  'fromOrToAddress',
  'transactionKind',
  'transactionKindIn',
] as const satisfies readonly (keyof TransactionQueryFilter)[];

/** @throws `BAD_USER_INPUT` if the ledger's GraphQL cannot express the filter, or a value breaks its rule */
export function toLedgerTransactionQuery(
  given: TransactionQueryFilter | null | undefined,
  profile: NetworkProfile,
): LedgerTransactionQuery {
  const { wire, identity } = toTransactionFilterWire(given);
  if (!given || !wire) return { identity, filter: {} };
  const member = soleMember(given) as (typeof transactionFilterMembers)[number];
  if (!offersTransactionFilter(member, profile)) {
    const offered = transactionFilterMembers.filter((each) => offersTransactionFilter(each, profile)).join(', ');
    const says = `The ledger's GraphQL has no transaction filter '${member}'; it has: ${offered}.`;
    throw argumentError(`filter.${member}`, says);
  }
  const { filters, kinds } = profile.history.transactions;
  const value: unknown = Object.values(wire)[0];
  const by = (...pairs: readonly (readonly [string | null, string])[]) => ({
    identity,
    filter: Object.fromEntries(pairs.map(([name, literal]) => [name ?? '', literal])),
  });
  switch (member) {
    case 'checkpoint':
      return by([filters.checkpoint, String(value)]);
    case 'moveFunction': {
      const { package: id, module, function: name } = value as Readonly<Record<string, string | undefined>>;
      const path = [id, module, name].filter((part) => part !== undefined).join('::');
      return by([filters.moveFunction, JSON.stringify(path)]);
    }
    case 'fromAndToAddress': {
      const { from, to } = value as { from: string; to: string };
      return by([filters.fromAddress, JSON.stringify(from)], [filters.toAddress, JSON.stringify(to)]);
    }
    case 'transactionKind':
    case 'transactionKindIn': {
      const [kind, ...others] = [value].flat() as string[];
      const known = kind !== undefined && others.length === 0 && Object.hasOwn(kinds, kind) ? kinds[kind] : null;
      if (known) return by([filters.transactionKind, known]);
      const says = `The ledger's GraphQL selects exactly one of these kinds: ${Object.keys(kinds)
        .filter((each) => kinds[each])
        .join(', ')}.`;
      throw argumentError(`filter.${member}`, says);
    }
    case 'fromOrToAddress':
      return by();
    default:
      return by([filters[member], JSON.stringify(value)]);
  }
}
