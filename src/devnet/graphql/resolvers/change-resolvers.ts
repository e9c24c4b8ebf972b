import type {
  AddressModel,
  BalanceChangeModel,
  BalanceModel,
  DynamicFieldModel,
  ObjectChangeModel,
  ObjectModel,
  TypeModel,
  ValueModel,
} from '../models.ts';

const toType = (repr: string): TypeModel => ({ repr });

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
