import type { GraphqlContext } from '../graphql-context.ts';
import type { ObjectModel, ValueModel } from '../models.ts';
import { coinTypeOf } from '../objects/coins.ts';
import { idOf, isPackage, keptFields } from './kept-fields.ts';
import { createDynamicFields, createOwnerFields } from './owner-fields.ts';
import { coinMetadataOf } from './visible-records.ts';

const metadataPrefix = `0x${'2'.padStart(64, '0')}::coin::CoinMetadata<`;

const contents = (parent: ObjectModel): ValueModel | null =>
  parent.record.live && !isPackage(parent)
    ? { type: parent.record.type, bcs: parent.record.bcs, json: parent.record.json }
    : null;

const moveFields = {
  ...keptFields,
  ...createOwnerFields(idOf),
  ...createDynamicFields(idOf),
};

export const objectResolvers = {
  Object: {
    ...moveFields,
    asMoveObject: (parent: ObjectModel) => (isPackage(parent) ? null : parent),
    asMovePackage: (parent: ObjectModel) => (isPackage(parent) ? parent : null),
  },
  MoveObject: {
    ...moveFields,
    contents,
    asCoin: (parent: ObjectModel) => (coinTypeOf(parent.record.type) === undefined ? null : parent),
    asCoinMetadata: (parent: ObjectModel, _: unknown, context: GraphqlContext) => {
      const { type } = parent.record;
      if (!type.startsWith(metadataPrefix)) return null;
      return coinMetadataOf(type.slice(metadataPrefix.length, -1), context, parent.viewedAt);
    },
  },
  StakedLedger: { ...keptFields, contents },
  NameRegistration: { ...keptFields, contents },
  Coin: {
    ...moveFields,
    contents,
    coinBalance: (parent: ObjectModel) => parent.record.balance?.toString() ?? null,
  },
};
