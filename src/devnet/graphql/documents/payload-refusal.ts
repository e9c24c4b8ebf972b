import type { GraphQLError } from 'graphql';
import type { GraphqlLimits } from '../graphql-limits.ts';
import { limitRefusal } from './limit-refusal.ts';

type PayloadLimits = Pick<GraphqlLimits, 'maxTransactionPayloadSize' | 'maxQueryPayloadSize'>;

/** Transaction and query have an allowance each. The refusal says which one was exceeded and names both. */
function payloadRefusal(what: string, limits: PayloadLimits): GraphQLError {
  return limitRefusal(
    `${what}. Requests are limited to ${limits.maxTransactionPayloadSize} bytes or fewer on transaction payloads (all inputs to executeTransactionBlock or dryRunTransactionBlock) and the rest of the request (the query part) must be ${limits.maxQueryPayloadSize} bytes or fewer.`,
  );
}

/** The bound on a whole body, checked before it is parsed. */
export function checkBodySize(bytes: number, limits: PayloadLimits): GraphQLError | undefined {
  const max = limits.maxTransactionPayloadSize + limits.maxQueryPayloadSize;
  return bytes > max ? payloadRefusal(`Overall request too large: ${bytes} bytes`, limits) : undefined;
}

/** Checks each part of the body against its own bound. */
export function checkPayloadParts(
  bytes: { readonly transaction: number; readonly query: number },
  limits: PayloadLimits,
): GraphQLError | undefined {
  if (bytes.transaction > limits.maxTransactionPayloadSize) {
    return payloadRefusal('Transaction payload too large', limits);
  }
  if (bytes.query > limits.maxQueryPayloadSize) {
    return payloadRefusal(`Query part too large: ${bytes.query} bytes`, limits);
  }
  return undefined;
}
