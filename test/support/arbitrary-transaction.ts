import fc from 'fast-check';
import type { AnyTransactionData } from '../../src/devnet/transactions/system-transaction.ts';
import { toDigest } from '../../src/transactions/digest.ts';
import type { Argument, CallArg, TransactionCommand, TypeTag } from '../../src/transactions/transaction-bcs.ts';

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytesOf(32).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const identifier = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const u16 = fc.integer({ min: 0, max: 65_535 });
const version = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const objectRef = fc.record({ objectId: address, version, digest: bytesOf(32).map(toDigest) });

const primitives = ['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address', 'signer'] as const;

export const typeTag: fc.Arbitrary<TypeTag> = fc.letrec<{ tag: TypeTag }>((tie) => ({
  tag: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...primitives).map((name) => ({ kind: 'primitive', name }) as const),
    fc.record({ kind: fc.constant('vector' as const), element: tie('tag') }),
    fc.record({
      kind: fc.constant('struct' as const),
      struct: fc.record({
        address,
        module: identifier,
        name: identifier,
        typeParameters: fc.array(tie('tag'), { maxLength: 3 }),
      }),
    }),
  ),
})).tag;

const callArg: fc.Arbitrary<CallArg> = fc.oneof(
  fc.record({ kind: fc.constant('pure' as const), bytes: fc.uint8Array({ maxLength: 200 }) }),
  fc.record({ kind: fc.constantFrom('owned' as const, 'receiving' as const), ref: objectRef }),
  fc.record({
    kind: fc.constant('shared' as const),
    objectId: address,
    initialSharedVersion: version,
    mutable: fc.boolean(),
  }),
);

const argument: fc.Arbitrary<Argument> = fc.oneof(
  fc.constant({ kind: 'gasCoin' } as const),
  fc.record({ kind: fc.constantFrom('input' as const, 'result' as const), index: u16 }),
  fc.record({ kind: fc.constant('nestedResult' as const), index: u16, resultIndex: u16 }),
);

const args = fc.array(argument, { maxLength: 4 });
const modules = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 });
const dependencies = fc.array(address, { maxLength: 3 });

const command: fc.Arbitrary<TransactionCommand> = fc.oneof(
  fc.record({
    kind: fc.constant('moveCall' as const),
    package: address,
    module: identifier,
    function: identifier,
    typeArguments: fc.array(typeTag, { maxLength: 2 }),
    arguments: args,
  }),
  fc.record({ kind: fc.constant('transferObjects' as const), objects: args, recipient: argument }),
  fc.record({ kind: fc.constant('splitCoins' as const), coin: argument, amounts: args }),
  fc.record({ kind: fc.constant('mergeCoins' as const), destination: argument, sources: args }),
  fc.record({ kind: fc.constant('publish' as const), modules, dependencies }),
  fc.record({
    kind: fc.constant('makeMoveVec' as const),
    type: fc.option(typeTag),
    elements: args,
  }),
  fc.record({ kind: fc.constant('upgrade' as const), modules, dependencies, package: address, ticket: argument }),
);

/** Any TransactionData that a user could send, valid or not. */
export const transactionData: fc.Arbitrary<AnyTransactionData> = fc.record({
  kind: fc.record({
    kind: fc.constant('PROGRAMMABLE_TX' as const),
    inputs: fc.array(callArg, { maxLength: 6 }),
    commands: fc.array(command, { maxLength: 6 }),
  }),
  sender: address,
  gas: fc.record({ payment: fc.array(objectRef, { maxLength: 4 }), owner: address, price: u64, budget: u64 }),
  expirationEpoch: fc.option(version),
});
