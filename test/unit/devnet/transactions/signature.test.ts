import { Ed25519Keypair as IotaKeypair } from '@iota/iota-sdk/keypairs/ed25519';
import { Ed25519Keypair as SuiKeypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { verifyTransactionSignature } from '@mysten/sui/verify';
import { describe, expect, test } from 'vitest';
import { checkSignatures } from '../../../../src/devnet/transactions/check-signatures.ts';
import { encodeTransactionData } from '../../../../src/devnet/transactions/encode-transaction.ts';
import { createKeypair } from '../../../../src/devnet/transactions/keypair.ts';
import { isSignatureOf, parseSignature, signTransaction } from '../../../../src/devnet/transactions/signature.ts';
import { createSmallDevnet } from '../../../support/small-devnet.ts';

const secret = new Uint8Array(32).fill(9);
const iota = IotaKeypair.fromSecretKey(secret);
const sui = SuiKeypair.fromSecretKey(secret);
const message = Uint8Array.of(1, 2, 3);

describe('signatures', () => {
  test('of both SDKs are parsed, with the address each derives from the key', async () => {
    const fromIota = parseSignature((await iota.signTransaction(message)).signature);
    const fromSui = parseSignature((await sui.signTransaction(message)).signature);
    expect(fromSui.addresses).toEqual([sui.toSuiAddress(), iota.toIotaAddress()]);
    expect(fromIota.addresses).toEqual(fromSui.addresses);
    expect(isSignatureOf(fromIota, message)).toBe(true);
    expect(isSignatureOf(fromSui, message)).toBe(true);
    expect(isSignatureOf(fromSui, Uint8Array.of(1, 2, 4))).toBe(false);
  });

  test('made here equal the SDK’s for the same key', async () => {
    const ours = createKeypair(1, 'someone');
    const verified = await verifyTransactionSignature(message, signTransaction(ours, message));
    expect(verified.toSuiAddress()).toBe(ours.address);
  });

  test('of another scheme or length, or not base64, are rejected by name', async () => {
    const other = (await Secp256k1Keypair.fromSecretKey(secret).signTransaction(message)).signature;
    expect(() => parseSignature(other)).toThrow('97 bytes, got 98');
    expect(() => parseSignature(Buffer.alloc(97, 3).toString('base64'))).toThrow('scheme flag 3');
    expect(() => parseSignature('@@')).toThrow('not base64');
  });
});

describe('checking who signed', () => {
  const devnet = createSmallDevnet();
  const { alice, bob } = devnet;
  const data = devnet.build((tx) => void tx.call('0x2::a::b', []), { gas: { owner: bob.address } });
  const bytes = encodeTransactionData(data);
  const [byAlice, byBob] = [signTransaction(alice, bytes), signTransaction(bob, bytes)];

  test('accepts the sender and the gas owner in any order', () => {
    expect(checkSignatures(data, bytes, [byAlice, byBob])).toBeNull();
    expect(checkSignatures(data, bytes, [byBob, byAlice])).toBeNull();
  });

  test('counts one signature per signer', () => {
    expect(checkSignatures(data, bytes, [byAlice])).toBe('Expect 2 signer signatures but got 1');
    const own = { ...data, gas: { ...data.gas, owner: alice.address } };
    expect(checkSignatures(own, bytes, [byAlice, byAlice])).toBe('Expect 1 signer signatures but got 2');
  });

  test('misses a signer replaced by another key', () => {
    expect(checkSignatures(data, bytes, [byAlice, byAlice])).toBe(
      `Required Signature from ${bob.address} is absent ["${alice.address}", "${alice.address}"]`,
    );
  });

  test('rejects the right key over other bytes', () => {
    const wrong = signTransaction(alice, Uint8Array.of(1));
    expect(checkSignatures(data, bytes, [wrong, byBob])).toBe('Signature is not valid: Fail to verify user sig');
  });

  test('names what is wrong with an unreadable one', () => {
    expect(checkSignatures(data, bytes, ['AA==', byBob])).toBe('Signature is not valid: signature has 97 bytes, got 1');
  });
});
