import { type DocumentNode, Kind, parse, visit } from 'graphql';
import { resolvers } from './resolvers/resolvers.ts';
import { suiResolvers } from './resolvers/sui-resolvers.ts';

/** How the schema of a network differs from `schema/ledger.graphql`. */
export interface NetworkNames {
  /** The network's name of a type, field, argument or member of an input. */
  readonly rename: (name: string) => string;
  /** Types, fields, arguments and members, in the network's names, that the network does not have, or has in another form. */
  readonly lacks: ReadonlySet<string>;
  /** What it has in a form of its own, in SDL. */
  readonly additions: string;
  readonly resolvers: FieldResolvers;
}

export type FieldResolvers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const words = (text: string) => new Set(text.split(/\s+/).filter(Boolean));
/** Names that IOTA and Sui share and the ledger does not have. */
const newNames = new Map([['consensusCommitTimestamp', 'commitTimestamp']]);
const withBrand = (brand: string) => (name: string) =>
  newNames.get(name) ?? name.replace('Ledger', brand).replace(/^ledger(?=[A-Z])/, brand.toLowerCase());

/** Names of Sui's current schema that do not follow from a rule. */
const suiWords: ReadonlyMap<string, string> = new Map([
  ['ProgrammableTransaction', 'Command'],
  ['ProgrammableTransactionConnection', 'CommandConnection'],
  ['ProgrammableTransactionEdge', 'CommandEdge'],
  ['ObjectOwner', 'Owner'],
  ['Owner', 'AnyOwner'],
  ['Parent', 'ObjectOwner'],
  ['Result', 'TxResult'],
  ['ProtocolConfigAttr', 'ProtocolConfig'],
  ['ProtocolConfigFeatureFlag', 'FeatureFlag'],
  ['sendingModule', 'transactionModule'],
]);
const toSuiWord = withBrand('Sui');

/** In the schemas of IOTA and Sui. */
const additions = `
  extend type Immutable {
    _: Boolean
  }
  extend type GasCoin {
    _: Boolean
  }
  extend type EndOfEpochTransaction {
    transactions(first: Int, after: String, last: Int, before: String): EndOfEpochTransactionKindConnection
  }
  type EndOfEpochTransactionKindConnection {
    pageInfo: PageInfo!
  }
`;
const EndOfEpochTransaction = {
  transactions: () => ({
    pageInfo: { hasPreviousPage: false, hasNextPage: false, startCursor: null, endCursor: null },
  }),
};

const iota: NetworkNames = {
  rename: withBrand('Iota'),
  lacks: words(`
    ObjectKind.WRAPPED_OR_DELETED IObject.address NameRegistration Immutable.isPackage GasCoin.object
    EndOfEpochTransaction.epoch Query.epoch
    Address.iotaNamesRegistrations Owner.iotaNamesRegistrations NameRegistrationConnection NameRegistrationEdge
  `),
  additions: `${additions} extend type Query { epoch(id: UInt53): Epoch }`,
  resolvers: { Query: { epoch: resolvers.Query?.epoch }, EndOfEpochTransaction },
};

const sui: NetworkNames = {
  rename: (name) =>
    suiWords.get(name) ??
    toSuiWord(name)
      .replace(/^(MoveCall|TransferObjects|SplitCoins|MergeCoins|Publish|Upgrade|MakeMoveVec)Transaction$/, '$1Command')
      .replace(/([tT])ransactionBlock/, '$1ransaction'),
  lacks: words(`
    Query.availableRange Query.checkpoint Query.coins Query.dryRunTransaction Query.epoch Query.events Query.owner
    Query.transactions(scanLimit) Mutation.executeTransaction ExecutionResult.errors CheckpointId
    IOwner AnyOwner ObjectKind Coin CoinConnection CoinEdge ObjectOwner.parent MoveData DependencyConnection DependencyEdge
    StakedSui StakedSuiConnection StakedSuiEdge NameFormat NameRegistration NameRegistrationConnection NameRegistrationEdge
    UnchangedSharedObject UnchangedSharedObjectConnection UnchangedSharedObjectEdge SharedObjectRead SharedObjectDelete
    DryRunResult DryRunEffect DryRunMutation DryRunReturn TransactionMetadata ObjectRef StorageFund SafeMode SystemParameters
    Checkpoint.transactions(scanLimit) Checkpoint.validatorSignatures
    Epoch.validatorSet Epoch.storageFund Epoch.safeMode Epoch.systemStateVersion Epoch.systemParameters Epoch.suiTreasuryCapId
    Epoch.suiTotalSupply Epoch.transactions(scanLimit)
    Address.balance Address.coins Address.stakedSuis Address.suiNamesDefaultName Address.suiNamesRegistrations
    Address.transactions(scanLimit)
    IObject.address IObject.status IObject.receivedTransactions(scanLimit)
    Object.status Object.receivedTransactions(scanLimit) Object.balance Object.coins
    MoveObject.status MoveObject.receivedTransactions(scanLimit) MoveObject.balance MoveObject.coins MoveObject.asCoin
    MovePackage.status MovePackage.receivedTransactions(scanLimit)
    AddressOwner.owner Immutable.isPackage BalanceChange.owner Balance.coinObjectCount MoveValue.data GasCoin.object
    ObjectFilter.objectIds ObjectFilter.objectKeys ObjectKey.objectId GasCostSummary.computationCostBurned
    TransactionFilter.recvAddress TransactionFilter.inputObject TransactionFilter.changedObject
    TransactionFilter.wrappedOrDeletedObject TransactionFilter.transactionIds AddressTransactionRelationship.RECV
    TransactionKindInput.GENESIS TransactionKindInput.CONSENSUS_COMMIT_PROLOGUE_V1
    TransactionKindInput.RANDOMNESS_STATE_UPDATE TransactionKindInput.END_OF_EPOCH_TX
    Transaction.signatures Transaction.bcs Transaction.indexedOnNode ProgrammableTransaction.transactions
    TransactionEffects.errors TransactionEffects.dependencies TransactionEffects.unchangedSharedObjects TransactionEffects.bcs
    OwnedOrImmutable.address OwnedOrImmutable.version OwnedOrImmutable.digest
    Receiving.address Receiving.version Receiving.digest
    MoveCallCommand.package MoveCallCommand.module MoveCallCommand.functionName MoveCallCommand.typeArguments
    EndOfEpochTransaction.epoch RandomnessStateUpdateTransaction.epoch
    Event.type Event.bcs Event.data Event.json EventFilter.transactionDigest EventFilter.emittingModule EventFilter.eventType
  `),
  additions: `${additions}
    extend input EventFilter {
      module: String
      type: String
    }
    extend type Query {
      checkpoint(sequenceNumber: UInt53): Checkpoint
      epoch(epochId: UInt53): Epoch
      events(first: Int, after: String, last: Int, before: String, filter: EventFilter): EventConnection
      simulateTransaction(transaction: JSON!): SimulationResult!
    }
    type SimulationResult {
      effects: TransactionEffects
    }
    type ExecutionError {
      message: String!
    }
    extend type Mutation {
      executeTransaction(transactionDataBcs: Base64!, signatures: [Base64!]!): ExecutionResult!
    }
    extend type Event {
      sequenceNumber: UInt53!
      contents: MoveValue
    }
    extend type Transaction {
      transactionBcs: Base64
      signatures: [UserSignature!]!
    }
    extend type TransactionEffects {
      balanceChangesJson: JSON
      effectsBcs: Base64
      executionError: ExecutionError
    }
    extend type BalanceChange {
      owner: Address
    }
    extend type AddressOwner {
      address: Address
    }
    extend type ObjectOwner {
      address: Address
    }
    extend type RandomnessStateUpdateTransaction {
      epoch: Int
    }
    type UserSignature {
      signatureBytes: Base64
    }
  `,
  resolvers: { ...suiResolvers, EndOfEpochTransaction },
};

const suiLegacy: NetworkNames = { rename: toSuiWord, lacks: new Set(), additions: '', resolvers: {} };

/** By the name of the network profile; other profiles have the names of `schema/ledger.graphql`. */
export const networkNames: Readonly<Record<string, NetworkNames>> = { iota, sui, 'sui-legacy': suiLegacy };

/** The schema in a network's names, without what the network lacks. */
export function renameSchema(sdl: string, { rename, lacks, additions }: NetworkNames): DocumentNode {
  const renamed: DocumentNode = visit(parse(sdl), { Name: (node) => ({ ...node, value: rename(node.value) }) });
  const isServed = (coordinate: string) => !lacks.has(coordinate);
  const { definitions, ...document }: DocumentNode = visit(renamed, {
    enter(node) {
      if ('name' in node && node.name && node.kind.endsWith('TypeDefinition') && lacks.has(node.name.value))
        return null;
      if (node.kind === Kind.NAMED_TYPE && lacks.has(node.name.value)) return null;
      switch (node.kind) {
        case Kind.OBJECT_TYPE_DEFINITION:
        case Kind.INTERFACE_TYPE_DEFINITION: {
          const { name, fields = [] } = node;
          const kept = fields.filter((field) => isServed(`${name.value}.${field.name.value}`));
          return {
            ...node,
            fields: kept.map((field) => ({
              ...field,
              arguments: field.arguments?.filter((each) =>
                isServed(`${name.value}.${field.name.value}(${each.name.value})`),
              ),
            })),
          };
        }
        case Kind.INPUT_OBJECT_TYPE_DEFINITION:
          return { ...node, fields: node.fields?.filter((each) => isServed(`${node.name.value}.${each.name.value}`)) };
        case Kind.ENUM_TYPE_DEFINITION:
          return { ...node, values: node.values?.filter((each) => isServed(`${node.name.value}.${each.name.value}`)) };
        default:
          return undefined;
      }
    },
  });
  return { ...document, definitions: [...definitions, ...(additions ? parse(additions).definitions : [])] };
}
