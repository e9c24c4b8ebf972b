import { base64 } from '@scure/base';
import type {
  Argument,
  CallArg,
  ObjectRef,
  ProgrammableTransaction,
  TransactionCommand,
  TypeTag,
} from '../../../transactions/transaction-bcs.ts';
import { parseTransactionData } from '../../transactions/parse-transaction.ts';
import { toTypeText } from '../../transactions/type-text.ts';
import { toListConnection } from '../connections/list-connection.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { ArgumentModel, CommandModel, InputModel, TransactionModel, TypeModel, Viewed } from '../models.ts';
import { objectAtVersion } from './visible-records.ts';

interface ObjectInputModel extends Viewed {
  readonly input: { readonly ref: ObjectRef };
}

const objectInput = {
  address: ({ input }: ObjectInputModel) => input.ref.objectId,
  version: ({ input }: ObjectInputModel) => input.ref.version,
  digest: ({ input }: ObjectInputModel) => input.ref.digest,
  object: ({ input, viewedAt }: ObjectInputModel, _: unknown, context: GraphqlContext) =>
    objectAtVersion(context, input.ref.objectId, input.ref.version, viewedAt),
};

/** Resolvers of a programmable transaction's inputs and commands, decoded from its bytes. */
export const commandResolvers = {
  ProgrammableTransactionBlock: {
    inputs: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toListConnection(programOf(parent).inputs, args, context, parent.viewedAt, (input, viewedAt) => ({
        input,
        viewedAt,
      })),
    transactions: (parent: TransactionModel, args: PageArguments, context: GraphqlContext) =>
      toListConnection(programOf(parent).commands, args, context, parent.viewedAt, (command, viewedAt) => ({
        command,
        transaction: { ...parent, viewedAt },
      })),
  },
  TransactionInput: {
    __resolveType: ({ input }: InputModel) => inputTypes[input.kind],
  },
  OwnedOrImmutable: objectInput,
  Receiving: objectInput,
  SharedInput: {
    address: ({ input }: InputModel<'shared'>) => input.objectId,
    initialSharedVersion: ({ input }: InputModel<'shared'>) => input.initialSharedVersion,
    mutable: ({ input }: InputModel<'shared'>) => input.mutable,
  },
  Pure: { bytes: ({ input }: InputModel<'pure'>) => base64.encode(input.bytes) },
  ProgrammableTransaction: {
    __resolveType: ({ command }: CommandModel) => commandTypes[command.kind],
  },
  MoveCallTransaction: {
    package: ({ command }: CommandModel<'moveCall'>) => command.package,
    module: ({ command }: CommandModel<'moveCall'>) => command.module,
    functionName: ({ command }: CommandModel<'moveCall'>) => command.function,
    typeArguments: ({ command }: CommandModel<'moveCall'>) => command.typeArguments.map(toType),
    arguments: (parent: CommandModel<'moveCall'>) => toArguments(parent, parent.command.arguments),
  },
  TransferObjectsTransaction: {
    inputs: (parent: CommandModel<'transferObjects'>) => toArguments(parent, parent.command.objects),
    address: (parent: CommandModel<'transferObjects'>) => toArgument(parent, parent.command.recipient),
  },
  SplitCoinsTransaction: {
    coin: (parent: CommandModel<'splitCoins'>) => toArgument(parent, parent.command.coin),
    amounts: (parent: CommandModel<'splitCoins'>) => toArguments(parent, parent.command.amounts),
  },
  MergeCoinsTransaction: {
    coin: (parent: CommandModel<'mergeCoins'>) => toArgument(parent, parent.command.destination),
    coins: (parent: CommandModel<'mergeCoins'>) => toArguments(parent, parent.command.sources),
  },
  PublishTransaction: {
    modules: ({ command }: CommandModel<'publish'>) => command.modules.map((bytes) => base64.encode(bytes)),
    dependencies: ({ command }: CommandModel<'publish'>) => command.dependencies,
  },
  UpgradeTransaction: {
    modules: ({ command }: CommandModel<'upgrade'>) => command.modules.map((bytes) => base64.encode(bytes)),
    dependencies: ({ command }: CommandModel<'upgrade'>) => command.dependencies,
    currentPackage: ({ command }: CommandModel<'upgrade'>) => command.package,
    upgradeTicket: (parent: CommandModel<'upgrade'>) => toArgument(parent, parent.command.ticket),
  },
  MakeMoveVecTransaction: {
    type: ({ command }: CommandModel<'makeMoveVec'>) => command.type && toType(command.type),
    elements: (parent: CommandModel<'makeMoveVec'>) => toArguments(parent, parent.command.elements),
  },
  TransactionArgument: {
    __resolveType: ({ argument }: ArgumentModel) => argumentTypes[argument.kind],
  },
  GasCoin: {
    object: ({ transaction }: ArgumentModel<'gasCoin'>, _: unknown, context: GraphqlContext) => {
      const [coin] = transaction.record.gas.payment;
      return coin ? objectAtVersion(context, coin.objectId, coin.version, transaction.viewedAt) : null;
    },
  },
  Input: { ix: ({ argument }: ArgumentModel<'input'>) => argument.index },
  Result: {
    cmd: ({ argument }: ArgumentModel<'result' | 'nestedResult'>) => argument.index,
    ix: ({ argument }: ArgumentModel<'result' | 'nestedResult'>) =>
      argument.kind === 'nestedResult' ? argument.resultIndex : null,
  },
};

const inputTypes = {
  pure: 'Pure',
  owned: 'OwnedOrImmutable',
  shared: 'SharedInput',
  receiving: 'Receiving',
} as const satisfies Record<CallArg['kind'], string>;

const commandTypes = {
  moveCall: 'MoveCallTransaction',
  transferObjects: 'TransferObjectsTransaction',
  splitCoins: 'SplitCoinsTransaction',
  mergeCoins: 'MergeCoinsTransaction',
  publish: 'PublishTransaction',
  upgrade: 'UpgradeTransaction',
  makeMoveVec: 'MakeMoveVecTransaction',
} as const satisfies Record<TransactionCommand['kind'], string>;

const argumentTypes = {
  gasCoin: 'GasCoin',
  input: 'Input',
  result: 'Result',
  nestedResult: 'Result',
} as const satisfies Record<Argument['kind'], string>;

function programOf({ record }: TransactionModel): ProgrammableTransaction {
  const { kind } = parseTransactionData(record.bytes);
  if (kind.kind !== 'PROGRAMMABLE_TX') throw new TypeError(`Transaction ${record.digest} has no commands`);
  return kind;
}

function toType(tag: TypeTag): TypeModel {
  return { repr: toTypeText(tag) };
}

type OfTransaction = Pick<CommandModel, 'transaction'>;

function toArgument({ transaction }: OfTransaction, argument: Argument): ArgumentModel {
  return { argument, transaction };
}

function toArguments(parent: OfTransaction, values: readonly Argument[]): readonly ArgumentModel[] {
  return values.map((argument) => toArgument(parent, argument));
}
