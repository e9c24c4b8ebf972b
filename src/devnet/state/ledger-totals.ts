import { toCoinType } from '../execution/move-object.ts';
import type { ObjectRecord, TransactionRecord } from './records.ts';

/** Sums over all live objects, updated with each transaction instead of counted again. */
export interface LedgerTotals {
  /** Adds what a transaction changed. */
  add(transaction: TransactionRecord): void;
  /** The sums as they are now; later transactions do not change the returned values. */
  read(): { readonly coinSupplies: ReadonlyMap<string, bigint>; readonly storageFund: bigint };
}

export function createLedgerTotals(): LedgerTotals {
  let supplies: ReadonlyMap<string, bigint> = new Map();
  let storageFund = 0n;

  /** The change of each coin type's supply by a transaction: mostly only gas. */
  const differences = ({ changes }: TransactionRecord): Map<string, bigint> => {
    const sums = new Map<string, bigint>();
    const count = (object: ObjectRecord | null, sign: bigint): void => {
      const coinType = object?.live ? toCoinType(object.type) : null;
      if (object?.balance == null || coinType === null) return;
      sums.set(coinType, (sums.get(coinType) ?? 0n) + sign * object.balance);
    };
    for (const { input, output } of changes) {
      count(input, -1n);
      count(output, 1n);
    }
    return sums;
  };

  return {
    add(transaction) {
      const changed = [...differences(transaction)].filter(([, difference]) => difference !== 0n);
      if (changed.length > 0) {
        const next = new Map(supplies);
        for (const [coinType, difference] of changed) next.set(coinType, (next.get(coinType) ?? 0n) + difference);
        supplies = next;
      }
      const { storageCost, storageRebate } = transaction.gasUsed;
      storageFund += storageCost - storageRebate;
      // Nobody paid for the storage of genesis objects, yet their rebates are paid out like all others.
      if (transaction.kind === 'GENESIS')
        for (const { output } of transaction.changes) storageFund += output?.storageRebate ?? 0n;
    },
    read: () => ({ coinSupplies: supplies, storageFund }),
  };
}
