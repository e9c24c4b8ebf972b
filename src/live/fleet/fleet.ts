import type { Clock } from '../clock.ts';
import type { FeedParts, JoinFleet } from '../feed.ts';
import type { Board } from './board.ts';
import type { ItemText } from './entry-text.ts';
import { Member } from './member.ts';

export interface FleetOptions {
  readonly board: Board;
  readonly clock: Clock;
  /** Told once when the board is away for so long that each process reads for itself, and once when it is back. */
  readonly onAway: (error: unknown) => void;
  readonly onBack: () => void;
}

/** One process among those that read an upstream together. */
export interface Fleet {
  /** Takes part in what is known of one query. @param query the same text in all processes that ask the same upstream the same */
  join<Item>(query: string, itemText: ItemText<Item>): JoinFleet<Item>;
  close(): Promise<void>;
}

/** Between two looks at the board: a third of what a lease lasts. */
const tickMs = 1_000;
/** Without an answer of the board for so long, each reads for itself: a lease is over by then, and its holder stops. */
const awayAfterMs = 2_500;

/** All queries of a process have one timer, and none while nobody follows. */
export function createFleet({ board, clock, onAway, onBack }: FleetOptions): Fleet {
  const members = new Set<{ tick(): void }>();
  let stopTimer: (() => void) | null = null;
  let answeredAtMs: number | null = null;
  let isAway = false;

  const tick = () => {
    stopTimer = members.size > 0 ? clock.after(tickMs, tick) : null;
    for (const member of members) member.tick();
  };
  const onLook = (error: unknown) => {
    if (error === null) {
      answeredAtMs = clock.now();
      if (isAway) onBack();
      isAway = false;
      return;
    }
    if (isAway || (answeredAtMs !== null && clock.now() - answeredAtMs < awayAfterMs)) return;
    isAway = true;
    onAway(error);
  };
  return {
    join:
      <Item>(query: string, itemText: ItemText<Item>) =>
      (feed: FeedParts<Item>) => {
        let known: Member<Item> | null = null;
        const opened = board.open(query, (why) => known?.ring(why));
        const member = new Member<Item>(opened, { ...feed, itemText, onLook, isAway: () => isAway });
        known = member;
        members.add(member);
        stopTimer ??= clock.after(tickMs, tick);
        return {
          get isUp() {
            return member.isUp;
          },
          whenCaughtUp: (then) => member.whenCaughtUp(then),
          afterLook: () => member.afterLook(),
          close() {
            members.delete(member);
            if (members.size === 0) {
              stopTimer?.();
              stopTimer = null;
            }
            return member.close();
          },
        };
      },
    close: () => board.close(),
  };
}
