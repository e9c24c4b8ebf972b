import { type Draft, endOfAccounts, portion } from './draft.ts';
import type { Hold } from './lease-records.ts';
import {
  dayOf,
  type FindSpending,
  type Spending,
  type SpendingCounts,
  type SpendingPart,
  type SpendingRow,
} from './sponsorship-store.ts';

// Who spent what: a row for each client, visitor and sender of a day. A row is an account without a limit, and each lease holds a
// part of one. Lists of all rows and clients of a day make them findable.

type Who = readonly [client: string, visitor: string | null, sender: string | null];

const rowName = /^spent:(\d+):(.*)$/s;

export function isSpendingHold({ account }: Pick<Hold, 'account'>): boolean {
  return account.startsWith('spent:');
}

/** The part of a new lease. */
export function toSpendingHold(draft: Draft, { client, visitor, amount }: Spending, sender: string | null): Hold {
  return { account: rowOf(draft, dayOf(draft.nowMs), [client, visitor, sender]), amount, fixedIn: null };
}

/** The same part, of the row of this sender. */
export function withSender(draft: Draft, hold: Hold, sender: string): Hold {
  const { day, who } = parseRow(hold.account);
  const [client, visitor] = who;
  return visitor === null ? hold : { ...hold, account: rowOf(draft, day, [client, visitor, sender]) };
}

/** Counts something in the row of these holds, if they have one. */
export function noteSpending(draft: Draft, holds: readonly Hold[], counts: Partial<SpendingCounts>): void {
  for (const { account } of holds.filter(isSpendingHold)) draft.account(account).note(counts);
}

/**
 * One visitor cannot use up the rows of others by naming sender after sender. A client's last row is that of all visitors for whom
 * there is no room.
 */
function rowOf(draft: Draft, day: number, who: Who): string {
  const name = `spent:${day}:${JSON.stringify(who)}`;
  if (draft.account(name).spent) return name;
  const [client, visitor, sender] = who;
  const own = sender !== null && visitor !== client ? `${day}:${JSON.stringify([client, visitor])}` : null;
  if (own !== null && lengthOf(draft, own) >= draft.bounds.maxSendersPerVisitor)
    return rowOf(draft, day, [client, visitor, null]);
  const isFull = lengthOf(draft, `${day}:${client}`) >= draft.bounds.maxSpendingRows;
  if (isFull && visitor !== null) return rowOf(draft, day, [client, null, null]);
  if (own !== null) setLength(draft, day, own, lengthOf(draft, own) + 1);
  if (append(draft, day, `${day}:${client}`, name) === 0) append(draft, day, String(day), client);
  draft.account(name).note({});
  return name;
}

function parseRow(name: string): { readonly day: number; readonly who: Who } {
  const [, day, who = ''] = rowName.exec(name) ?? [];
  return { day: Number(day), who: JSON.parse(who) as Who };
}

// Lists have one record for each entry, so that appending to a long one reads only its length.

function lengthOf(draft: Draft, list: string): number {
  return draft.get<{ readonly length: number }>(`spenders:${list}`)?.length ?? 0;
}

/** @returns its position */
function append(draft: Draft, day: number, list: string, entry: string): number {
  const at = lengthOf(draft, list);
  draft.put(`spender:${list}:${at}`, { entry }, endOfAccounts(day));
  setLength(draft, day, list, at + 1);
  return at;
}

function setLength(draft: Draft, day: number, list: string, length: number): void {
  draft.put(`spenders:${list}`, { length }, endOfAccounts(day));
}

export function findSpending(draft: Draft, { day, client, from }: FindSpending): SpendingPart {
  const list = client === null ? String(day) : `${day}:${client}`;
  const length = lengthOf(draft, list);
  const positions = Array.from({ length: Math.max(0, Math.min(portion, length - from)) }, (_, index) => from + index);
  const entries = positions.flatMap(
    (at) => draft.get<{ readonly entry: string }>(`spender:${list}:${at}`)?.entry ?? [],
  );
  const next = from + portion < length ? from + portion : null;
  if (client === null) return { rows: [], clients: entries, next };
  return { rows: entries.flatMap((name) => readRow(draft, name) ?? []), clients: [], next };
}

function readRow(draft: Draft, name: string): SpendingRow | null {
  const { held, settled, spent, hasMore } = draft.account(name);
  if (hasMore) draft.isPartial = true;
  const [client, visitor, sender] = parseRow(name).who;
  return spent && { client, visitor, sender, held, settled, ...spent };
}
