import { dayMs, dayOf, type GasAllowance, type GasBudget } from './sponsorship-store.ts';

/** The gas that one key spends in one day. Holds of earlier days no longer count. */
export interface GasAccount {
  readonly day: number;
  held: number;
  settled: number;
  readonly expiring: TimeQueue<GasHold>;
}

/** Part of a budget, held for one lease. */
export interface GasHold {
  readonly account: GasAccount;
  readonly amount: number;
  /** `expiring`: released when the lease expires. `fixed`: dispatched, held until it is settled. `gone`: released. */
  state: 'expiring' | 'fixed' | 'gone';
}

export function createGasAccounts() {
  const accounts = new Map<string, GasAccount>();
  let today = 0;
  return {
    /** Today's account of a key, after releasing expired holds. */
    of(key: string, nowMs: number): GasAccount {
      const day = dayOf(nowMs);
      // A new day needs none of the old accounts. A step dated yesterday may be late at midnight; an earlier date means that
      // the clock was set back, and counting must not wait until the clock reaches its wrong date again.
      if (day > today || day < today - 1) {
        today = day;
        accounts.clear();
      }
      let account = accounts.get(key);
      if (!account) {
        account = { day: today, held: 0, settled: 0, expiring: createTimeQueue((hold) => hold.state === 'expiring') };
        accounts.set(key, account);
      }
      for (let due = account.expiring.popDue(nowMs); due; due = account.expiring.popDue(nowMs)) {
        if (due.item.state === 'expiring') giveBack(due.item, 0);
      }
      return account;
    },
  };
}

export function allowanceOf({ held, settled, day }: GasAccount, { perDay }: GasBudget): GasAllowance {
  return { limit: perDay, held, settled, free: perDay - held - settled, resetsAtMs: (day + 1) * dayMs };
}

export function openHold(account: GasAccount, amount: number, expiresAtMs: number): GasHold {
  const hold: GasHold = { account, amount, state: 'expiring' };
  account.held += amount;
  account.expiring.push(expiresAtMs, hold);
  return hold;
}

/** Cancels the expiry. A hold that has expired by another instance's clock is restored, since its gas is being spent. */
export function cancelHoldExpiry(hold: GasHold): void {
  const stateBefore = hold.state;
  if (stateBefore === 'gone') hold.account.held += hold.amount;
  hold.state = 'fixed';
  if (stateBefore === 'expiring') hold.account.expiring.forget();
}

/** Lets a fixed hold expire again. */
export function resumeHoldExpiry(hold: GasHold, expiresAtMs: number): void {
  hold.state = 'expiring';
  hold.account.expiring.push(expiresAtMs, hold);
}

/** @param settled the amount spent; the rest is released */
export function releaseHold(hold: GasHold, settled: number): void {
  const stateBefore = hold.state;
  if (stateBefore === 'gone') return;
  giveBack(hold, settled);
  if (stateBefore === 'expiring') hold.account.expiring.forget();
}

function giveBack(hold: GasHold, settled: number): void {
  hold.state = 'gone';
  hold.account.held -= hold.amount;
  hold.account.settled += Math.min(settled, hold.amount);
}

/** A search for unneeded entries is worth its time from this number on. */
const minForgotten = 64;

export type TimeQueue<Item> = ReturnType<typeof createTimeQueue<Item>>;

/**
 * Items by time: a binary heap, so that each operation takes logarithmic time.
 * @param isAwaited is the entry of this item at this time still needed?
 */
export function createTimeQueue<Item>(isAwaited: (item: Item, atMs: number) => boolean) {
  let heap: { readonly atMs: number; readonly item: Item }[] = [];
  let forgotten = 0;
  const at = (index: number) => heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const swap = (left: number, right: number) => {
    const [a, b] = [heap[left], heap[right]];
    if (a && b) [heap[left], heap[right]] = [b, a];
  };
  return {
    push(atMs: number, item: Item): void {
      let index = heap.push({ atMs, item }) - 1;
      while (index > 0 && at((index - 1) >> 1) > at(index)) {
        swap(index, (index - 1) >> 1);
        index = (index - 1) >> 1;
      }
    },
    /** Removes and returns the earliest entry if it is due. */
    popDue(nowMs: number): { readonly atMs: number; readonly item: Item } | undefined {
      const [first] = heap;
      if (!first || first.atMs > nowMs) return undefined;
      const last = heap.pop();
      if (heap.length === 0 || !last) return first;
      heap[0] = last;
      for (let index = 0; ; ) {
        const left = 2 * index + 1;
        const smaller = at(left + 1) < at(left) ? left + 1 : left;
        if (at(smaller) >= at(index)) return first;
        swap(index, smaller);
        index = smaller;
      }
    },
    /**
     * Reports that one entry is no longer needed. Once about half of all entries are such, they are removed together: an entry
     * that ends early must not stay in memory until its time.
     */
    forget(): void {
      forgotten += 1;
      if (forgotten < minForgotten || 2 * forgotten < heap.length) return;
      forgotten = 0;
      // A sorted list is a valid heap.
      heap = heap.filter(({ item, atMs }) => isAwaited(item, atMs)).sort((one, other) => one.atMs - other.atMs);
    },
  };
}
