import type { EventFilter } from '../../generated/ledger.ts';
import { recordAt as findRecord, firstSequence } from '../../state/kept-records.ts';
import type { LedgerReader } from '../../state/ledger-state.ts';
import type { EventRecord } from '../../state/records.ts';
import { inputRefusal, withinInput } from '../arguments/parse-failure.ts';
import { parseDigest, parseLedgerAddress } from '../arguments/parse-scalars.ts';
import { toConnection } from '../connections/connection.ts';
import { eventCursor } from '../connections/cursor.ts';
import { type PageArguments, parsePage, pinnedCheckpoint } from '../connections/page.ts';
import { type Bound, paginate } from '../connections/paginate.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { ConnectionModel, EventModel } from '../models.ts';
import { parseModuleFilter, parseTypeFilter } from '../moves/type-filter.ts';
import { eventCountAt, eventPosition, requireKept, transactionSequenceOf } from './visible-history.ts';

export interface EventArguments extends PageArguments {
  readonly filter?: EventFilter | null | undefined;
}

/** Pages through events in ledger order. */
export function toEventConnection(
  args: EventArguments,
  context: GraphqlContext,
  viewedAt: number,
): ConnectionModel<EventModel> {
  const { ledger, limits } = context;
  const page = parsePage(args, limits, eventCursor);
  const filter = args.filter ?? {};
  const tests = withinInput('EventFilter', () => readTests(filter, limits));
  const c = pinnedCheckpoint(page, viewedAt);
  requireKept(ledger, c, [page.after?.tx, page.before?.tx], firstSequence(ledger.transactions));
  if (filter.emittingModule != null && filter.eventType != null) {
    throw inputRefusal('Filtering by both emitting module and event type is not supported');
  }
  const found = paginate(
    {
      ...page,
      after: page.after && boundOf(ledger, page.after, true),
      before: page.before && boundOf(ledger, page.before, false),
    },
    {
      ...rangeOf(ledger, filter, c),
      includes: (at) => {
        const event = findRecord(ledger.events, at);
        return event !== undefined && tests.every((test) => test(event));
      },
    },
  );
  return toConnection(
    found,
    (at): EventModel => ({ record: recordAt(ledger, at), viewedAt: c }),
    (at) => {
      const event = recordAt(ledger, at);
      return eventCursor.encode({ tx: transactionSequenceOf(ledger, event.txDigest), e: event.eventSeq, c });
    },
  );
}

function recordAt(ledger: LedgerReader, position: number): EventRecord {
  const record = findRecord(ledger.events, position);
  if (record === undefined) throw new RangeError(`No event at ${position}`);
  return record;
}

function boundOf(ledger: LedgerReader, cursor: { readonly tx: number; readonly e: number }, above: boolean): Bound {
  const at = eventPosition(ledger, cursor.tx, cursor.e);
  const event = findRecord(ledger.events, at);
  const exact =
    event !== undefined && event.eventSeq === cursor.e && transactionSequenceOf(ledger, event.txDigest) === cursor.tx;
  return { at: exact || above ? at : at - 1, exact };
}

/** A transaction's events are neighbours, so its digest bounds the search. */
function rangeOf(ledger: LedgerReader, filter: EventFilter, checkpoint: number) {
  const count = eventCountAt(ledger, checkpoint);
  if (filter.transactionDigest == null) return { from: firstSequence(ledger.events), to: count };
  const events = ledger.transaction(filter.transactionDigest)?.events ?? [];
  const from = events[0]?.sequence ?? firstSequence(ledger.events);
  return { from, to: Math.min(count, from + events.length) };
}

function readTests(filter: EventFilter, limits: GraphqlContext['limits']): ((event: EventRecord) => boolean)[] {
  const tests: ((event: EventRecord) => boolean)[] = [];
  if (filter.sender != null) {
    const sender = parseLedgerAddress(filter.sender);
    tests.push((event) => event.sender === sender);
  }
  if (filter.transactionDigest != null) {
    const digest = parseDigest(filter.transactionDigest);
    tests.push((event) => event.txDigest === digest);
  }
  if (filter.emittingModule != null) {
    const fits = parseModuleFilter(filter.emittingModule);
    tests.push((event) => fits(event.packageId, event.transactionModule));
  }
  if (filter.eventType != null) {
    const fits = parseTypeFilter(filter.eventType, limits);
    tests.push((event) => fits(event.type));
  }
  return tests;
}
