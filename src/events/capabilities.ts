import { eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';
import type { ReachedBound } from '../upstream/quota.ts';
import type { UpstreamCapability } from '../upstream/upstream.ts';
import { ledgerEventFilters, offersTransactionFilter, transactionFilterMembers } from './graphql-sources.ts';

export type EventsSource = 'rpc' | 'graphql';

/** Members of `EventQueryFilter` and `TransactionQueryFilter`, in the order of the input types. */
export interface OfferedFilters {
  readonly events: readonly (readonly [member: string, isOffered: boolean])[];
  readonly transactions: readonly (readonly [member: string, isOffered: boolean])[];
}

/**
 * The filters that work on a network when events and transactions are read from this source.
 * @param filters names of the event filters; `null` for each that does not work
 */
export function offeredFilters(
  profile: NetworkProfile,
  source: EventsSource,
  filters = source === 'rpc' ? profile.events.filters : ledgerEventFilters(profile),
): OfferedFilters {
  return {
    events: eventFilterMembers.map((member) => [member, filters[member] !== null]),
    transactions: transactionFilterMembers.map((member) => [
      member,
      source === 'rpc' || offersTransactionFilter(member, profile),
    ]),
  };
}

/** @param whyNone why there is no upstream with events; `null` if there is one */
export function filterCapabilities(
  profile: NetworkProfile,
  source: EventsSource,
  whyNone: string | null,
  filters?: NetworkProfile['events']['filters'],
): readonly UpstreamCapability[] {
  const { events, transactions } = offeredFilters(profile, source, filters);
  const has = source === 'rpc' ? `The nodes of network '${profile.name}' have` : "The ledger's GraphQL has";
  const toCapability =
    (kind: string) =>
    ([member, isOffered]: readonly [string, boolean]): UpstreamCapability => {
      const none = whyNone === null ? null : `No events upstream: ${whyNone}.`;
      const isRejected = source === 'rpc' && kind === 'eventFilter' && hasName(profile, member);
      const reason = isOffered ? none : isRejected ? rejected : `${has} no such filter.`;
      return { name: `${kind}:${member}`, available: reason === null, reason };
    };
  return [...events.map(toCapability('eventFilter')), ...transactions.map(toCapability('transactionFilter'))];
}

const rejected = 'The events upstream rejects this filter, as an indexer does.';

function hasName({ events: { filters } }: NetworkProfile, member: string): boolean {
  return Object.entries(filters).some(([name, known]) => name === member && known !== null);
}

/**
 * Would the next live stream of a caller with a new filter get its own reader?
 * @param bound the limit that was reached
 */
export function liveReaderCapability(bound: ReachedBound | null): UpstreamCapability {
  return { name: 'live:ownReader', available: bound === null, reason: bound && toReason(bound) };
}

function toReason({ of, max }: ReachedBound): string {
  const which =
    of === 'caller' ? `The ${max} readers that one caller may have are open` : `All ${max} readers are open`;
  return `${which}: another filter is served by the reader of everything.`;
}
