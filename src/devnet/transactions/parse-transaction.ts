import type { ObjectRef } from '../state/records.ts';
import { BcsReader } from './bcs-reader.ts';
import { toDigest } from './digest.ts';
import type { Argument, CallArg, Command, TransactionData, TransactionPayload } from './transaction-data.ts';
import { readIdentifier, readTypeTag } from './type-tag.ts';

/**
 * BCS → TransactionData, strictly: no trailing bytes, no second encoding of the same content, nothing newer than V1.
 * Throws a `RangeError` whose message says what was wrong and at which byte.
 */
export function parseTransactionData(bytes: Uint8Array): TransactionData {
  const reader = new BcsReader(bytes);
  const version = reader.uleb();
  if (version !== 0) throw reader.fault(`unknown TransactionData version ${version + 1}`);
  const kind = readPayload(reader);
  const sender = reader.address();
  const payment = reader.vector(() => readObjectRef(reader));
  const gas = { payment, owner: reader.address(), price: reader.u64(), budget: reader.u64() };
  const expirationEpoch = readExpiration(reader);
  reader.end();
  return { kind, sender, gas, expirationEpoch };
}

/** BCS of a TransactionKind alone, as clients send it to a dry run. Same strictness. */
export function parseTransactionKind(bytes: Uint8Array): TransactionPayload {
  const reader = new BcsReader(bytes);
  const payload = readPayload(reader);
  reader.end();
  return payload;
}

function readPayload(reader: BcsReader): TransactionPayload {
  const variant = reader.uleb();
  switch (variant) {
    case 0: {
      const inputs = reader.vector(() => readCallArg(reader));
      return { kind: 'PROGRAMMABLE_TX', inputs, commands: reader.vector(() => readCommand(reader)) };
    }
    case 1:
      return { kind: 'GENESIS', objectIds: reader.vector(() => reader.address()) };
    case 2:
      return {
        kind: 'CONSENSUS_COMMIT_PROLOGUE_V1',
        epoch: reader.u53(),
        round: reader.u53(),
        commitTimestampMs: reader.u53(),
      };
    case 4:
      return { kind: 'END_OF_EPOCH_TX', nextEpoch: reader.u53(), epochStartTimestampMs: reader.u53() };
    default:
      throw reader.fault(`unknown transaction kind ${variant}`);
  }
}

function readExpiration(reader: BcsReader): number | null {
  const variant = reader.uleb();
  if (variant === 0) return null;
  if (variant === 1) return reader.u53();
  throw reader.fault(`unknown expiration ${variant}`);
}

function readCallArg(reader: BcsReader): CallArg {
  const variant = reader.uleb();
  if (variant === 0) return { kind: 'pure', bytes: reader.bytes() };
  if (variant !== 1) throw reader.fault(`unknown input ${variant}`);
  const objectVariant = reader.uleb();
  switch (objectVariant) {
    case 0:
      return { kind: 'owned', ref: readObjectRef(reader) };
    case 1:
      return {
        kind: 'shared',
        objectId: reader.address(),
        initialSharedVersion: reader.u53(),
        mutable: reader.bool(),
      };
    case 2:
      return { kind: 'receiving', ref: readObjectRef(reader) };
    default:
      throw reader.fault(`unknown object input ${objectVariant}`);
  }
}

function readCommand(reader: BcsReader): Command {
  const argument = () => readArgument(reader);
  const variant = reader.uleb();
  switch (variant) {
    case 0:
      return {
        kind: 'moveCall',
        package: reader.address(),
        module: readIdentifier(reader),
        function: readIdentifier(reader),
        typeArguments: reader.vector(() => readTypeTag(reader)),
        arguments: reader.vector(argument),
      };
    case 1:
      return { kind: 'transferObjects', objects: reader.vector(argument), recipient: argument() };
    case 2:
      return { kind: 'splitCoins', coin: argument(), amounts: reader.vector(argument) };
    case 3:
      return { kind: 'mergeCoins', destination: argument(), sources: reader.vector(argument) };
    case 4:
      return { kind: 'publish', ...readModules(reader) };
    case 5: {
      const option = reader.uleb();
      if (option > 1) throw reader.fault(`unknown option ${option}`);
      return {
        kind: 'makeMoveVec',
        type: option === 1 ? readTypeTag(reader) : null,
        elements: reader.vector(argument),
      };
    }
    case 6:
      return { kind: 'upgrade', ...readModules(reader), package: reader.address(), ticket: argument() };
    default:
      throw reader.fault(`unknown command ${variant}`);
  }
}

function readModules(reader: BcsReader): { modules: Uint8Array[]; dependencies: string[] } {
  return { modules: reader.vector(() => reader.bytes()), dependencies: reader.vector(() => reader.address()) };
}

function readArgument(reader: BcsReader): Argument {
  const variant = reader.uleb();
  switch (variant) {
    case 0:
      return { kind: 'gasCoin' };
    case 1:
      return { kind: 'input', index: reader.u16() };
    case 2:
      return { kind: 'result', index: reader.u16() };
    case 3:
      return { kind: 'nestedResult', index: reader.u16(), resultIndex: reader.u16() };
    default:
      throw reader.fault(`unknown argument ${variant}`);
  }
}

function readObjectRef(reader: BcsReader): ObjectRef {
  const objectId = reader.address();
  const version = reader.u53();
  const digest = reader.bytes();
  if (digest.length !== 32) throw reader.fault(`a digest has 32 bytes, got ${digest.length}`);
  return { objectId, version, digest: toDigest(digest) };
}
