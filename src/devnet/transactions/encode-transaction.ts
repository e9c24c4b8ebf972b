import { encodeBcs } from './encode-bcs.ts';
import { transactionDataBcs } from './ledger-transaction-bcs.ts';
import type { AnyTransactionData } from './system-transaction.ts';

/** BCS of TransactionData, byte for byte what the SDKs build from the same content. */
export function encodeTransactionData(data: AnyTransactionData): Uint8Array {
  return encodeBcs(transactionDataBcs, data);
}
