import { gatewayError } from '../errors/gateway-error.ts';

/**
 * Versions are u64 at the sponsor and JSON numbers here. The ledger marks cancelled reads of shared objects with versions
 * near 2^63, and rounding one would name a version that does not exist.
 * @param text decimal
 * @throws `UPSTREAM_BAD_RESPONSE` beyond 2^53-1
 */
export function toUInt53(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw gatewayError(
    'UPSTREAM_BAD_RESPONSE',
    'The sponsor answered a number beyond 2^53-1, which cannot be shown exactly.',
    { upstream: 'sponsor' },
  );
}
