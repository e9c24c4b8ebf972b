import { bcs } from '@mysten/bcs';
import { parseDigest } from './digest.ts';
import { ledgerBcs, parseBcs, UnknownShapeError } from './ledger-bcs.ts';
import {
  type CallArg,
  type ExtendedInput,
  type TransactionCommand,
  type TransactionForms,
  type TypeTag,
  userTransactionBcs,
} from './transaction-bcs.ts';

/** A transaction as it was sent, for filters. Addresses have 64 digits in lower case. */
export interface SentTransaction {
  /** Index of its kind on the wire; 0: a user's transaction. */
  readonly kind: number;
  /** Zero for system transactions. */
  readonly sender: string;
  readonly calls: readonly { readonly package: string; readonly module: string; readonly function: string }[];
  /** Objects and packages that it takes as input, as nodes index them: without objects that it receives. `null`: it names none. */
  readonly inputs: readonly string[] | null;
}

const zeroAddress = `0x${'0'.repeat(64)}`;

/**
 * @param bytes BCS of the TransactionData
 * @throws if its form is unknown
 */
export function readSentTransaction(bytes: Uint8Array, forms: TransactionForms): SentTransaction {
  const [version, kind = 0] = bytes;
  if (version !== 0) throw new UnknownShapeError(`unknown version ${version} of a transaction`);
  if (kind !== 0) return { kind, sender: zeroAddress, calls: [], inputs: null };
  const read = parseBcs<{
    readonly sender: string;
    readonly gas: { readonly payment: readonly { readonly objectId: string }[] };
    readonly kind: {
      readonly inputs: readonly (CallArg | ExtendedInput)[];
      readonly commands: readonly TransactionCommand[];
    };
  }>(userTransactionBcs[forms], bytes);
  const { inputs, commands } = read.kind;
  return {
    kind,
    sender: read.sender,
    calls: commands.filter((command) => command.kind === 'moveCall'),
    inputs: [
      ...inputs.flatMap((input) =>
        input.kind === 'shared' ? [input.objectId] : input.kind === 'owned' ? [input.ref.objectId] : [],
      ),
      ...read.gas.payment.map(({ objectId }) => objectId),
      ...commands.flatMap(packagesOf),
    ],
  };
}

function packagesOf(command: TransactionCommand): readonly string[] {
  switch (command.kind) {
    case 'moveCall':
      return [command.package, ...command.typeArguments.flatMap(packagesOfType)];
    case 'makeMoveVec':
      return command.type ? packagesOfType(command.type) : [];
    case 'publish':
      return command.dependencies;
    case 'upgrade':
      return [command.package, ...command.dependencies];
    default:
      return [];
  }
}

function packagesOfType(tag: TypeTag): readonly string[] {
  if (tag.kind === 'vector') return packagesOfType(tag.element);
  return tag.kind === 'struct' ? [tag.struct.address, ...tag.struct.typeParameters.flatMap(packagesOfType)] : [];
}

const { address, digest, u53 } = ledgerBcs;
const versionDigest = bcs.tuple([u53, digest]);

/** The owner of an object. Not every network has the last kind. */
export const ownerBcs = bcs.enum('Owner', {
  AddressOwner: address,
  ObjectOwner: address,
  Shared: bcs.struct('Shared', { initialSharedVersion: u53 }),
  Immutable: null,
  ConsensusAddressOwner: bcs.struct('ConsensusAddressOwner', { startVersion: u53, owner: address }),
});

/** What a transaction did to objects, in its effects. */
export const changedObjectsBcs = bcs.vector(
  bcs.tuple([
    address,
    bcs.struct('EffectsObjectChange', {
      inputState: bcs.enum('ObjectIn', { NotExist: null, Exist: bcs.tuple([versionDigest, ownerBcs]) }),
      outputState: bcs.enum('ObjectOut', {
        NotExist: null,
        ObjectWrite: bcs.tuple([digest, ownerBcs]),
        PackageWrite: versionDigest,
      }),
      idOperation: bcs.enum('IDOperation', { None: null, Created: null, Deleted: null }),
    }),
  ]),
);

/** The members of effects from the digest on, up to the changed objects. */
const laterEffects = bcs.struct('TransactionEffects', {
  transactionDigest: digest,
  gasObjectIndex: bcs.option(bcs.u32()),
  eventsDigest: bcs.option(digest),
  dependencies: bcs.vector(digest),
  lamportVersion: u53,
  changedObjects: changedObjectsBcs,
});

export interface ChangedObject {
  readonly objectId: string;
  /** Does it exist after the transaction? */
  readonly isLive: boolean;
  /** The address that owns it after the transaction; `null`: none does. */
  readonly owner: string | null;
  readonly wasShared: boolean;
}

/**
 * @param bytes BCS of the effects of the transaction with this digest
 * @throws if their form is unknown
 */
export function readChangedObjects(bytes: Uint8Array, transactionDigest: string): readonly ChangedObject[] {
  // Networks add kinds of failures, which come before the digest: skip them.
  const from = Buffer.from(bytes).indexOf(Buffer.concat([Uint8Array.of(32), parseDigest(transactionDigest)]));
  if (from < 0) throw new UnknownShapeError('effects of another transaction');
  const { changedObjects } = parseBcs(laterEffects, bytes.subarray(from), { mayGoOn: true });
  return [...changedObjects].map(([objectId, { inputState, outputState }]) => ({
    objectId,
    isLive: outputState.$kind === 'ObjectWrite' || outputState.$kind === 'PackageWrite',
    owner: outputState.ObjectWrite?.[1].AddressOwner ?? null,
    wasShared: inputState.Exist?.[1].$kind === 'Shared',
  }));
}
