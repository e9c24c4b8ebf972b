import type { Presenter } from '../../live/channel.ts';
import type { LiveEntry } from '../../live/live-source.ts';
import type { LiveCursors } from './live-cursor.ts';

/** One result of a stream, as the root of its selection: under the name of the field, what is told. */
export type LiveRoot = Readonly<Record<string, object>>;

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
      return { [field]: item };
    },
    gap: (after, before, reason) => ({
      [field]: {
        __typename: 'LiveGap',
        after: toCursor(after),
        before: before && toCursor({ place: before, from: before }),
        reason,
      },
    }),
    missed: (count, resumeAfter) => ({
      [field]: { __typename: 'LiveMissed', count, resumeAfter: toCursor(resumeAfter) },
    }),
  };
}
