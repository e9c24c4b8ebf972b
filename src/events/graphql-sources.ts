import { type GraphQLSchema, parse, validate } from 'graphql';
import type { NetworkProfile } from '../config/network-profile.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import { toCanonicalAddress } from '../ledger/values/move-types.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { type CheckpointTimes, toMilliseconds } from './checkpoint-times.ts';
import { type LedgerEventQuery, toLedgerEventQuery, toLedgerTransactionQuery } from './graphql-filters.ts';
import {
  askLedger,
  createReadLedgerPage,
  type FilterMembers,
  type LedgerNodes,
  staleCursor,
  toLedgerPage,
  toPageSelection,
  toSelection,
  toText,
  toTextOrNull,
  valueAt,
} from './ledger-connection.ts';
import { createLedgerSource, createListSource, KnownCursors } from './ledger-source.ts';
import { type EventSources, type Position, type Source, toTimestampMs } from './source.ts';
import { createTimeRangeSource } from './time-range-source.ts';
import type { EventWire, TransactionWire } from './wire.ts';

/** A transaction emits at most 1,024 events. */
const maxPagesOfTransaction = 21;

export interface GraphqlSourcesOptions {
  readonly execute: LedgerExecutor;
  readonly profile: NetworkProfile;
  readonly times: CheckpointTimes;
  /** Do reads mostly continue at the newest item, like those of live streams? */
  readonly isLive: boolean;
}

/** Events and transactions from the connections of the ledger's GraphQL. */
export function createGraphqlSources({ execute, profile, times, isLive }: GraphqlSourcesOptions): EventSources {
  const { history } = profile;
  const known = { events: new KnownCursors(), transactions: new KnownCursors() };
  const events = eventNodes(profile);
  const readEvents = createReadLedgerPage(history.events.field, events, execute);
  const checkpointOf = async ({ digest }: Position, cancellation: Cancellation | undefined) => {
    const { transaction, transactions, checkpoints } = history;
    const selection = toSelection([transactions.paths.checkpoint]);
    const text = `{found:${transaction.field}(digest:${JSON.stringify(digest)})${selection}}`;
    const found = valueAt(await askLedger(execute, text, cancellation), `found.${transactions.paths.checkpoint}`);
    if (found === null) throw staleCursor();
    return { [checkpoints.at]: String(found) };
  };
  const { transaction: byDigest } = history.events.filters;
  const eventSource = (filter: FilterMembers) =>
    createLedgerSource({
      read: readEvents,
      filter,
      positionOf: toEventPosition,
      narrow: byDigest === null ? checkpointOf : async ({ digest }) => ({ [byDigest]: JSON.stringify(digest) }),
      isPinned: events.cursor !== null,
      isLive,
      known: known.events,
    });
  /** Every event of one transaction, from its effects. */
  const readEventsOf = async (digest: string, cancellation: Cancellation | undefined) => {
    const all: EventWire[] = [];
    for (let cursor: string | null = null, pages = 0; pages < maxPagesOfTransaction; pages += 1) {
      const page = toPageSelection({ filter: {}, cursor, backward: false }, events.selection);
      const text = `{found:${history.transaction.field}(digest:${JSON.stringify(digest)}){effects{events${page}}}}`;
      const found = valueAt(await askLedger(execute, text, cancellation, cursor !== null), 'found.effects.events');
      // The ledger does not know the transaction yet.
      if (found === null) break;
      const { edges, hasNext, end } = toLedgerPage(found, events);
      all.push(...edges.map(({ item }) => item));
      if (!hasNext || end === null) break;
      cursor = end;
    }
    return all;
  };
  const toEventSource = ({ filter, digest, range }: LedgerEventQuery): Source<EventWire> => {
    if (digest !== null) return createListSource((cancellation) => readEventsOf(digest, cancellation), toEventPosition);
    if (range === null) return eventSource(filter);
    return createTimeRangeSource({ range, times, history, execute, readEvents, sourceOf: eventSource });
  };
  return {
    events(given) {
      const query = toLedgerEventQuery(given, profile);
      return { identity: query.identity, source: toEventSource(query) };
    },
    transactions(given, isWhole) {
      const { identity, filter } = toLedgerTransactionQuery(given, profile);
      const nodes = transactionNodes(profile, isWhole);
      const source = createLedgerSource({
        read: createReadLedgerPage(history.transactions.field, nodes, execute),
        filter,
        positionOf: ({ digest, timestampMs }: TransactionWire) => ({
          digest,
          eventSeq: null,
          timestampMs: toTimestampMs(timestampMs),
        }),
        narrow: checkpointOf,
        isPinned: nodes.cursor !== null,
        isLive,
        known: known.transactions,
      });
      return { identity, source };
    },
  };
}

/** The first name that the gateway would query and the schema lacks; `null` if nothing is missing. */
export function findMissing(schema: GraphQLSchema, profile: NetworkProfile): string | null {
  const { events, transactions } = profile.history;
  const pages = [
    `events:${events.field}(first:1){edges{cursor node${eventNodes(profile).selection}}}`,
    `transactions:${transactions.field}(first:1){edges{cursor node${transactionNodes(profile, true).selection}}}`,
  ];
  return validate(schema, parse(`{${pages.join('')}}`))[0]?.message.replace(/\.$/, '') ?? null;
}

const toEventPosition = ({ id, timestampMs }: EventWire): Position => ({
  digest: id.txDigest,
  eventSeq: id.eventSeq,
  timestampMs: toTimestampMs(timestampMs),
});

const zeroAddress = `0x${'0'.repeat(64)}`;

function eventNodes({ history }: NetworkProfile): LedgerNodes<EventWire> {
  const { paths, cursor } = history.events;
  const all = Object.values(paths).filter((path) => path !== null);
  return {
    selection: toSelection(all),
    cursor,
    toItem: (node, order) => ({
      id: {
        txDigest: toText(valueAt(node, paths.txDigest)),
        eventSeq: toNumberText(paths.eventSeq === null ? order?.at(-1) : valueAt(node, paths.eventSeq)) ?? '',
      },
      packageId: toText(valueAt(node, paths.packageId)),
      transactionModule: toText(valueAt(node, paths.transactionModule)),
      // The ledger reports no sender for its own transactions.
      sender: toCanonicalAddress(String(valueAt(node, paths.sender))) ?? zeroAddress,
      type: toText(valueAt(node, paths.type)),
      parsedJson: valueAt(node, paths.parsedJson),
      bcs: toTextOrNull(valueAt(node, paths.bcs)),
      timestampMs: toMilliseconds(valueAt(node, paths.timestamp)),
    }),
  };
}

function transactionNodes({ history }: NetworkProfile, isWhole: boolean): LedgerNodes<TransactionWire> {
  const { paths, cursor, raw } = history.transactions;
  const brief = toSelection(Object.values(paths));
  return {
    selection: isWhole ? `${raw.slice(0, -1)} ${brief.slice(1)}` : brief,
    cursor,
    toItem: (node) => ({
      digest: toText(valueAt(node, paths.digest)),
      timestampMs: toMilliseconds(valueAt(node, paths.timestamp)),
      checkpoint: toNumberText(valueAt(node, paths.checkpoint)),
      raw: node,
    }),
  };
}

function toNumberText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
