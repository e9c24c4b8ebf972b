import type { Clock } from '../clock.ts';
import type { JoinFleet } from '../feed.ts';
import type { ItemText } from './entry-text.ts';
import type { LeasedLogs } from './leased-log.ts';
import { Member, unavailableAfterMs } from './member.ts';

export interface FleetOptions {
  readonly logs: LeasedLogs;
  readonly clock: Clock;
  /** Called once when Redis is away for so long that each process reads for itself, and once when it is back. */
  readonly onUnavailable: (error: unknown) => void;
  readonly onBack: () => void;
}

/** One process among those that read an upstream together. */
export interface Fleet {
  /** @param query the same text in all processes that ask the same upstream the same */
  join<Item>(query: string, itemText: ItemText<Item>): JoinFleet<Item>;
  close(): Promise<void>;
}

export function createFleet({ logs, clock, onUnavailable, onBack }: FleetOptions): Fleet {
  let answeredAtMs: number | null = null;
  let isUnavailable = false;

  const onCheck = (error: unknown) => {
    if (error === null) {
      answeredAtMs = clock.now();
      if (isUnavailable) onBack();
      isUnavailable = false;
    } else if (!isUnavailable && (answeredAtMs === null || clock.now() - answeredAtMs >= unavailableAfterMs)) {
      isUnavailable = true;
      onUnavailable(error);
    }
  };
  return {
    join: (query, itemText) => (feed) =>
      new Member((onChange) => logs.open(query, onChange), { ...feed, itemText, clock, onCheck }),
    close: () => logs.close(),
  };
}
