import { type ArgumentNode, type FieldNode, parse, valueFromASTUntyped } from 'graphql';
import type { LedgerHistory } from '../../src/config/networks/history-schema.ts';
import { paginate } from '../../src/devnet/graphql/connections/paginate.ts';
import {
  type CursorForm,
  createReadLedgerPage,
  type FilterMembers,
  type LedgerHead,
  type LedgerNode,
  type Order,
  type ReadLedgerPage,
  readCursor,
  toMark,
  writeCursor,
} from '../../src/events/ledger-pages.ts';
import { createLedgerSource } from '../../src/events/ledger-source.ts';
import type { Source } from '../../src/events/source.ts';
import { createCheckpointTimes, createTimeRangeSource } from '../../src/events/time-range-source.ts';
import type { LedgerRequest } from '../../src/ledger/ledger-executor.ts';
import type { ItemPosition } from '../../src/live/live-source.ts';
import { NetworkInForce } from '../../src/upstream/network-in-force.ts';

/**
 * How a ledger pages: with cursors that read as of their own checkpoint and only where their item matches (`pinned`), with cursors
 * that are good everywhere (`free`), or with those and pages of what it examined, which may be empty while more follows (`searched`).
 */
export type PageStyle = 'pinned' | 'free' | 'searched';

export const pageStyles: readonly PageStyle[] = ['pinned', 'free', 'searched'];

export interface NumberedItem {
  readonly number: number;
  readonly mark: string | null;
}

/** Numbers from 0, three in a checkpoint, one checkpoint a second; a filter selects the multiples of a number. */
export interface PagedLedger {
  chain: string;
  /** Numbers that there are. */
  count: number;
  /** Numbers below it were dropped. */
  oldest: number;
  /** Checkpoints that the next answers lack. */
  lag: number;
  /** Milliseconds by which its checkpoints are later than `timeOf`. */
  laterMs: number;
  /** Numbers whose nodes have an unknown form. */
  readonly unreadable: Set<number>;
  /** Does a page have its items in reverse, and the cursors of its ends in order? */
  reverses: boolean;
  /** Does a page end with its first item again, whose cursor it names as its end? */
  repeats: boolean;
  /** Documents received. */
  readonly asked: string[];
  /** The position of an item, as pages of now have it. */
  positionOf(number: number): ItemPosition;
  /** @returns opens the items of a time range in milliseconds, both ends included */
  openRange(of: number): (range: { readonly startMs: number; readonly endMs: number }) => Source<NumberedItem>;
  /** What an instance reads with, right after its start. */
  open(of?: number, options?: { readonly isLive?: boolean; readonly now?: () => number }): Source<NumberedItem>;
}

interface Filter {
  readonly of?: number;
  readonly at?: number;
  readonly digest?: string;
  readonly afterCheckpoint?: number;
  readonly beforeCheckpoint?: number;
}

const form: CursorForm = { order: ['n'], checkpoint: 'c', rest: { i: false } };
const examined = 20;
const perCheckpoint = 3;

export const timeOf = (number: number) => 1_000_000 + Math.floor(number / perCheckpoint) * 1_000;
export const positionAt = (number: number): ItemPosition => ({
  key: `d${number}`,
  timestampMs: timeOf(number),
  mark: null,
});

export function createPagedLedger(style: PageStyle, count: number): PagedLedger {
  const checkpointOf = (number: number) => Math.floor(number / perCheckpoint);
  const newest = () => checkpointOf(ledger.count - 1) - ledger.lag;
  const numberOf = (cursor: string) => Number(/^at (\d+)$/.exec(cursor)?.[1] ?? Number.NaN);

  function toPage(args: Readonly<Record<string, unknown>>) {
    const { first, last, after, before, filter = {} } = args as Readonly<Record<string, never>>;
    const { of = 1, at, digest } = filter as Filter;
    const size = Number(last ?? first);
    const isBackward = last !== undefined;
    const includes = (number: number) =>
      number % of === 0 && (at === undefined || checkpointOf(number) === at) && (!digest || `d${number}` === digest);
    if (style === 'pinned') {
      const [from, until] = [after, before].map((each) => (each === undefined ? undefined : readCursor(each, form)));
      const viewedAt = from?.checkpoint ?? until?.checkpoint ?? newest();
      if (viewedAt > newest() || viewedAt < checkpointOf(ledger.oldest)) throw new Error('Record not found');
      const toBound = (order: Order | undefined) => {
        if (!order) return undefined;
        const [number = 0] = order;
        return { at: number, exact: number >= ledger.oldest && includes(number) };
      };
      const { positions, hasPreviousPage, hasNextPage } = paginate(
        { after: toBound(from?.order), before: toBound(until?.order), limit: size, fromFront: !isBackward },
        { from: ledger.oldest, to: Math.min(ledger.count, (viewedAt + 1) * perCheckpoint), includes },
      );
      return toConnection(positions, (number) => writeCursor([number], viewedAt, form), hasPreviousPage, hasNextPage);
    }
    const { afterCheckpoint = -1, beforeCheckpoint = newest() + 1 } = filter as Filter;
    const low = Math.max(
      ledger.oldest,
      (afterCheckpoint + 1) * perCheckpoint,
      after === undefined ? 0 : numberOf(after) + 1,
    );
    const high = Math.min(
      Math.min(newest() + 1, beforeCheckpoint) * perCheckpoint,
      ledger.count,
      before === undefined ? ledger.count : numberOf(before),
    );
    const shown: number[] = [];
    const seen: number[] = [];
    let hasMore = false;
    for (let index = 0; index < high - low; index += 1) {
      const number = isBackward ? high - 1 - index : low + index;
      const isFull = shown.length === size || (style === 'searched' && seen.length === examined);
      hasMore = isFull && (style === 'searched' || includes(number));
      if (hasMore) break;
      if (isFull) continue;
      seen.push(number);
      if (includes(number)) shown.push(number);
    }
    const ends = style === 'searched' ? seen : shown;
    if (isBackward) for (const each of new Set([shown, ends])) each.reverse();
    const cursorOf = (number: number) => `at ${number}`;
    const page = toConnection(shown, cursorOf, isBackward && hasMore, !isBackward && hasMore);
    const [start, end] = [ends[0], ends.at(-1)].map((each) => (each === undefined ? null : cursorOf(each)));
    return { ...page, pageInfo: { ...page.pageInfo, startCursor: start, endCursor: end } };
  }

  function toConnection(
    numbers: readonly number[],
    cursorOf: (number: number) => string,
    hasPreviousPage: boolean,
    hasNextPage: boolean,
  ) {
    const told = ledger.repeats ? [...numbers, ...numbers.slice(0, 1)] : numbers;
    const edges = told.map((number) => ({
      cursor: cursorOf(number),
      node: ledger.unreadable.has(number) ? {} : { number, checkpoint: checkpointOf(number) },
    }));
    const [startCursor = null, endCursor = null] = [edges[0]?.cursor, edges.at(-1)?.cursor];
    const pageInfo = { hasPreviousPage, hasNextPage, startCursor, endCursor };
    return { pageInfo, edges: ledger.reverses ? edges.toReversed() : edges };
  }

  const toCheckpoint = (number: number) => {
    const isKept = checkpointOf(ledger.oldest) <= number && number <= newest();
    return isKept
      ? { sequenceNumber: number, timestamp: new Date(ledger.laterMs + timeOf(number * perCheckpoint)).toISOString() }
      : null;
  };

  const execute = async ({ document }: LedgerRequest) => {
    const text = typeof document === 'string' ? document : '';
    ledger.asked.push(text);
    const [operation] = parse(text).definitions;
    const fields = (operation as unknown as { selectionSet: { selections: FieldNode[] } }).selectionSet.selections;
    const data: Record<string, unknown> = {};
    try {
      for (const { alias, name, arguments: given = [] } of fields) {
        const args = Object.fromEntries(
          given.map(({ name: { value }, value: node }: ArgumentNode) => [value, valueFromASTUntyped(node)]),
        );
        const values: Readonly<Record<string, () => unknown>> = {
          items: () => toPage(args),
          chainIdentifier: () => ledger.chain,
          newest: () => toCheckpoint(args.number === undefined ? newest() : Number(args.number)),
          oldest: () => ({ number: checkpointOf(ledger.oldest) }),
        };
        data[(alias ?? name).value] = values[name.value]?.();
      }
    } catch {
      const errors = [{ message: 'Internal error occurred while processing request', extensions: {} }];
      return { data: null, errors } as never;
    }
    return { data };
  };

  const ledger: PagedLedger = {
    chain: 'chain-a',
    count,
    oldest: 0,
    lag: 0,
    laterMs: 0,
    reverses: false,
    repeats: false,
    asked: [],
    unreadable: new Set(),
    positionOf(number) {
      const cursor = style === 'pinned' ? writeCursor([number], newest(), form) : `at ${number}`;
      const checkpoint = style === 'pinned' ? newest() : checkpointOf(number);
      return { ...positionAt(number), mark: toMark({ chain: ledger.chain, checkpoint, cursor }) };
    },
    open(of = 1, { isLive = false, now = () => timeOf(ledger.count) } = {}) {
      return open(of === 1 ? {} : { of: String(of) }, isLive, now);
    },
    openRange(of) {
      const inForce = new NetworkInForce();
      const times = createCheckpointTimes(execute, history, (report) => inForce.report(report));
      const sourceOf = (filter: FilterMembers) =>
        open({ ...filter, ...(of !== 1 && { of: String(of) }) }, false, () => timeOf(ledger.count));
      const readEvents = toRead({ of: String(of) }, false, () => timeOf(ledger.count));
      return (range) =>
        createTimeRangeSource<NumberedItem>({
          range,
          times,
          history: { ...history, events: { cursor: style === 'pinned' ? form : null } } as unknown as LedgerHistory,
          sourceOf,
          readEvents,
        });
    },
  };

  const history = {
    checkpoint: { field: 'newest', argument: 'number:$' },
    checkpoints: { after: 'afterCheckpoint', at: 'at', before: 'beforeCheckpoint' },
    pruned: { codes: [], texts: [] },
  };
  const head: LedgerHead = { chain: null, checkpoint: null, timestampMs: null };

  function toRead(filter: FilterMembers, isLive: boolean, now: () => number): ReadLedgerPage<NumberedItem> {
    const nodes = {
      selection: '{number checkpoint}',
      cursor: style === 'pinned' ? form : null,
      checkpoint: 'checkpoint',
      isLenient: isLive,
      toItem: ({ number }: LedgerNode, _order: Order, mark: string | null): NumberedItem => {
        if (typeof number !== 'number') throw new Error('no number');
        return { number, mark };
      },
    };
    const read = createReadLedgerPage('items', nodes, history, execute, now, head);
    return (request) => read({ ...request, filter: { ...filter, ...request.filter } });
  }

  function open(filter: FilterMembers, isLive: boolean, now: () => number): Source<NumberedItem> {
    // A new instance knows nothing.
    Object.assign(head, { chain: null, checkpoint: null, timestampMs: null });
    return createLedgerSource({
      read: toRead({}, isLive, now),
      filter,
      positionOf: ({ number, mark }) => ({ ...positionAt(number), mark }),
      narrow: async ({ key }) => ({ digest: JSON.stringify(key) }),
      form: style === 'pinned' ? form : null,
      head,
      checkpointOf: async (digest) => checkpointOf(Number(digest.slice(1))),
      oldest:
        style === 'pinned'
          ? { field: 'items(first:1){edges{cursor}}', path: 'edges' }
          : { field: 'oldest{number}', path: 'number' },
      isLive,
      now,
    });
  }
  return ledger;
}
