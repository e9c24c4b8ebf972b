import { createSign, generateKeyPairSync } from 'node:crypto';
import { bcs as iotaBcs } from '@iota/iota-sdk/bcs';
import { Ed25519Keypair as IotaEd25519 } from '@iota/iota-sdk/keypairs/ed25519';
import { MoveSigner } from '@iota/iota-sdk/keypairs/move-authenticator';
import { MultiSigPublicKey as IotaMultiSig } from '@iota/iota-sdk/multisig';
import { Transaction as IotaTransaction } from '@iota/iota-sdk/transactions';
import { Ed25519Keypair } from '@mysten/sui-v2/keypairs/ed25519';
import { PasskeyKeypair } from '@mysten/sui-v2/keypairs/passkey';
import { Secp256k1Keypair } from '@mysten/sui-v2/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui-v2/keypairs/secp256r1';
import { MultiSigPublicKey } from '@mysten/sui-v2/multisig';
import { coinWithBalance, Transaction } from '@mysten/sui-v2/transactions';
import { getZkLoginSignature } from '@mysten/sui-v2/zklogin';
import { expect, test } from 'vitest';
import { preflight } from '../../../../src/sponsor/preflight.ts';
import { toDigest } from '../../../../src/transactions/digest.ts';
import { outlineTransaction } from '../../../../src/transactions/outline-transaction.ts';
import type { TransactionForms } from '../../../../src/transactions/transaction-bcs.ts';
import { toTestPolicy } from '../../../support/test-policy.ts';
import { coins, sponsor, terms, user } from './sample-transaction.ts';

/**
 * What should become of a transaction, as its sponsor would say. With `enforce`, `warn` and `off`; then again for a caller with
 * a gas budget, and for one with an allowlist of `0x2`.
 */
const verdicts = {
  'may be sponsored': 'yes yes yes / yes yes yes / yes yes yes',
  'takes what is not gas': 'NO NO NO / NO NO NO / NO NO NO',
  'runs code of no list': 'yes yes yes / yes yes yes / NO NO NO',
  'does not fit its reservation': 'NO yes yes / NO yes yes / NO yes yes',
  'spends more than reserved': 'NO yes yes / NO NO NO / NO yes yes',
  'cannot be read': 'NO yes yes / NO NO NO / NO NO NO',
} as const;

const other = `0x${'d'.repeat(64)}`;
const own = { objectId: `0x${'a1'.repeat(32)}`, version: '4', digest: toDigest(new Uint8Array(32).fill(7)) };
const ticket = { ...own, objectId: `0x${'a2'.repeat(32)}` };
const gasCoin = coins[0] as (typeof coins)[0];
const chain = toDigest(new Uint8Array(32).fill(3));
const usdc = '0x9::usdc::USDC';
const during = { minEpoch: '9', maxEpoch: '10', minTimestamp: null, maxTimestamp: null, chain, nonce: 5 };
const clock = { objectId: '0x6', initialSharedVersion: 1, mutable: false };
const game = { objectId: `0x${'e'.repeat(64)}`, initialSharedVersion: 8, mutable: true };

/** The object reference with which older clients name an address balance: amount, epoch, and a mark in place of the digest. */
const coinReservation = {
  ...own,
  digest: toDigest(Uint8Array.from([...Buffer.alloc(8, 1), ...Buffer.alloc(4, 2), ...Buffer.alloc(20, 0xac)])),
};

function sponsored<Built extends Transaction | IotaTransaction>(transaction: Built): Built {
  transaction.setSender(user);
  transaction.setGasOwner(sponsor);
  transaction.setGasPayment([...coins]);
  transaction.setGasPrice(1000);
  transaction.setGasBudget(5_000_000);
  return transaction;
}

const build = (transaction: Transaction | IotaTransaction) =>
  transaction.build({ assumeSufficientAddressBalances: true } as never);

/** Built by the newest Sui SDK. */
const sui = (fill: (tx: Transaction) => unknown) => async () => {
  const tx = sponsored(new Transaction());
  fill(tx);
  return build(tx);
};

/** Built by the newest IOTA SDK. */
const iota = (fill: (tx: IotaTransaction) => unknown) => async () => {
  const tx = sponsored(new IotaTransaction());
  fill(tx);
  return build(tx);
};

/** No SDK builds it: the bytes of another transaction, changed in one place. */
const altered = (made: () => Promise<Uint8Array>, change: (bytes: Buffer) => void) => async () => {
  const bytes = Buffer.from(await made());
  change(bytes);
  return bytes;
};

const give = (tx: Transaction, ...objects: unknown[]) => tx.transferObjects(objects as never, other);
const withdrawal = { type: usdc, amount: 7 };
const usesGame = sui((tx) => tx.moveCall({ target: '0x2::game::play', arguments: [tx.sharedObjectRef(game)] }));
const lapses = sui((tx) => tx.setExpiration({ Epoch: 9 }));

const forms: readonly (readonly [form: string, verdict: keyof typeof verdicts, make: () => Promise<Uint8Array>])[] = [
  // Ordinary transactions.
  ['Sui: a call of a function', 'may be sponsored', sui((tx) => tx.moveCall({ target: '0x2::clock::now' }))],
  [
    'Sui: a call with type arguments',
    'may be sponsored',
    sui((tx) => tx.moveCall({ target: '0x2::coin::zero', typeArguments: [usdc] })),
  ],
  ['Sui: a transfer of an object', 'may be sponsored', sui((tx) => give(tx, tx.objectRef(own)))],
  [
    'Sui: a payment from a coin of the sender',
    'may be sponsored',
    sui((tx) => give(tx, tx.splitCoins(tx.objectRef(own), [7])[0])),
  ],
  [
    'Sui: coins of the sender that are merged',
    'may be sponsored',
    sui((tx) => tx.mergeCoins(tx.objectRef(own), [tx.objectRef(ticket)])),
  ],
  ['Sui: a list of objects', 'may be sponsored', sui((tx) => tx.makeMoveVec({ elements: [tx.objectRef(own)] }))],
  [
    'Sui: a shared object that is read',
    'may be sponsored',
    sui((tx) => tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [tx.sharedObjectRef(clock)] })),
  ],
  ['Sui: a shared object that is written', 'may be sponsored', usesGame],
  [
    'Sui: a shared object that is written without exclusion',
    'may be sponsored',
    altered(usesGame, (bytes) => bytes.writeUInt8(2, bytes.indexOf(Buffer.alloc(32, 0xee)) + 40)),
  ],
  [
    'Sui: an object that is received',
    'may be sponsored',
    sui((tx) => tx.moveCall({ target: '0x2::box::open', arguments: [tx.receivingRef(own)] })),
  ],
  ['Sui: nothing at all', 'may be sponsored', sui(() => {})],
  [
    'Sui: a package that is published',
    'runs code of no list',
    sui((tx) => tx.publish({ modules: [[1]], dependencies: ['0x1'] })),
  ],
  [
    'Sui: a package that is upgraded',
    'runs code of no list',
    sui((tx) => tx.upgrade({ modules: [[1]], dependencies: [], package: other, ticket: tx.objectRef(ticket) })),
  ],
  [
    'Sui: a call of a package that is not listed',
    'runs code of no list',
    sui((tx) => tx.moveCall({ target: '0xbad::shop::buy' })),
  ],
  [
    'IOTA: a call, a split and a transfer',
    'may be sponsored',
    iota((tx) => {
      tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [tx.sharedObjectRef(clock)] });
      tx.transferObjects([tx.splitCoins(tx.objectRef(own), [7])[0]!], other);
    }),
  ],
  [
    'IOTA: a package that is published',
    'runs code of no list',
    iota((tx) => tx.publish({ modules: [[1]], dependencies: ['0x1'] })),
  ],
  ['IOTA: an expiration', 'may be sponsored', iota((tx) => tx.setExpiration({ Epoch: 9 }))],

  // Address balances.
  [
    'Sui: a coin from the sender’s address balance',
    'may be sponsored',
    sui((tx) => give(tx, tx.add(coinWithBalance({ type: usdc, balance: 7 })))),
  ],
  [
    'Sui: SUI from the sender’s address balance',
    'may be sponsored',
    sui((tx) => give(tx, tx.add(coinWithBalance({ balance: 7, useGasCoin: false })))),
  ],
  [
    'Sui: a balance from the sender’s address balance',
    'may be sponsored',
    sui((tx) => tx.moveCall({ target: '0x2::shop::pay', arguments: [tx.balance({ type: usdc, balance: 7 })] })),
  ],
  ['Sui: a withdrawal of the sender', 'may be sponsored', sui((tx) => tx.withdrawal(withdrawal))],
  [
    'Sui: the sender’s address balance in the form for older clients',
    'may be sponsored',
    sui((tx) => give(tx, tx.objectRef(coinReservation))),
  ],
  [
    'Sui: an allowance that another address gave',
    'may be sponsored',
    sui((tx) => tx.withdrawal({ ...withdrawal, from: 'allowance', allowance: own.objectId, funder: other })),
  ],
  [
    'Sui: a withdrawal from the sponsor',
    'takes what is not gas',
    sui((tx) => tx.withdrawal({ ...withdrawal, from: 'sponsor' })),
  ],
  [
    'Sui: a withdrawal of nothing from the sponsor',
    'takes what is not gas',
    sui((tx) => tx.withdrawal({ type: usdc, amount: 0, from: 'sponsor' })),
  ],
  [
    'Sui: an allowance that the sponsor gave',
    'takes what is not gas',
    sui((tx) => tx.withdrawal({ ...withdrawal, from: 'allowance', allowance: own.objectId, funder: sponsor })),
  ],
  [
    'Sui: an allowance that the sponsor gave, with another gas owner',
    'takes what is not gas',
    sui((tx) => {
      tx.setGasOwner(other);
      tx.withdrawal({ ...withdrawal, from: 'allowance', allowance: own.objectId, funder: sponsor });
    }),
  ],
  [
    'Sui: gas from the sponsor’s address balance',
    'takes what is not gas',
    sui((tx) => {
      tx.setGasPayment([]);
      tx.setExpiration({ ValidDuring: during });
    }),
  ],
  [
    'Sui: no gas at all, as for stable coins',
    'takes what is not gas',
    sui((tx) => {
      tx.setGasPayment([]);
      tx.setGasPrice(0);
      tx.setExpiration({ ValidDuring: during });
    }),
  ],
  ['IOTA: an empty gas payment', 'takes what is not gas', iota((tx) => tx.setGasPayment([]))],

  // Periods of validity.
  ['Sui: an expiration', 'may be sponsored', lapses],
  ['Sui: a period of validity', 'may be sponsored', sui((tx) => tx.setExpiration({ ValidDuring: during }))],
  [
    'Sui: a period of validity for some proposers',
    'may be sponsored',
    sui((tx) => tx.setExpiration({ Validity: { ...during, allowedProposers: { epoch: '9', proposers: [0, 3] } } })),
  ],
  [
    'Sui: a period of validity in milliseconds for any proposer',
    'may be sponsored',
    sui((tx) =>
      tx.setExpiration({ Validity: { ...during, minTimestamp: '1', maxTimestamp: '2', allowedProposers: null } }),
    ),
  ],

  // Gas coins.
  ['Sui: a gas coin that is split', 'takes what is not gas', sui((tx) => give(tx, tx.splitCoins(tx.gas, [7])[0]))],
  ['Sui: a gas coin that is given away', 'takes what is not gas', sui((tx) => give(tx, tx.gas))],
  [
    'Sui: a gas coin for a call',
    'takes what is not gas',
    sui((tx) => tx.moveCall({ target: '0x2::coin::burn', arguments: [tx.gas] })),
  ],
  ['Sui: a gas coin by its id', 'takes what is not gas', sui((tx) => give(tx, tx.objectRef(gasCoin)))],
  [
    'IOTA: a gas coin that is split',
    'takes what is not gas',
    iota((tx) => tx.transferObjects([tx.splitCoins(tx.gas, [7])[0]!], other)),
  ],
  [
    'IOTA: a gas coin into which others are merged',
    'takes what is not gas',
    iota((tx) => tx.mergeCoins(tx.gas, [tx.objectRef(own)])),
  ],
  ['Sui: gas of the sender', 'takes what is not gas', sui((tx) => tx.setGasOwner(user))],
  ['IOTA: the sponsor as sender', 'takes what is not gas', iota((tx) => tx.setSender(sponsor))],

  // Other transactions than reserved.
  ['Sui: another gas owner', 'does not fit its reservation', sui((tx) => tx.setGasOwner(other))],
  ['Sui: one of two coins', 'does not fit its reservation', sui((tx) => tx.setGasPayment([gasCoin]))],
  ['Sui: another coin', 'does not fit its reservation', sui((tx) => tx.setGasPayment([own]))],
  ['Sui: a larger budget', 'spends more than reserved', sui((tx) => tx.setGasBudget(5_000_001))],
  ['IOTA: a larger budget', 'spends more than reserved', iota((tx) => tx.setGasBudget(2n ** 64n - 1n))],

  // Forms of a later network.
  ['a version of tomorrow', 'cannot be read', altered(lapses, (bytes) => bytes.writeUInt8(1, 0))],
  ['an input of tomorrow', 'cannot be read', altered(usesGame, (bytes) => bytes.writeUInt8(3, 3))],
  [
    'an expiration of tomorrow',
    'cannot be read',
    altered(
      sui(() => {}),
      (bytes) => bytes.writeUInt8(4, bytes.length - 1),
    ),
  ],
  ['a transaction of validators', 'cannot be read', altered(lapses, (bytes) => bytes.writeUInt8(10, 1))],
];

const limits = [{}, { isGasCounted: true }, { moveCalls: [`0x${'2'.padStart(64, '0')}`] }];

function judge(txBytes: Uint8Array, userSig: Uint8Array, network: TransactionForms = 'extended'): string {
  const judgeWith = (policy: 'enforce' | 'warn' | 'off', changes: (typeof limits)[number]) => {
    const facts = { digest: 'D1gest', reservationId: 'l-1' };
    const subject = {
      transaction: outlineTransaction(txBytes, network),
      simulation: null,
      userSig,
      terms,
      policy: toTestPolicy({
        ...('moveCalls' in changes && {
          moveCalls: changes.moveCalls,
          commands: { allow: ['moveCall', 'transferObjects', 'splitCoins', 'mergeCoins', 'makeMoveVec'] },
        }),
        gas: { perDay: 'isGasCounted' in changes ? 1 : null },
      }),
      nowMs: 0,
      facts,
      doubt: () => {},
    };
    return preflight({ preflight: policy, unreadable: 'refuse', dryRun: 'off' }, subject) ? 'NO' : 'yes';
  };
  const rows = limits.map((changes) =>
    (['enforce', 'warn', 'off'] as const).map((policy) => judgeWith(policy, changes)),
  );
  return rows.map((row) => row.join(' ')).join(' / ');
}

test.each(forms)('%s: %s', async (form, verdict, make) => {
  const network = form.startsWith('IOTA') ? 'common' : 'extended';
  expect(judge(await make(), new Uint8Array(97), network)).toBe(verdicts[verdict]);
});

test('on a network without address balances, forms of Sui cannot be read', async () => {
  const ofSui = forms.filter(([form]) => /address balance$|withdrawal|allowance|period|without exclusion/.test(form));
  expect(ofSui.length).toBeGreaterThan(12);
  for (const [form, verdict, make] of ofSui) {
    // The network may be a fork of Sui that the gateway does not know.
    const expected = verdict === 'takes what is not gas' ? verdict : 'cannot be read';
    expect([form, judge(await make(), new Uint8Array(97), 'common')]).toEqual([form, verdicts[expected]]);
  }
});

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x, y } = p256.publicKey.export({ format: 'jwk' });
const odd = (Buffer.from(y ?? '', 'base64url').at(-1) ?? 0) % 2;
const clientDataJSON = Buffer.from('{"type":"webauthn.get"}');
/** An authenticator without a browser. */
const passkey = new PasskeyKeypair(Buffer.concat([Buffer.of(2 + odd), Buffer.from(x ?? '', 'base64url')]), {
  create: () => Promise.reject(new Error('not used')),
  get: async (challenge) => {
    const signature = createSign('sha256').update(challenge).sign(p256.privateKey);
    return { response: { authenticatorData: new Uint8Array(37), clientDataJSON, signature } } as never;
  },
});

const key = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(9));
const iotaKey = IotaEd25519.fromSecretKey(new Uint8Array(32).fill(9));
const multisig = MultiSigPublicKey.fromPublicKeys({
  threshold: 1,
  publicKeys: [{ publicKey: key.getPublicKey(), weight: 1 }],
});
const iotaMultisig = IotaMultiSig.fromPublicKeys({
  threshold: 1,
  publicKeys: [{ publicKey: iotaKey.getPublicKey(), weight: 1 }],
});
const proof = {
  a: ['1', '2', '3'],
  b: [
    ['1', '2'],
    ['3', '4'],
    ['5', '6'],
  ],
  c: ['1', '2', '3'],
};
const signature = async (signed: Promise<{ signature: string }>) => (await signed).signature;

const signatures: readonly (readonly [scheme: string, sign: (bytes: Uint8Array) => Promise<string>])[] = [
  ['Ed25519', (bytes) => signature(key.signTransaction(bytes))],
  ['Secp256k1', (bytes) => signature(new Secp256k1Keypair().signTransaction(bytes))],
  ['Secp256r1', (bytes) => signature(new Secp256r1Keypair().signTransaction(bytes))],
  ['a multisig', async (bytes) => multisig.combinePartialSignatures([await signature(key.signTransaction(bytes))])],
  ['a passkey', (bytes) => signature(passkey.signTransaction(bytes))],
  [
    'zkLogin',
    async (bytes) => {
      const userSignature = await signature(key.signTransaction(bytes));
      const issBase64Details = { value: 'yJpc3MiOiJodHRwczovL2lkIiw', indexMod4: 1 };
      const inputs = { proofPoints: proof, issBase64Details, headerBase64: 'e30', addressSeed: '7' };
      return getZkLoginSignature({ inputs, maxEpoch: '10', userSignature });
    },
  ],
  ['IOTA’s Ed25519', (bytes) => signature(iotaKey.signTransaction(bytes))],
  [
    'IOTA’s multisig',
    async (bytes) => iotaMultisig.combinePartialSignatures([await signature(iotaKey.signTransaction(bytes))]),
  ],
  [
    'an abstract account of IOTA',
    () => {
      const account = { SharedObject: { ...game, mutable: false } };
      const data = { version: 'V1', callArgs: [], typeArgs: [], objectToAuthenticate: account } as const;
      return new MoveSigner(data as never).getSignature();
    },
  ],
];

test.each(signatures)('a transaction with a signature of %s may be sponsored', async (_scheme, sign) => {
  const bytes = await usesGame();
  const signed = Buffer.from(await sign(bytes), 'base64');
  expect(judge(bytes, signed)).toBe(verdicts['may be sponsored']);
});

test('both SDKs build the same bytes of the same transaction', async () => {
  const bytes = await lapses();
  expect(iotaBcs.TransactionData.serialize(iotaBcs.TransactionData.parse(bytes) as never).toBytes()).toEqual(bytes);
});
