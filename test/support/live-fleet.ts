import { createFleet } from '../../src/live/fleet/fleet.ts';
import { createTestHub, type TestHub } from './live-hub.ts';
import { createMemoryLogs, type MemoryLogs, type ProcessLogs } from './memory-leased-log.ts';
import { createMemorySource, createTestClock, type MemorySource, type TestClock } from './memory-source.ts';

/** A process of a fleet: its streams, its node connection, its connection to the others. */
export interface TestProcess extends TestHub {
  readonly logs: ProcessLogs;
  /** Reports about the other processes: unavailable, available. */
  readonly log: string[];
}

export interface TestFleet {
  readonly clock: TestClock;
  readonly logs: MemoryLogs;
  /** The node's items, shared by all processes. */
  readonly node: Pick<MemorySource, 'items' | 'add'>;
  start(): TestProcess;
}

/** Processes that share a node, a log and a clock. */
export function createTestFleet({ replayBytes = 1_000_000, names = ['old'] } = {}): TestFleet {
  const clock = createTestClock();
  const logs = createMemoryLogs(clock);
  const node = createMemorySource(...names);
  return {
    clock,
    logs,
    node,
    start() {
      const own = logs.forProcess();
      const log: string[] = [];
      const fleet = createFleet({
        logs: own,
        clock,
        onUnavailable: () => log.push('away'),
        onBack: () => log.push('back'),
      });
      const source = createMemorySource();
      source.items = node.items;
      return { ...createTestHub(source, { replayBytes, clock, fleet }), logs: own, log };
    },
  };
}

/** Numbered names, from the first to the last, both included. */
export function numbered(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);
}
