import { badArgument } from './bad-argument.ts';

const maxReservationId = 2n ** 64n - 1n;

/**
 * The sponsor's own number: decimal text of a u64 in its one spelling. Nothing else may pass, for the text is written into
 * the sponsor's request as it is.
 * @throws `BAD_USER_INPUT`
 */
export function parseReservationId(text: string): string {
  if (/^(?:0|[1-9]\d{0,19})$/.test(text) && BigInt(text) <= maxReservationId) return text;
  const rule = `it must be a whole number from 0 to ${maxReservationId}, without leading zeros, as reserveGas gave it`;
  throw badArgument('reservationId', text, rule);
}
