import { base64 } from '@scure/base';
import { toKeyedConnection } from '../connections/keyed-connection.ts';
import type { PageArguments } from '../connections/page.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { ModuleModel, ObjectModel, TypeModel, ValueModel } from '../models.ts';
import { toMoveData, toMoveJson } from '../moves/move-data.ts';
import { toAbilities, toTypeLayout } from '../moves/type-layout.ts';
import { toTypeSignature } from '../moves/type-signature.ts';
import { keptFields } from './kept-fields.ts';

export const moveResolvers = {
  MoveType: {
    repr: ({ repr }: TypeModel) => repr,
    signature: ({ repr }: TypeModel) => toTypeSignature(repr),
    layout: ({ repr }: TypeModel, _: unknown, { findStruct, limits }: GraphqlContext) =>
      toTypeLayout(repr, findStruct, limits.maxMoveValueDepth),
    abilities: ({ repr }: TypeModel, _: unknown, { findStruct }: GraphqlContext) => toAbilities(repr, findStruct),
  },
  MoveValue: {
    type: ({ type }: ValueModel): TypeModel => ({ repr: type }),
    bcs: ({ bcs }: ValueModel) => base64.encode(bcs),
    data: ({ json }: ValueModel, _: unknown, { limits }: GraphqlContext) => toMoveData(json, limits.maxMoveValueDepth),
    json: ({ json }: ValueModel, _: unknown, { limits }: GraphqlContext) => toMoveJson(json, limits.maxMoveValueDepth),
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

function moduleNames({ record }: ObjectModel): readonly string[] {
  const { modules } = record.json;
  return Array.isArray(modules) ? modules.map(String).sort() : [];
}

function toModule({ record, viewedAt }: ObjectModel, name: string): ModuleModel {
  return { packageId: record.objectId, name, viewedAt };
}
