import type { ItemPosition, LiveEntry } from '../live-source.ts';
import { type FeedChange, type ItemPositions, toItemPosition } from '../timeline.ts';

/** Items as texts, and back. */
export interface ItemText<Item> {
  readonly write: (item: Item) => string;
  /** @throws if it cannot be read */
  readonly read: (text: string) => Item;
}

/** One entry of a log. */
export interface EntryChanges<Item> {
  /** The places before its news: a process that does not know the last of them must not continue here. Empty: not known yet. */
  readonly from: ItemPositions;
  readonly news: readonly SharedChange<Item>[];
  /** What was asked before the poll that brought the last of the news. */
  readonly answers: readonly string[];
}

/** News without resume points: each process has its own. */
export type SharedChange<Item> =
  | { readonly kind: 'next' | 'late'; readonly entry: LiveEntry<Item> }
  /** The item is too long to be shared: each process reads it for itself. */
  | { readonly kind: 'long'; readonly key: string }
  | (Omit<Extract<FeedChange<Item>, { kind: 'gap' }>, 'after'> & { readonly after: ItemPosition });

/** Characters of one entry, roughly. */
const fullEntry = 256 * 1024;
const maxItem = 1024 * 1024;

type PositionText = readonly [key: string, timestampMs: number | null] | null;
type ChangeText =
  | readonly [kind: 'next' | 'late', key: string, timestampMs: number | null, bytes: number, item: string]
  | readonly [kind: 'long', key: string]
  | readonly [
      kind: 'gap',
      after: PositionText,
      before: PositionText,
      reason: string,
      goesOnAt: readonly PositionText[],
    ];
interface EntryText {
  readonly from: readonly PositionText[];
  /** The newest place behind its news. Left out: not known yet. */
  readonly front?: PositionText;
  readonly news: readonly ChangeText[];
  readonly answers: readonly string[];
}

/** The first entry of a leader. @param recent the newest places, the newest last; empty: none is known yet */
export function writeOpening(recent: ItemPositions): string {
  return writeEntry(recent, recent.at(-1), [], []);
}

/** Writes news and answers as entries of a bounded length. @param base the newest place before them */
export function writeChanges<Item>(
  base: ItemPosition | null,
  news: readonly FeedChange<Item>[],
  answers: readonly string[],
  write: ItemText<Item>['write'],
): readonly string[] {
  const entries: string[] = [];
  let from = base;
  let front = base;
  let texts: ChangeText[] = [];
  let length = 0;
  for (const each of news) {
    const item = each.kind === 'item' ? write(each.entry.item) : '';
    if (texts.length > 0 && length + item.length > fullEntry) {
      entries.push(writeEntry([from], front, texts, []));
      [from, texts, length] = [front, [], 0];
    }
    length += item.length;
    if (each.kind === 'gap') {
      const { after, before, reason, goesOnAt } = each;
      front = goesOnAt.at(-1) ?? null;
      texts.push(['gap', writePosition(after.place), writePosition(before), reason, goesOnAt.map(writePosition)]);
      continue;
    }
    const { key, timestampMs, bytes } = each.entry;
    const isLate = each.at.from?.key !== key;
    if (!isLate) front = toItemPosition(each.entry);
    texts.push(item.length > maxItem ? ['long', key] : [isLate ? 'late' : 'next', key, timestampMs, bytes, item]);
  }
  return [...entries, writeEntry([from], front, texts, answers)];
}

/** `null` if it is of another version, or damaged. */
export function readEntry<Item>(text: string, read: ItemText<Item>['read']): EntryChanges<Item> | null {
  try {
    const { from, news, answers } = JSON.parse(text) as EntryText;
    return { from: from.map(readPosition), news: news.map((each) => readChange(each, read)), answers: [...answers] };
  } catch {
    return null;
  }
}

/** The newest place behind an entry, `null` = there is no item; `undefined` if it is not known, or the entry is damaged. */
export function readFront(text: string): ItemPosition | null | undefined {
  try {
    const { front } = JSON.parse(text) as EntryText;
    return front === undefined ? undefined : readPosition(front);
  } catch {
    return undefined;
  }
}

function writeEntry(
  from: ItemPositions,
  front: ItemPosition | null | undefined,
  news: readonly ChangeText[],
  answers: readonly string[],
): string {
  const known = front === undefined ? {} : { front: writePosition(front) };
  return JSON.stringify({ from: from.map(writePosition), ...known, news, answers } satisfies EntryText);
}

function readChange<Item>(text: ChangeText, read: ItemText<Item>['read']): SharedChange<Item> {
  switch (text[0]) {
    case 'next':
    case 'late': {
      const [kind, key, timestampMs, bytes, item] = text;
      if (!Number.isFinite(bytes)) break;
      return { kind, entry: { ...checkPosition(key, timestampMs), bytes, item: read(item) } };
    }
    case 'long':
      return { kind: 'long', key: checkPosition(text[1], null).key };
    case 'gap': {
      const [kind, after, before, reason, goesOnAt] = text;
      const place = readPosition(after);
      if (place)
        return { kind, after: place, before: readPosition(before), reason, goesOnAt: goesOnAt.map(readPosition) };
    }
  }
  throw new Error('news of an unknown kind');
}

function writePosition(place: ItemPosition | null): PositionText {
  return place && [place.key, place.timestampMs];
}

function readPosition(text: PositionText): ItemPosition | null {
  return text && checkPosition(text[0], text[1]);
}

/** @throws if it is not a place */
function checkPosition(key: unknown, timestampMs: unknown): ItemPosition {
  if (typeof key === 'string' && (timestampMs === null || Number.isFinite(timestampMs))) {
    return { key, timestampMs: timestampMs as number | null };
  }
  throw new Error('a place of an unknown form');
}
