import { BcsType, bcs, type InferBcsType } from '@mysten/bcs';
import { type FieldsBcs, ledgerBcs, listOf, NotKnownError, optional, taggedUnion } from './ledger-bcs.ts';

/** A Move type without type parameters. */
export type TypeTag =
  | { readonly kind: 'primitive'; readonly name: PrimitiveType }
  | { readonly kind: 'vector'; readonly element: TypeTag }
  | { readonly kind: 'struct'; readonly struct: StructTag };

export interface StructTag {
  readonly address: string;
  readonly module: string;
  readonly name: string;
  readonly typeParameters: readonly TypeTag[];
}

export const primitives = ['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address', 'signer'] as const;
export type PrimitiveType = (typeof primitives)[number];

/** Networks reject types that are nested deeper. */
export const maxTypeDepth = 16;

const { address, digest, flag, identifier, objectRef, u53, u64 } = ledgerBcs;
const u16 = bcs.u16();

/** The networks' limit on type parameters. */
const maxTypeParameters = 32;
const primitiveTags = Object.fromEntries(
  primitives.map((name) => [name, Object.freeze({ kind: 'primitive', name })]),
) as Readonly<Record<PrimitiveType, TypeTag>>;

/** One definition for each level of nesting, so that no input can recurse deeper. */
function typeTagOf(levels: number): BcsType<TypeTag> {
  if (levels === 0) return tooDeep;
  const inner = typeTagOf(levels - 1);
  const struct = bcs.struct('StructTag', {
    address,
    module: identifier,
    name: identifier,
    typeParameters: listOf('type parameters', inner, maxTypeParameters),
  });
  return taggedUnion('type variant', {
    bool: [0, null],
    u8: [1, null],
    u64: [2, null],
    u128: [3, null],
    address: [4, null],
    signer: [5, null],
    vector: [6, bcs.struct('Vector', { element: inner })],
    struct: [7, bcs.struct('Struct', { struct })],
    u16: [8, null],
    u32: [9, null],
    u256: [10, null],
  }).transform({
    name: 'TypeTag',
    input: (tag: TypeTag) => (tag.kind === 'primitive' ? { kind: tag.name } : tag),
    output: (tag): TypeTag => (tag.kind === 'vector' || tag.kind === 'struct' ? tag : primitiveTags[tag.kind]),
  });
}

const refuse = (): never => {
  throw new TypeError(`a type is nested deeper than ${maxTypeDepth}`);
};
const tooDeep = new BcsType<TypeTag>({ name: 'TypeTag', read: refuse, write: refuse });

export const typeTagBcs = typeTagOf(maxTypeDepth);

/** Names one version of one object. */
export type ObjectRef = Readonly<InferBcsType<typeof objectRef>>;

/** TransactionData V1, decoded. Users send the kind `ProgrammableTransaction`; a ledger also has kinds of its own. */
export interface TransactionData<Payload = ProgrammableTransaction> {
  readonly kind: Payload;
  readonly sender: string;
  readonly gas: GasData;
  /** The last epoch in which it may execute; `null`: any. */
  readonly expirationEpoch: number | null;
}

export type GasData = Readonly<InferBcsType<typeof gasData>>;

export type ProgrammableTransaction = InferBcsType<typeof programmableTransactionBcs> & {
  readonly kind: 'PROGRAMMABLE_TX';
};
export type CallArg = InferBcsType<typeof callArg>;
export type ExtendedInput = InferBcsType<typeof extendedInput>;
export type Argument = InferBcsType<typeof argument>;
export type TransactionCommand = InferBcsType<typeof command>;
export type MoveCallCommand = Extract<TransactionCommand, { readonly kind: 'moveCall' }>;

/**
 * Twice the limits of the networks, which reject smaller excesses in their own words. Networks limit inputs by their bytes
 * only.
 */
const most = { commands: 2048, arguments: 1024, typeArguments: 32, inputs: 8192, gasCoins: 512, proposers: 1024 };

const pure = bcs.struct('Pure', { bytes: bcs.byteVector() });
const owned = bcs.struct('ImmOrOwnedObject', { ref: objectRef });
const receiving = bcs.struct('Receiving', { ref: objectRef });

const objectArg = taggedUnion('object input', {
  owned: [0, owned],
  shared: [1, bcs.struct('SharedObject', { objectId: address, initialSharedVersion: u53, mutable: flag })],
  receiving: [2, receiving],
});

const callArg = withoutNesting(
  taggedUnion('input', { pure: [0, pure], object: [1, bcs.struct('Object', { object: objectArg })] }),
);

/** An input with the kind of its object in place of `object`. */
function withoutNesting<Other extends { readonly kind: 'pure' | 'withdrawal' }, Of extends { readonly kind: string }>(
  input: BcsType<Other | { readonly kind: 'object'; readonly object: Of }>,
): BcsType<Other | Of> {
  const isOther = (arg: Other | Of): arg is Other => arg.kind === 'pure' || arg.kind === 'withdrawal';
  return new BcsType<Other | Of>({
    name: 'CallArg',
    read: (reader) => {
      const arg = input.read(reader);
      return arg.kind === 'object' && 'object' in arg ? arg.object : (arg as Other);
    },
    write: (arg, writer) => input.write(isOther(arg) ? arg : { kind: 'object', object: arg }, writer),
  });
}

const mutability = taggedUnion('mutability', {
  immutable: [0, null],
  mutable: [1, null],
  nonExclusiveWrite: [2, null],
});

/** Withdraws up to an amount from the balance of an address, which is no coin object. */
const fundsWithdrawal = bcs.struct('FundsWithdrawal', {
  reservation: taggedUnion('reservation of funds', { maxAmount: [0, bcs.struct('MaxAmountU64', { amount: u64 })] }),
  funds: taggedUnion('type of funds', { balance: [0, bcs.struct('Balance', { coinType: typeTagBcs })] }),
  from: taggedUnion('source of funds', {
    sender: [0, null],
    sponsor: [1, null],
    senderAllowance: [2, bcs.struct('SenderAllowance', { funder: address, allowance: address })],
  }),
});

const extendedInput = withoutNesting(
  taggedUnion('input', {
    pure: [0, pure],
    object: [
      1,
      bcs.struct('Object', {
        object: taggedUnion('object input', {
          owned: [0, owned],
          shared: [1, bcs.struct('SharedObject', { objectId: address, initialSharedVersion: u53, mutability })],
          receiving: [2, receiving],
        }),
      }),
    ],
    withdrawal: [2, fundsWithdrawal],
  }),
);

const argument = taggedUnion('argument', {
  gasCoin: [0, null],
  input: [1, bcs.struct('Input', { index: u16 })],
  result: [2, bcs.struct('Result', { index: u16 })],
  nestedResult: [3, bcs.struct('NestedResult', { index: u16, resultIndex: u16 })],
});

const argumentList = listOf('arguments', argument, most.arguments);
const moduleList = bcs.vector(bcs.byteVector());
const addressList = bcs.vector(address);

const command = taggedUnion('command', {
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
function programmableTransactionOf<Input>(input: BcsType<Input>) {
  return bcs.struct('ProgrammableTransaction', {
    inputs: listOf('inputs', input, most.inputs),
    commands: listOf('commands', command, most.commands),
  });
}

export const programmableTransactionBcs = programmableTransactionOf(callArg);

const gasData = bcs.struct('GasData', {
  payment: listOf('gas coins', objectRef, most.gasCoins),
  owner: address,
  price: u64,
  budget: u64,
});

// An enum of the network, encoded like an optional epoch.
const expirationEpoch = optional('expiration', u53);

/** TransactionData with transactions of the given kinds. Version 1, with index 0, is the only one. */
export function transactionDataBcsOf<Payload>(kind: BcsType<Payload>): BcsType<TransactionData<Payload>> {
  return versionOne<TransactionData<Payload>>(
    bcs.struct('TransactionDataV1', { kind, sender: address, gas: gasData, expirationEpoch }),
  );
}

function versionOne<Data>(dataV1: FieldsBcs<Data>): BcsType<Data> {
  return new BcsType<Data>({
    name: 'TransactionData',
    read: (reader) => {
      const index = reader.readULEB();
      if (index !== 0) throw new NotKnownError(`unknown TransactionData version ${index + 1}`);
      return dataV1.read(reader);
    },
    write: (data, writer) => {
      writer.writeULEB(0);
      dataV1.write(data, writer);
    },
  });
}

const bound = optional('bound', u64);
const validity = {
  minEpoch: bound,
  maxEpoch: bound,
  minTimestamp: bound,
  maxTimestamp: bound,
  chain: digest,
  nonce: bcs.u32(),
};
const allowedProposers = bcs.struct('AllowedProposers', {
  epoch: u64,
  proposers: nonEmpty(listOf('proposers', bcs.u32(), most.proposers)),
});

function nonEmpty<Item>(list: BcsType<readonly Item[]>): BcsType<readonly Item[]> {
  const check = (items: readonly Item[]): readonly Item[] => {
    if (items.length === 0) throw new TypeError('a list is empty that may not be');
    return items;
  };
  return list.transform({ input: check, output: check });
}

/**
 * The kind of users' transactions, which SDKs build alone for a sponsor. `extended`: with address balances and allowances. Networks
 * without these may give their encoding another meaning.
 */
export const userKindBcs = {
  common: taggedUnion('transaction kind', { PROGRAMMABLE_TX: [0, programmableTransactionBcs] }),
  extended: taggedUnion('transaction kind', { PROGRAMMABLE_TX: [0, programmableTransactionOf(extendedInput)] }),
};

/** Users' transactions. `extended`: with periods of validity besides. */
export const userTransactionBcs = {
  common: transactionDataBcsOf(userKindBcs.common),
  extended: versionOne(
    bcs.struct('TransactionDataV1', {
      kind: userKindBcs.extended,
      sender: address,
      gas: gasData,
      expiration: taggedUnion('expiration', {
        none: [0, null],
        epoch: [1, bcs.struct('Epoch', { epoch: u53 })],
        validDuring: [2, bcs.struct('ValidDuring', validity)],
        validity: [
          3,
          bcs.struct('Validity', { ...validity, allowedProposers: optional('allowed proposers', allowedProposers) }),
        ],
      }),
    }),
  ),
};

/** Version 1 of a transaction without expiration, from the bytes of its kind: the same in all forms. */
export function toTransactionBytes(kind: Uint8Array, sender: string, gas: GasData): Buffer {
  const [version, expiration] = [Buffer.of(0), Buffer.of(0)];
  return Buffer.concat([
    version,
    kind,
    address.serialize(sender).toBytes(),
    gasData.serialize(gas).toBytes(),
    expiration,
  ]);
}

export type TransactionForms = keyof typeof userTransactionBcs;
