import type { ObjectRef } from '../../transactions/transaction-bcs.ts';
import type { Clock, LedgerReader } from '../state/ledger-state.ts';
import type { ObjectRecord } from '../state/records.ts';

export interface Reservation {
  readonly id: bigint;
  readonly coins: readonly ObjectRef[];
  readonly gasBudget: bigint;
  readonly expiresAtMs: number;
}

export interface GasPoolOptions {
  readonly ledger: Pick<LedgerReader, 'currentObject' | 'ownedObjects' | 'latestCheckpoint' | 'nativeCoinType'>;
  readonly clock: Clock;
  readonly sponsorAddress: string;
}

/** A transaction cannot be paid for with more coins than this. */
const maxCoinsPerReservation = 256;

/**
 * The sponsor's coins, free and reserved. Reservations have sequential ids, as the real service's do. They need no
 * timer to expire: every access first gives back the coins of those that are over.
 */
export interface GasPool {
  /** `null` when the free coins do not cover the budget, or too many would be needed. */
  reserve(gasBudget: bigint, durationMs: number): Reservation | null;
  /** The reservation if it is still held; `undefined` if it never was, has expired or was taken. */
  find(id: bigint): Reservation | undefined;
  /** Ends the reservation; of two callers only one gets it. Its coins stay reserved until `giveBack`. */
  take(id: bigint): Reservation | undefined;
  giveBack(coins: readonly ObjectRef[]): void;
  freeCoins(): number;
}

export function createGasPool({ ledger, clock, sponsorAddress }: GasPoolOptions): GasPool {
  const coinType = `<${ledger.nativeCoinType}>`;
  const isSponsorCoin = ({ owner, balance }: ObjectRecord) =>
    owner.kind === 'address' && owner.address === sponsorAddress && balance !== null;
  const readCoin = (objectId: string): ObjectRecord | null => {
    const object = ledger.currentObject(objectId);
    return object && isSponsorCoin(object) ? object : null;
  };

  const readFreeCoins = () =>
    ledger
      .ownedObjects(sponsorAddress, ledger.latestCheckpoint().sequenceNumber)
      .filter((object) => isSponsorCoin(object) && object.type.endsWith(coinType))
      .map(({ objectId }) => objectId);
  /** `null` until the first access: the ledger may not have written its history yet. */
  let free: string[] | null = null;
  const held = new Map<bigint, Reservation>();
  let lastId = 0n;

  const giveBack = (coins: readonly ObjectRef[]): void => {
    // Coins that paid together were merged into one: the others do not exist any more.
    free ??= readFreeCoins();
    free.push(...coins.map(({ objectId }) => objectId).filter((objectId) => readCoin(objectId) !== null));
  };

  /** Releases the coins of expired reservations. @returns all free coins */
  const releaseExpired = (): string[] => {
    free ??= readFreeCoins();
    const now = clock();
    for (const [id, { coins, expiresAtMs }] of held) {
      if (expiresAtMs > now) continue;
      held.delete(id);
      giveBack(coins);
    }
    return free;
  };

  return {
    reserve(gasBudget, durationMs) {
      const available = releaseExpired();
      const picked = pickCoins(available, readCoin, gasBudget);
      if (!picked) return null;
      free = available.slice(picked.looked);
      lastId += 1n;
      const coins = picked.coins.map(({ objectId, version, digest }) => ({ objectId, version, digest }));
      const reservation = { id: lastId, coins, gasBudget, expiresAtMs: clock() + durationMs };
      held.set(reservation.id, reservation);
      return reservation;
    },
    find(id) {
      releaseExpired();
      return held.get(id);
    },
    take(id) {
      releaseExpired();
      const reservation = held.get(id);
      held.delete(id);
      return reservation;
    },
    giveBack,
    freeCoins() {
      return releaseExpired().length;
    },
  };
}

/**
 * Takes free coins in order until they cover the budget. Also returns how many were inspected; `null` if they do not
 * suffice.
 */
function pickCoins(
  free: readonly string[],
  readCoin: (objectId: string) => ObjectRecord | null,
  gasBudget: bigint,
): { readonly coins: readonly ObjectRecord[]; readonly looked: number } | null {
  const coins: ObjectRecord[] = [];
  let total = 0n;
  let looked = 0;
  for (const objectId of free) {
    if (total >= gasBudget || coins.length >= maxCoinsPerReservation) break;
    looked += 1;
    const coin = readCoin(objectId);
    if (!coin) continue;
    coins.push(coin);
    total += coin.balance ?? 0n;
  }
  return total < gasBudget ? null : { coins, looked };
}
