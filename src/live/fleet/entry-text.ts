import type { LiveEntry, Place } from '../live-source.ts';
import { type FeedNews, type Places, toPlace } from '../timeline.ts';

/** Items as texts, and back. */
export interface ItemText<Item> {
  readonly write: (item: Item) => string;
  /** @throws if it cannot be read */
  readonly read: (text: string) => Item;
}

/** One entry of a log. */
export interface EntryNews<Item> {
  /** The places before its news: a process that does not know the last of them must not continue here. Empty: not known yet. */
  readonly from: Places;
  readonly news: readonly SharedNews<Item>[];
  /** What was asked before the poll that brought the last of the news. */
  readonly answers: readonly string[];
}

/** News without resume points: each process has its own. */
export type SharedNews<Item> =
  | { readonly kind: 'next' | 'late'; readonly entry: LiveEntry<Item> }
  /** The item is too long to be shared: each process reads it for itself. */
  | { readonly kind: 'long'; readonly key: string }
  | (Omit<Extract<FeedNews<Item>, { kind: 'gap' }>, 'after'> & { readonly after: Place });

/** Characters of one entry, roughly. */
const fullEntry = 256 * 1024;
const maxItem = 1024 * 1024;

type PlaceText = readonly [key: string, timestampMs: number | null] | null;
type NewsText =
  | readonly [kind: 'next' | 'late', key: string, timestampMs: number | null, bytes: number, item: string]
  | readonly [kind: 'long', key: string]
  | readonly [kind: 'gap', after: PlaceText, before: PlaceText, reason: string, goesOnAt: readonly PlaceText[]];
interface EntryText {
  readonly from: readonly PlaceText[];
  /** The newest place behind its news. Left out: not known yet. */
  readonly front?: PlaceText;
  readonly news: readonly NewsText[];
  readonly answers: readonly string[];
}

/** The first entry of a leader. @param recent the newest places, the newest last; empty: none is known yet */
export function writeOpening(recent: Places): string {
  return writeEntry(recent, recent.at(-1), [], []);
}

/** Writes news and answers as entries of a bounded length. @param base the newest place before them */
export function writeNews<Item>(
  base: Place | null,
  news: readonly FeedNews<Item>[],
  answers: readonly string[],
  write: ItemText<Item>['write'],
): readonly string[] {
  const entries: string[] = [];
  let from = base;
  let front = base;
  let texts: NewsText[] = [];
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
      texts.push(['gap', writePlace(after.place), writePlace(before), reason, goesOnAt.map(writePlace)]);
      continue;
    }
    const { key, timestampMs, bytes } = each.entry;
    const isLate = each.at.from?.key !== key;
    if (!isLate) front = toPlace(each.entry);
    texts.push(item.length > maxItem ? ['long', key] : [isLate ? 'late' : 'next', key, timestampMs, bytes, item]);
  }
  return [...entries, writeEntry([from], front, texts, answers)];
}

/** `null` if it is of another version, or damaged. */
export function readEntry<Item>(text: string, read: ItemText<Item>['read']): EntryNews<Item> | null {
  try {
    const { from, news, answers } = JSON.parse(text) as EntryText;
    return { from: from.map(readPlace), news: news.map((each) => readNews(each, read)), answers: [...answers] };
  } catch {
    return null;
  }
}

/** The newest place behind an entry, `null` = there is no item; `undefined` if it is not known, or the entry is damaged. */
export function readFront(text: string): Place | null | undefined {
  try {
    const { front } = JSON.parse(text) as EntryText;
    return front === undefined ? undefined : readPlace(front);
  } catch {
    return undefined;
  }
}

function writeEntry(
  from: Places,
  front: Place | null | undefined,
  news: readonly NewsText[],
  answers: readonly string[],
): string {
  const known = front === undefined ? {} : { front: writePlace(front) };
  return JSON.stringify({ from: from.map(writePlace), ...known, news, answers } satisfies EntryText);
}

function readNews<Item>(text: NewsText, read: ItemText<Item>['read']): SharedNews<Item> {
  switch (text[0]) {
    case 'next':
    case 'late': {
      const [kind, key, timestampMs, bytes, item] = text;
      if (!Number.isFinite(bytes)) break;
      return { kind, entry: { ...checkPlace(key, timestampMs), bytes, item: read(item) } };
    }
    case 'long':
      return { kind: 'long', key: checkPlace(text[1], null).key };
    case 'gap': {
      const [kind, after, before, reason, goesOnAt] = text;
      const place = readPlace(after);
      if (place) return { kind, after: place, before: readPlace(before), reason, goesOnAt: goesOnAt.map(readPlace) };
    }
  }
  throw new Error('news of an unknown kind');
}

function writePlace(place: Place | null): PlaceText {
  return place && [place.key, place.timestampMs];
}

function readPlace(text: PlaceText): Place | null {
  return text && checkPlace(text[0], text[1]);
}

/** @throws if it is not a place */
function checkPlace(key: unknown, timestampMs: unknown): Place {
  if (typeof key === 'string' && (timestampMs === null || Number.isFinite(timestampMs))) {
    return { key, timestampMs: timestampMs as number | null };
  }
  throw new Error('a place of an unknown form');
}
