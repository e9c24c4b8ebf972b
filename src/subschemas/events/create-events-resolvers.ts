import type { NetworkProfile } from '../../config/network-profile.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { PageInfo, Resolvers, RpcEvent, RpcTransaction } from '../../generated/local.ts';
import type { OperationContext } from '../operation-context.ts';
import type { EventsClient } from './create-events-client.ts';
import { type CursorCodec, createCursorCodec } from './cursor.ts';
import type { CursorKeys } from './cursor-keys.ts';
import { type PageArguments, type PageSizes, planPage } from './plan-page.ts';
import type { Position } from './position.ts';
import { readPage, type Walk } from './read-page.ts';
import { selectsField } from './selects-field.ts';
import { createSpareCalls, type SpareCalls } from './spare-calls.ts';
import { toEventFilterWire } from './to-event-filter-wire.ts';
import { toTransactionFilterWire } from './to-transaction-filter-wire.ts';
import type { EventIdWire, EventWire, TransactionOptionsWire, TransactionWire } from './wire.ts';

export interface EventsResolversOptions {
  /** `null` where no events upstream is configured. */
  readonly client: EventsClient | null;
  /** The environment key that would configure it. */
  readonly missingSetting: string;
  readonly profile: NetworkProfile;
  readonly pages: PageSizes;
  readonly cursorKeys: CursorKeys;
}

/** Asked for only when `raw` is selected: these parts cost the node more than the transaction itself. */
const wholeTransaction: TransactionOptionsWire = {
  showInput: true,
  showEffects: true,
  showEvents: true,
  showObjectChanges: true,
  showBalanceChanges: true,
};

export function createEventsResolvers(options: EventsResolversOptions): Pick<Resolvers, 'Query'> {
  const { profile, pages, missingSetting, cursorKeys } = options;

  const spareCalls = new WeakMap<OperationContext, SpareCalls>();

  /** All fields of an operation share its spare calls. Made on first use, since few operations need any. */
  const spareCallsOf = (context: OperationContext): SpareCalls => ({
    take() {
      const known = spareCalls.get(context) ?? createSpareCalls();
      spareCalls.set(context, known);
      return known.take();
    },
  });

  function configuredClient(): EventsClient {
    if (options.client) return options.client;
    const message = `This gateway has no events upstream: ${missingSetting} is not set.`;
    throw gatewayError('NOT_CONFIGURED', message, { upstream: 'events', setting: missingSetting });
  }

  return {
    Query: {
      queryEvents: async (_, args, context) => {
        const { cancellation } = context;
        const client = configuredClient();
        const { wire: filter, identity } = toEventFilterWire(args.filter, profile.events);
        const codec = createCursorCodec({ field: 'queryEvents', identity }, cursorKeys);
        return readConnection({ args, pages, codec, spare: spareCallsOf(context) }, toEventNode, {
          positionOf: toEventPosition,
          step: async (position, limit, descending) => {
            const cursor = position && { txDigest: position.digest, eventSeq: position.eventSeq ?? '0' };
            const page = await client.queryEvents({ filter, cursor, limit, descending, cancellation });
            return {
              items: page.data,
              next: page.nextCursor && toIdPosition(page.nextCursor),
              hasMore: page.hasNextPage,
            };
          },
        });
      },
      queryTransactionBlocks: async (_, args, context, info) => {
        const { cancellation } = context;
        const client = configuredClient();
        const { wire: filter, identity } = toTransactionFilterWire(args.filter);
        const rawSelected = selectsField(info, ['nodes', 'raw']) || selectsField(info, ['edges', 'node', 'raw']);
        const shown = rawSelected ? wholeTransaction : {};
        const codec = createCursorCodec({ field: 'queryTransactionBlocks', identity }, cursorKeys);
        return readConnection({ args, pages, codec, spare: spareCallsOf(context) }, toTransactionNode, {
          positionOf: toTransactionPosition,
          step: async (position, limit, descending) => {
            const cursor = position?.digest ?? null;
            const page = await client.queryTransactionBlocks({
              filter,
              options: shown,
              cursor,
              limit,
              descending,
              cancellation,
            });
            return {
              items: page.data,
              next: page.nextCursor ? toDigestPosition(page.nextCursor) : null,
              hasMore: page.hasNextPage,
            };
          },
        });
      },
    },
  };
}

interface Connection<Node> {
  readonly pageInfo: PageInfo;
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly nodes: readonly Node[];
}

interface ConnectionRequest {
  readonly args: PageArguments;
  readonly pages: PageSizes;
  readonly codec: CursorCodec;
  readonly spare: SpareCalls;
}

async function readConnection<Item, Node>(
  { args, pages, codec, spare }: ConnectionRequest,
  toNode: (item: Item) => Node,
  walk: Walk<Item>,
): Promise<Connection<Node>> {
  const { size, backward } = planPage(args, pages);
  const after = args.after == null ? null : codec.parseCursor('after', args.after);
  const before = args.before == null ? null : codec.parseCursor('before', args.before);
  const page = await readPage({ size, backward, after, before }, walk, spare);
  // Sign a cursor only when it is read: signing a whole page costs more than the rest of it, and most cursors are never
  // selected. Keep it then, since one cursor may be read under hundreds of aliases.
  const edges = page.items.map((item) => {
    let made: string | undefined;
    return {
      node: toNode(item),
      get cursor() {
        made ??= codec.toCursor(walk.positionOf(item));
        return made;
      },
    };
  });
  return {
    pageInfo: {
      hasPreviousPage: page.hasPreviousPage,
      hasNextPage: page.hasNextPage,
      get startCursor() {
        return edges.at(0)?.cursor ?? null;
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null;
      },
    },
    edges,
    nodes: edges.map(({ node }) => node),
  };
}

function toEventNode(event: EventWire): RpcEvent {
  return { ...event, parsedJson: event.parsedJson ?? null };
}

function toTransactionNode(transaction: TransactionWire): RpcTransaction {
  return transaction;
}

function toEventPosition({ id, timestampMs }: EventWire): Position {
  return { ...toIdPosition(id), timestampMs: toMilliseconds(timestampMs) };
}

function toTransactionPosition({ digest, timestampMs }: TransactionWire): Position {
  return { ...toDigestPosition(digest), timestampMs: toMilliseconds(timestampMs) };
}

function toIdPosition({ txDigest, eventSeq }: EventIdWire): Position {
  return { digest: txDigest, eventSeq, timestampMs: null };
}

function toDigestPosition(digest: string): Position {
  return { digest, eventSeq: null, timestampMs: null };
}

/** Time only serves to put items in order, so anything but whole milliseconds counts as no time. */
function toMilliseconds(text: string | null): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
