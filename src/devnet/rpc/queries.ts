import { endSequence, firstSequence, recordAt } from '../state/kept-records.ts';
import type { LedgerReader } from '../state/ledger-state.ts';
import { lowerBound } from '../state/lower-bound.ts';
import type { EventRecord, TransactionRecord } from '../state/records.ts';
import { type EventDialect, type EventFilter, eventKeys, readQueryFilter } from './event-filter.ts';
import { toEventJson } from './event-json.ts';
import { readDigest, readFlag, readLimit, readObject, readWholeNumber } from './read-param.ts';
import { readRecords } from './read-records.ts';
import { invalidParams } from './rpc-error.ts';
import { createSequenceIndex, type SequenceList, sequenceRange } from './sequence-index.ts';
import { readTransactionFilter, type TransactionFilter, transactionKeys } from './transaction-filter.ts';
import { readTransactionOptions, toTransactionJson } from './transaction-json.ts';

/** Positional parameters in, result out; throws `RpcError`. */
export type RpcQuery = (params: readonly unknown[]) => unknown;

/** The part of the ledger the queries read. */
export type QueriedLedger = Pick<LedgerReader, 'events' | 'transactions' | 'transaction' | 'checkpoint' | 'object'>;

/** The two paginated queries over the transactions in checkpoints. */
export function createQueries(ledger: QueriedLedger, dialect?: EventDialect) {
  return {
    queryEvents: createEventQuery(ledger, dialect),
    queryTransactionBlocks: createTransactionQuery(ledger),
  };
}

function createEventQuery(ledger: QueriedLedger, dialect: EventDialect | undefined): RpcQuery {
  const index = createSequenceIndex<EventRecord>(() => ledger.events, eventKeys);

  function toCandidates({ candidates }: EventFilter): SequenceList {
    const { length } = ledger.events;
    const first = firstSequence(ledger.events);
    if (candidates.kind === 'key') return index.lookup(candidates.key);
    if (candidates.kind === 'all') return sequenceRange(first, first + length);
    const timeAt = (position: number) => ledger.events[position]?.timestampMs ?? Number.POSITIVE_INFINITY;
    const start = lowerBound(length, (position) => timeAt(position) >= candidates.startMs);
    const end = lowerBound(length, (position) => timeAt(position) > candidates.endMs);
    return sequenceRange(first + start, first + end);
  }

  return ([filterParam, cursorParam, limitParam, descendingParam]) => {
    if (filterParam === null || filterParam === undefined)
      throw invalidParams('a filter is required; {"All":[]} is every event');
    const filter = readQueryFilter(filterParam, dialect);
    const cursor = readEventId(cursorParam);
    const { items, hasNextPage } = readRecords({
      candidates: toCandidates(filter),
      recordAt: (sequence) => recordAt(ledger.events, sequence),
      matches: filter.matches,
      cursor: cursor && toEventPlace(ledger, cursor.txDigest, Number(cursor.eventSeq)),
      limit: readLimit(limitParam),
      descending: readFlag('descending', descendingParam),
    });
    const data = items.map(toEventJson);
    return { data, nextCursor: data.at(-1)?.id ?? cursor, hasNextPage };
  };
}

function createTransactionQuery(ledger: QueriedLedger): RpcQuery {
  const index = createSequenceIndex<TransactionRecord>(() => ledger.transactions, transactionKeys);

  function toCandidates({ candidates }: TransactionFilter): SequenceList {
    if (candidates.kind === 'key') return index.lookup(candidates.key);
    if (candidates.kind === 'all')
      return sequenceRange(firstSequence(ledger.transactions), endSequence(ledger.transactions));
    const checkpoint = ledger.checkpoint(candidates.sequenceNumber);
    return checkpoint ? sequenceRange(checkpoint.firstTransaction, checkpoint.endTransaction) : sequenceRange(0, 0);
  }

  return ([queryParam, cursorParam, limitParam, descendingParam]) => {
    const query = queryParam === null || queryParam === undefined ? {} : readObject('query', queryParam);
    const filter = readTransactionFilter(query.filter);
    const options = readTransactionOptions(query.options);
    const cursor = cursorParam === null || cursorParam === undefined ? null : readDigest('cursor', cursorParam);
    const { items, hasNextPage } = readRecords({
      candidates: toCandidates(filter),
      recordAt: (sequence) => recordAt(ledger.transactions, sequence),
      matches: filter.matches,
      cursor: cursor === null ? null : findCheckpointed(ledger, cursor).sequence,
      limit: readLimit(limitParam),
      descending: readFlag('descending', descendingParam),
    });
    const data = items.map((transaction) => toTransactionJson(transaction, options, ledger));
    return { data, nextCursor: data.at(-1)?.digest ?? cursor, hasNextPage };
  };
}

function findCheckpointed(ledger: QueriedLedger, digest: string): TransactionRecord {
  const transaction = ledger.transaction(digest);
  if (transaction && transaction.checkpoint !== null) return transaction;
  throw invalidParams(`Could not find the referenced transaction [TransactionDigest(${digest})].`);
}

/** The sequence number of an event; half of one, between two events, if the transaction has no such event. */
function toEventPlace(ledger: QueriedLedger, digest: string, eventSeq: number): number {
  const transaction = findCheckpointed(ledger, digest);
  const event = transaction.events[eventSeq];
  if (event) return event.sequence;
  const sequenceOf = (position: number) => ledger.transaction(ledger.events[position]?.txDigest ?? '')?.sequence ?? 0;
  const next = lowerBound(ledger.events.length, (position) => sequenceOf(position) > transaction.sequence);
  return firstSequence(ledger.events) + next - 0.5;
}

function readEventId(value: unknown): { readonly txDigest: string; readonly eventSeq: string } | null {
  if (value === null || value === undefined) return null;
  const { txDigest, eventSeq } = readObject('cursor', value);
  return {
    txDigest: readDigest('cursor.txDigest', txDigest),
    eventSeq: String(readWholeNumber('cursor.eventSeq', eventSeq)),
  };
}
