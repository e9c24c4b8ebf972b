import type { LedgerReader } from '../../state/ledger-state.ts';
import type { ObjectRecord } from '../../state/records.ts';
import { requireAvailable } from '../history/visible-history.ts';
import type { BalanceModel } from '../models.ts';

const coinPrefix = `0x${'2'.padStart(64, '0')}::coin::Coin<`;

/** The type inside a coin; `undefined` for anything that is not a coin. */
export function coinTypeOf(type: string): string | undefined {
  return type.startsWith(coinPrefix) && type.endsWith('>') ? type.slice(coinPrefix.length, -1) : undefined;
}

/** Live coins of a type at a checkpoint, ordered by id; of one owner, or of all. */
export function coinsAt(
  ledger: LedgerReader,
  coinType: string,
  checkpoint: number,
  owner?: string,
): readonly ObjectRecord[] {
  requireAvailable(ledger, checkpoint);
  const type = `${coinPrefix}${coinType}>`;
  const records = owner === undefined ? ledger.liveObjects(checkpoint) : ledger.ownedObjects(owner, checkpoint);
  return records.filter((record) => record.type === type);
}

/** An owner's coins added up type by type, ordered by type. */
export function balancesAt(ledger: LedgerReader, owner: string, checkpoint: number): readonly BalanceModel[] {
  requireAvailable(ledger, checkpoint);
  const sums = new Map<string, BalanceModel>();
  for (const record of ledger.ownedObjects(owner, checkpoint)) {
    const coinType = coinTypeOf(record.type);
    if (coinType === undefined) continue;
    const sum = sums.get(coinType);
    sums.set(coinType, {
      coinType,
      coinObjectCount: (sum?.coinObjectCount ?? 0) + 1,
      totalBalance: (sum?.totalBalance ?? 0n) + (record.balance ?? 0n),
    });
  }
  return [...sums.values()].sort((left, right) => (left.coinType < right.coinType ? -1 : 1));
}
