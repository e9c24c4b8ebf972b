import { isWithinShare } from '../../upstream/quota.ts';
import { type Account, amountOf, type Draft, portion } from './draft.ts';
import { type Hold, type LeaseRecord, nameOf } from './lease-records.ts';
import { isSpendingHold, noteSpending, withSender } from './spending.ts';
import { dayMs, type GasAllowance, type HoldDenied, type HoldRequest } from './sponsorship-store.ts';

// What leases hold of accounts.

function memberOf(lease: LeaseRecord, { amount }: Hold): string {
  return `${nameOf(lease)}:${amount}`;
}

/** The first account that has no room; `null`: all have. Nothing is held yet. */
export function findFull(draft: Draft, holds: readonly HoldRequest[]): HoldDenied | null {
  for (const { rule, account: name, amount, limit, shareOf } of holds) {
    const account = draft.account(name);
    const allowance = allowanceOf(account, { account: name, limit });
    const whole = shareOf && draft.account(shareOf.account);
    const left = shareOf && whole ? shareOf.limit - whole.held - amount : null;
    const isTooLarge = left !== null && left >= 0 && !isWithinShare(account.held + amount, left, 3);
    if (allowance.free >= amount && !isTooLarge) continue;
    if (account.hasMore || whole?.hasMore) draft.isPartial = true;
    return {
      kind: 'denied',
      rule: isTooLarge ? 'openReservations.ofGateway' : rule,
      allowance,
      roomAtMs: roomAt(account, isTooLarge ? amount : amount - allowance.free),
    };
  }
  return null;
}

export function toHold({ account, amount }: HoldRequest): Hold {
  return { account, amount, fixedIn: null };
}

/** Coins of an open reservation return at its expiry or its execution: nothing of it is settled. */
function isOpenHold({ account }: Hold): boolean {
  return account === 'open' || account.startsWith('open:');
}

/** Held by the execution itself if the reservation names no sender. */
function isSenderHold({ account }: Hold): boolean {
  return /^[a-z]+:\d+:sender /.test(account);
}

export function allowanceOf(
  { held, settled }: Account,
  { account, limit }: Pick<HoldRequest, 'account' | 'limit'>,
): GasAllowance {
  const day = /^[a-z]+:(\d+):/.exec(account)?.[1];
  const resetsAtMs = day === undefined ? null : (Number(day) + 1) * dayMs;
  return { limit, held, settled, free: limit - held - settled, resetsAtMs };
}

/** When the earliest holds will have made this room by their expiry; `null` if only the end of the day does. */
function roomAt({ pending }: Account, missing: number): number | null {
  let room = 0;
  for (const { member, score } of pending) {
    room += amountOf(member);
    if (room >= missing) return score;
  }
  return pending.length === portion ? (pending.at(-1)?.score ?? null) : null;
}

/** The hold of a lease that is only reserved: it expires with the lease. */
export function holdUntilExpiry(draft: Draft, lease: LeaseRecord, hold: Hold): void {
  draft.account(hold.account).expireAt(memberOf(lease, hold), lease.expiresAtMs);
}

/** The lease was not reserved. */
export function cancelHold(draft: Draft, lease: LeaseRecord, hold: Hold): void {
  draft.account(hold.account).cancel(memberOf(lease, hold));
}

/** The lease is being executed: what it holds of a day is held until it is settled. */
export function fixHold(draft: Draft, lease: LeaseRecord, hold: Hold, sender: string | null): Hold {
  if (isOpenHold(hold)) return hold;
  const fixed = isSpendingHold(hold) && sender !== null ? withSender(draft, hold, sender) : hold;
  if (fixed.account !== hold.account) {
    cancelHold(draft, lease, hold);
    noteSpending(draft, [hold], { reserved: -hold.amount });
    noteSpending(draft, [fixed], { reserved: hold.amount });
  }
  return { ...fixed, fixedIn: draft.account(fixed.account).fix(memberOf(lease, fixed)) };
}

/** The execution has ended. @param gasUsed `null`: nothing ran */
export function settleHold(draft: Draft, lease: LeaseRecord, hold: Hold, gasUsed: number | null): void {
  const account = draft.account(hold.account);
  const used = hold.account.startsWith('count:') ? Number(gasUsed !== null) : (gasUsed ?? 0);
  if (isOpenHold(hold)) account.cancel(memberOf(lease, hold));
  else account.settle(memberOf(lease, hold), hold.fixedIn ?? '', used);
}

/** The execution was undone: the lease is only reserved again. @returns `null` if it has no such hold then */
export function unfixHold(draft: Draft, lease: LeaseRecord, hold: Hold): Hold | null {
  if (isOpenHold(hold)) return hold;
  settleHold(draft, lease, hold, null);
  // The next execution may be for another sender.
  if (!lease.sender && isSenderHold(hold)) return null;
  if (draft.nowMs < lease.expiresAtMs) holdUntilExpiry(draft, lease, hold);
  return { ...hold, fixedIn: null };
}
