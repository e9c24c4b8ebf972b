import type { ExecutionResult } from 'graphql';
import { gatewayError } from '../../errors/gateway-error.ts';

/**
 * Of what a subscription comes in, in bytes; a filter of a hundred tests takes a third of it. All of it may be kept as long as the
 * stream is open, by whoever reads requests, and there may be thousands of streams.
 */
const maxBytes = 64 * 1024;

/** @returns what is answered to a subscription that comes in too many */
export function refuseLongRequest(bytes: number): ExecutionResult | null {
  if (bytes <= maxBytes) return null;
  const says = `A subscription comes in at most ${maxBytes} bytes, with its variables and extensions.`;
  return { errors: [gatewayError('PAYLOAD_TOO_LARGE', says)] };
}
