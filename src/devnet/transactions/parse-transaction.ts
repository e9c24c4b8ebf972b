import { parseBcs } from './parse-bcs.ts';
import { transactionDataBcs, transactionPayloadBcs } from './transaction-bcs.ts';
import type { TransactionData, TransactionPayload } from './transaction-data.ts';

/**
 * BCS → TransactionData, strictly: no trailing bytes, no second encoding of the same content, nothing newer than V1.
 * Throws a `RangeError` whose message says what was wrong and at which byte.
 */
export function parseTransactionData(bytes: Uint8Array): TransactionData {
  return parseBcs(transactionDataBcs, bytes);
}

/** BCS of a TransactionKind alone, as clients send it to a dry run. Same strictness. */
export function parseTransactionKind(bytes: Uint8Array): TransactionPayload {
  return parseBcs(transactionPayloadBcs, bytes);
}
