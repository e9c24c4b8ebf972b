import { lowerBound } from '../state/lower-bound.ts';
import type { SequenceList } from './sequence-index.ts';

export interface RecordsRequest<Item> {
  /** Where to look, in ledger order. */
  readonly candidates: SequenceList;
  readonly recordAt: (sequence: number) => Item | undefined;
  readonly matches: (item: Item) => boolean;
  /**
   * Exclusive sequence number; a fraction between two of them if there is no record at the cursor; `null`: the whole
   * ledger.
   */
  readonly cursor: number | null;
  readonly limit: number;
  readonly descending: boolean;
}

export interface RecordsPage<Item> {
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
}

/** The next matching records from a cursor on; stops as soon as it is known whether there are more. */
export function readRecords<Item>(request: RecordsRequest<Item>): RecordsPage<Item> {
  const { candidates, recordAt, matches, limit, descending } = request;
  const step = descending ? -1 : 1;
  const items: Item[] = [];
  for (let position = firstCandidate(request); position >= 0 && position < candidates.length; position += step) {
    const item = recordAt(candidates.at(position));
    if (item === undefined || !matches(item)) continue;
    if (items.length === limit) return { items, hasNextPage: true };
    items.push(item);
  }
  return { items, hasNextPage: false };
}

function firstCandidate<Item>({ candidates, cursor, descending }: RecordsRequest<Item>): number {
  const { length } = candidates;
  if (cursor === null) return descending ? length - 1 : 0;
  return descending
    ? lowerBound(length, (position) => candidates.at(position) >= cursor) - 1
    : lowerBound(length, (position) => candidates.at(position) > cursor);
}
