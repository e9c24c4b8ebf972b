import { BcsType, bcs } from '@mysten/bcs';
import { ledgerBcs } from './ledger-bcs.ts';
import { listOf, NotKnownError, optional, taggedUnion } from './tagged-union.ts';
import type { Argument, CallArg, Command, TransactionData } from './transaction-data.ts';
import { typeTagBcs } from './type-tag.ts';

type ObjectArg = Exclude<CallArg, { kind: 'pure' }>;
type PureArg = Exclude<CallArg, ObjectArg>;

const { address, flag, identifier, objectRef, u53, u64 } = ledgerBcs;
const u16 = bcs.u16();

/**
 * Twice the limits of the networks, which reject smaller excesses in their own words. Networks bound inputs by their bytes only.
 */
const most = { commands: 2048, arguments: 1024, typeArguments: 32, inputs: 8192, gasCoins: 512 };

const objectArg = taggedUnion<ObjectArg>('object input', {
  owned: [0, bcs.struct('ImmOrOwnedObject', { ref: objectRef })],
  shared: [1, bcs.struct('SharedObject', { objectId: address, initialSharedVersion: u53, mutable: flag })],
  receiving: [2, bcs.struct('Receiving', { ref: objectRef })],
});

const outerArg = taggedUnion<PureArg | { readonly kind: 'object'; readonly object: ObjectArg }>('input', {
  pure: [0, bcs.struct('Pure', { bytes: bcs.byteVector() })],
  object: [1, bcs.struct('Object', { object: objectArg })],
});

const callArg = new BcsType<CallArg>({
  name: 'CallArg',
  read: (reader) => {
    const arg = outerArg.read(reader);
    return arg.kind === 'pure' ? arg : arg.object;
  },
  write: (arg, writer) => outerArg.write(arg.kind === 'pure' ? arg : { kind: 'object', object: arg }, writer),
});

const argument = taggedUnion<Argument>('argument', {
  gasCoin: [0, null],
  input: [1, bcs.struct('Input', { index: u16 })],
  result: [2, bcs.struct('Result', { index: u16 })],
  nestedResult: [3, bcs.struct('NestedResult', { index: u16, resultIndex: u16 })],
});

const argumentList = listOf('arguments', argument, most.arguments);
const moduleList = bcs.vector(bcs.byteVector());
const addressList = bcs.vector(address);

const command = taggedUnion<Command>('command', {
  moveCall: [
    0,
    bcs.struct('MoveCall', {
      package: address,
      module: identifier,
      function: identifier,
      typeArguments: listOf('type arguments', typeTagBcs, most.typeArguments),
      arguments: argumentList,
    }),
  ],
  transferObjects: [1, bcs.struct('TransferObjects', { objects: argumentList, recipient: argument })],
  splitCoins: [2, bcs.struct('SplitCoins', { coin: argument, amounts: argumentList })],
  mergeCoins: [3, bcs.struct('MergeCoins', { destination: argument, sources: argumentList })],
  publish: [4, bcs.struct('Publish', { modules: moduleList, dependencies: addressList })],
  makeMoveVec: [
    5,
    bcs.struct('MakeMoveVec', { type: optional('type of a vector', typeTagBcs), elements: argumentList }),
  ],
  upgrade: [
    6,
    bcs.struct('Upgrade', { modules: moduleList, dependencies: addressList, package: address, ticket: argument }),
  ],
});

/** A user's transaction: the first of several kinds on the network. */
export const programmableTransactionBcs = bcs.struct('ProgrammableTransaction', {
  inputs: listOf('inputs', callArg, most.inputs),
  commands: listOf('commands', command, most.commands),
});

/** TransactionData with transactions of the given kinds. Version 1, with index 0, is the only one. */
export function transactionDataBcsOf<Payload>(kind: BcsType<Payload>): BcsType<TransactionData<Payload>> {
  const transactionDataV1 = bcs.struct('TransactionDataV1', {
    kind,
    sender: address,
    gas: bcs.struct('GasData', {
      payment: listOf('gas coins', objectRef, most.gasCoins),
      owner: address,
      price: u64,
      budget: u64,
    }),
    // An enum of the network, encoded like an optional epoch.
    expirationEpoch: optional('expiration', u53),
  });
  return new BcsType<TransactionData<Payload>>({
    name: 'TransactionData',
    read: (reader) => {
      const index = reader.readULEB();
      if (index !== 0) throw new NotKnownError(`unknown TransactionData version ${index + 1}`);
      return transactionDataV1.read(reader);
    },
    write: (data, writer) => {
      writer.writeULEB(0);
      transactionDataV1.write(data, writer);
    },
  });
}
