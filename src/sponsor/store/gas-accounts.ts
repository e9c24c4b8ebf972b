import type { GasAllowance, GasBudget } from './sponsorship-store.ts';
import { dayMs, dayOf } from './store-bounds.ts';
import { createTimeQueue, type TimeQueue } from './time-queue.ts';

/** What one key spends in one day. A hold of an earlier day changes nothing any more. */
export interface GasAccount {
  readonly day: number;
  held: number;
  settled: number;
  readonly expiring: TimeQueue<GasHold>;
}

/** Part of a budget that is taken for one lease. */
export interface GasHold {
  readonly account: GasAccount;
  readonly amount: number;
  /** `expiring`: given back when its time has come. `fixed`: dispatched, and kept until it is settled. `gone`: neither. */
  state: 'expiring' | 'fixed' | 'gone';
}

export interface GasAccounts {
  /** The account of today, without what has expired. */
  of(key: string, nowMs: number): GasAccount;
}

export function createGasAccounts(): GasAccounts {
  const accounts = new Map<string, GasAccount>();
  let today = 0;
  return {
    of(key, nowMs) {
      const day = dayOf(nowMs);
      // A new day: nobody looks at the accounts of the one before. One day back may be a step that was late at midnight;
      // after more the clock has been put right, and nobody may wait until it comes to its wrong day again.
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

/** From now on it does not expire. One that has, by the clock of another, is taken again: its gas is being spent. */
export function fixHold(hold: GasHold): void {
  const before = hold.state;
  if (before === 'gone') hold.account.held += hold.amount;
  hold.state = 'fixed';
  if (before === 'expiring') hold.account.expiring.forget();
}

/** What was fixed expires again. */
export function unfixHold(hold: GasHold, expiresAtMs: number): void {
  hold.state = 'expiring';
  hold.account.expiring.push(expiresAtMs, hold);
}

/** @param settled how much of it is spent; the rest is free again */
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
