import fc from 'fast-check';
import { toTypeText } from '../../src/devnet/transactions/type-text.ts';
import { toDigest } from '../../src/transactions/digest.ts';
import { typeTag } from './arbitrary-transaction.ts';

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytesOf(32).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const digest = bytesOf(32).map(toDigest);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const u16 = fc.integer({ min: 0, max: 65_535 });
const version = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).map(String);
const type = typeTag.map(toTypeText);
const ref = fc.record({ objectId: address, version, digest });

const withdrawFrom = fc.oneof(
  fc.constant({ Sender: true }),
  fc.constant({ Sponsor: true }),
  fc.record({ SenderAllowance: fc.record({ funder: address, allowance: address }) }),
);

const input = fc.oneof(
  fc.record({ Pure: fc.record({ bytes: fc.base64String({ maxLength: 80 }) }) }),
  fc.record({ Object: fc.record({ ImmOrOwnedObject: ref }) }),
  fc.record({ Object: fc.record({ Receiving: ref }) }),
  fc.record({
    Object: fc.record({
      SharedObject: fc.record({ objectId: address, initialSharedVersion: version, mutable: fc.boolean() }),
    }),
  }),
  fc.record({
    FundsWithdrawal: fc.record({
      reservation: fc.record({ MaxAmountU64: u64 }),
      typeArg: fc.record({ Balance: type }),
      withdrawFrom,
    }),
  }),
);

const argument = fc.oneof(
  fc.constant({ GasCoin: true }),
  fc.record({ Input: u16 }),
  fc.record({ Result: u16 }),
  fc.record({ NestedResult: fc.tuple(u16, u16) }),
);
const args = fc.array(argument, { maxLength: 3 });
const identifier = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);

const command = fc.oneof(
  fc.record({
    MoveCall: fc.record({
      package: address,
      module: identifier,
      function: identifier,
      typeArguments: fc.array(type, { maxLength: 2 }),
      arguments: args,
    }),
  }),
  fc.record({ TransferObjects: fc.record({ objects: args, address: argument }) }),
  fc.record({ SplitCoins: fc.record({ coin: argument, amounts: args }) }),
  fc.record({ MergeCoins: fc.record({ destination: argument, sources: args }) }),
  fc.record({ MakeMoveVec: fc.record({ type: fc.option(type), elements: args }) }),
);

const bound = fc.option(u64);
const during = {
  minEpoch: bound,
  maxEpoch: bound,
  minTimestamp: bound,
  maxTimestamp: bound,
  chain: digest,
  nonce: u32,
};
const proposers = fc
  .uniqueArray(u32, { minLength: 1, maxLength: 5 })
  .map((indices) => [...indices].sort((a, b) => a - b));

const expiration = fc.oneof(
  fc.constant({ None: true }),
  fc.record({ Epoch: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }) }),
  fc.record({ ValidDuring: fc.record(during) }),
  fc.record({
    Validity: fc.record({ ...during, allowedProposers: fc.option(fc.record({ epoch: u64, proposers })) }),
  }),
);

/** A transaction of a user of today's Sui in the form that its SDK encodes: its `bcs.TransactionData`. Valid or not. */
export const suiTransaction = fc.record({
  V1: fc.record({
    kind: fc.record({
      ProgrammableTransaction: fc.record({
        inputs: fc.array(input, { maxLength: 6 }),
        commands: fc.array(command, { maxLength: 5 }),
      }),
    }),
    sender: address,
    gasData: fc.record({ payment: fc.array(ref, { maxLength: 4 }), owner: address, price: u64, budget: u64 }),
    expiration,
  }),
});
