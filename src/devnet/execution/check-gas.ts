import type { GasData } from '../../transactions/transaction-bcs.ts';
import type { ObjectRecord } from '../state/records.ts';
import { gasSchedule, minGasBudget } from './gas-schedule.ts';
import type { LedgerView } from './ledger-view.ts';
import { toCoinType } from './move-object.ts';
import { inputRefusal } from './refusal.ts';
import { findExact } from './resolve-inputs.ts';

/**
 * Checks that price and budget are within the network's bounds and that the payment list has a legal length. Refuses
 * otherwise.
 */
export function checkGasBounds(gas: GasData, referenceGasPrice: bigint): void {
  if (gas.price < referenceGasPrice) {
    throw inputRefusal(`Gas price ${gas.price} under reference gas price (RGP) ${referenceGasPrice}`);
  }
  if (gas.price > gasSchedule.maxGasPrice) throw inputRefusal(`Gas price cannot exceed ${gasSchedule.maxGasPrice}`);
  const minBudget = minGasBudget(gas.price);
  if (gas.budget < minBudget) throw inputRefusal(`Gas budget: ${gas.budget} is lower than min: ${minBudget}`);
  if (gas.budget > gasSchedule.maxBudget) {
    throw inputRefusal(`Gas budget: ${gas.budget} is higher than max: ${gasSchedule.maxBudget}`);
  }
  if (gas.payment.length > gasSchedule.maxGasPaymentObjects) {
    throw inputRefusal(
      `Size limit exceeded: maximum number of gas payment objects is ${gasSchedule.maxGasPaymentObjects}`,
    );
  }
}

/**
 * Finds the payment coins at the versions named. Refuses unless all are native coins of the gas owner and together
 * worth the budget.
 */
export function resolveGasPayment(gas: GasData, view: LedgerView, skipChecks = false): ObjectRecord[] {
  if (gas.payment.length === 0) throw inputRefusal('Transaction gas payment missing');
  const coins = gas.payment.map((ref) => findExact(ref, view, skipChecks));
  if (skipChecks) return coins.filter((coin) => toCoinType(coin.type) === view.nativeCoinType);
  for (const coin of coins) {
    if (coin.owner.kind !== 'address' || coin.owner.address !== gas.owner) {
      const owner = coin.owner.kind === 'address' ? `AddressOwner(${coin.owner.address})` : coin.owner.kind;
      throw inputRefusal(`Gas object ${coin.objectId} is not an owned object of ${gas.owner}, its owner: ${owner}`);
    }
    if (toCoinType(coin.type) !== view.nativeCoinType) {
      throw inputRefusal(`Gas object ${coin.objectId} is not a coin of type ${view.nativeCoinType}`);
    }
  }
  const balance = totalBalance(coins);
  if (balance < gas.budget) {
    throw inputRefusal(`Balance of gas object ${balance} is lower than the needed amount: ${gas.budget}`);
  }
  return coins;
}

export function totalBalance(coins: readonly ObjectRecord[]): bigint {
  return coins.reduce((total, coin) => total + (coin.balance ?? 0n), 0n);
}
