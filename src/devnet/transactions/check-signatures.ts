import { isSignatureOf, type ParsedSignature, parseSignature } from './signature.ts';
import type { AnyTransactionData } from './system-transaction.ts';

/**
 * Why the signatures do not authorise the transaction, in a node's words, or `null` when they do. The sender and, where it
 * is another, the gas owner must each have signed, with a key whose address is theirs in either derivation; order is free.
 */
export function checkSignatures(
  data: AnyTransactionData,
  bytes: Uint8Array,
  signatures: readonly string[],
): string | null {
  const signers = [...new Set([data.sender, data.gas.owner])];
  if (signatures.length !== signers.length) {
    return `Expect ${signers.length} signer signatures but got ${signatures.length}`;
  }
  const parsed: ParsedSignature[] = [];
  for (const signature of signatures) {
    try {
      parsed.push(parseSignature(signature));
    } catch (error) {
      return `Signature is not valid: ${error instanceof Error ? error.message : 'not readable'}`;
    }
  }
  for (const signer of signers) {
    const own = parsed.find(({ addresses }) => addresses.includes(signer));
    if (!own) {
      // As Rust writes a list of texts: with a space after each comma.
      const present = parsed.map(({ addresses }) => JSON.stringify(addresses[0])).join(', ');
      return `Required Signature from ${signer} is absent [${present}]`;
    }
    if (!isSignatureOf(own, bytes)) return 'Signature is not valid: Fail to verify user sig';
  }
  return null;
}
