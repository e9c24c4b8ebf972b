import type { Clock } from '../clock.ts';
import type { JoinFleet } from '../feed.ts';
import type { ItemText } from './entry-text.ts';
import type { LeasedLogs } from './leased-log.ts';
import { awayAfterMs, Member } from './member.ts';

export interface FleetOptions {
  readonly logs: LeasedLogs;
  readonly clock: Clock;
  /** Called once when Redis is away for so long that each process reads for itself, and once when it is back. */
  readonly onAway: (error: unknown) => void;
  readonly onBack: () => void;
}

/** One process among those that read an upstream together. */
export interface Fleet {
  /** @param query the same text in all processes that ask the same upstream the same */
  join<Item>(query: string, itemText: ItemText<Item>): JoinFleet<Item>;
  close(): Promise<void>;
}

export function createFleet({ logs, clock, onAway, onBack }: FleetOptions): Fleet {
  let answeredAtMs: number | null = null;
  let isAway = false;

  const onLook = (error: unknown) => {
    if (error === null) {
      answeredAtMs = clock.now();
      if (isAway) onBack();
      isAway = false;
    } else if (!isAway && (answeredAtMs === null || clock.now() - answeredAtMs >= awayAfterMs)) {
      isAway = true;
      onAway(error);
    }
  };
  return {
    join: (query, itemText) => (feed) =>
      new Member((onChange) => logs.open(query, onChange), { ...feed, itemText, clock, onLook }),
    close: () => logs.close(),
  };
}
