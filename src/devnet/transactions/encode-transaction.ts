import type { ObjectRef } from '../state/records.ts';
import { BcsWriter } from './bcs-writer.ts';
import { parseDigest } from './digest.ts';
import type { Argument, CallArg, Command, TransactionData, TransactionPayload } from './transaction-data.ts';
import { writeTypeTag } from './type-tag.ts';

/** BCS of TransactionData, byte for byte what the SDKs build from the same content. */
export function encodeTransactionData(data: TransactionData): Uint8Array {
  const writer = new BcsWriter(512);
  writer.uleb(0); // V1, the only version there is
  writePayload(writer, data.kind);
  writer.address(data.sender);
  writer.vector(data.gas.payment, (ref) => writeObjectRef(writer, ref));
  writer.address(data.gas.owner).u64(data.gas.price).u64(data.gas.budget);
  if (data.expirationEpoch === null) writer.uleb(0);
  else writer.uleb(1).u64(data.expirationEpoch);
  return writer.toBytes();
}

function writePayload(writer: BcsWriter, payload: TransactionPayload): void {
  switch (payload.kind) {
    case 'PROGRAMMABLE_TX':
      writer.uleb(0);
      writer.vector(payload.inputs, (input) => writeCallArg(writer, input));
      writer.vector(payload.commands, (command) => writeCommand(writer, command));
      return;
    case 'GENESIS':
      writer.uleb(1).vector(payload.objectIds, (objectId) => writer.address(objectId));
      return;
    case 'CONSENSUS_COMMIT_PROLOGUE_V1':
      writer.uleb(2).u64(payload.epoch).u64(payload.round).u64(payload.commitTimestampMs);
      return;
    case 'END_OF_EPOCH_TX':
      writer.uleb(4).u64(payload.nextEpoch).u64(payload.epochStartTimestampMs);
  }
}

function writeCallArg(writer: BcsWriter, input: CallArg): void {
  switch (input.kind) {
    case 'pure':
      writer.uleb(0).bytes(input.bytes);
      return;
    case 'owned':
      writer.uleb(1).uleb(0);
      writeObjectRef(writer, input.ref);
      return;
    case 'shared':
      writer.uleb(1).uleb(1).address(input.objectId).u64(input.initialSharedVersion).bool(input.mutable);
      return;
    case 'receiving':
      writer.uleb(1).uleb(2);
      writeObjectRef(writer, input.ref);
  }
}

function writeCommand(writer: BcsWriter, command: Command): void {
  const argument = (value: Argument) => writeArgument(writer, value);
  switch (command.kind) {
    case 'moveCall':
      writer.uleb(0).address(command.package).string(command.module).string(command.function);
      writer.vector(command.typeArguments, (tag) => writeTypeTag(writer, tag));
      writer.vector(command.arguments, argument);
      return;
    case 'transferObjects':
      writer.uleb(1).vector(command.objects, argument);
      argument(command.recipient);
      return;
    case 'splitCoins':
      writer.uleb(2);
      argument(command.coin);
      writer.vector(command.amounts, argument);
      return;
    case 'mergeCoins':
      writer.uleb(3);
      argument(command.destination);
      writer.vector(command.sources, argument);
      return;
    case 'publish':
      writer.uleb(4).vector(command.modules, (module) => writer.bytes(module));
      writer.vector(command.dependencies, (dependency) => writer.address(dependency));
      return;
    case 'makeMoveVec':
      writer.uleb(5).uleb(command.type === null ? 0 : 1);
      if (command.type !== null) writeTypeTag(writer, command.type);
      writer.vector(command.elements, argument);
      return;
    case 'upgrade':
      writer.uleb(6).vector(command.modules, (module) => writer.bytes(module));
      writer.vector(command.dependencies, (dependency) => writer.address(dependency)).address(command.package);
      argument(command.ticket);
  }
}

function writeArgument(writer: BcsWriter, argument: Argument): void {
  switch (argument.kind) {
    case 'gasCoin':
      writer.uleb(0);
      return;
    case 'input':
      writer.uleb(1).u16(argument.index);
      return;
    case 'result':
      writer.uleb(2).u16(argument.index);
      return;
    case 'nestedResult':
      writer.uleb(3).u16(argument.index).u16(argument.resultIndex);
  }
}

function writeObjectRef(writer: BcsWriter, ref: ObjectRef): void {
  writer.address(ref.objectId).u64(ref.version).bytes(parseDigest(ref.digest));
}
