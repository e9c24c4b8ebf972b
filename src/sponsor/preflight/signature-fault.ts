/** Schemes whose signatures have one length: flag, signature, public key. */
const simpleSchemes = [
  { name: 'Ed25519', bytes: 97 },
  { name: 'Secp256k1', bytes: 98 },
  { name: 'Secp256r1', bytes: 98 },
];

/**
 * Why bytes are no signature, or `null`: a signature that the sponsor cannot read would use its reservation up here for
 * nothing. Those of other schemes (multisig, zkLogin, passkeys, newer ones) have no length of their own and pass. Whose it is
 * stays the ledger's to say: addresses may be derived and delegated in ways that are not known here.
 */
export function toSignatureFault(signature: Uint8Array): string | null {
  const scheme = simpleSchemes[signature[0] ?? 0];
  if (!scheme || scheme.bytes === signature.length) return null;
  return `it is no signature: one of ${scheme.name} has ${scheme.bytes} bytes, its flag and its public key included, and this has ${signature.length}`;
}
