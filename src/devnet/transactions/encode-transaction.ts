import { encodeBcs } from './encode-bcs.ts';
import { transactionDataBcs } from './transaction-bcs.ts';
import type { TransactionData } from './transaction-data.ts';

/** BCS of TransactionData, byte for byte what the SDKs build from the same content. */
export function encodeTransactionData(data: TransactionData): Uint8Array {
  return encodeBcs(transactionDataBcs, data);
}
