import type { Presenter } from '../../live/channel.ts';
import type { LiveEntry } from '../../live/live-source.ts';
import { type ResumableItem, resumeCursorKey } from '../../upstream/resume-cursor.ts';
import type { LiveCursors } from './live-cursor.ts';

/** The root value of one result of a stream: the payload under the name of the field. */
export type LiveRoot = Readonly<Record<string, object>> & ResumableItem;

export interface Presentation<Item> {
  /** The field of `Subscription`. */
  readonly field: string;
  /** The type of an item in the field's union. */
  readonly itemType: string;
  /** The fields of an item beside its cursor. */
  readonly toItem: (entry: LiveEntry<Item>) => object;
  readonly matches: (item: Item) => boolean;
  /** Called with the number of items that a subscriber missed. */
  readonly onMissed: (count: number) => void;
}

/** Makes payloads of the types of the graph. */
export function createPresenter<Item>(
  { field, itemType, toItem, matches, onMissed }: Presentation<Item>,
  { toCursor }: LiveCursors,
): Presenter<Item, LiveRoot> {
  return {
    matches,
    item(entry, at) {
      let made: string | undefined;
      const item = {
        __typename: itemType,
        // Signed when first read, once for all followers.
        get cursor() {
          made ??= toCursor(at);
          return made;
        },
        ...toItem(entry),
      };
      return { [field]: item, [resumeCursorKey]: () => item.cursor };
    },
    gap(after, before, reason) {
      const cursor = after && toCursor(after);
      const gap = {
        __typename: 'LiveGap',
        after: cursor,
        before: before && toCursor({ last: before, from: before }),
        reason,
      };
      // A client that resumes here gets the gap again; behind `before` it would miss the first item.
      return { [field]: gap, ...(cursor !== null && { [resumeCursorKey]: () => cursor }) };
    },
    missed(count, at) {
      onMissed(count);
      const resumeAfter = toCursor(at);
      return { [field]: { __typename: 'LiveMissed', count, resumeAfter }, [resumeCursorKey]: () => resumeAfter };
    },
  };
}
