import type { DynamicFieldName, ObjectFilter } from '../../generated/ledger.ts';
import type { ObjectRecord } from '../../state/records.ts';
import { toKeyedConnection } from '../connections/keyed-connection.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { ObjectModel, Viewed } from '../models.ts';
import { parseExactType } from '../moves/type-filter.ts';
import { balancesAt, coinsAt } from '../objects/coins.ts';
import { fieldObjectsAt, findDynamicField, toDynamicField } from '../objects/dynamic-fields.ts';
import { parseObjectFilter, selectObjects } from '../objects/object-source.ts';

export interface CoinArguments extends PageArguments {
  readonly type?: string | null | undefined;
}

export interface ObjectArguments extends PageArguments {
  readonly filter?: ObjectFilter | null | undefined;
}

/** Pages through live objects, of one owner or of all. */
export function toObjectConnection(args: ObjectArguments, context: GraphqlContext, viewedAt: number, owner?: string) {
  const selection = parseObjectFilter(args.filter, context.limits);
  return toKeyedConnection<ObjectRecord, ObjectModel>(args, context, viewedAt, {
    itemsAt: (checkpoint) => {
      const records = selectObjects(context.ledger, { ...selection, owner: owner ?? selection.owner }, checkpoint);
      // Only Move values have owners; packages have none. If the filter names another owner, nothing matches.
      const contradicted = owner !== undefined && selection.owner !== undefined && selection.owner !== owner;
      return contradicted ? [] : records;
    },
    nameOf: (record) => record.objectId,
    toNode: (record, c) => ({ record, viewedAt: c }),
  });
}

/** Pages through live coins of a type, of one owner or of all. */
export function toCoinConnection(args: CoinArguments, context: GraphqlContext, viewedAt: number, owner?: string) {
  const coinType = coinTypeOrNative(args.type, context);
  return toKeyedConnection<ObjectRecord, ObjectModel>(args, context, viewedAt, {
    itemsAt: (checkpoint) => coinsAt(context.ledger, coinType, checkpoint, owner),
    nameOf: (record) => record.objectId,
    toNode: (record, c) => ({ record, viewedAt: c }),
  });
}

/** The fields of every type that can own objects. */
export function createOwnerFields<Parent extends Viewed>(addressOf: (parent: Parent) => string) {
  return {
    address: addressOf,
    objects: (parent: Parent, args: ObjectArguments, context: GraphqlContext) =>
      toObjectConnection(args, context, parent.viewedAt, addressOf(parent)),
    balance: (parent: Parent, args: CoinArguments, context: GraphqlContext) => {
      const coinType = coinTypeOrNative(args.type, context);
      const balances = balancesAt(context.ledger, addressOf(parent), parent.viewedAt);
      return balances.find((balance) => balance.coinType === coinType) ?? null;
    },
    balances: (parent: Parent, args: PageArguments, context: GraphqlContext) =>
      toKeyedConnection(args, context, parent.viewedAt, {
        itemsAt: (checkpoint) => balancesAt(context.ledger, addressOf(parent), checkpoint),
        nameOf: (balance) => balance.coinType,
        toNode: (balance) => balance,
      }),
    coins: (parent: Parent, args: CoinArguments, context: GraphqlContext) =>
      toCoinConnection(args, context, parent.viewedAt, addressOf(parent)),
  };
}

/** The fields of every type that can have dynamic fields. */
export function createDynamicFields<Parent extends Viewed>(addressOf: (parent: Parent) => string) {
  const find = (kind: 'value' | 'object') => {
    return (parent: Parent, args: { readonly name: DynamicFieldName }, context: GraphqlContext) =>
      findDynamicField(context.ledger, addressOf(parent), args.name, kind, parent.viewedAt, context.limits);
  };
  return {
    dynamicField: find('value'),
    dynamicObjectField: find('object'),
    dynamicFields: (parent: Parent, args: PageArguments, context: GraphqlContext) =>
      toKeyedConnection(args, context, parent.viewedAt, {
        itemsAt: (checkpoint) => fieldObjectsAt(context.ledger, addressOf(parent), checkpoint),
        nameOf: (record) => record.objectId,
        toNode: (record, c) => toDynamicField(context.ledger, record, c),
      }),
  };
}

function coinTypeOrNative(type: string | null | undefined, context: GraphqlContext): string {
  return type == null ? context.ledger.nativeCoinType : parseExactType(type, context.limits);
}
