import { Ed25519Keypair } from '@iota/iota-sdk/keypairs/ed25519';
import { fromBase64 } from '@iota/iota-sdk/utils';

// Stands for a wallet: `useCurrentAccount` and `useSignTransaction` of dApp Kit give the same two.
const keypair = Ed25519Keypair.generate();

export const account = { address: keypair.toIotaAddress() };

export const signTransaction = ({ transaction }) => keypair.signTransaction(fromBase64(transaction));
