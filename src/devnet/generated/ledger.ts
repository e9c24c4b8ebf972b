import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { AddressModel, ObjectModel, SharedReadModel, ModuleModel, OwnerKindModel, TransactionModel, EventModel, CheckpointModel, EpochModel, TypeModel, ValueModel, ObjectChangeModel, BalanceModel, BalanceChangeModel, DynamicFieldModel, CommandModel, InputModel, ArgumentModel, ExecutionModel, CommandReportModel, MutationModel, DryRunModel, Viewed, CoinMetadataModel } from '../graphql/models.ts';
import type { ReportedValue, GasSummary } from '../state/records.ts';
import type { GraphqlContext } from '../graphql/graphql-context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** Bytes in standard base64 with padding. */
  Base64: { input: string; output: string; }
  /** A whole number as decimal text, exact whatever its size. JSON numbers are refused. */
  BigInt: { input: string; output: string; }
  /** An instant as RFC 3339 text in UTC. The `.mmm` of milliseconds is left out when it is zero. */
  DateTime: { input: string; output: string; }
  /** Any JSON value. */
  JSON: { input: unknown; output: unknown; }
  /** An address or object id: `0x` and 1 to 64 hexadecimal digits, padded on the left; answered with all 64 in lower case. */
  LedgerAddress: { input: string; output: string; }
  /** A Move value with the kind of each part spelled out, for example `{ "Struct": [{ "name": "value", "value": { "Number": "7" } }] }`. */
  MoveData: { input: unknown; output: unknown; }
  /** How a Move value lies in BCS, as JSON: a primitive's name, `{ "vector": … }`, or `{ "struct": { type, fields: [{ name, layout }] } }`. */
  MoveTypeLayout: { input: unknown; output: unknown; }
  /** A Move type as JSON: a primitive's name, `{ "vector": … }`, or `{ "datatype": { package, module, type, typeParameters } }`. */
  MoveTypeSignature: { input: unknown; output: unknown; }
  /** A JSON integer from 0 to 2^53-1. Text is refused. */
  UInt53: { input: number; output: number; }
};

/** An account. */
export type Address = IOwner & {
  /** Address of the account, or id of the object. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Its coins of one type, added up. Null when it has none. */
  readonly balance?: Maybe<Balance>;
  /** Its coins added up type by type, ordered by type. */
  readonly balances: BalanceConnection;
  /** Its coins of one type, ordered by id. */
  readonly coins: CoinConnection;
  /** The name it goes by. Null where it has none: nobody registers names on this ledger. */
  readonly ledgerNamesDefaultName?: Maybe<Scalars['String']['output']>;
  /** Names it has registered, ordered by id. */
  readonly ledgerNamesRegistrations: NameRegistrationConnection;
  /** Move objects it owns, ordered by id. */
  readonly objects: MoveObjectConnection;
  /** Stakes it holds, ordered by id. Nobody stakes on this ledger. */
  readonly stakedLedgers: StakedLedgerConnection;
  /** Transactions this account has to do with, oldest first. */
  readonly transactionBlocks: TransactionBlockConnection;
};


/** An account. */
export type AddressBalanceArgs = {
  type?: InputMaybe<Scalars['String']['input']>;
};


/** An account. */
export type AddressBalancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An account. */
export type AddressCoinsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  type?: InputMaybe<Scalars['String']['input']>;
};


/** An account. */
export type AddressLedgerNamesDefaultNameArgs = {
  format?: InputMaybe<NameFormat>;
};


/** An account. */
export type AddressLedgerNamesRegistrationsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An account. */
export type AddressObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ObjectFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An account. */
export type AddressStakedLedgersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An account. */
export type AddressTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  relation?: InputMaybe<AddressTransactionBlockRelationship>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** One account may. */
export type AddressOwner = {
  /** The account. */
  readonly owner?: Maybe<Owner>;
};

/** An address as one side of a transaction. */
export type AddressTransactionBlockRelationship =
  /** It owned an object the transaction changed. */
  | 'RECV'
  /** It sent the transaction. */
  | 'SENT';

/** Checkpoints between which live state is kept. */
export type AvailableRange = {
  /** Oldest checkpoint at which live objects can still be read. */
  readonly first?: Maybe<Checkpoint>;
  /** The checkpoint this request reads. */
  readonly last?: Maybe<Checkpoint>;
};

/** Coins of one type, added up. */
export type Balance = {
  /** How many coins. */
  readonly coinObjectCount?: Maybe<Scalars['UInt53']['output']>;
  /** Type inside the coins. */
  readonly coinType: MoveType;
  /** Their sum, in the smallest unit. */
  readonly totalBalance?: Maybe<Scalars['BigInt']['output']>;
};

/** A sum that an owner gained or lost. */
export type BalanceChange = {
  /** How much, in the smallest unit; negative when it was lost. */
  readonly amount?: Maybe<Scalars['BigInt']['output']>;
  /** Type inside the coin. */
  readonly coinType?: Maybe<MoveType>;
  /** Who. */
  readonly owner?: Maybe<Owner>;
};

/** A page of balance changes. */
export type BalanceChangeConnection = {
  /** The balance changes, each with its cursor. */
  readonly edges: ReadonlyArray<BalanceChangeEdge>;
  /** The balance changes alone. */
  readonly nodes: ReadonlyArray<BalanceChange>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of balance changes. */
export type BalanceChangeEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: BalanceChange;
};

/** A page of balances. */
export type BalanceConnection = {
  /** The balances, each with its cursor. */
  readonly edges: ReadonlyArray<BalanceEdge>;
  /** The balances alone. */
  readonly nodes: ReadonlyArray<Balance>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of balances. */
export type BalanceEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: Balance;
};

/** A point in the ledger's history that validators signed. */
export type Checkpoint = {
  /** Base58 digest. */
  readonly digest: Scalars['String']['output'];
  /** The epoch it belongs to. */
  readonly epoch?: Maybe<Epoch>;
  /** Transactions of the network up to and including it. */
  readonly networkTotalTransactions?: Maybe<Scalars['UInt53']['output']>;
  /** Digest of the one before; null for the first. */
  readonly previousCheckpointDigest?: Maybe<Scalars['String']['output']>;
  /** Gas of the epoch up to and including it. */
  readonly rollingGasSummary?: Maybe<GasCostSummary>;
  /** Number, from 0. */
  readonly sequenceNumber: Scalars['UInt53']['output'];
  /** When it was made. */
  readonly timestamp: Scalars['DateTime']['output'];
  /** Its transactions, oldest first. */
  readonly transactionBlocks: TransactionBlockConnection;
  /** The validators' joint signature. */
  readonly validatorSignatures: Scalars['Base64']['output'];
};


/** A point in the ledger's history that validators signed. */
export type CheckpointTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of checkpoints. */
export type CheckpointConnection = {
  /** The checkpoints, each with its cursor. */
  readonly edges: ReadonlyArray<CheckpointEdge>;
  /** The checkpoints alone. */
  readonly nodes: ReadonlyArray<Checkpoint>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of checkpoints. */
export type CheckpointEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: Checkpoint;
};

/** Names a checkpoint. */
export type CheckpointId = {
  /** Base58 digest. */
  readonly digest?: InputMaybe<Scalars['String']['input']>;
  /** Number, from 0. */
  readonly sequenceNumber?: InputMaybe<Scalars['UInt53']['input']>;
};

/** An object that is a coin. */
export type Coin = IObject & IOwner & {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Its coins of one type, added up. Null when it has none. */
  readonly balance?: Maybe<Balance>;
  /** Its coins added up type by type, ordered by type. */
  readonly balances: BalanceConnection;
  /** Balance in the coin's smallest unit. */
  readonly coinBalance?: Maybe<Scalars['BigInt']['output']>;
  /** Its coins of one type, ordered by id. */
  readonly coins: CoinConnection;
  /** The value itself; null at the version of its deletion. */
  readonly contents?: Maybe<MoveValue>;
  /** Base58 digest of this state; null at the version of its deletion. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** The entry kept under a name, by value; null when there is none. */
  readonly dynamicField?: Maybe<DynamicField>;
  /** All its entries, ordered by the id of the object that holds each. */
  readonly dynamicFields: DynamicFieldConnection;
  /** The object kept under a name; null when there is none. */
  readonly dynamicObjectField?: Maybe<DynamicField>;
  /** Move objects it owns, ordered by id. */
  readonly objects: MoveObjectConnection;
  /** Who may use it. */
  readonly owner?: Maybe<ObjectOwner>;
  /** The transaction that made this state; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly previousTransactionBlock?: Maybe<TransactionBlock>;
  /** Transactions that changed something owned by this id, oldest first. */
  readonly receivedTransactionBlocks: TransactionBlockConnection;
  /** Where it stands. */
  readonly status: ObjectKind;
  /** Given back when it is deleted, in the native coin's smallest unit. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
  /** Version of this state. */
  readonly version: Scalars['UInt53']['output'];
};


/** An object that is a coin. */
export type CoinBalanceArgs = {
  type?: InputMaybe<Scalars['String']['input']>;
};


/** An object that is a coin. */
export type CoinBalancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An object that is a coin. */
export type CoinCoinsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  type?: InputMaybe<Scalars['String']['input']>;
};


/** An object that is a coin. */
export type CoinDynamicFieldArgs = {
  name: DynamicFieldName;
};


/** An object that is a coin. */
export type CoinDynamicFieldsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An object that is a coin. */
export type CoinDynamicObjectFieldArgs = {
  name: DynamicFieldName;
};


/** An object that is a coin. */
export type CoinObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ObjectFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An object that is a coin. */
export type CoinReceivedTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of coins. */
export type CoinConnection = {
  /** The coins, each with its cursor. */
  readonly edges: ReadonlyArray<CoinEdge>;
  /** The coins alone. */
  readonly nodes: ReadonlyArray<Coin>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of coins. */
export type CoinEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: Coin;
};

/** What a coin's publisher said of it. */
export type CoinMetadata = {
  /** Id of the object that holds this. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Digits after the point: 10^decimals smallest units make one coin. */
  readonly decimals?: Maybe<Scalars['Int']['output']>;
  /** In a sentence. */
  readonly description?: Maybe<Scalars['String']['output']>;
  /** Where a picture of it is. */
  readonly iconUrl?: Maybe<Scalars['String']['output']>;
  /** Long name. */
  readonly name?: Maybe<Scalars['String']['output']>;
  /** All there is, in the smallest unit: what the coins of this type add up to. Null when the checkpoint is no longer remembered. */
  readonly supply?: Maybe<Scalars['BigInt']['output']>;
  /** Short name. */
  readonly symbol?: Maybe<Scalars['String']['output']>;
};

/** Opens a commit of consensus. */
export type ConsensusCommitPrologueTransaction = {
  /** Time of the commit. */
  readonly consensusCommitTimestamp?: Maybe<Scalars['DateTime']['output']>;
  /** The epoch it belongs to. */
  readonly epoch?: Maybe<Epoch>;
};

/** A page of transactions. */
export type DependencyConnection = {
  /** The transactions, each with its cursor. */
  readonly edges: ReadonlyArray<DependencyEdge>;
  /** The transactions alone. */
  readonly nodes: ReadonlyArray<Maybe<TransactionBlock>>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of transactions. */
export type DependencyEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node?: Maybe<TransactionBlock>;
};

/** A gas coin at an exact version. */
export type DevnetGasCoinInput = {
  /** Base58 digest of that version. */
  readonly digest: Scalars['String']['input'];
  /** Object id of the coin. */
  readonly objectId: Scalars['LedgerAddress']['input'];
  /** Version of the coin. */
  readonly version: Scalars['UInt53']['input'];
};

/** A transaction ready to be executed by its sponsor. */
export type DevnetSignedTransaction = {
  /** Base58 digest the transaction will have. */
  readonly digest: Scalars['String']['output'];
  /** BCS of the TransactionData. */
  readonly txBytes: Scalars['Base64']['output'];
  /** The sender's signature: flag ‖ signature ‖ public key. */
  readonly userSig: Scalars['Base64']['output'];
};

/** What one command would do. */
export type DryRunEffect = {
  /** Arguments it would change, as they would be afterwards. */
  readonly mutatedReferences?: Maybe<ReadonlyArray<DryRunMutation>>;
  /** What it would return. */
  readonly returnValues?: Maybe<ReadonlyArray<DryRunReturn>>;
};

/** An argument that a command would change. */
export type DryRunMutation = {
  /** BCS of its value afterwards. */
  readonly bcs: Scalars['Base64']['output'];
  /** The argument. */
  readonly input: TransactionArgument;
  /** Type of its value. */
  readonly type: MoveType;
};

/** What would become of a transaction. */
export type DryRunResult = {
  /** Why it would fail; null when it would not. */
  readonly error?: Maybe<Scalars['String']['output']>;
  /** What each command would change and return; null when it would fail. What Move calls change is not known here, and what they return only of functions known from the start. */
  readonly results?: Maybe<ReadonlyArray<DryRunEffect>>;
  /** The transaction with its effects; null when it could not even be run. */
  readonly transaction?: Maybe<TransactionBlock>;
};

/** A value that a command would return. */
export type DryRunReturn = {
  /** Its BCS. */
  readonly bcs: Scalars['Base64']['output'];
  /** Its type. */
  readonly type: MoveType;
};

/** An entry an object keeps under a name. */
export type DynamicField = {
  /** The name. */
  readonly name?: Maybe<MoveValue>;
  /** What is kept: a value of its own, or an object that keeps its id. */
  readonly value?: Maybe<DynamicFieldValue>;
};

/** A page of dynamic fields. */
export type DynamicFieldConnection = {
  /** The dynamic fields, each with its cursor. */
  readonly edges: ReadonlyArray<DynamicFieldEdge>;
  /** The dynamic fields alone. */
  readonly nodes: ReadonlyArray<DynamicField>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of dynamic fields. */
export type DynamicFieldEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: DynamicField;
};

/** Names a dynamic field of an object. */
export type DynamicFieldName = {
  /** BCS of the name. */
  readonly bcs: Scalars['Base64']['input'];
  /** Move type of the name, for example `u64`. */
  readonly type: Scalars['String']['input'];
};

/** What a dynamic field keeps. */
export type DynamicFieldValue = MoveObject | MoveValue;

/** Closes an epoch. */
export type EndOfEpochTransaction = {
  /** The epoch it closes. */
  readonly epoch?: Maybe<Epoch>;
};

/** A stretch of history with one set of validators and one gas price. */
export type Epoch = {
  /** Its checkpoints, oldest first. */
  readonly checkpoints: CheckpointConnection;
  /** When it ended; null while it lasts. */
  readonly endTimestamp?: Maybe<Scalars['DateTime']['output']>;
  /** Number, from 0. */
  readonly epochId: Scalars['UInt53']['output'];
  /** Paid in it for storing; null while it lasts. */
  readonly fundInflow?: Maybe<Scalars['BigInt']['output']>;
  /** Given back in it for what was deleted or replaced; null while it lasts. */
  readonly fundOutflow?: Maybe<Scalars['BigInt']['output']>;
  /** What the storage fund held at its end: storage paid for and not given back; null while it lasts. */
  readonly fundSize?: Maybe<Scalars['BigInt']['output']>;
  /** All native coins at its end, or now while it lasts, in the smallest unit. */
  readonly ledgerTotalSupply?: Maybe<Scalars['BigInt']['output']>;
  /** Id of the object that may make native coins. Of the feature SYSTEM_STATE. */
  readonly ledgerTreasuryCapId?: Maybe<Scalars['LedgerAddress']['output']>;
  /** Base58 digest over all objects alive at its end; null while it lasts. */
  readonly liveObjectSetDigest?: Maybe<Scalars['String']['output']>;
  /** What went into the storage fund less what came out of it; null while it lasts. */
  readonly netInflow?: Maybe<Scalars['BigInt']['output']>;
  /** Rules of the protocol version in force. Of the feature SYSTEM_STATE. */
  readonly protocolConfigs: ProtocolConfigs;
  /** Least price of a unit of computation, in the native coin's smallest unit. */
  readonly referenceGasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** Whether the network could not end the epoch before in the ordinary way. Of the feature SYSTEM_STATE. */
  readonly safeMode?: Maybe<SafeMode>;
  /** When it began. */
  readonly startTimestamp: Scalars['DateTime']['output'];
  /** The storage fund as the system state has it. Of the feature SYSTEM_STATE. */
  readonly storageFund?: Maybe<StorageFund>;
  /** What validators have agreed on. Of the feature SYSTEM_STATE. */
  readonly systemParameters?: Maybe<SystemParameters>;
  /** Version of the system state's layout. Of the feature SYSTEM_STATE. */
  readonly systemStateVersion?: Maybe<Scalars['UInt53']['output']>;
  /** Checkpoints in it so far. */
  readonly totalCheckpoints?: Maybe<Scalars['UInt53']['output']>;
  /** Gas paid in it; null while it lasts. */
  readonly totalGasFees?: Maybe<Scalars['BigInt']['output']>;
  /** What its validators earned for their stake. Of the feature SYSTEM_STATE. */
  readonly totalStakeRewards?: Maybe<Scalars['BigInt']['output']>;
  /** Transactions in it so far. */
  readonly totalTransactions?: Maybe<Scalars['UInt53']['output']>;
  /** Its transactions, oldest first. */
  readonly transactionBlocks: TransactionBlockConnection;
  /** Its validators. Of the feature SYSTEM_STATE. */
  readonly validatorSet?: Maybe<ValidatorSet>;
};


/** A stretch of history with one set of validators and one gas price. */
export type EpochCheckpointsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** A stretch of history with one set of validators and one gas price. */
export type EpochTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** What a Move call told the world. */
export type Event = {
  /** The event in binary canonical serialization. */
  readonly bcs: Scalars['Base64']['output'];
  /** The event with the kind of each part spelled out. */
  readonly data: Scalars['MoveData']['output'];
  /** The event as plain JSON. */
  readonly json: Scalars['JSON']['output'];
  /** Who sent the transaction; null for the network itself. */
  readonly sender?: Maybe<Address>;
  /** The module that ran. */
  readonly sendingModule?: Maybe<MoveModule>;
  /** When the transaction's checkpoint was made; null while it runs. */
  readonly timestamp?: Maybe<Scalars['DateTime']['output']>;
  /** The transaction that emitted it; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly transactionBlock?: Maybe<TransactionBlock>;
  /** Type of the event. */
  readonly type: MoveType;
};

/** A page of events. */
export type EventConnection = {
  /** The events, each with its cursor. */
  readonly edges: ReadonlyArray<EventEdge>;
  /** The events alone. */
  readonly nodes: ReadonlyArray<Event>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of events. */
export type EventEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: Event;
};

/** Events that fit every member set. `emittingModule` and `eventType` exclude each other. */
export type EventFilter = {
  /** `package` or `package::module` of the module that ran. */
  readonly emittingModule?: InputMaybe<Scalars['String']['input']>;
  /** `package[::module[::Type[<arguments>]]]`. A generic type without arguments fits every instance. */
  readonly eventType?: InputMaybe<Scalars['String']['input']>;
  /** Sender of the transaction. */
  readonly sender?: InputMaybe<Scalars['LedgerAddress']['input']>;
  /** Base58 digest of the transaction. */
  readonly transactionDigest?: InputMaybe<Scalars['String']['input']>;
};

/** What became of a signed transaction. */
export type ExecutionResult = {
  /** What it did, gas at least. */
  readonly effects: TransactionBlockEffects;
  /** Why it failed; null when it did not. */
  readonly errors?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
};

/** Did it work? */
export type ExecutionStatus =
  /** It did not; gas was charged all the same. */
  | 'FAILURE'
  /** It did. */
  | 'SUCCESS';

/** A group of fields a service may leave out. */
export type Feature =
  /** Aggregates over history. */
  | 'ANALYTICS'
  /** Coins, balances and coin metadata. */
  | 'COINS'
  /** Dynamic fields of objects. */
  | 'DYNAMIC_FIELDS'
  /** Live streams. */
  | 'SUBSCRIPTIONS'
  /** The validators' system state. Never served here: fields of it are refused by the feature's name. */
  | 'SYSTEM_STATE';

/** The coins that pay the gas, merged into the first of them. */
export type GasCoin = {
  /** That first coin, as it was before; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly object?: Maybe<Object>;
};

/** Gas, by what it was for, in the native coin's smallest unit. */
export type GasCostSummary = {
  /** For computing. */
  readonly computationCost?: Maybe<Scalars['BigInt']['output']>;
  /** The part of it that was burned. */
  readonly computationCostBurned?: Maybe<Scalars['BigInt']['output']>;
  /** What is not given back of that. */
  readonly nonRefundableStorageFee?: Maybe<Scalars['BigInt']['output']>;
  /** For storing. */
  readonly storageCost?: Maybe<Scalars['BigInt']['output']>;
  /** Given back for what was deleted or replaced. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
};

/** What gas cost. */
export type GasEffects = {
  /** The coin that paid, as it was afterwards. */
  readonly gasObject?: Maybe<Object>;
  /** The cost. */
  readonly gasSummary?: Maybe<GasCostSummary>;
};

/** How gas was to be paid. */
export type GasInput = {
  /** The most it may cost, in the native coin's smallest unit. */
  readonly gasBudget?: Maybe<Scalars['BigInt']['output']>;
  /** The paying coins, as they were before. */
  readonly gasPayment: ObjectConnection;
  /** Price of a unit of computation, in the native coin's smallest unit. */
  readonly gasPrice?: Maybe<Scalars['BigInt']['output']>;
  /** Owner of the paying coins. */
  readonly gasSponsor?: Maybe<Address>;
};


/** How gas was to be paid. */
export type GasInputGasPaymentArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** The first transaction of the network. */
export type GenesisTransaction = {
  /** The objects it made. */
  readonly objects: ObjectConnection;
};


/** The first transaction of the network. */
export type GenesisTransactionObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** Something kept under an object id. */
export type IObject = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Base58 digest of this state; null at the version of its deletion. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** Who may use it. */
  readonly owner?: Maybe<ObjectOwner>;
  /** The transaction that made this state; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly previousTransactionBlock?: Maybe<TransactionBlock>;
  /** Transactions that changed something owned by this id, oldest first. */
  readonly receivedTransactionBlocks: TransactionBlockConnection;
  /** Where it stands. */
  readonly status: ObjectKind;
  /** Given back when it is deleted, in the native coin's smallest unit. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
  /** Version of this state. */
  readonly version: Scalars['UInt53']['output'];
};


/** Something kept under an object id. */
export type IObjectReceivedTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** Something that can own objects. */
export type IOwner = {
  /** Address of the account, or id of the object. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Its coins of one type, added up. Null when it has none. */
  readonly balance?: Maybe<Balance>;
  /** Its coins added up type by type, ordered by type. */
  readonly balances: BalanceConnection;
  /** Its coins of one type, ordered by id. */
  readonly coins: CoinConnection;
  /** Move objects it owns, ordered by id. */
  readonly objects: MoveObjectConnection;
};


/** Something that can own objects. */
export type IOwnerBalanceArgs = {
  type?: InputMaybe<Scalars['String']['input']>;
};


/** Something that can own objects. */
export type IOwnerBalancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Something that can own objects. */
export type IOwnerCoinsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  type?: InputMaybe<Scalars['String']['input']>;
};


/** Something that can own objects. */
export type IOwnerObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ObjectFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** Everybody may read it, nobody may change it. */
export type Immutable = {
  /** Is it code rather than a value? */
  readonly isPackage: Scalars['Boolean']['output'];
};

/** One of the transaction's inputs. */
export type Input = {
  /** Its index, from 0. */
  readonly ix: Scalars['Int']['output'];
};

/** Makes a vector of values. */
export type MakeMoveVecTransaction = {
  /** The elements. */
  readonly elements: ReadonlyArray<TransactionArgument>;
  /** Type of its elements; null where the first of them tells. */
  readonly type?: Maybe<MoveType>;
};

/** Puts coins into another one. */
export type MergeCoinsTransaction = {
  /** The coin that stays. */
  readonly coin: TransactionArgument;
  /** The coins that go into it. */
  readonly coins: ReadonlyArray<TransactionArgument>;
};

/** What may be done with values of a type. */
export type MoveAbility =
  /** They can be copied. */
  | 'COPY'
  /** They can be dropped. */
  | 'DROP'
  /** They can be objects. */
  | 'KEY'
  /** They can be kept within objects. */
  | 'STORE';

/** Calls a Move function. */
export type MoveCallTransaction = {
  /** What it is called with. */
  readonly arguments: ReadonlyArray<TransactionArgument>;
  /** Name of the function. */
  readonly functionName: Scalars['String']['output'];
  /** Module of the function. */
  readonly module: Scalars['String']['output'];
  /** Package of the function. */
  readonly package: Scalars['LedgerAddress']['output'];
  /** Its type arguments. */
  readonly typeArguments: ReadonlyArray<MoveType>;
};

/** A module of a package. */
export type MoveModule = {
  /** Its name. */
  readonly name: Scalars['String']['output'];
  /** The package it belongs to. */
  readonly package: MovePackage;
};

/** A page of modules. */
export type MoveModuleConnection = {
  /** The modules, each with its cursor. */
  readonly edges: ReadonlyArray<MoveModuleEdge>;
  /** The modules alone. */
  readonly nodes: ReadonlyArray<MoveModule>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of modules. */
export type MoveModuleEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: MoveModule;
};

/** An object that holds a Move value. */
export type MoveObject = IObject & IOwner & {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** As a coin; null for anything else. */
  readonly asCoin?: Maybe<Coin>;
  /** As coin metadata; null for anything else. */
  readonly asCoinMetadata?: Maybe<CoinMetadata>;
  /** Its coins of one type, added up. Null when it has none. */
  readonly balance?: Maybe<Balance>;
  /** Its coins added up type by type, ordered by type. */
  readonly balances: BalanceConnection;
  /** Its coins of one type, ordered by id. */
  readonly coins: CoinConnection;
  /** The value itself; null at the version of its deletion. */
  readonly contents?: Maybe<MoveValue>;
  /** Base58 digest of this state; null at the version of its deletion. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** The entry kept under a name, by value; null when there is none. */
  readonly dynamicField?: Maybe<DynamicField>;
  /** All its entries, ordered by the id of the object that holds each. */
  readonly dynamicFields: DynamicFieldConnection;
  /** The object kept under a name; null when there is none. */
  readonly dynamicObjectField?: Maybe<DynamicField>;
  /** Move objects it owns, ordered by id. */
  readonly objects: MoveObjectConnection;
  /** Who may use it. */
  readonly owner?: Maybe<ObjectOwner>;
  /** The transaction that made this state; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly previousTransactionBlock?: Maybe<TransactionBlock>;
  /** Transactions that changed something owned by this id, oldest first. */
  readonly receivedTransactionBlocks: TransactionBlockConnection;
  /** Where it stands. */
  readonly status: ObjectKind;
  /** Given back when it is deleted, in the native coin's smallest unit. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
  /** Version of this state. */
  readonly version: Scalars['UInt53']['output'];
};


/** An object that holds a Move value. */
export type MoveObjectBalanceArgs = {
  type?: InputMaybe<Scalars['String']['input']>;
};


/** An object that holds a Move value. */
export type MoveObjectBalancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An object that holds a Move value. */
export type MoveObjectCoinsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  type?: InputMaybe<Scalars['String']['input']>;
};


/** An object that holds a Move value. */
export type MoveObjectDynamicFieldArgs = {
  name: DynamicFieldName;
};


/** An object that holds a Move value. */
export type MoveObjectDynamicFieldsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An object that holds a Move value. */
export type MoveObjectDynamicObjectFieldArgs = {
  name: DynamicFieldName;
};


/** An object that holds a Move value. */
export type MoveObjectObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ObjectFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** An object that holds a Move value. */
export type MoveObjectReceivedTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of objects. */
export type MoveObjectConnection = {
  /** The objects, each with its cursor. */
  readonly edges: ReadonlyArray<MoveObjectEdge>;
  /** The objects alone. */
  readonly nodes: ReadonlyArray<MoveObject>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of objects. */
export type MoveObjectEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: MoveObject;
};

/** Published code. */
export type MovePackage = IObject & {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Base58 digest of this state; null at the version of its deletion. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** One module of it; null when it has none of that name. */
  readonly module?: Maybe<MoveModule>;
  /** Its modules, by name. */
  readonly modules?: Maybe<MoveModuleConnection>;
  /** Who may use it. */
  readonly owner?: Maybe<ObjectOwner>;
  /** The transaction that made this state; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly previousTransactionBlock?: Maybe<TransactionBlock>;
  /** Transactions that changed something owned by this id, oldest first. */
  readonly receivedTransactionBlocks: TransactionBlockConnection;
  /** Where it stands. */
  readonly status: ObjectKind;
  /** Given back when it is deleted, in the native coin's smallest unit. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
  /** Version of this state. */
  readonly version: Scalars['UInt53']['output'];
};


/** Published code. */
export type MovePackageModuleArgs = {
  name: Scalars['String']['input'];
};


/** Published code. */
export type MovePackageModulesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Published code. */
export type MovePackageReceivedTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** A Move type. */
export type MoveType = {
  /** What may be done with its values. Known as `layout` is. */
  readonly abilities: ReadonlyArray<MoveAbility>;
  /** How its values lie in BCS. Known for the types of the framework and of the packages that are here from the start. */
  readonly layout: Scalars['MoveTypeLayout']['output'];
  /** In canonical text, all addresses with 64 digits. */
  readonly repr: Scalars['String']['output'];
  /** Taken apart. */
  readonly signature: Scalars['MoveTypeSignature']['output'];
};

/** A Move value. */
export type MoveValue = {
  /** In binary canonical serialization. */
  readonly bcs: Scalars['Base64']['output'];
  /** With the kind of each part spelled out. */
  readonly data: Scalars['MoveData']['output'];
  /** As plain JSON; whole numbers of 64 bits and more as text. */
  readonly json: Scalars['JSON']['output'];
  /** Its type. */
  readonly type: MoveType;
};

/** Writes. */
export type Mutation = {
  /** Runs a signed transaction. The same transaction again answers what it did the first time. */
  readonly executeTransactionBlock: ExecutionResult;
};


/** Writes. */
export type MutationExecuteTransactionBlockArgs = {
  signatures: ReadonlyArray<Scalars['String']['input']>;
  txBytes: Scalars['String']['input'];
};

/** How a name is written. */
export type NameFormat =
  /** `@name` */
  | 'AT'
  /** `name.ledger` */
  | 'DOT';

/** An object that gives its owner a name. */
export type NameRegistration = IObject & {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** The value itself; null at the version of its deletion. */
  readonly contents?: Maybe<MoveValue>;
  /** Base58 digest of this state; null at the version of its deletion. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** Who may use it. */
  readonly owner?: Maybe<ObjectOwner>;
  /** The transaction that made this state; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly previousTransactionBlock?: Maybe<TransactionBlock>;
  /** Transactions that changed something owned by this id, oldest first. */
  readonly receivedTransactionBlocks: TransactionBlockConnection;
  /** Where it stands. */
  readonly status: ObjectKind;
  /** Given back when it is deleted, in the native coin's smallest unit. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
  /** Version of this state. */
  readonly version: Scalars['UInt53']['output'];
};


/** An object that gives its owner a name. */
export type NameRegistrationReceivedTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of names. */
export type NameRegistrationConnection = {
  /** The names, each with its cursor. */
  readonly edges: ReadonlyArray<NameRegistrationEdge>;
  /** The names alone. */
  readonly nodes: ReadonlyArray<NameRegistration>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of names. */
export type NameRegistrationEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: NameRegistration;
};

/** One version of something on the ledger: a Move value or a package. */
export type Object = IObject & IOwner & {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** As a Move value; null for a package. */
  readonly asMoveObject?: Maybe<MoveObject>;
  /** As a package; null for a Move value. */
  readonly asMovePackage?: Maybe<MovePackage>;
  /** Its coins of one type, added up. Null when it has none. */
  readonly balance?: Maybe<Balance>;
  /** Its coins added up type by type, ordered by type. */
  readonly balances: BalanceConnection;
  /** Its coins of one type, ordered by id. */
  readonly coins: CoinConnection;
  /** Base58 digest of this state; null at the version of its deletion. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** The entry kept under a name, by value; null when there is none. */
  readonly dynamicField?: Maybe<DynamicField>;
  /** All its entries, ordered by the id of the object that holds each. */
  readonly dynamicFields: DynamicFieldConnection;
  /** The object kept under a name; null when there is none. */
  readonly dynamicObjectField?: Maybe<DynamicField>;
  /** Move objects it owns, ordered by id. */
  readonly objects: MoveObjectConnection;
  /** Who may use it. */
  readonly owner?: Maybe<ObjectOwner>;
  /** The transaction that made this state; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly previousTransactionBlock?: Maybe<TransactionBlock>;
  /** Transactions that changed something owned by this id, oldest first. */
  readonly receivedTransactionBlocks: TransactionBlockConnection;
  /** Where it stands. */
  readonly status: ObjectKind;
  /** Given back when it is deleted, in the native coin's smallest unit. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
  /** Version of this state. */
  readonly version: Scalars['UInt53']['output'];
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectBalanceArgs = {
  type?: InputMaybe<Scalars['String']['input']>;
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectBalancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectCoinsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  type?: InputMaybe<Scalars['String']['input']>;
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectDynamicFieldArgs = {
  name: DynamicFieldName;
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectDynamicFieldsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectDynamicObjectFieldArgs = {
  name: DynamicFieldName;
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ObjectFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** One version of something on the ledger: a Move value or a package. */
export type ObjectReceivedTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** An object before and after. */
export type ObjectChange = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Was it made here? */
  readonly idCreated?: Maybe<Scalars['Boolean']['output']>;
  /** Was it deleted here? */
  readonly idDeleted?: Maybe<Scalars['Boolean']['output']>;
  /** Before; null when it was made here. */
  readonly inputState?: Maybe<Object>;
  /** After; null when it was deleted here. */
  readonly outputState?: Maybe<Object>;
};

/** A page of object changes. */
export type ObjectChangeConnection = {
  /** The object changes, each with its cursor. */
  readonly edges: ReadonlyArray<ObjectChangeEdge>;
  /** The object changes alone. */
  readonly nodes: ReadonlyArray<ObjectChange>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of object changes. */
export type ObjectChangeEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: ObjectChange;
};

/** A page of objects. */
export type ObjectConnection = {
  /** The objects, each with its cursor. */
  readonly edges: ReadonlyArray<ObjectEdge>;
  /** The objects alone. */
  readonly nodes: ReadonlyArray<Object>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of objects. */
export type ObjectEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: Object;
};

/** Objects that fit every member set; objectIds and objectKeys add up. */
export type ObjectFilter = {
  /** One of these ids. */
  readonly objectIds?: InputMaybe<ReadonlyArray<Scalars['LedgerAddress']['input']>>;
  /** One of these ids at that exact version, be it an old one. */
  readonly objectKeys?: InputMaybe<ReadonlyArray<ObjectKey>>;
  /** Owned by this account or object. */
  readonly owner?: InputMaybe<Scalars['LedgerAddress']['input']>;
  /** `package[::module[::Type[<arguments>]]]`. A generic type without arguments fits every instance. */
  readonly type?: InputMaybe<Scalars['String']['input']>;
};

/** An object at a version. */
export type ObjectKey = {
  /** Object id. */
  readonly objectId: Scalars['LedgerAddress']['input'];
  /** Version. */
  readonly version: Scalars['UInt53']['input'];
};

/** Where an object stands. */
export type ObjectKind =
  /** Live: its newest version. */
  | 'INDEXED'
  /** An older version, or one not yet in a checkpoint. */
  | 'NOT_INDEXED'
  /** Deleted at this version. */
  | 'WRAPPED_OR_DELETED';

/** Who may use an object. */
export type ObjectOwner = AddressOwner | Immutable | Parent | Shared;

/** An object at a version, with the digest of that version. */
export type ObjectRef = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['input'];
  /** Base58 digest. */
  readonly digest: Scalars['String']['input'];
  /** Version. */
  readonly version: Scalars['UInt53']['input'];
};

/** An object only its owner may use, or everybody may read. */
export type OwnedOrImmutable = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Base58 digest of that version. */
  readonly digest: Scalars['String']['output'];
  /** The object at that version; null before a checkpoint holds it. */
  readonly object?: Maybe<Object>;
  /** Version it is used at. */
  readonly version: Scalars['UInt53']['output'];
};

/** What owns things at an address, be it an account or an object. */
export type Owner = IOwner & {
  /** Address of the account, or id of the object. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** As an account, whatever it is. */
  readonly asAddress?: Maybe<Address>;
  /** As an object; null where there is none. */
  readonly asObject?: Maybe<Object>;
  /** Its coins of one type, added up. Null when it has none. */
  readonly balance?: Maybe<Balance>;
  /** Its coins added up type by type, ordered by type. */
  readonly balances: BalanceConnection;
  /** Its coins of one type, ordered by id. */
  readonly coins: CoinConnection;
  /** The entry kept under a name, by value; null when there is none. */
  readonly dynamicField?: Maybe<DynamicField>;
  /** All its entries, ordered by the id of the object that holds each. */
  readonly dynamicFields: DynamicFieldConnection;
  /** The object kept under a name; null when there is none. */
  readonly dynamicObjectField?: Maybe<DynamicField>;
  /** The name it goes by. Null where it has none: nobody registers names on this ledger. */
  readonly ledgerNamesDefaultName?: Maybe<Scalars['String']['output']>;
  /** Names it has registered, ordered by id. */
  readonly ledgerNamesRegistrations: NameRegistrationConnection;
  /** Move objects it owns, ordered by id. */
  readonly objects: MoveObjectConnection;
  /** Stakes it holds, ordered by id. Nobody stakes on this ledger. */
  readonly stakedLedgers: StakedLedgerConnection;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerBalanceArgs = {
  type?: InputMaybe<Scalars['String']['input']>;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerBalancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerCoinsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  type?: InputMaybe<Scalars['String']['input']>;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerDynamicFieldArgs = {
  name: DynamicFieldName;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerDynamicFieldsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerDynamicObjectFieldArgs = {
  name: DynamicFieldName;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerLedgerNamesDefaultNameArgs = {
  format?: InputMaybe<NameFormat>;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerLedgerNamesRegistrationsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ObjectFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What owns things at an address, be it an account or an object. */
export type OwnerStakedLedgersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** Where a page lies in its connection. */
export type PageInfo = {
  /** For `after`, to page forwards. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /** Is there something after this page? Known only when a cursor, or a page from the front, looked there. */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /** Is there something before this page? Known only when a cursor, or a page from the back, looked there. */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /** For `before`, to page backwards. */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/** Whoever may use its parent may. */
export type Parent = {
  /** The object it belongs to. */
  readonly parent?: Maybe<Object>;
};

/** One command. */
export type ProgrammableTransaction = MakeMoveVecTransaction | MergeCoinsTransaction | MoveCallTransaction | PublishTransaction | SplitCoinsTransaction | TransferObjectsTransaction | UpgradeTransaction;

/** Commands of an account, run one after the other or not at all. */
export type ProgrammableTransactionBlock = {
  /** What its commands start from: objects and plain values. */
  readonly inputs: TransactionInputConnection;
  /** Its commands, in order. */
  readonly transactions: ProgrammableTransactionConnection;
};


/** Commands of an account, run one after the other or not at all. */
export type ProgrammableTransactionBlockInputsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Commands of an account, run one after the other or not at all. */
export type ProgrammableTransactionBlockTransactionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of commands. */
export type ProgrammableTransactionConnection = {
  /** The commands, each with its cursor. */
  readonly edges: ReadonlyArray<ProgrammableTransactionEdge>;
  /** The commands alone. */
  readonly nodes: ReadonlyArray<ProgrammableTransaction>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of commands. */
export type ProgrammableTransactionEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: ProgrammableTransaction;
};

/** A value of the protocol. Of the feature SYSTEM_STATE. */
export type ProtocolConfigAttr = {
  /** Its name. */
  readonly key: Scalars['String']['output'];
  /** The value as text; null where it is not set. */
  readonly value?: Maybe<Scalars['String']['output']>;
};

/** A switch of the protocol. Of the feature SYSTEM_STATE. */
export type ProtocolConfigFeatureFlag = {
  /** Its name. */
  readonly key: Scalars['String']['output'];
  /** Is it on? */
  readonly value: Scalars['Boolean']['output'];
};

/** Rules of a protocol version. Of the feature SYSTEM_STATE. */
export type ProtocolConfigs = {
  /** One value; null when there is none of that name. */
  readonly config?: Maybe<ProtocolConfigAttr>;
  /** The values. */
  readonly configs: ReadonlyArray<ProtocolConfigAttr>;
  /** One switch; null when there is none of that name. */
  readonly featureFlag?: Maybe<ProtocolConfigFeatureFlag>;
  /** What is on and what is off. */
  readonly featureFlags: ReadonlyArray<ProtocolConfigFeatureFlag>;
  /** The protocol version. */
  readonly protocolVersion: Scalars['UInt53']['output'];
};


/** Rules of a protocol version. Of the feature SYSTEM_STATE. */
export type ProtocolConfigsConfigArgs = {
  key: Scalars['String']['input'];
};


/** Rules of a protocol version. Of the feature SYSTEM_STATE. */
export type ProtocolConfigsFeatureFlagArgs = {
  key: Scalars['String']['input'];
};

/** Publishes code. */
export type PublishTransaction = {
  /** Packages they need. */
  readonly dependencies: ReadonlyArray<Scalars['LedgerAddress']['output']>;
  /** Bytecode of the modules. */
  readonly modules: ReadonlyArray<Scalars['Base64']['output']>;
};

/** A plain value. */
export type Pure = {
  /** Its BCS. */
  readonly bytes: Scalars['Base64']['output'];
};

/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type Query = {
  /** An account. Any address has one, used or not. */
  readonly address?: Maybe<Address>;
  /** The checkpoints between which live objects, owners, balances, coins and dynamic fields can be read and paged consistently. */
  readonly availableRange: AvailableRange;
  /** First four bytes of the genesis checkpoint's digest, as hexadecimal digits: tells networks apart. */
  readonly chainIdentifier: Scalars['String']['output'];
  /** One checkpoint, the newest by default. Null when there is none of that number and digest. */
  readonly checkpoint?: Maybe<Checkpoint>;
  /** All checkpoints, oldest first. */
  readonly checkpoints: CheckpointConnection;
  /** What a coin's publisher said of it. Null when the coin has none. */
  readonly coinMetadata?: Maybe<CoinMetadata>;
  /** Live coins of one type, ordered by id. */
  readonly coins: CoinConnection;
  /** Devnet only. Builds a small transaction paid by a sponsor's coins and signs it with a key of the devnet, ready for the sponsor's execute call. */
  readonly devnetSignTransaction: DevnetSignedTransaction;
  /** Runs a transaction without signatures and without keeping what it did. */
  readonly dryRunTransactionBlock: DryRunResult;
  /** One epoch, the current one by default. Null when there is no such epoch. */
  readonly epoch?: Maybe<Epoch>;
  /** All events, in the order of their transactions, oldest first. */
  readonly events: EventConnection;
  /** One object: its newest state, or one exact version. Null when there is none. */
  readonly object?: Maybe<Object>;
  /** Live objects, ordered by id. */
  readonly objects: ObjectConnection;
  /** What owns things at an address, be it an account or an object. */
  readonly owner?: Maybe<Owner>;
  /** Limits, page sizes and features in force here. */
  readonly serviceConfig: ServiceConfig;
  /** One transaction. Null until a checkpoint holds it, and for an unknown digest. */
  readonly transactionBlock?: Maybe<TransactionBlock>;
  /** All transactions, oldest first. */
  readonly transactionBlocks: TransactionBlockConnection;
  /** A Move type, in its canonical form. */
  readonly type: MoveType;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryAddressArgs = {
  address: Scalars['LedgerAddress']['input'];
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryCheckpointArgs = {
  id?: InputMaybe<CheckpointId>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryCheckpointsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryCoinMetadataArgs = {
  coinType: Scalars['String']['input'];
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryCoinsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  type?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryDevnetSignTransactionArgs = {
  gasBudget: Scalars['UInt53']['input'];
  gasCoins: ReadonlyArray<DevnetGasCoinInput>;
  sponsorAddress: Scalars['LedgerAddress']['input'];
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryDryRunTransactionBlockArgs = {
  skipChecks?: InputMaybe<Scalars['Boolean']['input']>;
  txBytes: Scalars['String']['input'];
  txMeta?: InputMaybe<TransactionMetadata>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryEpochArgs = {
  id?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<EventFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryObjectArgs = {
  address: Scalars['LedgerAddress']['input'];
  version?: InputMaybe<Scalars['UInt53']['input']>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<ObjectFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryOwnerArgs = {
  address: Scalars['LedgerAddress']['input'];
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryTransactionBlockArgs = {
  digest: Scalars['String']['input'];
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. All fields of one request read the same checkpoint, unless a cursor pins another. */
export type QueryTypeArgs = {
  type: Scalars['String']['input'];
};

/** Publishes fresh randomness. */
export type RandomnessStateUpdateTransaction = {
  /** The epoch it belongs to. */
  readonly epoch?: Maybe<Epoch>;
};

/** An object that another one received. */
export type Receiving = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Base58 digest of that version. */
  readonly digest: Scalars['String']['output'];
  /** The object at that version; null before a checkpoint holds it. */
  readonly object?: Maybe<Object>;
  /** Version it is used at. */
  readonly version: Scalars['UInt53']['output'];
};

/** What an earlier command gave. */
export type Result = {
  /** Index of the command, from 0. */
  readonly cmd: Scalars['Int']['output'];
  /** Which of its results, from 0; null for its only one. */
  readonly ix?: Maybe<Scalars['Int']['output']>;
};

/** An epoch that began without the ordinary end of the one before. Of the feature SYSTEM_STATE. */
export type SafeMode = {
  /** Is it one? */
  readonly enabled?: Maybe<Scalars['Boolean']['output']>;
  /** Gas of it, kept for when things are in order again. */
  readonly gasSummary?: Maybe<GasCostSummary>;
};

/** What this service allows. All sizes are upper bounds that are still allowed. */
export type ServiceConfig = {
  /** Versions a request may name in its path, as `<year>.<month>`. */
  readonly availableVersions: ReadonlyArray<Scalars['String']['output']>;
  /** Page size when neither `first` nor `last` is given. */
  readonly defaultPageSize: Scalars['Int']['output'];
  /** Groups of fields served here. */
  readonly enabledFeatures: ReadonlyArray<Feature>;
  /** Is a group of fields served here? */
  readonly isEnabled: Scalars['Boolean']['output'];
  /** Cost of one database query. Nothing is refused for it, here or on real services; there is no database here. */
  readonly maxDbQueryCost: Scalars['Int']['output'];
  /** Nesting of a Move value in an answer. */
  readonly maxMoveValueDepth: Scalars['Int']['output'];
  /** Estimated fields in an answer, page sizes multiplied in. */
  readonly maxOutputNodes: Scalars['Int']['output'];
  /** Largest `first` or `last`. */
  readonly maxPageSize: Scalars['Int']['output'];
  /** Levels of selections in a document, fragments counted as levels. */
  readonly maxQueryDepth: Scalars['Int']['output'];
  /** Selections in a document: fields, inline fragments, spreads and what they spread. */
  readonly maxQueryNodes: Scalars['Int']['output'];
  /** Bytes of the query text, transaction arguments written in it not counted. */
  readonly maxQueryPayloadSize: Scalars['Int']['output'];
  /** Largest `scanLimit`, in transactions. */
  readonly maxScanLimit: Scalars['Int']['output'];
  /** Entries of `transactionIds` in a transaction filter. */
  readonly maxTransactionIds: Scalars['Int']['output'];
  /** Bytes of all arguments of executeTransactionBlock and dryRunTransactionBlock together. */
  readonly maxTransactionPayloadSize: Scalars['Int']['output'];
  /** Nesting of type arguments in a type. */
  readonly maxTypeArgumentDepth: Scalars['Int']['output'];
  /** Type arguments of one type. */
  readonly maxTypeArgumentWidth: Scalars['Int']['output'];
  /** Types mentioned in one type, itself included. */
  readonly maxTypeNodes: Scalars['Int']['output'];
  /** Longest run of a mutation, milliseconds. */
  readonly mutationTimeoutMs: Scalars['Int']['output'];
  /** Longest run of a query, milliseconds. */
  readonly requestTimeoutMs: Scalars['Int']['output'];
};


/** What this service allows. All sizes are upper bounds that are still allowed. */
export type ServiceConfigIsEnabledArgs = {
  feature: Feature;
};

/** Everybody may. */
export type Shared = {
  /** Version at which it became shared. */
  readonly initialSharedVersion: Scalars['UInt53']['output'];
};

/** An object everybody may use. */
export type SharedInput = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Version at which it became shared. */
  readonly initialSharedVersion: Scalars['UInt53']['output'];
  /** May the transaction change it? */
  readonly mutable: Scalars['Boolean']['output'];
};

/** A shared object that was gone by the time the transaction ran. There are none here: nothing deletes shared objects. */
export type SharedObjectDelete = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Did the transaction mean to change it? */
  readonly mutable: Scalars['Boolean']['output'];
  /** Version at which it was deleted. */
  readonly version: Scalars['UInt53']['output'];
};

/** A shared object that was read. */
export type SharedObjectRead = {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** Base58 digest of that version. */
  readonly digest: Scalars['String']['output'];
  /** That version; null once it is no longer remembered. */
  readonly object?: Maybe<Object>;
  /** Version that was read. */
  readonly version: Scalars['UInt53']['output'];
};

/** Makes new coins out of a part of one. */
export type SplitCoinsTransaction = {
  /** How much goes into each new one, in the smallest unit. */
  readonly amounts: ReadonlyArray<TransactionArgument>;
  /** The coin. */
  readonly coin: TransactionArgument;
};

/** An object that stands for native coins lent to a validator. */
export type StakedLedger = IObject & {
  /** Object id. */
  readonly address: Scalars['LedgerAddress']['output'];
  /** The value itself; null at the version of its deletion. */
  readonly contents?: Maybe<MoveValue>;
  /** Base58 digest of this state; null at the version of its deletion. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** Who may use it. */
  readonly owner?: Maybe<ObjectOwner>;
  /** The transaction that made this state; null before a checkpoint holds that, and once it is no longer remembered. */
  readonly previousTransactionBlock?: Maybe<TransactionBlock>;
  /** Transactions that changed something owned by this id, oldest first. */
  readonly receivedTransactionBlocks: TransactionBlockConnection;
  /** Where it stands. */
  readonly status: ObjectKind;
  /** Given back when it is deleted, in the native coin's smallest unit. */
  readonly storageRebate?: Maybe<Scalars['BigInt']['output']>;
  /** Version of this state. */
  readonly version: Scalars['UInt53']['output'];
};


/** An object that stands for native coins lent to a validator. */
export type StakedLedgerReceivedTransactionBlocksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<TransactionBlockFilter>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  scanLimit?: InputMaybe<Scalars['Int']['input']>;
};

/** A page of stakes. */
export type StakedLedgerConnection = {
  /** The stakes, each with its cursor. */
  readonly edges: ReadonlyArray<StakedLedgerEdge>;
  /** The stakes alone. */
  readonly nodes: ReadonlyArray<StakedLedger>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of stakes. */
export type StakedLedgerEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: StakedLedger;
};

/** The storage fund. Of the feature SYSTEM_STATE. */
export type StorageFund = {
  /** What is never given back. */
  readonly nonRefundableBalance?: Maybe<Scalars['BigInt']['output']>;
  /** What would be given back if all objects were deleted. */
  readonly totalObjectStorageRebates?: Maybe<Scalars['BigInt']['output']>;
};

/** What validators have agreed on. Of the feature SYSTEM_STATE. */
export type SystemParameters = {
  /** Length of an epoch, in milliseconds. */
  readonly durationMs?: Maybe<Scalars['BigInt']['output']>;
  /** Most validators. */
  readonly maxValidatorCount?: Maybe<Scalars['Int']['output']>;
  /** Fewest validators. */
  readonly minValidatorCount?: Maybe<Scalars['Int']['output']>;
  /** Least stake to join with, in the native coin's smallest unit. */
  readonly minValidatorJoiningStake?: Maybe<Scalars['BigInt']['output']>;
  /** Epochs a warned validator has. */
  readonly validatorLowStakeGracePeriod?: Maybe<Scalars['BigInt']['output']>;
  /** Stake below which a validator is warned. */
  readonly validatorLowStakeThreshold?: Maybe<Scalars['BigInt']['output']>;
  /** Stake below which a validator leaves at once. */
  readonly validatorVeryLowStakeThreshold?: Maybe<Scalars['BigInt']['output']>;
};

/** What a command works on. */
export type TransactionArgument = GasCoin | Input | Result;

/** A transaction and what it did. */
export type TransactionBlock = {
  /** BCS of its TransactionData. */
  readonly bcs?: Maybe<Scalars['Base64']['output']>;
  /** Base58 digest; null for a dry run. */
  readonly digest?: Maybe<Scalars['String']['output']>;
  /** What it did. */
  readonly effects?: Maybe<TransactionBlockEffects>;
  /** Last epoch in which it could run; null when it could always, and while that epoch has not begun. */
  readonly expiration?: Maybe<Epoch>;
  /** How its gas was to be paid; null for the network itself. */
  readonly gasInput?: Maybe<GasInput>;
  /** Does the node have it in its index, so that reads there find it? Null for a dry run. */
  readonly indexedOnNode?: Maybe<Scalars['Boolean']['output']>;
  /** What it asked for. */
  readonly kind?: Maybe<TransactionBlockKind>;
  /** Who sent it; null for the network itself. */
  readonly sender?: Maybe<Address>;
  /** Flag ‖ signature ‖ public key each: the sender's first, then the sponsor's. */
  readonly signatures?: Maybe<ReadonlyArray<Scalars['Base64']['output']>>;
};

/** A page of transactions. */
export type TransactionBlockConnection = {
  /** The transactions, each with its cursor. */
  readonly edges: ReadonlyArray<TransactionBlockEdge>;
  /** The transactions alone. */
  readonly nodes: ReadonlyArray<TransactionBlock>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of transactions. */
export type TransactionBlockEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: TransactionBlock;
};

/** What a transaction did. */
export type TransactionBlockEffects = {
  /** Coins that went from owner to owner, gas included. */
  readonly balanceChanges: BalanceChangeConnection;
  /** BCS of its TransactionEffects. */
  readonly bcs: Scalars['Base64']['output'];
  /** The checkpoint that holds it; null before one does. */
  readonly checkpoint?: Maybe<Checkpoint>;
  /** Transactions whose results it used. */
  readonly dependencies: DependencyConnection;
  /** The epoch it ran in. */
  readonly epoch?: Maybe<Epoch>;
  /** Why it failed; null when it did not. */
  readonly errors?: Maybe<Scalars['String']['output']>;
  /** Events it emitted, in order. */
  readonly events: EventConnection;
  /** What the gas cost. */
  readonly gasEffects?: Maybe<GasEffects>;
  /** Version given to everything it changed. */
  readonly lamportVersion: Scalars['UInt53']['output'];
  /** Objects it created, changed or deleted. */
  readonly objectChanges: ObjectChangeConnection;
  /** Did it work? */
  readonly status?: Maybe<ExecutionStatus>;
  /** When its checkpoint was made; null while it runs. */
  readonly timestamp?: Maybe<Scalars['DateTime']['output']>;
  /** The transaction. */
  readonly transactionBlock?: Maybe<TransactionBlock>;
  /** Shared objects it only read, ordered as its inputs. */
  readonly unchangedSharedObjects: UnchangedSharedObjectConnection;
};


/** What a transaction did. */
export type TransactionBlockEffectsBalanceChangesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What a transaction did. */
export type TransactionBlockEffectsDependenciesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What a transaction did. */
export type TransactionBlockEffectsEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What a transaction did. */
export type TransactionBlockEffectsObjectChangesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};


/** What a transaction did. */
export type TransactionBlockEffectsUnchangedSharedObjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
};

/** Transactions that fit every member set. Two or more of function, kind, recvAddress, inputObject, changedObject, transactionIds and wrappedOrDeletedObject need a `scanLimit`. */
export type TransactionBlockFilter = {
  /** In a checkpoint above this one. */
  readonly afterCheckpoint?: InputMaybe<Scalars['UInt53']['input']>;
  /** In this checkpoint. */
  readonly atCheckpoint?: InputMaybe<Scalars['UInt53']['input']>;
  /** In a checkpoint below this one. */
  readonly beforeCheckpoint?: InputMaybe<Scalars['UInt53']['input']>;
  /** Created or changed this object. */
  readonly changedObject?: InputMaybe<Scalars['LedgerAddress']['input']>;
  /** `package[::module[::function]]` of a Move call in it. */
  readonly function?: InputMaybe<Scalars['String']['input']>;
  /** Takes this object as an input. */
  readonly inputObject?: InputMaybe<Scalars['LedgerAddress']['input']>;
  /** Kind of transaction. */
  readonly kind?: InputMaybe<TransactionBlockKindInput>;
  /** An object changed by it belongs to this address afterwards. */
  readonly recvAddress?: InputMaybe<Scalars['LedgerAddress']['input']>;
  /** Sent by this address. */
  readonly sentAddress?: InputMaybe<Scalars['LedgerAddress']['input']>;
  /** Base58 digests; at most serviceConfig.maxTransactionIds. */
  readonly transactionIds?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Deleted this object. */
  readonly wrappedOrDeletedObject?: InputMaybe<Scalars['LedgerAddress']['input']>;
};

/** What a transaction asked for. */
export type TransactionBlockKind = ConsensusCommitPrologueTransaction | EndOfEpochTransaction | GenesisTransaction | ProgrammableTransactionBlock | RandomnessStateUpdateTransaction;

/** Kinds of transaction a filter can ask for. */
export type TransactionBlockKindInput =
  /** Opens each commit of consensus. */
  | 'CONSENSUS_COMMIT_PROLOGUE_V1'
  /** Closes an epoch. */
  | 'END_OF_EPOCH_TX'
  /** The first transaction of the network. */
  | 'GENESIS'
  /** Sent by an account. */
  | 'PROGRAMMABLE_TX'
  /** Publishes fresh randomness. */
  | 'RANDOMNESS_STATE_UPDATE'
  /** Everything the network itself sends. */
  | 'SYSTEM_TX';

/** What a command can start from. */
export type TransactionInput = OwnedOrImmutable | Pure | Receiving | SharedInput;

/** A page of inputs. */
export type TransactionInputConnection = {
  /** The inputs, each with its cursor. */
  readonly edges: ReadonlyArray<TransactionInputEdge>;
  /** The inputs alone. */
  readonly nodes: ReadonlyArray<TransactionInput>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of inputs. */
export type TransactionInputEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: TransactionInput;
};

/** What a TransactionKind lacks to be run. */
export type TransactionMetadata = {
  /** Budget in the native coin's smallest unit. Default: the most a transaction may ask for. */
  readonly gasBudget?: InputMaybe<Scalars['UInt53']['input']>;
  /** Coins that pay. Default: none. */
  readonly gasObjects?: InputMaybe<ReadonlyArray<ObjectRef>>;
  /** Price of a unit of computation. Default: the epoch's reference price. */
  readonly gasPrice?: InputMaybe<Scalars['UInt53']['input']>;
  /** Owner of the paying coins. Default: the sender. */
  readonly gasSponsor?: InputMaybe<Scalars['LedgerAddress']['input']>;
  /** Default: the zero address. */
  readonly sender?: InputMaybe<Scalars['LedgerAddress']['input']>;
};

/** Gives objects to an address. */
export type TransferObjectsTransaction = {
  /** The address. */
  readonly address: TransactionArgument;
  /** The objects. */
  readonly inputs: ReadonlyArray<TransactionArgument>;
};

/** A shared object that a transaction named and did not change. */
export type UnchangedSharedObject = SharedObjectDelete | SharedObjectRead;

/** A page of shared objects that were only read. */
export type UnchangedSharedObjectConnection = {
  /** The objects, each with its cursor. */
  readonly edges: ReadonlyArray<UnchangedSharedObjectEdge>;
  /** The objects alone. */
  readonly nodes: ReadonlyArray<UnchangedSharedObject>;
  /** Where the page lies. */
  readonly pageInfo: PageInfo;
};

/** One of a page of shared objects that were only read. */
export type UnchangedSharedObjectEdge = {
  /** For `after` or `before`. */
  readonly cursor: Scalars['String']['output'];
  /** The entry itself. */
  readonly node: UnchangedSharedObject;
};

/** Publishes code in place of an older version. */
export type UpgradeTransaction = {
  /** The package they replace. */
  readonly currentPackage: Scalars['LedgerAddress']['output'];
  /** Packages they need. */
  readonly dependencies: ReadonlyArray<Scalars['LedgerAddress']['output']>;
  /** Bytecode of the modules. */
  readonly modules: ReadonlyArray<Scalars['Base64']['output']>;
  /** The right to do so. */
  readonly upgradeTicket: TransactionArgument;
};

/** The validators of an epoch. Of the feature SYSTEM_STATE. */
export type ValidatorSet = {
  /** How many staking pools are closed. */
  readonly inactivePoolsSize?: Maybe<Scalars['Int']['output']>;
  /** How many join at the epoch's end. */
  readonly pendingActiveValidatorsSize?: Maybe<Scalars['Int']['output']>;
  /** Places of those that leave at the epoch's end. */
  readonly pendingRemovals?: Maybe<ReadonlyArray<Scalars['Int']['output']>>;
  /** How many staking pools there are. */
  readonly stakingPoolMappingsSize?: Maybe<Scalars['Int']['output']>;
  /** Stake of all of them, in the native coin's smallest unit. */
  readonly totalStake?: Maybe<Scalars['BigInt']['output']>;
  /** How many would like to join. */
  readonly validatorCandidatesSize?: Maybe<Scalars['Int']['output']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Address: ResolverTypeWrapper<AddressModel>;
  AddressOwner: ResolverTypeWrapper<OwnerKindModel>;
  AddressTransactionBlockRelationship: ResolverTypeWrapper<any>;
  AvailableRange: ResolverTypeWrapper<Viewed>;
  Balance: ResolverTypeWrapper<BalanceModel>;
  BalanceChange: ResolverTypeWrapper<BalanceChangeModel>;
  BalanceChangeConnection: ResolverTypeWrapper<any>;
  BalanceChangeEdge: ResolverTypeWrapper<any>;
  BalanceConnection: ResolverTypeWrapper<any>;
  BalanceEdge: ResolverTypeWrapper<any>;
  Base64: ResolverTypeWrapper<any>;
  BigInt: ResolverTypeWrapper<any>;
  Boolean: ResolverTypeWrapper<any>;
  Checkpoint: ResolverTypeWrapper<CheckpointModel>;
  CheckpointConnection: ResolverTypeWrapper<any>;
  CheckpointEdge: ResolverTypeWrapper<any>;
  CheckpointId: ResolverTypeWrapper<any>;
  Coin: ResolverTypeWrapper<ObjectModel>;
  CoinConnection: ResolverTypeWrapper<any>;
  CoinEdge: ResolverTypeWrapper<any>;
  CoinMetadata: ResolverTypeWrapper<CoinMetadataModel>;
  ConsensusCommitPrologueTransaction: ResolverTypeWrapper<TransactionModel>;
  DateTime: ResolverTypeWrapper<any>;
  DependencyConnection: ResolverTypeWrapper<any>;
  DependencyEdge: ResolverTypeWrapper<any>;
  DevnetGasCoinInput: ResolverTypeWrapper<any>;
  DevnetSignedTransaction: ResolverTypeWrapper<any>;
  DryRunEffect: ResolverTypeWrapper<CommandReportModel>;
  DryRunMutation: ResolverTypeWrapper<MutationModel>;
  DryRunResult: ResolverTypeWrapper<DryRunModel>;
  DryRunReturn: ResolverTypeWrapper<ReportedValue>;
  DynamicField: ResolverTypeWrapper<DynamicFieldModel>;
  DynamicFieldConnection: ResolverTypeWrapper<any>;
  DynamicFieldEdge: ResolverTypeWrapper<any>;
  DynamicFieldName: ResolverTypeWrapper<any>;
  DynamicFieldValue: ResolverTypeWrapper<any>;
  EndOfEpochTransaction: ResolverTypeWrapper<TransactionModel>;
  Epoch: ResolverTypeWrapper<EpochModel>;
  Event: ResolverTypeWrapper<EventModel>;
  EventConnection: ResolverTypeWrapper<any>;
  EventEdge: ResolverTypeWrapper<any>;
  EventFilter: ResolverTypeWrapper<any>;
  ExecutionResult: ResolverTypeWrapper<ExecutionModel>;
  ExecutionStatus: ResolverTypeWrapper<any>;
  Feature: ResolverTypeWrapper<any>;
  GasCoin: ResolverTypeWrapper<ArgumentModel<"gasCoin">>;
  GasCostSummary: ResolverTypeWrapper<GasSummary>;
  GasEffects: ResolverTypeWrapper<TransactionModel>;
  GasInput: ResolverTypeWrapper<TransactionModel>;
  GenesisTransaction: ResolverTypeWrapper<TransactionModel>;
  IObject: ResolverTypeWrapper<ObjectModel>;
  IOwner: ResolverTypeWrapper<AddressModel>;
  Immutable: ResolverTypeWrapper<OwnerKindModel>;
  Input: ResolverTypeWrapper<ArgumentModel<"input">>;
  Int: ResolverTypeWrapper<any>;
  JSON: ResolverTypeWrapper<any>;
  LedgerAddress: ResolverTypeWrapper<any>;
  MakeMoveVecTransaction: ResolverTypeWrapper<CommandModel<"makeMoveVec">>;
  MergeCoinsTransaction: ResolverTypeWrapper<CommandModel<"mergeCoins">>;
  MoveAbility: ResolverTypeWrapper<any>;
  MoveCallTransaction: ResolverTypeWrapper<CommandModel<"moveCall">>;
  MoveData: ResolverTypeWrapper<any>;
  MoveModule: ResolverTypeWrapper<ModuleModel>;
  MoveModuleConnection: ResolverTypeWrapper<any>;
  MoveModuleEdge: ResolverTypeWrapper<any>;
  MoveObject: ResolverTypeWrapper<ObjectModel>;
  MoveObjectConnection: ResolverTypeWrapper<any>;
  MoveObjectEdge: ResolverTypeWrapper<any>;
  MovePackage: ResolverTypeWrapper<ObjectModel>;
  MoveType: ResolverTypeWrapper<TypeModel>;
  MoveTypeLayout: ResolverTypeWrapper<any>;
  MoveTypeSignature: ResolverTypeWrapper<any>;
  MoveValue: ResolverTypeWrapper<ValueModel>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  NameFormat: ResolverTypeWrapper<any>;
  NameRegistration: ResolverTypeWrapper<ObjectModel>;
  NameRegistrationConnection: ResolverTypeWrapper<any>;
  NameRegistrationEdge: ResolverTypeWrapper<any>;
  Object: ResolverTypeWrapper<ObjectModel>;
  ObjectChange: ResolverTypeWrapper<ObjectChangeModel>;
  ObjectChangeConnection: ResolverTypeWrapper<any>;
  ObjectChangeEdge: ResolverTypeWrapper<any>;
  ObjectConnection: ResolverTypeWrapper<any>;
  ObjectEdge: ResolverTypeWrapper<any>;
  ObjectFilter: ResolverTypeWrapper<any>;
  ObjectKey: ResolverTypeWrapper<any>;
  ObjectKind: ResolverTypeWrapper<any>;
  ObjectOwner: ResolverTypeWrapper<any>;
  ObjectRef: ResolverTypeWrapper<any>;
  OwnedOrImmutable: ResolverTypeWrapper<InputModel<"owned">>;
  Owner: ResolverTypeWrapper<AddressModel>;
  PageInfo: ResolverTypeWrapper<any>;
  Parent: ResolverTypeWrapper<OwnerKindModel>;
  ProgrammableTransaction: ResolverTypeWrapper<any>;
  ProgrammableTransactionBlock: ResolverTypeWrapper<TransactionModel>;
  ProgrammableTransactionConnection: ResolverTypeWrapper<any>;
  ProgrammableTransactionEdge: ResolverTypeWrapper<any>;
  ProtocolConfigAttr: ResolverTypeWrapper<any>;
  ProtocolConfigFeatureFlag: ResolverTypeWrapper<any>;
  ProtocolConfigs: ResolverTypeWrapper<any>;
  PublishTransaction: ResolverTypeWrapper<CommandModel<"publish">>;
  Pure: ResolverTypeWrapper<InputModel<"pure">>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RandomnessStateUpdateTransaction: ResolverTypeWrapper<TransactionModel>;
  Receiving: ResolverTypeWrapper<InputModel<"receiving">>;
  Result: ResolverTypeWrapper<ArgumentModel<"result" | "nestedResult">>;
  SafeMode: ResolverTypeWrapper<any>;
  ServiceConfig: ResolverTypeWrapper<any>;
  Shared: ResolverTypeWrapper<OwnerKindModel>;
  SharedInput: ResolverTypeWrapper<InputModel<"shared">>;
  SharedObjectDelete: ResolverTypeWrapper<SharedReadModel>;
  SharedObjectRead: ResolverTypeWrapper<SharedReadModel>;
  SplitCoinsTransaction: ResolverTypeWrapper<CommandModel<"splitCoins">>;
  StakedLedger: ResolverTypeWrapper<ObjectModel>;
  StakedLedgerConnection: ResolverTypeWrapper<any>;
  StakedLedgerEdge: ResolverTypeWrapper<any>;
  StorageFund: ResolverTypeWrapper<any>;
  String: ResolverTypeWrapper<any>;
  SystemParameters: ResolverTypeWrapper<any>;
  TransactionArgument: ResolverTypeWrapper<any>;
  TransactionBlock: ResolverTypeWrapper<TransactionModel>;
  TransactionBlockConnection: ResolverTypeWrapper<any>;
  TransactionBlockEdge: ResolverTypeWrapper<any>;
  TransactionBlockEffects: ResolverTypeWrapper<TransactionModel>;
  TransactionBlockFilter: ResolverTypeWrapper<any>;
  TransactionBlockKind: ResolverTypeWrapper<any>;
  TransactionBlockKindInput: ResolverTypeWrapper<any>;
  TransactionInput: ResolverTypeWrapper<any>;
  TransactionInputConnection: ResolverTypeWrapper<any>;
  TransactionInputEdge: ResolverTypeWrapper<any>;
  TransactionMetadata: ResolverTypeWrapper<any>;
  TransferObjectsTransaction: ResolverTypeWrapper<CommandModel<"transferObjects">>;
  UInt53: ResolverTypeWrapper<any>;
  UnchangedSharedObject: ResolverTypeWrapper<SharedReadModel>;
  UnchangedSharedObjectConnection: ResolverTypeWrapper<any>;
  UnchangedSharedObjectEdge: ResolverTypeWrapper<any>;
  UpgradeTransaction: ResolverTypeWrapper<CommandModel<"upgrade">>;
  ValidatorSet: ResolverTypeWrapper<any>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Address: AddressModel;
  AddressOwner: OwnerKindModel;
  AvailableRange: Viewed;
  Balance: BalanceModel;
  BalanceChange: BalanceChangeModel;
  BalanceChangeConnection: any;
  BalanceChangeEdge: any;
  BalanceConnection: any;
  BalanceEdge: any;
  Base64: any;
  BigInt: any;
  Boolean: any;
  Checkpoint: CheckpointModel;
  CheckpointConnection: any;
  CheckpointEdge: any;
  CheckpointId: any;
  Coin: ObjectModel;
  CoinConnection: any;
  CoinEdge: any;
  CoinMetadata: CoinMetadataModel;
  ConsensusCommitPrologueTransaction: TransactionModel;
  DateTime: any;
  DependencyConnection: any;
  DependencyEdge: any;
  DevnetGasCoinInput: any;
  DevnetSignedTransaction: any;
  DryRunEffect: CommandReportModel;
  DryRunMutation: MutationModel;
  DryRunResult: DryRunModel;
  DryRunReturn: ReportedValue;
  DynamicField: DynamicFieldModel;
  DynamicFieldConnection: any;
  DynamicFieldEdge: any;
  DynamicFieldName: any;
  DynamicFieldValue: any;
  EndOfEpochTransaction: TransactionModel;
  Epoch: EpochModel;
  Event: EventModel;
  EventConnection: any;
  EventEdge: any;
  EventFilter: any;
  ExecutionResult: ExecutionModel;
  GasCoin: ArgumentModel<"gasCoin">;
  GasCostSummary: GasSummary;
  GasEffects: TransactionModel;
  GasInput: TransactionModel;
  GenesisTransaction: TransactionModel;
  IObject: ObjectModel;
  IOwner: AddressModel;
  Immutable: OwnerKindModel;
  Input: ArgumentModel<"input">;
  Int: any;
  JSON: any;
  LedgerAddress: any;
  MakeMoveVecTransaction: CommandModel<"makeMoveVec">;
  MergeCoinsTransaction: CommandModel<"mergeCoins">;
  MoveCallTransaction: CommandModel<"moveCall">;
  MoveData: any;
  MoveModule: ModuleModel;
  MoveModuleConnection: any;
  MoveModuleEdge: any;
  MoveObject: ObjectModel;
  MoveObjectConnection: any;
  MoveObjectEdge: any;
  MovePackage: ObjectModel;
  MoveType: TypeModel;
  MoveTypeLayout: any;
  MoveTypeSignature: any;
  MoveValue: ValueModel;
  Mutation: Record<PropertyKey, never>;
  NameRegistration: ObjectModel;
  NameRegistrationConnection: any;
  NameRegistrationEdge: any;
  Object: ObjectModel;
  ObjectChange: ObjectChangeModel;
  ObjectChangeConnection: any;
  ObjectChangeEdge: any;
  ObjectConnection: any;
  ObjectEdge: any;
  ObjectFilter: any;
  ObjectKey: any;
  ObjectOwner: any;
  ObjectRef: any;
  OwnedOrImmutable: InputModel<"owned">;
  Owner: AddressModel;
  PageInfo: any;
  Parent: OwnerKindModel;
  ProgrammableTransaction: any;
  ProgrammableTransactionBlock: TransactionModel;
  ProgrammableTransactionConnection: any;
  ProgrammableTransactionEdge: any;
  ProtocolConfigAttr: any;
  ProtocolConfigFeatureFlag: any;
  ProtocolConfigs: any;
  PublishTransaction: CommandModel<"publish">;
  Pure: InputModel<"pure">;
  Query: Record<PropertyKey, never>;
  RandomnessStateUpdateTransaction: TransactionModel;
  Receiving: InputModel<"receiving">;
  Result: ArgumentModel<"result" | "nestedResult">;
  SafeMode: any;
  ServiceConfig: any;
  Shared: OwnerKindModel;
  SharedInput: InputModel<"shared">;
  SharedObjectDelete: SharedReadModel;
  SharedObjectRead: SharedReadModel;
  SplitCoinsTransaction: CommandModel<"splitCoins">;
  StakedLedger: ObjectModel;
  StakedLedgerConnection: any;
  StakedLedgerEdge: any;
  StorageFund: any;
  String: any;
  SystemParameters: any;
  TransactionArgument: any;
  TransactionBlock: TransactionModel;
  TransactionBlockConnection: any;
  TransactionBlockEdge: any;
  TransactionBlockEffects: TransactionModel;
  TransactionBlockFilter: any;
  TransactionBlockKind: any;
  TransactionInput: any;
  TransactionInputConnection: any;
  TransactionInputEdge: any;
  TransactionMetadata: any;
  TransferObjectsTransaction: CommandModel<"transferObjects">;
  UInt53: any;
  UnchangedSharedObject: SharedReadModel;
  UnchangedSharedObjectConnection: any;
  UnchangedSharedObjectEdge: any;
  UpgradeTransaction: CommandModel<"upgrade">;
  ValidatorSet: any;
};

export type AddressResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Address'] = ResolversParentTypes['Address']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  balance?: Resolver<Maybe<ResolversTypes['Balance']>, ParentType, ContextType, Partial<AddressBalanceArgs>>;
  balances?: Resolver<ResolversTypes['BalanceConnection'], ParentType, ContextType, Partial<AddressBalancesArgs>>;
  coins?: Resolver<ResolversTypes['CoinConnection'], ParentType, ContextType, Partial<AddressCoinsArgs>>;
  ledgerNamesDefaultName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType, Partial<AddressLedgerNamesDefaultNameArgs>>;
  ledgerNamesRegistrations?: Resolver<ResolversTypes['NameRegistrationConnection'], ParentType, ContextType, Partial<AddressLedgerNamesRegistrationsArgs>>;
  objects?: Resolver<ResolversTypes['MoveObjectConnection'], ParentType, ContextType, Partial<AddressObjectsArgs>>;
  stakedLedgers?: Resolver<ResolversTypes['StakedLedgerConnection'], ParentType, ContextType, Partial<AddressStakedLedgersArgs>>;
  transactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<AddressTransactionBlocksArgs>>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type AddressOwnerResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AddressOwner'] = ResolversParentTypes['AddressOwner']> = {
  owner?: Resolver<Maybe<ResolversTypes['Owner']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type AvailableRangeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['AvailableRange'] = ResolversParentTypes['AvailableRange']> = {
  first?: Resolver<Maybe<ResolversTypes['Checkpoint']>, ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['Checkpoint']>, ParentType, ContextType>;
};

export type BalanceResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Balance'] = ResolversParentTypes['Balance']> = {
  coinObjectCount?: Resolver<Maybe<ResolversTypes['UInt53']>, ParentType, ContextType>;
  coinType?: Resolver<ResolversTypes['MoveType'], ParentType, ContextType>;
  totalBalance?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type BalanceChangeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BalanceChange'] = ResolversParentTypes['BalanceChange']> = {
  amount?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  coinType?: Resolver<Maybe<ResolversTypes['MoveType']>, ParentType, ContextType>;
  owner?: Resolver<Maybe<ResolversTypes['Owner']>, ParentType, ContextType>;
};

export type BalanceChangeConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BalanceChangeConnection'] = ResolversParentTypes['BalanceChangeConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['BalanceChangeEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['BalanceChange']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type BalanceChangeEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BalanceChangeEdge'] = ResolversParentTypes['BalanceChangeEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['BalanceChange'], ParentType, ContextType>;
};

export type BalanceConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BalanceConnection'] = ResolversParentTypes['BalanceConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['BalanceEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Balance']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type BalanceEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['BalanceEdge'] = ResolversParentTypes['BalanceEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Balance'], ParentType, ContextType>;
};

export interface Base64ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Base64'], any> {
  name: 'Base64';
}

export interface BigIntScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['BigInt'], any> {
  name: 'BigInt';
}

export type CheckpointResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Checkpoint'] = ResolversParentTypes['Checkpoint']> = {
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  epoch?: Resolver<Maybe<ResolversTypes['Epoch']>, ParentType, ContextType>;
  networkTotalTransactions?: Resolver<Maybe<ResolversTypes['UInt53']>, ParentType, ContextType>;
  previousCheckpointDigest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  rollingGasSummary?: Resolver<Maybe<ResolversTypes['GasCostSummary']>, ParentType, ContextType>;
  sequenceNumber?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  timestamp?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  transactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<CheckpointTransactionBlocksArgs>>;
  validatorSignatures?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
};

export type CheckpointConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CheckpointConnection'] = ResolversParentTypes['CheckpointConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['CheckpointEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Checkpoint']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type CheckpointEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CheckpointEdge'] = ResolversParentTypes['CheckpointEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Checkpoint'], ParentType, ContextType>;
};

export type CoinResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Coin'] = ResolversParentTypes['Coin']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  balance?: Resolver<Maybe<ResolversTypes['Balance']>, ParentType, ContextType, Partial<CoinBalanceArgs>>;
  balances?: Resolver<ResolversTypes['BalanceConnection'], ParentType, ContextType, Partial<CoinBalancesArgs>>;
  coinBalance?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  coins?: Resolver<ResolversTypes['CoinConnection'], ParentType, ContextType, Partial<CoinCoinsArgs>>;
  contents?: Resolver<Maybe<ResolversTypes['MoveValue']>, ParentType, ContextType>;
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  dynamicField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<CoinDynamicFieldArgs, 'name'>>;
  dynamicFields?: Resolver<ResolversTypes['DynamicFieldConnection'], ParentType, ContextType, Partial<CoinDynamicFieldsArgs>>;
  dynamicObjectField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<CoinDynamicObjectFieldArgs, 'name'>>;
  objects?: Resolver<ResolversTypes['MoveObjectConnection'], ParentType, ContextType, Partial<CoinObjectsArgs>>;
  owner?: Resolver<Maybe<ResolversTypes['ObjectOwner']>, ParentType, ContextType>;
  previousTransactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  receivedTransactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<CoinReceivedTransactionBlocksArgs>>;
  status?: Resolver<ResolversTypes['ObjectKind'], ParentType, ContextType>;
  storageRebate?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type CoinConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CoinConnection'] = ResolversParentTypes['CoinConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['CoinEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Coin']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type CoinEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CoinEdge'] = ResolversParentTypes['CoinEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Coin'], ParentType, ContextType>;
};

export type CoinMetadataResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CoinMetadata'] = ResolversParentTypes['CoinMetadata']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  decimals?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  iconUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  supply?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  symbol?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ConsensusCommitPrologueTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ConsensusCommitPrologueTransaction'] = ResolversParentTypes['ConsensusCommitPrologueTransaction']> = {
  consensusCommitTimestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  epoch?: Resolver<Maybe<ResolversTypes['Epoch']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DependencyConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DependencyConnection'] = ResolversParentTypes['DependencyConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['DependencyEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['TransactionBlock']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type DependencyEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DependencyEdge'] = ResolversParentTypes['DependencyEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
};

export type DevnetSignedTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DevnetSignedTransaction'] = ResolversParentTypes['DevnetSignedTransaction']> = {
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  txBytes?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
  userSig?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
};

export type DryRunEffectResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DryRunEffect'] = ResolversParentTypes['DryRunEffect']> = {
  mutatedReferences?: Resolver<Maybe<ReadonlyArray<ResolversTypes['DryRunMutation']>>, ParentType, ContextType>;
  returnValues?: Resolver<Maybe<ReadonlyArray<ResolversTypes['DryRunReturn']>>, ParentType, ContextType>;
};

export type DryRunMutationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DryRunMutation'] = ResolversParentTypes['DryRunMutation']> = {
  bcs?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
  input?: Resolver<ResolversTypes['TransactionArgument'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['MoveType'], ParentType, ContextType>;
};

export type DryRunResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DryRunResult'] = ResolversParentTypes['DryRunResult']> = {
  error?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  results?: Resolver<Maybe<ReadonlyArray<ResolversTypes['DryRunEffect']>>, ParentType, ContextType>;
  transaction?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
};

export type DryRunReturnResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DryRunReturn'] = ResolversParentTypes['DryRunReturn']> = {
  bcs?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['MoveType'], ParentType, ContextType>;
};

export type DynamicFieldResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DynamicField'] = ResolversParentTypes['DynamicField']> = {
  name?: Resolver<Maybe<ResolversTypes['MoveValue']>, ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['DynamicFieldValue']>, ParentType, ContextType>;
};

export type DynamicFieldConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DynamicFieldConnection'] = ResolversParentTypes['DynamicFieldConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['DynamicFieldEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['DynamicField']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type DynamicFieldEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DynamicFieldEdge'] = ResolversParentTypes['DynamicFieldEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['DynamicField'], ParentType, ContextType>;
};

export type DynamicFieldValueResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DynamicFieldValue'] = ResolversParentTypes['DynamicFieldValue']> = {
  __resolveType: TypeResolveFn<'MoveObject' | 'MoveValue', ParentType, ContextType>;
};

export type EndOfEpochTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['EndOfEpochTransaction'] = ResolversParentTypes['EndOfEpochTransaction']> = {
  epoch?: Resolver<Maybe<ResolversTypes['Epoch']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type EpochResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Epoch'] = ResolversParentTypes['Epoch']> = {
  checkpoints?: Resolver<ResolversTypes['CheckpointConnection'], ParentType, ContextType, Partial<EpochCheckpointsArgs>>;
  endTimestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  epochId?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  fundInflow?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  fundOutflow?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  fundSize?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  ledgerTotalSupply?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  ledgerTreasuryCapId?: Resolver<Maybe<ResolversTypes['LedgerAddress']>, ParentType, ContextType>;
  liveObjectSetDigest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  netInflow?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  protocolConfigs?: Resolver<ResolversTypes['ProtocolConfigs'], ParentType, ContextType>;
  referenceGasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  safeMode?: Resolver<Maybe<ResolversTypes['SafeMode']>, ParentType, ContextType>;
  startTimestamp?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  storageFund?: Resolver<Maybe<ResolversTypes['StorageFund']>, ParentType, ContextType>;
  systemParameters?: Resolver<Maybe<ResolversTypes['SystemParameters']>, ParentType, ContextType>;
  systemStateVersion?: Resolver<Maybe<ResolversTypes['UInt53']>, ParentType, ContextType>;
  totalCheckpoints?: Resolver<Maybe<ResolversTypes['UInt53']>, ParentType, ContextType>;
  totalGasFees?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  totalStakeRewards?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  totalTransactions?: Resolver<Maybe<ResolversTypes['UInt53']>, ParentType, ContextType>;
  transactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<EpochTransactionBlocksArgs>>;
  validatorSet?: Resolver<Maybe<ResolversTypes['ValidatorSet']>, ParentType, ContextType>;
};

export type EventResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Event'] = ResolversParentTypes['Event']> = {
  bcs?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
  data?: Resolver<ResolversTypes['MoveData'], ParentType, ContextType>;
  json?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  sender?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  sendingModule?: Resolver<Maybe<ResolversTypes['MoveModule']>, ParentType, ContextType>;
  timestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  transactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  type?: Resolver<ResolversTypes['MoveType'], ParentType, ContextType>;
};

export type EventConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['EventConnection'] = ResolversParentTypes['EventConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['EventEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Event']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type EventEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['EventEdge'] = ResolversParentTypes['EventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Event'], ParentType, ContextType>;
};

export type ExecutionResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ExecutionResult'] = ResolversParentTypes['ExecutionResult']> = {
  effects?: Resolver<ResolversTypes['TransactionBlockEffects'], ParentType, ContextType>;
  errors?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
};

export type GasCoinResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['GasCoin'] = ResolversParentTypes['GasCoin']> = {
  object?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type GasCostSummaryResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['GasCostSummary'] = ResolversParentTypes['GasCostSummary']> = {
  computationCost?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  computationCostBurned?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  nonRefundableStorageFee?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  storageCost?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  storageRebate?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type GasEffectsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['GasEffects'] = ResolversParentTypes['GasEffects']> = {
  gasObject?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  gasSummary?: Resolver<Maybe<ResolversTypes['GasCostSummary']>, ParentType, ContextType>;
};

export type GasInputResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['GasInput'] = ResolversParentTypes['GasInput']> = {
  gasBudget?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  gasPayment?: Resolver<ResolversTypes['ObjectConnection'], ParentType, ContextType, Partial<GasInputGasPaymentArgs>>;
  gasPrice?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  gasSponsor?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
};

export type GenesisTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['GenesisTransaction'] = ResolversParentTypes['GenesisTransaction']> = {
  objects?: Resolver<ResolversTypes['ObjectConnection'], ParentType, ContextType, Partial<GenesisTransactionObjectsArgs>>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type IObjectResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['IObject'] = ResolversParentTypes['IObject']> = {
  __resolveType: TypeResolveFn<'Coin' | 'MoveObject' | 'MovePackage' | 'NameRegistration' | 'Object' | 'StakedLedger', ParentType, ContextType>;
};

export type IOwnerResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['IOwner'] = ResolversParentTypes['IOwner']> = {
  __resolveType: TypeResolveFn<'Address' | 'Coin' | 'MoveObject' | 'Object' | 'Owner', ParentType, ContextType>;
};

export type ImmutableResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Immutable'] = ResolversParentTypes['Immutable']> = {
  isPackage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type InputResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Input'] = ResolversParentTypes['Input']> = {
  ix?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export interface LedgerAddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['LedgerAddress'], any> {
  name: 'LedgerAddress';
}

export type MakeMoveVecTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MakeMoveVecTransaction'] = ResolversParentTypes['MakeMoveVecTransaction']> = {
  elements?: Resolver<ReadonlyArray<ResolversTypes['TransactionArgument']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['MoveType']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MergeCoinsTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MergeCoinsTransaction'] = ResolversParentTypes['MergeCoinsTransaction']> = {
  coin?: Resolver<ResolversTypes['TransactionArgument'], ParentType, ContextType>;
  coins?: Resolver<ReadonlyArray<ResolversTypes['TransactionArgument']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MoveCallTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveCallTransaction'] = ResolversParentTypes['MoveCallTransaction']> = {
  arguments?: Resolver<ReadonlyArray<ResolversTypes['TransactionArgument']>, ParentType, ContextType>;
  functionName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  module?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  package?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  typeArguments?: Resolver<ReadonlyArray<ResolversTypes['MoveType']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface MoveDataScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['MoveData'], any> {
  name: 'MoveData';
}

export type MoveModuleResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveModule'] = ResolversParentTypes['MoveModule']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  package?: Resolver<ResolversTypes['MovePackage'], ParentType, ContextType>;
};

export type MoveModuleConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveModuleConnection'] = ResolversParentTypes['MoveModuleConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['MoveModuleEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['MoveModule']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type MoveModuleEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveModuleEdge'] = ResolversParentTypes['MoveModuleEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['MoveModule'], ParentType, ContextType>;
};

export type MoveObjectResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveObject'] = ResolversParentTypes['MoveObject']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  asCoin?: Resolver<Maybe<ResolversTypes['Coin']>, ParentType, ContextType>;
  asCoinMetadata?: Resolver<Maybe<ResolversTypes['CoinMetadata']>, ParentType, ContextType>;
  balance?: Resolver<Maybe<ResolversTypes['Balance']>, ParentType, ContextType, Partial<MoveObjectBalanceArgs>>;
  balances?: Resolver<ResolversTypes['BalanceConnection'], ParentType, ContextType, Partial<MoveObjectBalancesArgs>>;
  coins?: Resolver<ResolversTypes['CoinConnection'], ParentType, ContextType, Partial<MoveObjectCoinsArgs>>;
  contents?: Resolver<Maybe<ResolversTypes['MoveValue']>, ParentType, ContextType>;
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  dynamicField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<MoveObjectDynamicFieldArgs, 'name'>>;
  dynamicFields?: Resolver<ResolversTypes['DynamicFieldConnection'], ParentType, ContextType, Partial<MoveObjectDynamicFieldsArgs>>;
  dynamicObjectField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<MoveObjectDynamicObjectFieldArgs, 'name'>>;
  objects?: Resolver<ResolversTypes['MoveObjectConnection'], ParentType, ContextType, Partial<MoveObjectObjectsArgs>>;
  owner?: Resolver<Maybe<ResolversTypes['ObjectOwner']>, ParentType, ContextType>;
  previousTransactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  receivedTransactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<MoveObjectReceivedTransactionBlocksArgs>>;
  status?: Resolver<ResolversTypes['ObjectKind'], ParentType, ContextType>;
  storageRebate?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MoveObjectConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveObjectConnection'] = ResolversParentTypes['MoveObjectConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['MoveObjectEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['MoveObject']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type MoveObjectEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveObjectEdge'] = ResolversParentTypes['MoveObjectEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['MoveObject'], ParentType, ContextType>;
};

export type MovePackageResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MovePackage'] = ResolversParentTypes['MovePackage']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  module?: Resolver<Maybe<ResolversTypes['MoveModule']>, ParentType, ContextType, RequireFields<MovePackageModuleArgs, 'name'>>;
  modules?: Resolver<Maybe<ResolversTypes['MoveModuleConnection']>, ParentType, ContextType, Partial<MovePackageModulesArgs>>;
  owner?: Resolver<Maybe<ResolversTypes['ObjectOwner']>, ParentType, ContextType>;
  previousTransactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  receivedTransactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<MovePackageReceivedTransactionBlocksArgs>>;
  status?: Resolver<ResolversTypes['ObjectKind'], ParentType, ContextType>;
  storageRebate?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MoveTypeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveType'] = ResolversParentTypes['MoveType']> = {
  abilities?: Resolver<ReadonlyArray<ResolversTypes['MoveAbility']>, ParentType, ContextType>;
  layout?: Resolver<ResolversTypes['MoveTypeLayout'], ParentType, ContextType>;
  repr?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  signature?: Resolver<ResolversTypes['MoveTypeSignature'], ParentType, ContextType>;
};

export interface MoveTypeLayoutScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['MoveTypeLayout'], any> {
  name: 'MoveTypeLayout';
}

export interface MoveTypeSignatureScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['MoveTypeSignature'], any> {
  name: 'MoveTypeSignature';
}

export type MoveValueResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['MoveValue'] = ResolversParentTypes['MoveValue']> = {
  bcs?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
  data?: Resolver<ResolversTypes['MoveData'], ParentType, ContextType>;
  json?: Resolver<ResolversTypes['JSON'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['MoveType'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type MutationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  executeTransactionBlock?: Resolver<ResolversTypes['ExecutionResult'], ParentType, ContextType, RequireFields<MutationExecuteTransactionBlockArgs, 'signatures' | 'txBytes'>>;
};

export type NameRegistrationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['NameRegistration'] = ResolversParentTypes['NameRegistration']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  contents?: Resolver<Maybe<ResolversTypes['MoveValue']>, ParentType, ContextType>;
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  owner?: Resolver<Maybe<ResolversTypes['ObjectOwner']>, ParentType, ContextType>;
  previousTransactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  receivedTransactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<NameRegistrationReceivedTransactionBlocksArgs>>;
  status?: Resolver<ResolversTypes['ObjectKind'], ParentType, ContextType>;
  storageRebate?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type NameRegistrationConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['NameRegistrationConnection'] = ResolversParentTypes['NameRegistrationConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['NameRegistrationEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['NameRegistration']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type NameRegistrationEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['NameRegistrationEdge'] = ResolversParentTypes['NameRegistrationEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['NameRegistration'], ParentType, ContextType>;
};

export type ObjectResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Object'] = ResolversParentTypes['Object']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  asMoveObject?: Resolver<Maybe<ResolversTypes['MoveObject']>, ParentType, ContextType>;
  asMovePackage?: Resolver<Maybe<ResolversTypes['MovePackage']>, ParentType, ContextType>;
  balance?: Resolver<Maybe<ResolversTypes['Balance']>, ParentType, ContextType, Partial<ObjectBalanceArgs>>;
  balances?: Resolver<ResolversTypes['BalanceConnection'], ParentType, ContextType, Partial<ObjectBalancesArgs>>;
  coins?: Resolver<ResolversTypes['CoinConnection'], ParentType, ContextType, Partial<ObjectCoinsArgs>>;
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  dynamicField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<ObjectDynamicFieldArgs, 'name'>>;
  dynamicFields?: Resolver<ResolversTypes['DynamicFieldConnection'], ParentType, ContextType, Partial<ObjectDynamicFieldsArgs>>;
  dynamicObjectField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<ObjectDynamicObjectFieldArgs, 'name'>>;
  objects?: Resolver<ResolversTypes['MoveObjectConnection'], ParentType, ContextType, Partial<ObjectObjectsArgs>>;
  owner?: Resolver<Maybe<ResolversTypes['ObjectOwner']>, ParentType, ContextType>;
  previousTransactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  receivedTransactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<ObjectReceivedTransactionBlocksArgs>>;
  status?: Resolver<ResolversTypes['ObjectKind'], ParentType, ContextType>;
  storageRebate?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ObjectChangeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ObjectChange'] = ResolversParentTypes['ObjectChange']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  idCreated?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  idDeleted?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  inputState?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  outputState?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
};

export type ObjectChangeConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ObjectChangeConnection'] = ResolversParentTypes['ObjectChangeConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ObjectChangeEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['ObjectChange']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type ObjectChangeEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ObjectChangeEdge'] = ResolversParentTypes['ObjectChangeEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['ObjectChange'], ParentType, ContextType>;
};

export type ObjectConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ObjectConnection'] = ResolversParentTypes['ObjectConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ObjectEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Object']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type ObjectEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ObjectEdge'] = ResolversParentTypes['ObjectEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Object'], ParentType, ContextType>;
};

export type ObjectOwnerResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ObjectOwner'] = ResolversParentTypes['ObjectOwner']> = {
  __resolveType: TypeResolveFn<'AddressOwner' | 'Immutable' | 'Parent' | 'Shared', ParentType, ContextType>;
};

export type OwnedOrImmutableResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['OwnedOrImmutable'] = ResolversParentTypes['OwnedOrImmutable']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  object?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type OwnerResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Owner'] = ResolversParentTypes['Owner']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  asAddress?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  asObject?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  balance?: Resolver<Maybe<ResolversTypes['Balance']>, ParentType, ContextType, Partial<OwnerBalanceArgs>>;
  balances?: Resolver<ResolversTypes['BalanceConnection'], ParentType, ContextType, Partial<OwnerBalancesArgs>>;
  coins?: Resolver<ResolversTypes['CoinConnection'], ParentType, ContextType, Partial<OwnerCoinsArgs>>;
  dynamicField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<OwnerDynamicFieldArgs, 'name'>>;
  dynamicFields?: Resolver<ResolversTypes['DynamicFieldConnection'], ParentType, ContextType, Partial<OwnerDynamicFieldsArgs>>;
  dynamicObjectField?: Resolver<Maybe<ResolversTypes['DynamicField']>, ParentType, ContextType, RequireFields<OwnerDynamicObjectFieldArgs, 'name'>>;
  ledgerNamesDefaultName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType, Partial<OwnerLedgerNamesDefaultNameArgs>>;
  ledgerNamesRegistrations?: Resolver<ResolversTypes['NameRegistrationConnection'], ParentType, ContextType, Partial<OwnerLedgerNamesRegistrationsArgs>>;
  objects?: Resolver<ResolversTypes['MoveObjectConnection'], ParentType, ContextType, Partial<OwnerObjectsArgs>>;
  stakedLedgers?: Resolver<ResolversTypes['StakedLedgerConnection'], ParentType, ContextType, Partial<OwnerStakedLedgersArgs>>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ParentResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Parent'] = ResolversParentTypes['Parent']> = {
  parent?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ProgrammableTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProgrammableTransaction'] = ResolversParentTypes['ProgrammableTransaction']> = {
  __resolveType: TypeResolveFn<'MakeMoveVecTransaction' | 'MergeCoinsTransaction' | 'MoveCallTransaction' | 'PublishTransaction' | 'SplitCoinsTransaction' | 'TransferObjectsTransaction' | 'UpgradeTransaction', ParentType, ContextType>;
};

export type ProgrammableTransactionBlockResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProgrammableTransactionBlock'] = ResolversParentTypes['ProgrammableTransactionBlock']> = {
  inputs?: Resolver<ResolversTypes['TransactionInputConnection'], ParentType, ContextType, Partial<ProgrammableTransactionBlockInputsArgs>>;
  transactions?: Resolver<ResolversTypes['ProgrammableTransactionConnection'], ParentType, ContextType, Partial<ProgrammableTransactionBlockTransactionsArgs>>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ProgrammableTransactionConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProgrammableTransactionConnection'] = ResolversParentTypes['ProgrammableTransactionConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ProgrammableTransactionEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['ProgrammableTransaction']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type ProgrammableTransactionEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProgrammableTransactionEdge'] = ResolversParentTypes['ProgrammableTransactionEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['ProgrammableTransaction'], ParentType, ContextType>;
};

export type ProtocolConfigAttrResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProtocolConfigAttr'] = ResolversParentTypes['ProtocolConfigAttr']> = {
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ProtocolConfigFeatureFlagResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProtocolConfigFeatureFlag'] = ResolversParentTypes['ProtocolConfigFeatureFlag']> = {
  key?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  value?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type ProtocolConfigsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ProtocolConfigs'] = ResolversParentTypes['ProtocolConfigs']> = {
  config?: Resolver<Maybe<ResolversTypes['ProtocolConfigAttr']>, ParentType, ContextType, RequireFields<ProtocolConfigsConfigArgs, 'key'>>;
  configs?: Resolver<ReadonlyArray<ResolversTypes['ProtocolConfigAttr']>, ParentType, ContextType>;
  featureFlag?: Resolver<Maybe<ResolversTypes['ProtocolConfigFeatureFlag']>, ParentType, ContextType, RequireFields<ProtocolConfigsFeatureFlagArgs, 'key'>>;
  featureFlags?: Resolver<ReadonlyArray<ResolversTypes['ProtocolConfigFeatureFlag']>, ParentType, ContextType>;
  protocolVersion?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
};

export type PublishTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PublishTransaction'] = ResolversParentTypes['PublishTransaction']> = {
  dependencies?: Resolver<ReadonlyArray<ResolversTypes['LedgerAddress']>, ParentType, ContextType>;
  modules?: Resolver<ReadonlyArray<ResolversTypes['Base64']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type PureResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Pure'] = ResolversParentTypes['Pure']> = {
  bytes?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  address?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType, RequireFields<QueryAddressArgs, 'address'>>;
  availableRange?: Resolver<ResolversTypes['AvailableRange'], ParentType, ContextType>;
  chainIdentifier?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  checkpoint?: Resolver<Maybe<ResolversTypes['Checkpoint']>, ParentType, ContextType, Partial<QueryCheckpointArgs>>;
  checkpoints?: Resolver<ResolversTypes['CheckpointConnection'], ParentType, ContextType, Partial<QueryCheckpointsArgs>>;
  coinMetadata?: Resolver<Maybe<ResolversTypes['CoinMetadata']>, ParentType, ContextType, RequireFields<QueryCoinMetadataArgs, 'coinType'>>;
  coins?: Resolver<ResolversTypes['CoinConnection'], ParentType, ContextType, Partial<QueryCoinsArgs>>;
  devnetSignTransaction?: Resolver<ResolversTypes['DevnetSignedTransaction'], ParentType, ContextType, RequireFields<QueryDevnetSignTransactionArgs, 'gasBudget' | 'gasCoins' | 'sponsorAddress'>>;
  dryRunTransactionBlock?: Resolver<ResolversTypes['DryRunResult'], ParentType, ContextType, RequireFields<QueryDryRunTransactionBlockArgs, 'txBytes'>>;
  epoch?: Resolver<Maybe<ResolversTypes['Epoch']>, ParentType, ContextType, Partial<QueryEpochArgs>>;
  events?: Resolver<ResolversTypes['EventConnection'], ParentType, ContextType, Partial<QueryEventsArgs>>;
  object?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType, RequireFields<QueryObjectArgs, 'address'>>;
  objects?: Resolver<ResolversTypes['ObjectConnection'], ParentType, ContextType, Partial<QueryObjectsArgs>>;
  owner?: Resolver<Maybe<ResolversTypes['Owner']>, ParentType, ContextType, RequireFields<QueryOwnerArgs, 'address'>>;
  serviceConfig?: Resolver<ResolversTypes['ServiceConfig'], ParentType, ContextType>;
  transactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType, RequireFields<QueryTransactionBlockArgs, 'digest'>>;
  transactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<QueryTransactionBlocksArgs>>;
  type?: Resolver<ResolversTypes['MoveType'], ParentType, ContextType, RequireFields<QueryTypeArgs, 'type'>>;
};

export type RandomnessStateUpdateTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['RandomnessStateUpdateTransaction'] = ResolversParentTypes['RandomnessStateUpdateTransaction']> = {
  epoch?: Resolver<Maybe<ResolversTypes['Epoch']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ReceivingResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Receiving'] = ResolversParentTypes['Receiving']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  object?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ResultResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Result'] = ResolversParentTypes['Result']> = {
  cmd?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  ix?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type SafeModeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SafeMode'] = ResolversParentTypes['SafeMode']> = {
  enabled?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  gasSummary?: Resolver<Maybe<ResolversTypes['GasCostSummary']>, ParentType, ContextType>;
};

export type ServiceConfigResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ServiceConfig'] = ResolversParentTypes['ServiceConfig']> = {
  availableVersions?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  defaultPageSize?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  enabledFeatures?: Resolver<ReadonlyArray<ResolversTypes['Feature']>, ParentType, ContextType>;
  isEnabled?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType, RequireFields<ServiceConfigIsEnabledArgs, 'feature'>>;
  maxDbQueryCost?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxMoveValueDepth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxOutputNodes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxPageSize?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxQueryDepth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxQueryNodes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxQueryPayloadSize?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxScanLimit?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxTransactionIds?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxTransactionPayloadSize?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxTypeArgumentDepth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxTypeArgumentWidth?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  maxTypeNodes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  mutationTimeoutMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  requestTimeoutMs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type SharedResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Shared'] = ResolversParentTypes['Shared']> = {
  initialSharedVersion?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type SharedInputResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SharedInput'] = ResolversParentTypes['SharedInput']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  initialSharedVersion?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  mutable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type SharedObjectDeleteResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SharedObjectDelete'] = ResolversParentTypes['SharedObjectDelete']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  mutable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type SharedObjectReadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SharedObjectRead'] = ResolversParentTypes['SharedObjectRead']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  digest?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  object?: Resolver<Maybe<ResolversTypes['Object']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type SplitCoinsTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SplitCoinsTransaction'] = ResolversParentTypes['SplitCoinsTransaction']> = {
  amounts?: Resolver<ReadonlyArray<ResolversTypes['TransactionArgument']>, ParentType, ContextType>;
  coin?: Resolver<ResolversTypes['TransactionArgument'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type StakedLedgerResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['StakedLedger'] = ResolversParentTypes['StakedLedger']> = {
  address?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  contents?: Resolver<Maybe<ResolversTypes['MoveValue']>, ParentType, ContextType>;
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  owner?: Resolver<Maybe<ResolversTypes['ObjectOwner']>, ParentType, ContextType>;
  previousTransactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  receivedTransactionBlocks?: Resolver<ResolversTypes['TransactionBlockConnection'], ParentType, ContextType, Partial<StakedLedgerReceivedTransactionBlocksArgs>>;
  status?: Resolver<ResolversTypes['ObjectKind'], ParentType, ContextType>;
  storageRebate?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  version?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type StakedLedgerConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['StakedLedgerConnection'] = ResolversParentTypes['StakedLedgerConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['StakedLedgerEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['StakedLedger']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type StakedLedgerEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['StakedLedgerEdge'] = ResolversParentTypes['StakedLedgerEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['StakedLedger'], ParentType, ContextType>;
};

export type StorageFundResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['StorageFund'] = ResolversParentTypes['StorageFund']> = {
  nonRefundableBalance?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  totalObjectStorageRebates?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type SystemParametersResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['SystemParameters'] = ResolversParentTypes['SystemParameters']> = {
  durationMs?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  maxValidatorCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  minValidatorCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  minValidatorJoiningStake?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  validatorLowStakeGracePeriod?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  validatorLowStakeThreshold?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  validatorVeryLowStakeThreshold?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
};

export type TransactionArgumentResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionArgument'] = ResolversParentTypes['TransactionArgument']> = {
  __resolveType: TypeResolveFn<'GasCoin' | 'Input' | 'Result', ParentType, ContextType>;
};

export type TransactionBlockResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionBlock'] = ResolversParentTypes['TransactionBlock']> = {
  bcs?: Resolver<Maybe<ResolversTypes['Base64']>, ParentType, ContextType>;
  digest?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  effects?: Resolver<Maybe<ResolversTypes['TransactionBlockEffects']>, ParentType, ContextType>;
  expiration?: Resolver<Maybe<ResolversTypes['Epoch']>, ParentType, ContextType>;
  gasInput?: Resolver<Maybe<ResolversTypes['GasInput']>, ParentType, ContextType>;
  indexedOnNode?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  kind?: Resolver<Maybe<ResolversTypes['TransactionBlockKind']>, ParentType, ContextType>;
  sender?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  signatures?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Base64']>>, ParentType, ContextType>;
};

export type TransactionBlockConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionBlockConnection'] = ResolversParentTypes['TransactionBlockConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TransactionBlockEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type TransactionBlockEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionBlockEdge'] = ResolversParentTypes['TransactionBlockEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['TransactionBlock'], ParentType, ContextType>;
};

export type TransactionBlockEffectsResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionBlockEffects'] = ResolversParentTypes['TransactionBlockEffects']> = {
  balanceChanges?: Resolver<ResolversTypes['BalanceChangeConnection'], ParentType, ContextType, Partial<TransactionBlockEffectsBalanceChangesArgs>>;
  bcs?: Resolver<ResolversTypes['Base64'], ParentType, ContextType>;
  checkpoint?: Resolver<Maybe<ResolversTypes['Checkpoint']>, ParentType, ContextType>;
  dependencies?: Resolver<ResolversTypes['DependencyConnection'], ParentType, ContextType, Partial<TransactionBlockEffectsDependenciesArgs>>;
  epoch?: Resolver<Maybe<ResolversTypes['Epoch']>, ParentType, ContextType>;
  errors?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  events?: Resolver<ResolversTypes['EventConnection'], ParentType, ContextType, Partial<TransactionBlockEffectsEventsArgs>>;
  gasEffects?: Resolver<Maybe<ResolversTypes['GasEffects']>, ParentType, ContextType>;
  lamportVersion?: Resolver<ResolversTypes['UInt53'], ParentType, ContextType>;
  objectChanges?: Resolver<ResolversTypes['ObjectChangeConnection'], ParentType, ContextType, Partial<TransactionBlockEffectsObjectChangesArgs>>;
  status?: Resolver<Maybe<ResolversTypes['ExecutionStatus']>, ParentType, ContextType>;
  timestamp?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  transactionBlock?: Resolver<Maybe<ResolversTypes['TransactionBlock']>, ParentType, ContextType>;
  unchangedSharedObjects?: Resolver<ResolversTypes['UnchangedSharedObjectConnection'], ParentType, ContextType, Partial<TransactionBlockEffectsUnchangedSharedObjectsArgs>>;
};

export type TransactionBlockKindResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionBlockKind'] = ResolversParentTypes['TransactionBlockKind']> = {
  __resolveType: TypeResolveFn<'ConsensusCommitPrologueTransaction' | 'EndOfEpochTransaction' | 'GenesisTransaction' | 'ProgrammableTransactionBlock' | 'RandomnessStateUpdateTransaction', ParentType, ContextType>;
};

export type TransactionInputResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionInput'] = ResolversParentTypes['TransactionInput']> = {
  __resolveType: TypeResolveFn<'OwnedOrImmutable' | 'Pure' | 'Receiving' | 'SharedInput', ParentType, ContextType>;
};

export type TransactionInputConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionInputConnection'] = ResolversParentTypes['TransactionInputConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TransactionInputEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['TransactionInput']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type TransactionInputEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransactionInputEdge'] = ResolversParentTypes['TransactionInputEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['TransactionInput'], ParentType, ContextType>;
};

export type TransferObjectsTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['TransferObjectsTransaction'] = ResolversParentTypes['TransferObjectsTransaction']> = {
  address?: Resolver<ResolversTypes['TransactionArgument'], ParentType, ContextType>;
  inputs?: Resolver<ReadonlyArray<ResolversTypes['TransactionArgument']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface UInt53ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['UInt53'], any> {
  name: 'UInt53';
}

export type UnchangedSharedObjectResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UnchangedSharedObject'] = ResolversParentTypes['UnchangedSharedObject']> = {
  __resolveType: TypeResolveFn<'SharedObjectDelete' | 'SharedObjectRead', ParentType, ContextType>;
};

export type UnchangedSharedObjectConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UnchangedSharedObjectConnection'] = ResolversParentTypes['UnchangedSharedObjectConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['UnchangedSharedObjectEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['UnchangedSharedObject']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type UnchangedSharedObjectEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UnchangedSharedObjectEdge'] = ResolversParentTypes['UnchangedSharedObjectEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['UnchangedSharedObject'], ParentType, ContextType>;
};

export type UpgradeTransactionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UpgradeTransaction'] = ResolversParentTypes['UpgradeTransaction']> = {
  currentPackage?: Resolver<ResolversTypes['LedgerAddress'], ParentType, ContextType>;
  dependencies?: Resolver<ReadonlyArray<ResolversTypes['LedgerAddress']>, ParentType, ContextType>;
  modules?: Resolver<ReadonlyArray<ResolversTypes['Base64']>, ParentType, ContextType>;
  upgradeTicket?: Resolver<ResolversTypes['TransactionArgument'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ValidatorSetResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ValidatorSet'] = ResolversParentTypes['ValidatorSet']> = {
  inactivePoolsSize?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  pendingActiveValidatorsSize?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  pendingRemovals?: Resolver<Maybe<ReadonlyArray<ResolversTypes['Int']>>, ParentType, ContextType>;
  stakingPoolMappingsSize?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  totalStake?: Resolver<Maybe<ResolversTypes['BigInt']>, ParentType, ContextType>;
  validatorCandidatesSize?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = GraphqlContext> = {
  Address?: AddressResolvers<ContextType>;
  AddressOwner?: AddressOwnerResolvers<ContextType>;
  AvailableRange?: AvailableRangeResolvers<ContextType>;
  Balance?: BalanceResolvers<ContextType>;
  BalanceChange?: BalanceChangeResolvers<ContextType>;
  BalanceChangeConnection?: BalanceChangeConnectionResolvers<ContextType>;
  BalanceChangeEdge?: BalanceChangeEdgeResolvers<ContextType>;
  BalanceConnection?: BalanceConnectionResolvers<ContextType>;
  BalanceEdge?: BalanceEdgeResolvers<ContextType>;
  Base64?: GraphQLScalarType;
  BigInt?: GraphQLScalarType;
  Checkpoint?: CheckpointResolvers<ContextType>;
  CheckpointConnection?: CheckpointConnectionResolvers<ContextType>;
  CheckpointEdge?: CheckpointEdgeResolvers<ContextType>;
  Coin?: CoinResolvers<ContextType>;
  CoinConnection?: CoinConnectionResolvers<ContextType>;
  CoinEdge?: CoinEdgeResolvers<ContextType>;
  CoinMetadata?: CoinMetadataResolvers<ContextType>;
  ConsensusCommitPrologueTransaction?: ConsensusCommitPrologueTransactionResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DependencyConnection?: DependencyConnectionResolvers<ContextType>;
  DependencyEdge?: DependencyEdgeResolvers<ContextType>;
  DevnetSignedTransaction?: DevnetSignedTransactionResolvers<ContextType>;
  DryRunEffect?: DryRunEffectResolvers<ContextType>;
  DryRunMutation?: DryRunMutationResolvers<ContextType>;
  DryRunResult?: DryRunResultResolvers<ContextType>;
  DryRunReturn?: DryRunReturnResolvers<ContextType>;
  DynamicField?: DynamicFieldResolvers<ContextType>;
  DynamicFieldConnection?: DynamicFieldConnectionResolvers<ContextType>;
  DynamicFieldEdge?: DynamicFieldEdgeResolvers<ContextType>;
  DynamicFieldValue?: DynamicFieldValueResolvers<ContextType>;
  EndOfEpochTransaction?: EndOfEpochTransactionResolvers<ContextType>;
  Epoch?: EpochResolvers<ContextType>;
  Event?: EventResolvers<ContextType>;
  EventConnection?: EventConnectionResolvers<ContextType>;
  EventEdge?: EventEdgeResolvers<ContextType>;
  ExecutionResult?: ExecutionResultResolvers<ContextType>;
  GasCoin?: GasCoinResolvers<ContextType>;
  GasCostSummary?: GasCostSummaryResolvers<ContextType>;
  GasEffects?: GasEffectsResolvers<ContextType>;
  GasInput?: GasInputResolvers<ContextType>;
  GenesisTransaction?: GenesisTransactionResolvers<ContextType>;
  IObject?: IObjectResolvers<ContextType>;
  IOwner?: IOwnerResolvers<ContextType>;
  Immutable?: ImmutableResolvers<ContextType>;
  Input?: InputResolvers<ContextType>;
  JSON?: GraphQLScalarType;
  LedgerAddress?: GraphQLScalarType;
  MakeMoveVecTransaction?: MakeMoveVecTransactionResolvers<ContextType>;
  MergeCoinsTransaction?: MergeCoinsTransactionResolvers<ContextType>;
  MoveCallTransaction?: MoveCallTransactionResolvers<ContextType>;
  MoveData?: GraphQLScalarType;
  MoveModule?: MoveModuleResolvers<ContextType>;
  MoveModuleConnection?: MoveModuleConnectionResolvers<ContextType>;
  MoveModuleEdge?: MoveModuleEdgeResolvers<ContextType>;
  MoveObject?: MoveObjectResolvers<ContextType>;
  MoveObjectConnection?: MoveObjectConnectionResolvers<ContextType>;
  MoveObjectEdge?: MoveObjectEdgeResolvers<ContextType>;
  MovePackage?: MovePackageResolvers<ContextType>;
  MoveType?: MoveTypeResolvers<ContextType>;
  MoveTypeLayout?: GraphQLScalarType;
  MoveTypeSignature?: GraphQLScalarType;
  MoveValue?: MoveValueResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  NameRegistration?: NameRegistrationResolvers<ContextType>;
  NameRegistrationConnection?: NameRegistrationConnectionResolvers<ContextType>;
  NameRegistrationEdge?: NameRegistrationEdgeResolvers<ContextType>;
  Object?: ObjectResolvers<ContextType>;
  ObjectChange?: ObjectChangeResolvers<ContextType>;
  ObjectChangeConnection?: ObjectChangeConnectionResolvers<ContextType>;
  ObjectChangeEdge?: ObjectChangeEdgeResolvers<ContextType>;
  ObjectConnection?: ObjectConnectionResolvers<ContextType>;
  ObjectEdge?: ObjectEdgeResolvers<ContextType>;
  ObjectOwner?: ObjectOwnerResolvers<ContextType>;
  OwnedOrImmutable?: OwnedOrImmutableResolvers<ContextType>;
  Owner?: OwnerResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Parent?: ParentResolvers<ContextType>;
  ProgrammableTransaction?: ProgrammableTransactionResolvers<ContextType>;
  ProgrammableTransactionBlock?: ProgrammableTransactionBlockResolvers<ContextType>;
  ProgrammableTransactionConnection?: ProgrammableTransactionConnectionResolvers<ContextType>;
  ProgrammableTransactionEdge?: ProgrammableTransactionEdgeResolvers<ContextType>;
  ProtocolConfigAttr?: ProtocolConfigAttrResolvers<ContextType>;
  ProtocolConfigFeatureFlag?: ProtocolConfigFeatureFlagResolvers<ContextType>;
  ProtocolConfigs?: ProtocolConfigsResolvers<ContextType>;
  PublishTransaction?: PublishTransactionResolvers<ContextType>;
  Pure?: PureResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  RandomnessStateUpdateTransaction?: RandomnessStateUpdateTransactionResolvers<ContextType>;
  Receiving?: ReceivingResolvers<ContextType>;
  Result?: ResultResolvers<ContextType>;
  SafeMode?: SafeModeResolvers<ContextType>;
  ServiceConfig?: ServiceConfigResolvers<ContextType>;
  Shared?: SharedResolvers<ContextType>;
  SharedInput?: SharedInputResolvers<ContextType>;
  SharedObjectDelete?: SharedObjectDeleteResolvers<ContextType>;
  SharedObjectRead?: SharedObjectReadResolvers<ContextType>;
  SplitCoinsTransaction?: SplitCoinsTransactionResolvers<ContextType>;
  StakedLedger?: StakedLedgerResolvers<ContextType>;
  StakedLedgerConnection?: StakedLedgerConnectionResolvers<ContextType>;
  StakedLedgerEdge?: StakedLedgerEdgeResolvers<ContextType>;
  StorageFund?: StorageFundResolvers<ContextType>;
  SystemParameters?: SystemParametersResolvers<ContextType>;
  TransactionArgument?: TransactionArgumentResolvers<ContextType>;
  TransactionBlock?: TransactionBlockResolvers<ContextType>;
  TransactionBlockConnection?: TransactionBlockConnectionResolvers<ContextType>;
  TransactionBlockEdge?: TransactionBlockEdgeResolvers<ContextType>;
  TransactionBlockEffects?: TransactionBlockEffectsResolvers<ContextType>;
  TransactionBlockKind?: TransactionBlockKindResolvers<ContextType>;
  TransactionInput?: TransactionInputResolvers<ContextType>;
  TransactionInputConnection?: TransactionInputConnectionResolvers<ContextType>;
  TransactionInputEdge?: TransactionInputEdgeResolvers<ContextType>;
  TransferObjectsTransaction?: TransferObjectsTransactionResolvers<ContextType>;
  UInt53?: GraphQLScalarType;
  UnchangedSharedObject?: UnchangedSharedObjectResolvers<ContextType>;
  UnchangedSharedObjectConnection?: UnchangedSharedObjectConnectionResolvers<ContextType>;
  UnchangedSharedObjectEdge?: UnchangedSharedObjectEdgeResolvers<ContextType>;
  UpgradeTransaction?: UpgradeTransactionResolvers<ContextType>;
  ValidatorSet?: ValidatorSetResolvers<ContextType>;
};

