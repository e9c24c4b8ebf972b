import type { NetworkProfile } from '../config/network-profile.ts';
import type { Resolvers, RpcEvent } from '../generated/own.ts';
import type { OperationContext } from '../upstream/operation-context.ts';
import { createPerOperation } from '../upstream/operation-context.ts';
import { type PageArguments, type PageSizes, readConnection } from './connection.ts';
import type { CursorKeys } from './cursor-keys.ts';
import { createRequireClient, type EventsClient } from './events-client.ts';
import { createSpareCalls } from './read-page.ts';
import { createEventSource, createTransactionSource, wholeTransaction } from './rpc-sources.ts';
import { selectsField } from './selects-field.ts';
import { type CursorScope, createCursorCodec } from './signed-cursor.ts';
import { toEventFilterWire } from './to-event-filter-wire.ts';
import { toTransactionFilterWire } from './to-transaction-filter-wire.ts';
import type { EventWire } from './wire.ts';

export interface EventsResolversOptions {
  /** `null` where no events upstream is configured. */
  readonly client: EventsClient | null;
  /** The environment key that would configure it. */
  readonly missingSetting: string;
  readonly profile: NetworkProfile;
  readonly pages: PageSizes;
  readonly cursorKeys: CursorKeys;
}

export function createEventsResolvers(options: EventsResolversOptions): Pick<Resolvers, 'Query'> {
  const { profile, pages, cursorKeys } = options;
  /** All fields of an operation share its spare calls. */
  const spareCallsOf = createPerOperation(createSpareCalls);
  const configuredClient = createRequireClient(options.client, options.missingSetting);
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
        const client = configuredClient();
        const { wire, identity } = toEventFilterWire(args.filter, profile.events);
        const request = toRequest(args, { field: 'queryEvents', identity }, context);
        return readConnection(request, toEventNode, createEventSource(client, wire));
      },
      queryTransactionBlocks: async (_, args, context, info) => {
        const client = configuredClient();
        const { wire, identity } = toTransactionFilterWire(args.filter);
        const isWhole = selectsField(info, ['nodes', 'raw']) || selectsField(info, ['edges', 'node', 'raw']);
        const request = toRequest(args, { field: 'queryTransactionBlocks', identity }, context);
        const source = createTransactionSource(client, wire, isWhole ? wholeTransaction : {});
        return readConnection(request, (transaction) => transaction, source);
      },
    },
  };
}

export function toEventNode({ id, ...event }: EventWire): RpcEvent {
  return { ...event, ...id, id: `${id.txDigest}:${id.eventSeq}`, parsedJson: event.parsedJson ?? null };
}
