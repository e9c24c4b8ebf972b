import type { ItemPosition, LiveEntry } from '../live-source.ts';
import type { FeedChange, ItemPositions } from '../timeline.ts';

export interface ItemText<Item> {
  readonly write: (item: Item) => string;
  /** @throws if it cannot be read */
  readonly read: (text: string) => Item;
}

/** One entry of a log. */
export interface Entry<Item> {
  /** The positions before its items; empty = not known yet. A process that does not know the last one must not continue here. */
  readonly from: ItemPositions;
  readonly items: readonly SharedItem<Item>[];
  /** Requests for a poll that arrived before the poll that brought the last of the items. */
  readonly answers: readonly string[];
}

export interface SharedItem<Item> {
  readonly entry: LiveEntry<Item>;
  /** Is its position before the newest one? */
  readonly isLate: boolean;
}

/** Characters of one entry, roughly. */
const fullEntry = 256 * 1024;
const maxItem = 1024 * 1024;

type PositionText = readonly [key: string, timestampMs: number | null, mark: string | null] | null;
type ItemLine = readonly [
  kind: 'next' | 'late',
  key: string,
  timestampMs: number | null,
  mark: string | null,
  bytes: number,
  item: string,
];
interface EntryText {
  readonly from: readonly PositionText[];
  readonly items: readonly ItemLine[];
  readonly answers: readonly string[];
}

/** The first entry of a leader. @param recent the newest positions, the newest last; empty: none is known yet */
export function writeFirstEntry(recent: ItemPositions): string {
  return writeEntry(recent, [], []);
}

/**
 * Writes changes and answers as entries of a bounded length.
 * @param base the newest position before them
 * @returns `null` if there is a gap, or an item that is too long
 */
export function writeChanges<Item>(
  base: ItemPosition | null,
  changes: readonly FeedChange<Item>[],
  answers: readonly string[],
  write: ItemText<Item>['write'],
): readonly string[] | null {
  const entries: string[] = [];
  let from = base;
  let front = base;
  let lines: ItemLine[] = [];
  let length = 0;
  for (const each of changes) {
    if (each.kind === 'gap') return null;
    const item = write(each.entry.item);
    if (item.length > maxItem) return null;
    if (lines.length > 0 && length + item.length > fullEntry) {
      entries.push(writeEntry([from], lines, []));
      [from, lines, length] = [front, [], 0];
    }
    length += item.length;
    const { key, timestampMs, mark = null, bytes } = each.entry;
    const isLate = each.at.from?.key !== key;
    if (!isLate) front = each.entry;
    lines.push([isLate ? 'late' : 'next', key, timestampMs, mark, bytes, item]);
  }
  return [...entries, writeEntry([from], lines, answers)];
}

/**
 * Two entries in place of changes that cannot be written. No process can read the first, so each reads the upstream up to
 * the second.
 */
export function writeUnshared(front: ItemPosition | null, answers: readonly string[]): readonly string[] {
  return ['null', writeEntry([front], [], answers)];
}

/** `null` if it is of another version, damaged, or stands for changes that cannot be written. */
export function readEntry<Item>(text: string, read: ItemText<Item>['read']): Entry<Item> | null {
  try {
    const { from, items, answers } = JSON.parse(text) as EntryText;
    return { from: from.map(readPosition), items: items.map((each) => readItem(each, read)), answers: [...answers] };
  } catch {
    return null;
  }
}

/** The newest position behind an entry; `null` = there is no item; `undefined` = not known yet. */
export function frontOf({ from, items }: Entry<unknown>): ItemPosition | null | undefined {
  return items.findLast(({ isLate }) => !isLate)?.entry ?? from.at(-1);
}

function writeEntry(from: ItemPositions, items: readonly ItemLine[], answers: readonly string[]): string {
  return JSON.stringify({
    from: from.map((position) => position && [position.key, position.timestampMs, position.mark ?? null]),
    items,
    answers,
  } satisfies EntryText);
}

function readItem<Item>([kind, key, timestampMs, mark, bytes, item]: ItemLine, read: ItemText<Item>['read']) {
  if ((kind !== 'next' && kind !== 'late') || !Number.isFinite(bytes)) throw new Error('an item of an unknown form');
  return { isLate: kind === 'late', entry: { ...checkPosition(key, timestampMs, mark), bytes, item: read(item) } };
}

function readPosition(text: PositionText): ItemPosition | null {
  return text && checkPosition(text[0], text[1], text[2]);
}

/** @throws if it is not a position */
function checkPosition(key: unknown, timestampMs: unknown, mark: unknown): ItemPosition {
  const isTime = timestampMs === null || Number.isFinite(timestampMs);
  if (typeof key === 'string' && isTime && (mark === null || typeof mark === 'string')) {
    return { key, timestampMs: timestampMs as number | null, mark: mark ?? undefined };
  }
  throw new Error('a position of an unknown form');
}
