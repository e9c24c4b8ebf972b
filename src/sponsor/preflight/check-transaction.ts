import { toFullAddress } from '../../transactions/address.ts';
import { outlineTransaction, type TransactionOutline } from '../../transactions/outline-transaction.ts';
import { hashCoins } from '../leases/lease.ts';
import { toCallFault } from './check-move-calls.ts';

/** What a reservation is good for. */
export interface ReservationTerms {
  /** In any spelling. */
  readonly sponsorAddress: string;
  /** As `hashCoins` makes it. */
  readonly coinsHash: string;
  /** Of the smallest unit. */
  readonly gasBudget: number;
}

/** What a transaction is held against. */
export interface TransactionRules {
  /** `null`: nothing is known of the reservation here, and what it is good for is not checked. */
  readonly terms: ReservationTerms | null;
  /** As `Caller.moveCalls`. */
  readonly moveCalls: readonly string[] | null;
}

export type TransactionVerdict =
  | { readonly kind: 'ok' }
  /** `FORBIDDEN`: it does what this caller may not. `BAD_USER_INPUT`: it does not fit its reservation. */
  | {
      readonly kind: 'refused';
      /** `gas`: it could spend more than is counted for its caller. */
      readonly of: 'calls' | 'gas' | 'rest';
      readonly code: 'BAD_USER_INPUT' | 'FORBIDDEN';
      readonly reason: string;
    }
  /** It cannot be read, because it is newer than this gateway, or is no transaction. */
  | { readonly kind: 'unverifiable'; readonly reason: string };

const ok: TransactionVerdict = { kind: 'ok' };

/**
 * Holds a transaction against its reservation and what its caller may call. Pure; never throws. What it does on the ledger
 * is not looked at: whether its inputs exist, and whether its expiration has passed, only the ledger knows.
 * @param bytes BCS of the TransactionData
 */
export function checkTransaction(bytes: Uint8Array, { terms, moveCalls }: TransactionRules): TransactionVerdict {
  const read = outlineTransaction(bytes);
  if (read.kind !== 'known') return { kind: 'unverifiable', reason: read.reason };
  const { outline } = read;
  // First what may hold whatever the policy says of the rest.
  const forbidden = moveCalls && toCallFault(outline, moveCalls);
  if (forbidden) return { kind: 'refused', of: 'calls', code: 'FORBIDDEN', reason: forbidden };
  const excess = terms && toBudgetFault(outline, terms);
  if (excess) return { kind: 'refused', of: 'gas', code: 'BAD_USER_INPUT', reason: excess };
  const fault = toGasFault(outline) ?? (terms && toTermsFault(outline, terms));
  if (fault === null) return ok;
  return { kind: 'refused', of: outline.takesGasCoin ? 'gas' : 'rest', code: 'BAD_USER_INPUT', reason: fault };
}

function toBudgetFault({ gas }: TransactionOutline, { gasBudget }: ReservationTerms): string | null {
  return gas.budget > gasBudget
    ? `the gas budget is ${gas.budget}; it may be at most ${gasBudget}, for which gas was reserved`
    : null;
}

/** What no sponsor pays for, whatever was reserved. */
function toGasFault({ sender, gas, takesGasCoin }: TransactionOutline): string | null {
  if (sender === gas.owner) {
    return `sender and gas owner are both ${sender}; a sponsored transaction has the sponsor as gas owner and another sender`;
  }
  return takesGasCoin ? 'it uses a gas coin as an argument or an input; gas coins may only pay gas' : null;
}

function toTermsFault({ gas }: TransactionOutline, terms: ReservationTerms): string | null {
  const sponsor = toFullAddress(terms.sponsorAddress);
  if (gas.owner !== sponsor)
    return `the gas owner is ${gas.owner}; it must be the sponsor of the reservation, ${sponsor}`;
  const coins = gas.payment.map((coin) => ({ ...coin, version: String(coin.version) }));
  if (hashCoins(coins) === terms.coinsHash) return null;
  return `the gas payment is ${toShownCoins(coins)}; it must be exactly the gasCoins of the reservation, each with its version and digest`;
}

const shownCoins = 3;

function toShownCoins(coins: readonly { readonly objectId: string; readonly version: string }[]): string {
  if (coins.length === 0) return 'empty';
  const shown = coins.slice(0, shownCoins).map(({ objectId, version }) => `${objectId} at version ${version}`);
  const more = coins.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
