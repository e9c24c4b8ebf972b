import { isDeepStrictEqual } from 'node:util';
import { type SponsorCoin, sponsorAddress } from './sponsor-answers.ts';

type Json = Record<string, unknown>;

/** What is wrong with an answer of which just these data are right; `null` when nothing is. */
export function findDataFault(answer: unknown, data: unknown): string | null {
  if (!isObject(answer)) return 'not an object';
  if (answer.errors !== undefined) return `errors: ${JSON.stringify(answer.errors).slice(0, 500)}`;
  return sameJson(answer.data, data) ? null : `other data: ${JSON.stringify(answer.data ?? null).slice(0, 500)}`;
}

/** Likewise for `reserveGas`, whose id and times are new in each answer. */
export function findReservationFault(answer: unknown, gasBudget: number, gasCoins: readonly object[]): string | null {
  const { data, ...rest } = isObject(answer) ? answer : {};
  const reserveGas = isObject(data) ? data.reserveGas : undefined;
  if (!isObject(reserveGas)) return findDataFault(answer, 'a reservation');
  const { reservationId, expiresAt, secondsLeft, ...lasting } = reserveGas;
  const isAlive = typeof secondsLeft === 'number' && secondsLeft > 50 && Date.parse(String(expiresAt)) > Date.now();
  if (typeof reservationId !== 'string' || reservationId === '' || !isAlive) return 'not a live reservation';
  return findDataFault({ ...rest, data: lasting }, { sponsorAddress, gasBudget, state: 'ACTIVE', gasCoins });
}

/** Likewise for a reservation as the sponsor itself answers it. */
export function findRestFault(answer: unknown, coins: readonly SponsorCoin[]): string | null {
  const { result } = (answer ?? {}) as { readonly result?: { readonly gas_coins?: unknown } };
  return isDeepStrictEqual(result?.gas_coins, coins) ? null : 'not the reserved coins';
}

/** Likewise for an execution as the sponsor itself answers it. */
export function findExecutionFault(answer: unknown, digest: string): string | null {
  const { effects } = (answer ?? {}) as { readonly effects?: { readonly transactionDigest?: unknown } };
  return effects?.transactionDigest === digest ? null : 'not the effects of this transaction';
}

/** Objects of graphql have no prototype, and keys may come in any order. */
export function sameJson(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(left ?? null)), JSON.parse(JSON.stringify(right)));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
