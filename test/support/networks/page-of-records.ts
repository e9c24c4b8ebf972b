import { GraphQLError } from 'graphql';

export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/** A list that is paged through in the order of its keys. */
export interface PagedRecords<Item> {
  readonly items: readonly Item[];
  readonly matches: (item: Item) => boolean;
  /** Position in the whole list; compared number by number. */
  readonly keyOf: (item: Item) => readonly number[];
  readonly encode: (key: readonly number[]) => string;
  readonly decode: (cursor: string) => readonly number[];
  readonly toNode: (item: Item) => unknown;
  /**
   * Records that one page examines at most. With it, pages may be partly filled or empty while more follows, and the cursors of
   * the page are those of the examined range.
   */
  readonly scanLimit?: number | undefined;
}

export interface PagingWords {
  readonly defaultSize: number;
  readonly firstAndLast: string;
}

export function pageOfRecords<Item>(records: PagedRecords<Item>, args: PageArguments, words: PagingWords) {
  const { items, matches, keyOf, encode, decode, toNode, scanLimit = Number.POSITIVE_INFINITY } = records;
  if (args.first != null && args.last != null)
    throw new GraphQLError(words.firstAndLast, { extensions: { code: 'BAD_USER_INPUT' } });
  const size = args.last ?? args.first ?? words.defaultSize;
  const after = args.after == null ? null : decode(args.after);
  const before = args.before == null ? null : decode(args.before);
  // Items are in the order of their keys, and a course of faults has thousands of them.
  const from = after === null ? 0 : firstIndex(items, (item) => compareKeys(keyOf(item), after) > 0);
  const to = before === null ? items.length : firstIndex(items, (item) => compareKeys(keyOf(item), before) >= 0);
  const range = items.slice(from, to);
  if (args.last != null) range.reverse();
  const found: Item[] = [];
  const examined: Item[] = [];
  for (const item of range) {
    if (found.length === size || examined.length === scanLimit) break;
    examined.push(item);
    if (matches(item)) found.push(item);
  }
  const rest = range.slice(examined.length);
  const hasMore = Number.isFinite(scanLimit) ? rest.length > 0 : rest.some(matches);
  const shown = Number.isFinite(scanLimit) ? examined : found;
  if (args.last != null) {
    found.reverse();
    shown === found || shown.reverse();
  }
  const cursorOf = (item: Item | undefined) => (item === undefined ? null : encode(keyOf(item)));
  const edges = found.map((item) => ({ cursor: encode(keyOf(item)), node: toNode(item) }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: args.last == null ? hasMore : before !== null && shown.length > 0,
      hasPreviousPage: args.last == null ? after !== null && shown.length > 0 : hasMore,
      startCursor: cursorOf(shown[0]),
      endCursor: cursorOf(shown.at(-1)),
    },
  };
}

/** The index of the first item with this property, which all behind it have, too. */
function firstIndex<Item>(items: readonly Item[], has: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (has(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [index, number] of one.entries()) {
    const difference = number - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** An address with all its digits. */
export function toPadded(address: string): string {
  return `0x${address.replace(/^0x/, '').padStart(64, '0')}`;
}
