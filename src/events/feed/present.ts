import type { Presenter } from '../../live/channel.ts';
import type { LiveEntry } from '../../live/live-source.ts';
import { itemPlace, type PlacedItem } from '../../upstream/item-place.ts';
import type { StreamPlace } from '../../upstream/operation-context.ts';
import type { LiveCursors } from './live-cursor.ts';

/** One result of a stream, as the root of its selection: under the name of the field, what is told. */
export type LiveRoot = Readonly<Record<string, object>> & PlacedItem;

/** What a subscription of the graph is opened for. */
export interface LiveFollower {
  readonly caller: { readonly rate: { readonly key: string } };
  readonly streamPlace?: StreamPlace | undefined;
}

export interface Presentation<Item> {
  /** Of the subscription. */
  readonly field: string;
  /** The type of an item in the field's union. */
  readonly itemType: string;
  /** What such an item has beside its cursor. */
  readonly toItem: (entry: LiveEntry<Item>) => object;
  readonly matches: (item: Item) => boolean;
}

/** Gives what a stream tells the types of the graph. */
export function present<Item>(
  { field, itemType, toItem, matches }: Presentation<Item>,
  { toCursor }: LiveCursors,
): Presenter<Item, LiveRoot> {
  return {
    matches,
    item(entry, at) {
      let made: string | undefined;
      const item = {
        __typename: itemType,
        // Signed when it is first read, and then once for all who follow.
        get cursor() {
          made ??= toCursor(at);
          return made;
        },
        ...toItem(entry),
      };
      return { [field]: item, [itemPlace]: () => item.cursor };
    },
    gap(after, before, reason) {
      const place = after && toCursor(after);
      const gap = {
        __typename: 'LiveGap',
        after: place,
        before: before && toCursor({ place: before, from: before }),
        reason,
      };
      // Whoever goes on here is told of the gap again; behind `before` the first item would be left out.
      return { [field]: gap, ...(place !== null && { [itemPlace]: () => place }) };
    },
    missed(count, at) {
      const resumeAfter = toCursor(at);
      return { [field]: { __typename: 'LiveMissed', count, resumeAfter }, [itemPlace]: () => resumeAfter };
    },
  };
}
