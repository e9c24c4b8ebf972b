import { base64 } from '@scure/base';
import type { GraphqlContext } from '../graphql-context.ts';
import type { EventModel, ModuleModel } from '../models.ts';
import { toMoveData, toMoveJson } from '../moves/move-data.ts';
import { checkpointTime, toSender, visibleTransaction } from './visible-records.ts';

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
    type: ({ record }: EventModel) => ({ repr: record.type }),
    bcs: ({ record }: EventModel) => base64.encode(record.bcs),
    data: ({ record }: EventModel, _: unknown, { limits }: GraphqlContext) =>
      toMoveData(record.json, limits.maxMoveValueDepth),
    json: ({ record }: EventModel, _: unknown, { limits }: GraphqlContext) =>
      toMoveJson(record.json, limits.maxMoveValueDepth),
  },
};
