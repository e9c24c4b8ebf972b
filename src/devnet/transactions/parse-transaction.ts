import { parseBcs } from '../../transactions/ledger-bcs.ts';
import { transactionDataBcs, transactionPayloadBcs } from './ledger-transaction-bcs.ts';
import type { AnyTransactionData, TransactionPayload } from './system-transaction.ts';

/**
 * BCS → TransactionData, strictly: no trailing bytes, no second encoding of the same content, nothing newer than V1.
 * Throws a `RangeError` whose message says what was wrong and at which byte.
 */
export function parseTransactionData(bytes: Uint8Array): AnyTransactionData {
  return parseBcs(transactionDataBcs, bytes);
}

/** BCS of a TransactionKind alone, as clients send it to a dry run. Same strictness. */
export function parseTransactionKind(bytes: Uint8Array): TransactionPayload {
  return parseBcs(transactionPayloadBcs, bytes);
}
