import type { GasAllowance, GasBudget } from './sponsorship-store.ts';
import { dayMs, dayOf } from './store-bounds.ts';
import { createTimeQueue, type TimeQueue } from './time-queue.ts';

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

export interface GasAccounts {
  /** Today's account of a key, expired holds released. */
  of(key: string, nowMs: number): GasAccount;
}

export function createGasAccounts(): GasAccounts {
  const accounts = new Map<string, GasAccount>();
  let today = 0;
  return {
    of(key, nowMs) {
      const day = dayOf(nowMs);
      // A new day needs none of the old accounts. A step from yesterday may just be late at midnight; an earlier day means that
      // the clock was set back, and counting must not wait until the clock reaches its wrong day again.
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

/** Stops the expiry. A hold that has expired by another instance's clock is taken again, since its gas is being spent. */
export function fixHold(hold: GasHold): void {
  const before = hold.state;
  if (before === 'gone') hold.account.held += hold.amount;
  hold.state = 'fixed';
  if (before === 'expiring') hold.account.expiring.forget();
}

/** Lets a fixed hold expire again. */
export function unfixHold(hold: GasHold, expiresAtMs: number): void {
  hold.state = 'expiring';
  hold.account.expiring.push(expiresAtMs, hold);
}

/** @param settled how much was spent; the rest is free again */
export function releaseHold(hold: GasHold, settled: number): void {
  const before = hold.state;
  if (before === 'gone') return;
  giveBack(hold, settled);
  if (before === 'expiring') hold.account.expiring.forget();
}

function giveBack(hold: GasHold, settled: number): void {
  hold.state = 'gone';
  hold.account.held -= hold.amount;
  hold.account.settled += Math.min(settled, hold.amount);
}
