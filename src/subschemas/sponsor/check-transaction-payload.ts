import { gatewayError } from '../../errors/gateway-error.ts';

/**
 * The base64 texts of an execution stay within the payload limit together. Checked before they are decoded.
 * @throws `BAD_USER_INPUT`
 */
export function checkTransactionPayload(txBytes: string, userSig: string, maxBytes: number): void {
  const size = txBytes.length + userSig.length;
  if (size <= maxBytes) return;
  const argument = userSig.length > txBytes.length ? 'userSig' : 'txBytes';
  const parts = `txBytes ${txBytes.length}, userSig ${userSig.length}`;
  throw gatewayError(
    'BAD_USER_INPUT',
    `Argument "${argument}" is too large: txBytes and userSig together are ${size} bytes (${parts}) and may be at most ${maxBytes}.`,
    { argument },
  );
}
