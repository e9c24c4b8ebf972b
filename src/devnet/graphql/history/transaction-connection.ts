import type { TransactionBlockFilter } from '../../generated/ledger.ts';
import { recordAt as findRecord, firstSequence } from '../../state/kept-records.ts';
import { inputRefusal } from '../arguments/parse-failure.ts';
import { emptyConnection, toConnection } from '../connections/connection.ts';
import { transactionCursor } from '../connections/cursor.ts';
import { type Page, type PageArguments, parsePage, pinnedCheckpoint } from '../connections/page.ts';
import { type Bound, paginate } from '../connections/paginate.ts';
import type { GraphqlContext } from '../graphql-context.ts';
import type { ConnectionModel, TransactionModel } from '../models.ts';
import { parseTransactionFilter, selectedRange, type TransactionSelection } from './transaction-filter.ts';
import { requireKept } from './visible-history.ts';

export interface TransactionArguments extends PageArguments {
  readonly filter?: TransactionBlockFilter | null | undefined;
  readonly scanLimit?: number | null | undefined;
}

interface TransactionCursor {
  readonly c: number;
  readonly t: number;
  readonly i: boolean;
}

/** The range of positions that are searched. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * Pages through transactions.
 * @param parent what the parent field selects already, such as a checkpoint's own transactions
 */
export function toTransactionConnection(
  args: TransactionArguments,
  parent: TransactionBlockFilter,
  context: GraphqlContext,
  viewedAt: number,
): ConnectionModel<TransactionModel> {
  const { ledger, limits } = context;
  const page = parsePage(args, limits, transactionCursor);
  const selection = parseTransactionFilter(args.filter, parent, limits);
  const scanLimit = args.scanLimit ?? undefined;
  if (scanLimit !== undefined && scanLimit > limits.maxScanLimit) {
    throw inputRefusal(`Scan limit exceeds max limit of '${limits.maxScanLimit}'`);
  }
  if (scanLimit === undefined && selection.complexMembers > 1) {
    throw inputRefusal('A scan limit must be specified for the given filter combination');
  }
  // As in the real service, a page that must be empty is answered before the cursors are compared.
  if (page.limit === 0 || scanLimit === 0 || selection.neverMatches) return emptyConnection();

  const c = pinnedCheckpoint(page, viewedAt);
  requireKept(ledger, c, [page.after?.t, page.before?.t], firstSequence(ledger.transactions));
  const range = selectedRange(ledger, selection, c);
  const window = scanLimit === undefined ? range : scanWindow(page, range, scanLimit);
  const found = paginate(
    { ...page, after: toBound(page.after), before: toBound(page.before) },
    { ...includingEdges(window, page), includes: fitting(context, selection, range) },
  );
  const connection = toConnection(
    found,
    (at): TransactionModel => ({ record: recordAt(context, at), viewedAt: c, dryRun: false }),
    (at) => transactionCursor.encode({ c, t: at, i: false }),
  );
  return scanLimit === undefined ? connection : withScannedEdges(connection, page, range, window, c);
}

function toBound(cursor: TransactionCursor | undefined): Bound | undefined {
  return cursor && { at: cursor.t, exact: true, scanned: cursor.i };
}

function fitting(context: GraphqlContext, selection: TransactionSelection, range: Window) {
  const { tests } = selection;
  return (position: number): boolean => {
    if (position < range.from || position >= range.to) return false;
    const record = findRecord(context.ledger.transactions, position);
    return record !== undefined && tests.every((test) => test(record));
  };
}

function recordAt(context: GraphqlContext, position: number) {
  const record = findRecord(context.ledger.transactions, position);
  if (record === undefined) throw new RangeError(`No transaction at ${position}`);
  return record;
}

/** The part of the range that one page may look at, its cursors excluded. */
function scanWindow(page: Page<TransactionCursor>, range: Window, scanLimit: number): Window {
  const from = Math.max(range.from, page.after ? page.after.t + 1 : range.from);
  const to = Math.min(range.to, page.before?.t ?? range.to);
  if (from >= to) return { from, to: from };
  return page.fromFront ? { from, to: Math.min(to, from + scanLimit) } : { from: Math.max(from, to - scanLimit), to };
}

/** The cursors' own positions are included, to check that they belong to this set. */
function includingEdges(window: Window, page: Page<TransactionCursor>): Window {
  return {
    from: page.after && page.after.t === window.from - 1 ? page.after.t : window.from,
    to: page.before && page.before.t === window.to ? page.before.t + 1 : window.to,
  };
}

/**
 * A scanned page begins and ends where the scan did, not at its matches, so that a client can go on even if nothing
 * was found. Only a page that is full ends at the last match it shows.
 */
function withScannedEdges(
  connection: ConnectionModel<TransactionModel>,
  page: Page<TransactionCursor>,
  range: Window,
  window: Window,
  c: number,
): ConnectionModel<TransactionModel> {
  if (window.from >= window.to) return emptyConnection();
  const startOfScan = transactionCursor.encode({ c, t: window.from, i: true });
  const endOfScan = transactionCursor.encode({ c, t: window.to - 1, i: true });
  const { pageInfo } = connection;
  const cutAtEnd = page.fromFront && pageInfo.hasNextPage && connection.edges.length === page.limit;
  const cutAtStart = !page.fromFront && pageInfo.hasPreviousPage && connection.edges.length === page.limit;
  return {
    ...connection,
    pageInfo: {
      hasPreviousPage: cutAtStart || window.from > range.from,
      hasNextPage: cutAtEnd || window.to < range.to,
      startCursor: cutAtStart ? pageInfo.startCursor : startOfScan,
      endCursor: cutAtEnd ? pageInfo.endCursor : endOfScan,
    },
  };
}
