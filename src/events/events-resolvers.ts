import type { Resolvers, RpcEvent } from '../generated/own.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import { createPerOperation } from '../upstream/operation-context.ts';
import { type PageArguments, type PageSizes, readConnection } from './connection.ts';
import type { CursorKeys } from './cursor-keys.ts';
import { createSpareCalls } from './read-page.ts';
import { selectsField } from './selects-field.ts';
import { type CursorScope, createCursorCodec } from './signed-cursor.ts';
import type { EventSources } from './source.ts';
import type { EventWire } from './wire.ts';

export interface EventsResolversOptions {
  /** @throws `NOT_CONFIGURED` where there is no upstream with events */
  readonly sources: () => EventSources;
  readonly pages: PageSizes;
  readonly cursorKeys: CursorKeys;
}

export function createEventsResolvers(options: EventsResolversOptions): Pick<Resolvers, 'Query'> {
  const { sources, pages, cursorKeys } = options;
  /** All fields of an operation share its spare calls. */
  const spareCallsOf = createPerOperation(createSpareCalls);
  const toRequest = (args: PageArguments, scope: CursorScope, context: OperationContext) => ({
    args,
    pages,
    codec: createCursorCodec(scope, cursorKeys),
    spare: spareCallsOf(context),
    cancellation: context.cancellation,
  });
  return {
    Query: {
      queryEvents: async (_, args, context) => {
        const { identity, source } = sources().events(args.filter);
        const request = toRequest(args, { field: 'queryEvents', identity }, context);
        return readConnection(request, toEventNode, source);
      },
      queryTransactionBlocks: async (_, args, context, info) => {
        const isWhole = selectsField(info, ['nodes', 'raw']) || selectsField(info, ['edges', 'node', 'raw']);
        const { identity, source } = sources().transactions(args.filter, isWhole);
        const request = toRequest(args, { field: 'queryTransactionBlocks', identity }, context);
        return readConnection(request, (transaction) => transaction, source);
      },
    },
  };
}

export function toEventNode({ id, ...event }: EventWire): RpcEvent {
  return { ...event, ...id, id: `${id.txDigest}:${id.eventSeq}`, parsedJson: event.parsedJson ?? null };
}
