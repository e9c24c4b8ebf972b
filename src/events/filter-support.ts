import { type EventFilterMember, eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';

/** The upstream answered that it does not support the event filter of a query. */
export class FilterRejectedError extends Error {
  override readonly name = 'FilterRejectedError';
}

/** Milliseconds after which a rejected filter is sent again: a node may have replaced the indexer. */
const askAgainMs = 600_000;

export type FilterSupport = ReturnType<typeof createFilterSupport>;

/** The event filters that work by JSON-RPC, as far as the upstream's answers show. All of a profile's filters do at first. */
export function createFilterSupport({ filters, indexer }: NetworkProfile['events'], now: () => number) {
  let rejected: ReadonlySet<EventFilterMember> = new Set();
  let rejectedAtMs = 0;
  const isRejected = (member: EventFilterMember) => rejected.has(member) && now() - rejectedAtMs < askAgainMs;
  return {
    isRejected,
    /** All filters are tried again: another network has other nodes. */
    forget(): void {
      rejected = new Set();
    },
    /** Records an answer. A node that rejects one of an indexer's filters rejects all of them. */
    reject(member: EventFilterMember): void {
      rejected = new Set([member, ...(indexer?.lacks ?? [])]);
      rejectedAtMs = now();
    },
    /** The node's names of the filters; `null` for each that does not work. */
    filters(): NetworkProfile['events']['filters'] {
      const entries = eventFilterMembers.map((member) => [member, isRejected(member) ? null : filters[member]]);
      return Object.fromEntries(entries) as NetworkProfile['events']['filters'];
    },
  };
}
