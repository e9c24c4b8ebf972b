import { badArgument } from './bad-argument.ts';

const maxReserveDurationSecs = 600;

/**
 * A reservation lasts 1 to 600 seconds.
 * @throws `BAD_USER_INPUT`
 */
export function checkReserveDuration(reserveDurationSecs: number): void {
  const inRange = reserveDurationSecs >= 1 && reserveDurationSecs <= maxReserveDurationSecs;
  if (Number.isInteger(reserveDurationSecs) && inRange) return;
  const rule = `it must be a whole number of seconds from 1 to ${maxReserveDurationSecs}`;
  throw badArgument('reserveDurationSecs', String(reserveDurationSecs), rule);
}
