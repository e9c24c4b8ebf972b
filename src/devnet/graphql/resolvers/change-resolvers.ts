import { base64 } from '@scure/base';
import { toKeyedConnection } from '../connections/keyed-connection.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type {
  AddressModel,
  BalanceChangeModel,
  BalanceModel,
  DynamicFieldModel,
  EventModel,
  ModuleModel,
  ObjectChangeModel,
  ObjectModel,
  OwnerKindModel,
  TypeModel,
  ValueModel,
} from '../models.ts';
import { toMoveData } from '../moves/move-data.ts';
import { toTypeSignature } from '../moves/type-signature.ts';
import { keptFields, newestObject, visibleTransaction } from './object-fields.ts';
import { checkpointTime, toSender } from './transaction-resolvers.ts';

const toType = (repr: string): TypeModel => ({ repr });

export const eventResolvers = {
  Event: {
    transactionBlock: ({ record, viewedAt }: EventModel, _: unknown, context: GraphqlContext) =>
      visibleTransaction(context, record.txDigest, viewedAt),
    sendingModule: ({ record, viewedAt }: EventModel): ModuleModel => ({
      packageId: record.packageId,
      name: record.transactionModule,
      viewedAt,
    }),
    sender: ({ record, viewedAt }: EventModel) => toSender(record.sender, viewedAt),
    timestamp: ({ record }: EventModel, _: unknown, { ledger }: GraphqlContext) =>
      checkpointTime(ledger.transaction(record.txDigest)),
    type: ({ record }: EventModel) => toType(record.type),
    bcs: ({ record }: EventModel) => base64.encode(record.bcs),
    data: ({ record }: EventModel, _: unknown, { limits }: GraphqlContext) =>
      toMoveData(record.json, limits.maxMoveValueDepth),
    json: ({ record }: EventModel) => record.json,
  },
};

export const moveResolvers = {
  MoveType: {
    repr: ({ repr }: TypeModel) => repr,
    signature: ({ repr }: TypeModel) => toTypeSignature(repr),
  },
  MoveValue: {
    type: ({ type }: ValueModel) => toType(type),
    bcs: ({ bcs }: ValueModel) => base64.encode(bcs),
    data: ({ json }: ValueModel, _: unknown, { limits }: GraphqlContext) => toMoveData(json, limits.maxMoveValueDepth),
    json: ({ json }: ValueModel) => json,
  },
  MovePackage: {
    ...keptFields,
    module: (parent: ObjectModel, args: { readonly name: string }): ModuleModel | null =>
      moduleNames(parent).includes(args.name) ? toModule(parent, args.name) : null,
    modules: (parent: ObjectModel, args: PageArguments, context: GraphqlContext) =>
      toKeyedConnection(args, context, parent.viewedAt, {
        itemsAt: () => moduleNames(parent),
        nameOf: (name) => name,
        toNode: (name, viewedAt): ModuleModel => ({ ...toModule(parent, name), viewedAt }),
      }),
  },
  MoveModule: {
    package: ({ packageId, viewedAt }: ModuleModel, _: unknown, context: GraphqlContext) => {
      // Code never changes, so it can be read at any checkpoint, however old.
      const record = context.ledger.object(packageId, { checkpoint: viewedAt });
      if (!record) throw new RangeError(`No package ${packageId}`);
      return { record, viewedAt };
    },
    name: ({ name }: ModuleModel) => name,
  },
};

export const ownershipResolvers = {
  ObjectOwner: {
    __resolveType: ({ owner }: OwnerKindModel) => ownerTypes[owner.kind],
  },
  AddressOwner: {
    owner: ({ owner, viewedAt }: OwnerKindModel): AddressModel | null =>
      owner.kind === 'address' ? { address: owner.address, viewedAt } : null,
  },
  Shared: {
    initialSharedVersion: ({ owner }: OwnerKindModel) => (owner.kind === 'shared' ? owner.initialSharedVersion : null),
  },
  Immutable: { isPackage: (model: OwnerKindModel) => model.isPackage },
  Parent: {
    parent: ({ owner, viewedAt }: OwnerKindModel, _: unknown, context: GraphqlContext) =>
      owner.kind === 'object' ? newestObject(context, owner.address, viewedAt) : null,
  },
};

export const changeResolvers = {
  Balance: {
    coinType: ({ coinType }: BalanceModel) => toType(coinType),
    coinObjectCount: ({ coinObjectCount }: BalanceModel) => coinObjectCount,
    totalBalance: ({ totalBalance }: BalanceModel) => totalBalance.toString(),
  },
  BalanceChange: {
    owner: ({ owner, viewedAt }: BalanceChangeModel): AddressModel => ({ address: owner, viewedAt }),
    coinType: ({ coinType }: BalanceChangeModel) => toType(coinType),
    amount: ({ amount }: BalanceChangeModel) => amount.toString(),
  },
  ObjectChange: {
    address: ({ change }: ObjectChangeModel) => change.objectId,
    idCreated: ({ change }: ObjectChangeModel) => change.kind === 'created',
    idDeleted: ({ change }: ObjectChangeModel) => change.kind === 'deleted',
    inputState: ({ change, viewedAt }: ObjectChangeModel): ObjectModel | null =>
      change.input && { record: change.input, viewedAt },
    outputState: ({ change, viewedAt }: ObjectChangeModel): ObjectModel | null =>
      change.output && { record: change.output, viewedAt },
  },
  DynamicField: {
    name: ({ name }: DynamicFieldModel) => name,
    value: ({ value }: DynamicFieldModel) => value,
  },
  DynamicFieldValue: {
    __resolveType: (value: ValueModel | ObjectModel) => ('record' in value ? 'MoveObject' : 'MoveValue'),
  },
};

const ownerTypes = { address: 'AddressOwner', object: 'Parent', shared: 'Shared', immutable: 'Immutable' } as const;

function moduleNames({ record }: ObjectModel): readonly string[] {
  const { modules } = record.json;
  return Array.isArray(modules) ? modules.map(String).sort() : [];
}

function toModule({ record, viewedAt }: ObjectModel, name: string): ModuleModel {
  return { packageId: record.objectId, name, viewedAt };
}
