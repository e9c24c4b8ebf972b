import type { NetworkProfile } from '../../config/network-profile.ts';
import type { EventQueryFilter, TransactionStreamFilter } from '../../generated/own.ts';
import { toCanonicalAddress } from '../../ledger/values/move-names.ts';

/** A root field of the ledger's `Subscription`, and what its argument `filter` has to say to tell of a query. */
export interface PushedFilter {
  readonly field: string;
  /** `null` = nothing: the query is for everything. */
  readonly filter: { readonly member: string; readonly value: string } | null | 'inexpressible';
}

type Names = NetworkProfile['subscriptions'];

export function toPushedEvents({ all, moveModule }: EventQueryFilter, { events }: Names): PushedFilter {
  const { field } = events;
  if (all) return { field, filter: null };
  if (!moveModule) return { field, filter: 'inexpressible' };
  return { field, filter: { member: events.moveModule, value: `${moveModule.package}::${moveModule.module}` } };
}

export function toPushedTransactions(given: TransactionStreamFilter | null, { transactions }: Names): PushedFilter {
  const { field } = transactions;
  if (!given) return { field, filter: null };
  const { fromAddress, moveFunction } = given;
  if (fromAddress) return { field, filter: { member: transactions.fromAddress, value: toWhole(fromAddress) } };
  if (!moveFunction) return { field, filter: 'inexpressible' };
  const names = [toWhole(moveFunction.package), moveFunction.module, moveFunction.function];
  return {
    field,
    filter: { member: transactions.moveFunction, value: names.filter((name) => name != null).join('::') },
  };
}

/** With all 32 bytes. What is no address was refused before. */
function toWhole(address: string): string {
  return toCanonicalAddress(address) ?? address;
}
