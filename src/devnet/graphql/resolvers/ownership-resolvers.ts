import type { GraphqlContext } from '../graphql-context.ts';
import type { AddressModel, OwnerKindModel } from '../models.ts';
import { newestObject } from './visible-records.ts';

const ownerTypes = { address: 'AddressOwner', object: 'Parent', shared: 'Shared', immutable: 'Immutable' } as const;

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
