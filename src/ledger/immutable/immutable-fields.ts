import type { NetworkProfile } from '../../config/network-profile.ts';

/** An argument that must be given, and not as `null`, for the field to be immutable. */
export interface RequiredArgument {
  readonly argument: string;
  /** For an argument that is an object: the member that must be given. */
  readonly member?: string;
  /** The value must not be the address of a system package, whose code is replaced in place. */
  readonly isOrdinaryAddress?: true;
}

/** Paths of fields; any one of them proves that the data is final. */
export type Proof = readonly (readonly string[])[];

/** When a field is immutable. Without any member: whenever its object is. */
export interface FieldRule {
  /** Allowed arguments. With any other argument, the field counts as changing. */
  readonly arguments?: readonly string[];
  /** At least one of these arguments must be given. */
  readonly given?: readonly RequiredArgument[];
  /** The field's object changes, except for the fields that identify it, such as an address or a digest. */
  readonly leadsTo?: 'name';
  /** Proofs that the response must contain below this field. */
  readonly showsBelow?: Proof;
  /** Proofs that the response must contain beside this field, in the same object. */
  readonly showsBeside?: Proof;
  /** The field identifies the network, so it changes when a test network is reset under its old address. */
  readonly isOfNetwork?: true;
}

type TypeRules = Readonly<Record<string, FieldRule>>;

/** The immutable fields of one kind of schema, by type and field. Any field that is missing here may change. */
export interface ImmutableFields {
  /** The table applies to schemas with this root field. */
  readonly isFor: string;
  readonly fields: Readonly<Record<string, TypeRules>>;
  /** For objects that change: the fields that identify them and stay the same. */
  readonly names: Readonly<Record<string, TypeRules>>;
}

const fixed: FieldRule = {};
const name: FieldRule = { leadsTo: 'name' };
/** Page arguments without cursors: a cursor depends on the time of the read and expires. */
const paged: FieldRule = { arguments: ['first', 'last'] };
const keyed = (argument: string): FieldRule => ({ arguments: [argument] });
/** Fields that prove a transaction to be in a checkpoint; before that, its effects may still change. */
const finality = ['checkpoint', 'timestamp'];

function all(names: string, rule: FieldRule = fixed): TypeRules {
  return Object.fromEntries(names.split(' ').map((each) => [each, rule]));
}

/** Pages of a complete list, without cursors, which depend on the time of the read. */
function pages(item: string): Readonly<Record<string, TypeRules>> {
  return { [`${item}Connection`]: all('nodes edges pageInfo'), [`${item}Edge`]: all('node') };
}

/** Accounts and live objects change; their address, digest or number does not. */
const names: ImmutableFields['names'] = {
  ...Object.fromEntries(
    ['Address', 'Owner', 'IOwner', 'IAddressable', 'Object', 'MoveObject', 'MovePackage'].map((type) => [
      type,
      all('address'),
    ]),
  ),
  TransactionBlock: all('digest'),
  Transaction: all('digest'),
  Epoch: all('epochId'),
  MoveModule: all('name package'),
  // Lists of the transactions that one depends on. The ledger may prune these transactions; their digests stay.
  ...pages('Dependency'),
  ...pages('Transaction'),
  PageInfo: all('hasNextPage hasPreviousPage'),
};

/**
 * An object at one version, without its status, its display and the objects that it owns: these can change while the version
 * stays the same.
 */
const object: TypeRules = {
  ...all('address version digest owner storageRebate bcs contents asMoveObject asMovePackage'),
  previousTransactionBlock: name,
  previousTransaction: name,
  ...all('objectBcs moveObjectBcs'),
};

/** Modules are published once. System packages are replaced in place, so only their version identifies them. */
const code: ImmutableFields['fields'] = {
  // Excludes its owner, and its other versions, whose number grows.
  MovePackage: {
    ...all('address version digest storageRebate bcs linkage typeOrigins moduleBcs objectBcs packageBcs'),
    modules: paged,
    module: keyed('name'),
    previousTransactionBlock: name,
    previousTransaction: name,
  },
  Linkage: all('originalId upgradedId version'),
  TypeOrigin: all('module struct definingId'),
  MoveModule: {
    ...all('name fileFormatVersion bytes disassembly package'),
    ...all('friends structs enums datatypes functions', paged),
    ...all('struct enum datatype function', keyed('name')),
  },
  ...pages('MoveModule'),
  ...pages('MoveStruct'),
  ...pages('MoveEnum'),
  ...pages('MoveDatatype'),
  ...pages('MoveFunction'),
  IMoveDatatype: all('module name abilities typeParameters'),
  MoveDatatype: all('module name abilities typeParameters asMoveEnum asMoveStruct'),
  MoveStruct: all('module name abilities typeParameters fields'),
  MoveEnum: all('module name abilities typeParameters variants'),
  MoveEnumVariant: all('name fields'),
  MoveField: all('name type'),
  MoveFunction: all('module name visibility isEntry typeParameters parameters return'),
  MoveFunctionTypeParameter: all('constraints'),
  MoveStructTypeParameter: all('constraints isPhantom'),
  MoveDatatypeTypeParameter: all('constraints isPhantom'),
  OpenMoveType: all('signature repr'),
  MoveType: all('repr signature layout abilities'),
  MoveValue: all('type bcs data json'),
};

/** Fields that all known schemas have in common. */
const common: ImmutableFields['fields'] = {
  Object: object,
  MoveObject: { ...object, asCoin: fixed },
  Coin: { ...object, coinBalance: fixed },
  IObject: object,
  IMoveObject: all('contents moveObjectBcs'),
  IOwner: all('address'),
  IAddressable: all('address'),
  // Of an owner, only the address is immutable, because accounts and owning objects change.
  AddressOwner: { owner: name, address: name },
  Parent: { parent: name },
  Shared: all('initialSharedVersion'),
  Immutable: all('isPackage'),

  // Excludes `query`, which leads from the checkpoint to all other data.
  Checkpoint: {
    ...all('digest sequenceNumber timestamp validatorSignatures previousCheckpointDigest networkTotalTransactions'),
    ...all('rollingGasSummary epoch contentDigest contentBcs summaryBcs artifactsDigest'),
    transactionBlocks: paged,
    transactions: paged,
  },
  ValidatorAggregatedSignature: { ...all('signature signersMap'), epoch: name },
  // An epoch with an end time. Excludes its validators, its supply, and lists that reach beyond it.
  Epoch: {
    epochId: fixed,
    ...all(
      'referenceGasPrice startTimestamp endTimestamp totalCheckpoints totalTransactions totalGasFees totalStakeRewards',
      { showsBeside: [['endTimestamp']] },
    ),
    ...all('fundSize netInflow fundInflow fundOutflow protocolConfigs', { showsBeside: [['endTimestamp']] }),
  },
  // Depends on the protocol version, and on how much a build of the ledger supports of it.
  ProtocolConfigs: { ...all('protocolVersion featureFlags configs'), ...all('config featureFlag', keyed('key')) },
  ProtocolConfigAttr: all('key value'),
  ProtocolConfigFeatureFlag: all('key value'),
  ProtocolConfig: all('key value'),
  FeatureFlag: all('key value'),

  // Excludes the objects that paid: each is looked up, and a pruned one is missing from the list.
  GasInput: { ...all('gasPrice gasBudget'), gasSponsor: name },
  GasCostSummary: all('computationCost computationCostBurned storageCost storageRebate nonRefundableStorageFee'),
  GasEffects: all('gasObject gasSummary'),
  ObjectChange: all('address idCreated idDeleted inputState outputState'),
  ...pages('ObjectChange'),
  BalanceChange: { ...all('coinType amount'), owner: name },
  ...pages('BalanceChange'),
  ...pages('Event'),
  PageInfo: all('hasNextPage hasPreviousPage'),

  ...pages('TransactionInput'),
  OwnedOrImmutable: all('address version digest object'),
  Receiving: all('address version digest object'),
  SharedInput: all('address initialSharedVersion mutable'),
  Pure: all('bytes'),
  Input: all('ix'),
  Result: all('cmd ix'),
  TxResult: all('cmd ix'),
  ConsensusCommitPrologueTransaction: {
    epoch: name,
    ...all('round commitTimestamp consensusCommitDigest consensusCommitTimestamp'),
    ...all('additionalStateDigest subDagIndex'),
  },
  EndOfEpochTransaction: { epoch: name, transactions: paged },
  ...pages('EndOfEpochTransactionKind'),
  ChangeEpochTransaction: {
    epoch: name,
    ...all('protocolVersion storageCharge computationCharge storageRebate nonRefundableStorageFee startTimestamp'),
    ...all('epochStartTimestamp'),
  },
  ChangeEpochTransactionV2: {
    epoch: name,
    ...all('protocolVersion storageCharge computationCharge computationChargeBurned storageRebate'),
    ...all('nonRefundableStorageFee startTimestamp eligibleActiveValidators'),
  },
  RandomnessStateUpdateTransaction: {
    epoch: name,
    ...all('randomnessRound randomBytes randomnessObjInitialSharedVersion'),
  },
  ...code,
};

const commonQuery: TypeRules = {
  chainIdentifier: { isOfNetwork: true },
  object: { arguments: ['address', 'version'], given: [{ argument: 'version' }] },
  package: {
    arguments: ['address', 'version'],
    given: [{ argument: 'version' }, { argument: 'address', isOrdinaryAddress: true }],
  },
  type: keyed('type'),
};

/** For schemas whose transactions are of type `TransactionBlock`. */
const transactionBlocks: ImmutableFields = {
  isFor: 'transactionBlock',
  names,
  fields: {
    ...common,
    Query: {
      ...commonQuery,
      transactionBlock: { ...keyed('digest'), showsBelow: finality.map((proof) => ['effects', proof]) },
      transactionBlocksByDigests: { ...keyed('digests'), showsBelow: finality.map((proof) => ['effects', proof]) },
      // `checkpoint` without a number or a digest is the newest one.
      checkpoint: {
        ...keyed('id'),
        given: [
          { argument: 'id', member: 'sequenceNumber' },
          { argument: 'id', member: 'digest' },
        ],
      },
      epoch: { ...keyed('id'), given: [{ argument: 'id' }] },
      protocolConfig: { ...keyed('protocolVersion'), given: [{ argument: 'protocolVersion' }] },
    },
    // Excludes whether one node has indexed it.
    TransactionBlock: {
      ...all('digest gasInput kind signatures effects bcs'),
      sender: name,
      expiration: name,
    },
    ...pages('TransactionBlock'),
    TransactionBlockEffects: {
      ...all('transactionBlock status lamportVersion errors gasEffects timestamp checkpoint bcs'),
      ...all('objectChanges balanceChanges events unchangedSharedObjects', paged),
      dependencies: { ...paged, leadsTo: 'name' },
      epoch: name,
    },
    Event: {
      ...all('timestamp type bcs data json transactionBlock'),
      sender: name,
      sendingModule: name,
    },
    ...pages('UnchangedSharedObject'),
    SharedObjectRead: all('address version digest object'),
    SharedObjectDelete: all('address version mutable'),
    SharedObjectCancelled: all('address version'),
    ProgrammableTransactionBlock: all('inputs transactions', paged),
    ...pages('ProgrammableTransaction'),
    // Excludes the function itself: an upgraded system package has another one under the same address.
    MoveCallTransaction: all('package module functionName typeArguments arguments'),
    TransferObjectsTransaction: all('inputs address'),
    SplitCoinsTransaction: all('coin amounts'),
    MergeCoinsTransaction: all('coin coins'),
    PublishTransaction: all('modules dependencies'),
    UpgradeTransaction: all('modules dependencies currentPackage upgradeTicket'),
    MakeMoveVecTransaction: all('type elements'),
  },
};

/** For schemas whose transactions are of type `Transaction`. */
const transactions: ImmutableFields = {
  isFor: 'transaction',
  names,
  fields: {
    ...common,
    Query: {
      ...commonQuery,
      transaction: { ...keyed('digest'), showsBelow: finality.map((proof) => ['effects', proof]) },
      multiGetTransactions: { ...keyed('keys'), showsBelow: finality.map((proof) => ['effects', proof]) },
      transactionEffects: { ...keyed('digest'), showsBelow: finality.map((proof) => [proof]) },
      multiGetTransactionEffects: { ...keyed('keys'), showsBelow: finality.map((proof) => [proof]) },
      checkpoint: { ...keyed('sequenceNumber'), given: [{ argument: 'sequenceNumber' }] },
      multiGetCheckpoints: keyed('keys'),
      epoch: { ...keyed('epochId'), given: [{ argument: 'epochId' }] },
      multiGetEpochs: keyed('keys'),
      multiGetTypes: keyed('keys'),
      protocolConfigs: { ...keyed('version'), given: [{ argument: 'version' }] },
    },
    Transaction: {
      ...all('digest gasInput kind signatures effects transactionBcs'),
      sender: name,
      expiration: name,
    },
    ...pages('Transaction'),
    UserSignature: all('signatureBytes'),
    TransactionEffects: {
      ...all('transaction status digest lamportVersion gasEffects timestamp checkpoint effectsBcs effectsDigest'),
      ...all('objectChanges balanceChanges events unchangedConsensusObjects', paged),
      dependencies: { ...paged, leadsTo: 'name' },
      epoch: name,
    },
    Event: {
      ...all('sequenceNumber timestamp contents eventBcs transaction'),
      sender: name,
      transactionModule: name,
    },
    // Of an owning object, only the address is immutable.
    ObjectOwner: { address: name },
    ConsensusAddressOwner: { address: name, startVersion: fixed },
    ...pages('UnchangedConsensusObject'),
    ConsensusObjectRead: all('object'),
    ConsensusObjectCancelled: all('address cancellationReason'),
    MutateConsensusStreamEnded: all('address sequenceNumber'),
    ReadConsensusStreamEnded: all('address sequenceNumber'),
    ProgrammableTransaction: all('inputs commands', paged),
    ProgrammableSystemTransaction: all('inputs commands', paged),
    ...pages('Command'),
    // Excludes the called code: a system package gets other code under the same address.
    TransferObjectsCommand: all('inputs address'),
    SplitCoinsCommand: all('coin amounts'),
    MergeCoinsCommand: all('coin coins'),
    MoveCallCommand: all('arguments'),
    PublishCommand: all('modules dependencies'),
    UpgradeCommand: all('modules dependencies currentPackage upgradeTicket'),
    MakeMoveVecCommand: all('type elements'),
  },
};

/** The tables, by their names in network profiles. */
export const immutableFields: Readonly<Record<NetworkProfile['immutableFields'][number], ImmutableFields>> = {
  transactionBlocks,
  transactions,
};
