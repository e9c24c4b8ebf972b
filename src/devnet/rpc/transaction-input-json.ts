import { bcs } from '@mysten/bcs';
import type { Argument, CallArg, TransactionCommand } from '../../transactions/transaction-bcs.ts';
import type { TransactionRecord } from '../state/records.ts';
import { encodeBcs } from '../transactions/encode-bcs.ts';
import { parseTransactionData } from '../transactions/parse-transaction.ts';
import type { TransactionPayload } from '../transactions/system-transaction.ts';
import { toTypeText } from '../transactions/type-text.ts';

const signatureList = bcs.vector(bcs.byteVector());

/** A transaction's own content, decoded from its bytes: what `showInput` adds. */
export function toTransactionInputJson({ bytes, signatures }: TransactionRecord) {
  const { kind, sender, gas } = parseTransactionData(bytes);
  return {
    data: {
      messageVersion: 'v1',
      transaction: toPayloadJson(kind),
      sender,
      gasData: {
        payment: gas.payment,
        owner: gas.owner,
        price: String(gas.price),
        budget: String(gas.budget),
      },
    },
    txSignatures: signatures(),
  };
}

/**
 * What `showRawInput` adds: base64 of the BCS of one signed transaction in a list, its intent (a transaction, version 0,
 * of this ledger) before it and its signatures behind.
 */
export function toRawTransaction({ bytes, signatures }: TransactionRecord): string {
  const listOfOne = Uint8Array.of(1);
  const intent = Uint8Array.of(0, 0, 0);
  const decoded = signatures().map((signature) => Buffer.from(signature, 'base64'));
  return Buffer.concat([listOfOne, intent, bytes, encodeBcs(signatureList, decoded)]).toString('base64');
}

function toPayloadJson(payload: TransactionPayload) {
  switch (payload.kind) {
    case 'PROGRAMMABLE_TX':
      return {
        kind: 'ProgrammableTransaction',
        inputs: payload.inputs.map(toInputJson),
        transactions: payload.commands.map(toCommandJson),
      };
    case 'GENESIS':
      return { kind: 'Genesis', objects: payload.objectIds };
    case 'CONSENSUS_COMMIT_PROLOGUE_V1':
      return {
        kind: 'ConsensusCommitPrologueV1',
        epoch: String(payload.epoch),
        round: String(payload.round),
        commit_timestamp_ms: String(payload.commitTimestampMs),
      };
    case 'END_OF_EPOCH_TX': {
      const change = {
        epoch: String(payload.nextEpoch),
        epoch_start_timestamp_ms: String(payload.epochStartTimestampMs),
      };
      return { kind: 'EndOfEpochTransaction', transactions: [{ ChangeEpoch: change }] };
    }
  }
}

function toInputJson(input: CallArg) {
  switch (input.kind) {
    case 'pure':
      // The bytes alone do not tell their type.
      return { type: 'pure', valueType: null, value: [...input.bytes] };
    case 'shared': {
      const { objectId, initialSharedVersion, mutable } = input;
      return {
        type: 'object',
        objectType: 'sharedObject',
        objectId,
        initialSharedVersion: String(initialSharedVersion),
        mutable,
      };
    }
    case 'owned':
    case 'receiving': {
      const { objectId, version, digest } = input.ref;
      const objectType = input.kind === 'owned' ? 'immOrOwnedObject' : 'receiving';
      return { type: 'object', objectType, objectId, version: String(version), digest };
    }
  }
}

function toArgumentJson(argument: Argument) {
  switch (argument.kind) {
    case 'gasCoin':
      return 'GasCoin';
    case 'input':
      return { Input: argument.index };
    case 'result':
      return { Result: argument.index };
    case 'nestedResult':
      return { NestedResult: [argument.index, argument.resultIndex] };
  }
}

function toCommandJson(command: TransactionCommand) {
  switch (command.kind) {
    case 'moveCall':
      return {
        MoveCall: {
          package: command.package,
          module: command.module,
          function: command.function,
          ...(command.typeArguments.length > 0 && { type_arguments: command.typeArguments.map(toTypeText) }),
          ...(command.arguments.length > 0 && { arguments: command.arguments.map(toArgumentJson) }),
        },
      };
    case 'transferObjects':
      return { TransferObjects: [command.objects.map(toArgumentJson), toArgumentJson(command.recipient)] };
    case 'splitCoins':
      return { SplitCoins: [toArgumentJson(command.coin), command.amounts.map(toArgumentJson)] };
    case 'mergeCoins':
      return { MergeCoins: [toArgumentJson(command.destination), command.sources.map(toArgumentJson)] };
    case 'publish':
      return { Publish: command.dependencies };
    case 'makeMoveVec':
      return { MakeMoveVec: [command.type && toTypeText(command.type), command.elements.map(toArgumentJson)] };
    case 'upgrade':
      return { Upgrade: [command.dependencies, command.package, toArgumentJson(command.ticket)] };
  }
}
