import type { NetworkProfile } from '../config/network-profile.ts';
import type { Resolvers, RpcEvent, RpcTransaction } from '../generated/own.ts';
import { createPerOperation } from '../upstream/operation-context.ts';
import { createCursorCodec } from './cursor.ts';
import type { CursorKeys } from './cursors/cursor-keys.ts';
import { createEventWalk } from './event-walk.ts';
import type { EventsClient } from './events-client.ts';
import type { PageSizes } from './plan-page.ts';
import { readConnection } from './read-connection.ts';
import { createRequireClient } from './require-client.ts';
import { selectsField } from './selects-field.ts';
import { createSpareCalls } from './spare-calls.ts';
import { toEventFilterWire } from './to-event-filter-wire.ts';
import { toTransactionFilterWire } from './to-transaction-filter-wire.ts';
import { createTransactionWalk } from './transaction-walk.ts';
import type { EventWire, TransactionOptionsWire, TransactionWire } from './wire.ts';

export interface EventsResolversOptions {
  /** `null` where no events upstream is configured. */
  readonly client: EventsClient | null;
  /** The environment key that would configure it. */
  readonly missingSetting: string;
  readonly profile: NetworkProfile;
  readonly pages: PageSizes;
  readonly cursorKeys: CursorKeys;
}

/** Asked for only when `raw` is selected: to the node these parts cost more than the transaction itself. */
export const wholeTransaction: TransactionOptionsWire = {
  showInput: true,
  showEffects: true,
  showEvents: true,
  showObjectChanges: true,
  showBalanceChanges: true,
};

export function createEventsResolvers(options: EventsResolversOptions): Pick<Resolvers, 'Query'> {
  const { profile, pages, cursorKeys } = options;

  /** All fields of an operation share its spare calls. */
  const spareCallsOf = createPerOperation(createSpareCalls);

  const configuredClient = createRequireClient(options.client, options.missingSetting);

  return {
    Query: {
      queryEvents: async (_, args, context) => {
        const { cancellation } = context;
        const client = configuredClient();
        const { wire: filter, identity } = toEventFilterWire(args.filter, profile.events);
        const codec = createCursorCodec({ field: 'queryEvents', identity }, cursorKeys);
        const request = { args, pages, codec, spare: spareCallsOf(context) };
        return readConnection(request, toEventNode, createEventWalk(client, filter, cancellation));
      },
      queryTransactionBlocks: async (_, args, context, info) => {
        const { cancellation } = context;
        const client = configuredClient();
        const { wire: filter, identity } = toTransactionFilterWire(args.filter);
        const rawSelected = selectsField(info, ['nodes', 'raw']) || selectsField(info, ['edges', 'node', 'raw']);
        const asked = { filter, options: rawSelected ? wholeTransaction : {} };
        const codec = createCursorCodec({ field: 'queryTransactionBlocks', identity }, cursorKeys);
        const request = { args, pages, codec, spare: spareCallsOf(context) };
        return readConnection(request, toTransactionNode, createTransactionWalk(client, asked, cancellation));
      },
    },
  };
}

export function toEventNode({ id, ...event }: EventWire): RpcEvent {
  return { ...event, ...id, id: `${id.txDigest}:${id.eventSeq}`, parsedJson: event.parsedJson ?? null };
}

function toTransactionNode(transaction: TransactionWire): RpcTransaction {
  return transaction;
}
