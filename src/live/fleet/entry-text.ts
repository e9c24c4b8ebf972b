import type { LiveEntry, Place } from '../live-source.ts';
import type { FeedNews } from '../timeline.ts';

/** Items as texts, and back. */
export interface ItemText<Item> {
  readonly write: (item: Item) => string;
  /** @throws if it cannot be read */
  readonly read: (text: string) => Item;
}

/** What one entry of the board tells. */
export interface EntryNews<Item> {
  /** The newest place before it: who does not know it must not go on from it. `undefined` = there is none yet. */
  readonly base: Place | null | undefined;
  /** The newest place with it, for the same reason. */
  readonly front: Place | null | undefined;
  readonly news: readonly PassedNews<Item>[];
  /** The newest places behind it, where they do not follow from the news. */
  readonly recent: readonly (Place | null)[] | null;
}

/** Without the points to go on from: each process has its own. */
export type PassedNews<Item> =
  | { readonly kind: 'next' | 'late'; readonly entry: LiveEntry<Item> }
  /** There is an item of this name that is too long to be passed on. */
  | { readonly kind: 'long'; readonly key: string }
  | { readonly kind: 'gap'; readonly after: Place; readonly before: Place | null; readonly reason: string };

export interface WrittenEntry {
  readonly text: string;
  readonly front: Place | null | undefined;
}

/** Characters of one entry, roughly. */
const fullEntry = 256 * 1024;
/** An item that is longer is not passed on: each process reads it for itself. */
const maxItem = 1024 * 1024;

type Places = readonly (Place | null)[];
type PlaceText = readonly [key: string, timestampMs: number | null] | null;
type NewsText =
  | readonly [kind: 'next' | 'late', key: string, timestampMs: number | null, bytes: number, item: string]
  | readonly [kind: 'long', key: string]
  | readonly [kind: 'gap', after: PlaceText, before: PlaceText, reason: string];
interface EntryText {
  readonly base?: PlaceText;
  readonly front?: PlaceText;
  readonly news?: readonly NewsText[];
  readonly recent?: readonly PlaceText[];
}

/** The entry that a lead begins with. @param recent the newest places, the newest last; empty: none is known yet */
export function writeOpening(recent: Places): WrittenEntry {
  return recent.length === 0
    ? { text: '{}', front: undefined }
    : writeEntry(recent.at(-1) ?? null, recent.at(-1) ?? null, [], recent);
}

/**
 * Writes news as entries of a bounded length.
 * @param base the newest place before them
 * @param recent the newest places behind them, where they do not follow from the news
 */
export function writeNews<Item>(
  base: Place | null,
  news: readonly FeedNews<Item>[],
  recent: Places | null,
  write: ItemText<Item>['write'],
): readonly WrittenEntry[] {
  const written: WrittenEntry[] = [];
  let from = base;
  let front = base;
  let texts: NewsText[] = [];
  let length = 0;
  for (const each of news) {
    const isItem = each.kind === 'item';
    const item = isItem ? write(each.entry.item) : '';
    if (texts.length > 0 && length + item.length > fullEntry) {
      written.push(writeEntry(from, front, texts, null));
      [from, texts, length] = [front, [], 0];
    }
    length += item.length;
    if (!isItem) {
      texts.push(['gap', writePlace(each.after.place), writePlace(each.before), each.reason]);
      continue;
    }
    const { key, timestampMs, bytes } = each.entry;
    const isLate = each.at.from?.key !== key;
    if (!isLate) front = { key, timestampMs };
    texts.push(item.length > maxItem ? ['long', key] : [isLate ? 'late' : 'next', key, timestampMs, bytes, item]);
  }
  if (texts.length > 0 || recent)
    written.push(writeEntry(from, recent ? (recent.at(-1) ?? null) : front, texts, recent));
  return written;
}

function writeEntry(
  base: Place | null,
  front: Place | null,
  news: readonly NewsText[],
  recent: Places | null,
): WrittenEntry {
  const text: EntryText = {
    base: writePlace(base),
    front: writePlace(front),
    ...(news.length > 0 && { news }),
    ...(recent && { recent: recent.map(writePlace) }),
  };
  return { text: JSON.stringify(text), front };
}

/** `null` if nobody here could have written it. */
export function readEntry<Item>(text: string, read: ItemText<Item>['read']): EntryNews<Item> | null {
  try {
    const { base, front, news = [], recent } = JSON.parse(text) as EntryText;
    return {
      base: base === undefined ? undefined : readPlace(base),
      front: front === undefined ? undefined : readPlace(front),
      news: news.map((each) => readNews(each, read)),
      recent: recent ? recent.map(readPlace) : null,
    };
  } catch {
    return null;
  }
}

function readNews<Item>(text: NewsText, read: ItemText<Item>['read']): PassedNews<Item> {
  switch (text[0]) {
    case 'next':
    case 'late': {
      const [kind, , , bytes, item] = text;
      if (!Number.isFinite(bytes)) break;
      const { key, timestampMs } = toPlace(text[1], text[2]);
      return { kind, entry: { key, timestampMs, bytes, item: read(item) } };
    }
    case 'long':
      return { kind: 'long', key: toPlace(text[1], null).key };
    case 'gap': {
      const [kind, after, before, reason] = text;
      const place = readPlace(after);
      if (place) return { kind, after: place, before: readPlace(before), reason };
    }
  }
  throw new Error('news of an unknown kind');
}

function writePlace(place: Place | null): PlaceText {
  return place && [place.key, place.timestampMs];
}

function readPlace(text: PlaceText): Place | null {
  return text && toPlace(text[0], text[1]);
}

/** @throws if nobody here could have written it */
function toPlace(key: unknown, timestampMs: unknown): Place {
  if (typeof key === 'string' && (timestampMs === null || Number.isFinite(timestampMs))) {
    return { key, timestampMs: timestampMs as number | null };
  }
  throw new Error('a place of an unknown form');
}
