import { gatewayError } from '../../errors/gateway-error.ts';

/**
 * A number of the sponsor as JSON number. Versions are u64 there, and the ledger marks cancelled reads of shared objects
 * with values near 2^63: rounding one would name a version that does not exist.
 * @param text decimal
 * @throws `UPSTREAM_BAD_RESPONSE` beyond 2^53-1
 */
export function toUInt53(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw gatewayError(
    'UPSTREAM_BAD_RESPONSE',
    'The sponsor answered a number beyond 2^53-1, which cannot be shown exactly.',
    {
      upstream: 'sponsor',
    },
  );
}
