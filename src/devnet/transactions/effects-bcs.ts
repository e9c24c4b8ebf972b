import { bcs } from '@mysten/bcs';
import { ledgerBcs } from '../../transactions/ledger-bcs.ts';
import type { ObjectRef } from '../../transactions/transaction-bcs.ts';
import { changedObjectsBcs, type ownerBcs } from '../../transactions/transaction-relations.ts';
import type { ObjectRecord, OwnerRecord, TransactionRecord } from '../state/records.ts';
import { encodeBcs } from './encode-bcs.ts';

const { address, digest, u53, u64 } = ledgerBcs;
const u16 = bcs.u16();

/** Kinds of a `CommandArgumentError`, in the order of their tags. */
const argumentFaults = bcs.enum('CommandArgumentError', {
  TypeMismatch: null,
  InvalidBCSBytes: null,
  InvalidUsageOfPureArg: null,
  InvalidArgumentToPrivateEntryFunction: null,
  IndexOutOfBounds: u16,
  SecondaryIndexOutOfBounds: bcs.tuple([u16, u16]),
  InvalidResultArity: u16,
  InvalidGasCoinUsage: null,
  InvalidValueUsage: null,
  InvalidObjectByValue: null,
  InvalidObjectByMutRef: null,
  SharedObjectOperationNotAllowed: null,
});

/** Failures, in the order of their tags. Only those that can happen here have content. */
const failures = bcs.enum('ExecutionFailureStatus', {
  InsufficientGas: null,
  InvalidGasObject: null,
  InvariantViolation: null,
  FeatureNotYetSupported: null,
  MoveObjectTooBig: null,
  MovePackageTooBig: null,
  CircularObjectOwnership: null,
  InsufficientCoinBalance: null,
  CoinBalanceOverflow: null,
  PublishErrorNonZeroAddress: null,
  MoveVerificationError: null,
  MovePrimitiveRuntimeError: null,
  MoveAbort: null,
  VMVerificationOrDeserializationError: null,
  VMInvariantViolation: null,
  FunctionNotFound: null,
  ArityMismatch: null,
  TypeArityMismatch: null,
  NonEntryFunctionInvoked: null,
  CommandArgumentError: bcs.struct('CommandArgumentError', { argIdx: u16, kind: argumentFaults }),
  TypeArgumentError: null,
  UnusedValueWithoutDrop: bcs.tuple([u16, u16]),
  InvalidPublicFunctionReturnType: null,
  InvalidTransferObject: null,
  EffectsTooLarge: null,
  PublishUpgradeMissingDependency: null,
  PublishUpgradeDependencyDowngrade: null,
  PackageUpgradeError: null,
  WrittenObjectsTooLarge: null,
  CertificateDenied: null,
  MoveVerificationTimedout: null,
  SharedObjectOperationNotAllowed: null,
});

const versionDigest = bcs.tuple([u53, digest]);

const effectsV1 = bcs.struct('TransactionEffectsV1', {
  status: bcs.enum('ExecutionStatus', {
    Success: null,
    Failed: bcs.struct('Failed', { error: failures, command: bcs.option(u53) }),
  }),
  executedEpoch: u53,
  gasUsed: bcs.struct('GasCostSummary', {
    computationCost: u64,
    computationCostBurned: u64,
    storageCost: u64,
    storageRebate: u64,
    nonRefundableStorageFee: u64,
  }),
  transactionDigest: digest,
  gasObjectIndex: bcs.option(bcs.u32()),
  eventsDigest: bcs.option(digest),
  dependencies: bcs.vector(digest),
  lamportVersion: u53,
  changedObjects: changedObjectsBcs,
  unchangedSharedObjects: bcs.vector(
    bcs.tuple([address, bcs.enum('UnchangedSharedKind', { ReadOnlyRoot: versionDigest })]),
  ),
  auxDataDigest: bcs.option(digest),
});

const effects = bcs.enum('TransactionEffects', { V1: effectsV1 });

type EffectsV1 = Parameters<typeof effectsV1.serialize>[0];

/**
 * Encodes the effects of a transaction in BCS, as the network does.
 * @param unchangedShared shared objects that it only read
 */
export function encodeEffects(record: TransactionRecord, unchangedShared: readonly ObjectRef[]): Uint8Array {
  const { changes, gasObject } = record;
  const gasIndex = changes.findIndex(({ objectId }) => objectId === gasObject?.objectId);
  const content: EffectsV1 = {
    status: record.status.ok ? { Success: true } : { Failed: toFailure(record.status.error) },
    executedEpoch: record.epoch,
    gasUsed: record.gasUsed,
    transactionDigest: record.digest,
    gasObjectIndex: gasIndex < 0 ? null : gasIndex,
    eventsDigest: record.eventsDigest,
    dependencies: [...record.dependencies],
    lamportVersion: record.lamportVersion,
    changedObjects: changes.map(({ objectId, input, output, kind }) => [
      objectId,
      {
        inputState: input ? { Exist: [[input.version, input.digest], toOwner(input.owner)] } : { NotExist: true },
        outputState: toOutput(output),
        idOperation: kind === 'created' ? { Created: true } : kind === 'deleted' ? { Deleted: true } : { None: true },
      },
    ]),
    unchangedSharedObjects: unchangedShared.map((ref) => [ref.objectId, { ReadOnlyRoot: [ref.version, ref.digest] }]),
    auxDataDigest: null,
  };
  return encodeBcs(effects, { V1: content });
}

type ChangedState = EffectsV1['changedObjects'] extends Iterable<readonly [unknown, infer Change]> ? Change : never;

function toOutput(output: ObjectRecord | null): ChangedState['outputState'] {
  if (!output?.live) return { NotExist: true };
  if (output.type === 'package') return { PackageWrite: [output.version, output.digest] };
  return { ObjectWrite: [output.digest, toOwner(output.owner)] };
}

function toOwner(record: OwnerRecord): Parameters<typeof ownerBcs.serialize>[0] {
  switch (record.kind) {
    case 'address':
      return { AddressOwner: record.address };
    case 'object':
      return { ObjectOwner: record.address };
    case 'shared':
      return { Shared: { initialSharedVersion: record.initialSharedVersion } };
    case 'immutable':
      return { Immutable: true };
  }
}

type Failed = Extract<EffectsV1['status'], { readonly Failed: unknown }>['Failed'];

/** The text of a status → its parts: `CommandArgumentError { arg_idx: 1, kind: TypeMismatch } in command 0`. */
function toFailure(text: string): Failed {
  const command = /in command (\d+)$/.exec(text)?.[1];
  return { error: toFailureStatus(text), command: command === undefined ? null : Number(command) };
}

function toFailureStatus(text: string): Failed['error'] {
  const argument = /^CommandArgumentError \{ arg_idx: (\d+), kind: (\w+)(.*)\}/.exec(text);
  if (argument) {
    const [, argIdx, name = '', rest = ''] = argument;
    const [first = 0, second = 0] = [...rest.matchAll(/\d+/g)].map(Number);
    const content = { IndexOutOfBounds: first, SecondaryIndexOutOfBounds: [first, second], InvalidResultArity: first };
    const kind = { [name]: Object.hasOwn(content, name) ? content[name as keyof typeof content] : true };
    return { CommandArgumentError: { argIdx: Number(argIdx), kind: kind as never } };
  }
  const unused = /^UnusedValueWithoutDrop \{ result_idx: (\d+), secondary_idx: (\d+) \}/.exec(text);
  if (unused) return { UnusedValueWithoutDrop: [Number(unused[1]), Number(unused[2])] };
  const [name = ''] = text.split(/[ {]/);
  return { [name]: true } as never;
}
