import { type GraphQLSchema, parse, validate } from 'graphql';
import { type EventFilterMember, eventFilterMembers, type NetworkProfile } from '../config/network-profile.ts';
import type { EventQueryFilter, TransactionQueryFilter } from '../generated/own.ts';
import type { LedgerExecutor } from '../ledger/ledger-executor.ts';
import { argumentError, checkStructType } from '../ledger/values/check-argument.ts';
import { toCanonicalAddress } from '../ledger/values/move-types.ts';
import type { ItemPosition } from '../live/live-source.ts';
import type { Cancellation } from '../upstream/cancellation.ts';
import { soleMember, toEventFilterWire, toTransactionFilterWire } from './filter-wire.ts';
import {
  askLedger,
  createReadLedgerPage,
  type FilterMembers,
  type LedgerNodes,
  staleCursor,
  toLedgerPage,
  toMilliseconds,
  toPageSelection,
  toPresentText,
  toReportSelection,
  toSelection,
  toTextOrNull,
  valueAt,
} from './ledger-pages.ts';
import { createLedgerSource, createListSource } from './ledger-source.ts';
import { type EventSources, positionOfEvent, positionOfTransaction, readItemKey, type Source } from './source.ts';
import { type CheckpointTimes, createTimeRangeSource } from './time-range-source.ts';
import { keysOfLedger } from './transaction-keys.ts';
import type { EventWire, TransactionWire } from './wire.ts';

/** An event filter as the ledger's GraphQL can read it. */
interface LedgerEventQuery {
  readonly identity: string;
  readonly filter: FilterMembers;
  /** Set if the events of one transaction are read from its effects. */
  readonly digest: string | null;
  /** Time range in milliseconds, both ends included. */
  readonly range: { readonly startMs: number; readonly endMs: number } | null;
}

/** The ledger's name of a member of `EventQueryFilter`; empty: read in another way; `null`: not at all. */
function toLedgerName(member: EventFilterMember, { history }: NetworkProfile): string | null {
  const { filters } = history.events;
  switch (member) {
    case 'all':
    case 'timeRange':
      return '';
    case 'transaction':
      return filters.transaction ?? '';
    case 'moveEventType':
      return filters.eventType;
    case 'moveEvent':
    case 'recipient':
    case 'object':
      return null;
    default:
      return filters[member];
  }
}

/** The node's names of the filters that the ledger's GraphQL has too. */
export function ledgerEventFilters(profile: NetworkProfile): NetworkProfile['events']['filters'] {
  const entries = eventFilterMembers.map((member) => [
    member,
    toLedgerName(member, profile) === null ? null : (profile.events.filters[member] ?? member),
  ]);
  return Object.fromEntries(entries) as NetworkProfile['events']['filters'];
}

/** @throws `BAD_USER_INPUT` if the ledger's GraphQL cannot express the filter, or a value breaks its rule */
function toLedgerEventQuery(given: EventQueryFilter | null | undefined, profile: NetworkProfile): LedgerEventQuery {
  const filters = ledgerEventFilters(profile);
  const { wire, identity } = toEventFilterWire(given, { filters, timeRange: profile.events.timeRange });
  const member = given ? (soleMember(given) as EventFilterMember) : 'all';
  const value = Object.values(wire)[0];
  const name = toLedgerName(member, profile);
  const query = { identity, filter: {}, digest: null, range: null };
  if (given?.timeRange) {
    const { startTime, endTime } = given.timeRange;
    return { ...query, range: { startMs: startTime, endMs: endTime } };
  }
  if (!name) return member === 'transaction' ? { ...query, digest: String(value) } : query;
  const isType = member === 'eventType' || member === 'moveEventType';
  const text = isType ? checkStructType(`filter.${member}`, String(value)) : toPath(value);
  return { ...query, filter: { [name]: JSON.stringify(text) } };
}

/** The text of a value: its parts are those of a path. */
function toPath(value: unknown): string {
  return typeof value === 'string' ? value : Object.values(value as object).join('::');
}

/** The ledger's names of the filters that make up a member of `TransactionQueryFilter`. */
function toLedgerNames(
  member: keyof TransactionQueryFilter,
  { history }: NetworkProfile,
): readonly [string | null, ...(string | null)[]] {
  const { filters } = history.transactions;
  switch (member) {
    case 'fromOrToAddress':
      return [null];
    case 'fromAndToAddress':
      return [filters.fromAddress, filters.toAddress];
    case 'transactionKindIn':
      return [filters.transactionKind];
    default:
      return [filters[member]];
  }
}

/** Which members of `TransactionQueryFilter` work over the ledger's GraphQL. */
export function offersTransactionFilter(member: keyof TransactionQueryFilter, profile: NetworkProfile): boolean {
  return !toLedgerNames(member, profile).includes(null);
}

export const transactionFilterMembers = [
  'checkpoint',
  'moveFunction',
  'inputObject',
  'changedObject',
  'fromAddress',
  'toAddress',
  'fromAndToAddress',
  'fromOrToAddress',
  'transactionKind',
  'transactionKindIn',
] as const satisfies readonly (keyof TransactionQueryFilter)[];

/** @throws `BAD_USER_INPUT` if the ledger's GraphQL cannot express the filter, or a value breaks its rule */
function toLedgerTransactionQuery(
  given: TransactionQueryFilter | null | undefined,
  profile: NetworkProfile,
): Pick<LedgerEventQuery, 'identity' | 'filter'> {
  const { wire, identity } = toTransactionFilterWire(given);
  if (!given || !wire) return { identity, filter: {} };
  const member = soleMember(given) as (typeof transactionFilterMembers)[number];
  if (!offersTransactionFilter(member, profile)) {
    const offered = transactionFilterMembers.filter((each) => offersTransactionFilter(each, profile)).join(', ');
    const says = `The ledger's GraphQL has no transaction filter '${member}'; it has: ${offered}.`;
    throw argumentError(`filter.${member}`, says);
  }
  const literals = toLiterals(member, Object.values(wire)[0], profile);
  const names = toLedgerNames(member, profile);
  return { identity, filter: Object.fromEntries(names.map((name, index) => [name ?? '', literals[index] ?? ''])) };
}

/** @throws `BAD_USER_INPUT` if the ledger has no such kind of transaction */
function toLiterals(
  member: keyof TransactionQueryFilter,
  value: unknown,
  { history }: NetworkProfile,
): readonly string[] {
  const { kinds } = history.transactions;
  switch (member) {
    case 'checkpoint':
      return [String(value)];
    case 'fromAndToAddress':
      return Object.values(value as object).map((address) => JSON.stringify(address));
    case 'transactionKind':
    case 'transactionKindIn': {
      const [kind, ...others] = [value].flat() as string[];
      const known = kind !== undefined && others.length === 0 && Object.hasOwn(kinds, kind) ? kinds[kind] : null;
      if (known) return [known];
      const says = `The ledger's GraphQL selects exactly one of these kinds: ${Object.keys(kinds)
        .filter((each) => kinds[each])
        .join(', ')}.`;
      throw argumentError(`filter.${member}`, says);
    }
    default:
      return [JSON.stringify(toPath(value))];
  }
}

/** A transaction emits at most 1,024 events. */
const maxPagesOfTransaction = 21;

interface GraphqlSourcesOptions {
  readonly execute: LedgerExecutor;
  readonly profile: NetworkProfile;
  readonly times: CheckpointTimes;
  readonly isLive: boolean;
  readonly now: () => number;
}

export function createGraphqlSources(options: GraphqlSourcesOptions): EventSources {
  const { execute, profile, times, isLive, now } = options;
  const { history } = profile;
  const events = { ...eventNodes(profile), isLenient: isLive };
  const head = { chain: null, checkpoint: null, timestampMs: null };
  const readEvents = createReadLedgerPage(history.events.field, events, history, execute, now, head);
  const checkpointOf = async (digest: string, cancellation: Cancellation | undefined) => {
    const { transaction, transactions } = history;
    const selection = toSelection([transactions.paths.checkpoint]);
    const text = `{found:${transaction.field}(digest:${JSON.stringify(digest)})${selection}}`;
    const found = valueAt(
      await askLedger(execute, text, history, cancellation),
      `found.${transactions.paths.checkpoint}`,
    );
    if (!Number.isSafeInteger(found)) throw staleCursor();
    return found as number;
  };
  const byCheckpoint = async ({ key }: ItemPosition, cancellation: Cancellation | undefined) => ({
    [history.checkpoints.at]: String(await checkpointOf(readItemKey(key).txDigest, cancellation)),
  });
  const { transaction: byDigest } = history.events.filters;
  const byTransaction = async ({ key }: ItemPosition) => ({
    [byDigest ?? '']: JSON.stringify(readItemKey(key).txDigest),
  });
  const oldestOf = (field: string) => ({ ...history.oldest, field: history.oldest.field.replace('$', field) });
  const shared = { checkpointOf, head, isLive, now };
  const eventSource = (filter: FilterMembers) =>
    createLedgerSource({
      ...shared,
      read: readEvents,
      filter,
      positionOf: positionOfEvent,
      narrow: byDigest === null ? byCheckpoint : byTransaction,
      form: events.cursor,
      oldest: oldestOf(history.events.field),
    });
  /** Reads every event of one transaction from its effects. */
  const readEventsOf = async (digest: string, cancellation: Cancellation | undefined) => {
    const all: EventWire[] = [];
    for (let after: string | null = null, pages = 0; pages < maxPagesOfTransaction; pages += 1) {
      const page = toPageSelection({ filter: {}, after, backward: false }, events.selection);
      const text = `{found:${history.transaction.field}(digest:${JSON.stringify(digest)}){effects{events${page}}}}`;
      const found = valueAt(await askLedger(execute, text, history, cancellation), 'found.effects.events');
      // The ledger does not know the transaction, or not yet.
      if (found === null) break;
      const { edges, hasNext, end } = toLedgerPage(found, { ...events, isLenient: false }, null);
      // A cursor in this list means nothing elsewhere.
      all.push(...edges.map(({ item }) => ({ ...item, mark: null })));
      if (!hasNext || end === null) break;
      after = end;
    }
    return all;
  };
  const toEventSource = ({ filter, digest, range }: LedgerEventQuery): Source<EventWire> => {
    if (digest !== null) return createListSource((cancellation) => readEventsOf(digest, cancellation), positionOfEvent);
    if (range === null) return eventSource(filter);
    return createTimeRangeSource({ range, times, history, readEvents, sourceOf: eventSource });
  };
  return {
    events(given) {
      const query = toLedgerEventQuery(given, profile);
      return { identity: query.identity, source: toEventSource(query) };
    },
    transactions(given, isWhole) {
      const { identity, filter } = toLedgerTransactionQuery(given, profile);
      const { field } = history.transactions;
      const nodes = { ...transactionNodes(profile, isWhole), isLenient: isLive };
      const source = createLedgerSource({
        ...shared,
        read: createReadLedgerPage(field, nodes, history, execute, now, head),
        filter,
        positionOf: positionOfTransaction,
        narrow: byCheckpoint,
        form: nodes.cursor,
        oldest: oldestOf(field),
      });
      return { identity, source };
    },
    keysOf: keysOfLedger(profile),
  };
}

/** The first name that the gateway would query and the schema lacks; `null` if nothing is missing. */
export function findMissingName(schema: GraphQLSchema, profile: NetworkProfile): string | null {
  const { events, transactions, oldest } = profile.history;
  const pages = [
    `events:${events.field}(first:1){edges{cursor node${eventNodes(profile).selection}}}`,
    `transactions:${transactions.field}(first:1){edges{cursor node${transactionNodes(profile, true).selection}}}`,
    toReportSelection(profile.history),
    `oldest:${oldest.field.replace('$', events.field)}`,
  ];
  return validate(schema, parse(`{${pages.join('')}}`))[0]?.message.replace(/\.$/, '') ?? null;
}

const zeroAddress = `0x${'0'.repeat(64)}`;

function eventNodes({ history }: NetworkProfile): LedgerNodes<EventWire> {
  const { paths, cursor, checkpoint } = history.events;
  const all = [...Object.values(paths), checkpoint].filter((path) => path !== null);
  return {
    selection: toSelection(all),
    cursor,
    checkpoint,
    toItem: (node, order, mark) => ({
      id: {
        txDigest: toPresentText(valueAt(node, paths.txDigest)),
        eventSeq: toNumberText(paths.eventSeq === null ? order.at(-1) : valueAt(node, paths.eventSeq)) ?? '',
      },
      packageId: toPresentText(valueAt(node, paths.packageId)),
      transactionModule: toPresentText(valueAt(node, paths.transactionModule)),
      // The ledger reports no sender for its own transactions.
      sender: toCanonicalAddress(String(valueAt(node, paths.sender))) ?? zeroAddress,
      type: toPresentText(valueAt(node, paths.type)),
      parsedJson: valueAt(node, paths.parsedJson),
      bcs: toTextOrNull(valueAt(node, paths.bcs)),
      timestampMs: toMilliseconds(valueAt(node, paths.timestamp)),
      mark,
    }),
  };
}

function transactionNodes({ history }: NetworkProfile, isWhole: boolean): LedgerNodes<TransactionWire> {
  const { paths, cursor, raw } = history.transactions;
  const brief = toSelection(Object.values(paths));
  return {
    selection: isWhole ? `${raw.slice(0, -1)} ${brief.slice(1)}` : brief,
    cursor,
    checkpoint: paths.checkpoint,
    toItem: (node, _order, mark) => ({
      digest: toPresentText(valueAt(node, paths.digest)),
      timestampMs: toMilliseconds(valueAt(node, paths.timestamp)),
      checkpoint: toNumberText(valueAt(node, paths.checkpoint)),
      raw: node,
      mark,
    }),
  };
}

function toNumberText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
