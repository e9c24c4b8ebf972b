import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createActivity } from '../../../../src/devnet/genesis/activity.ts';
import { startCheckpointClock } from '../../../../src/devnet/state/checkpoint-clock.ts';
import { createSmallDevnet, seed } from '../../../support/small-devnet.ts';

describe('the checkpoint clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('closes a checkpoint each interval until it is stopped', () => {
    const { ledger } = createSmallDevnet();
    const clock = startCheckpointClock({ ledger, intervalMs: 250 });
    vi.advanceTimersByTime(1_000);
    expect(ledger.latestCheckpoint().sequenceNumber).toBe(4);
    clock.stop();
    vi.advanceTimersByTime(1_000);
    expect(ledger.latestCheckpoint().sequenceNumber).toBe(4);
  });

  test('ends epochs after a number of checkpoints, or never', () => {
    const short = createSmallDevnet().ledger;
    const endless = createSmallDevnet().ledger;
    const clocks = [
      startCheckpointClock({ ledger: short, intervalMs: 100, checkpointsPerEpoch: 3 }),
      startCheckpointClock({ ledger: endless, intervalMs: 100, checkpointsPerEpoch: 0 }),
    ];
    vi.advanceTimersByTime(800);
    expect([0, 1, 2].map((epoch) => short.epoch(epoch)?.firstCheckpoint)).toEqual([0, 3, 6]);
    expect(endless.latestEpoch().epochId).toBe(0);
    for (const clock of clocks) clock.stop();
  });

  test('lets simulated users act now and then', () => {
    const { ledger, accounts, contracts } = createSmallDevnet();
    const activity = createActivity({ ledger, accounts, contracts, seed, sequenceSeed: 3 });
    const clock = startCheckpointClock({
      ledger,
      intervalMs: 100,
      activity: { next: activity.next, everyCheckpoints: 2 },
    });
    for (let count = 0; count < 6; count += 1) clock.tick();
    const users = ledger.transactions.filter(({ kind }) => kind === 'PROGRAMMABLE_TX');
    expect(users.map(({ checkpoint }) => checkpoint)).toEqual([2, 4, 6]);
    clock.stop();
  });

  test('slows down when idle, and closes a checkpoint immediately for a client’s transaction', () => {
    const devnet = createSmallDevnet();
    const { ledger } = devnet;
    const clock = startCheckpointClock({ ledger, intervalMs: 100, idle: { afterIntervals: 4, slowdown: 5 } });
    const newest = () => ledger.latestCheckpoint().sequenceNumber;
    vi.advanceTimersByTime(400);
    expect(newest()).toBe(4);
    vi.advanceTimersByTime(1_000);
    expect(newest()).toBe(6);
    vi.advanceTimersByTime(100);
    expect(newest()).toBe(7);
    const { digest } = devnet.run((tx) => void tx.call('0x2::a::b', []));
    vi.advanceTimersByTime(100);
    expect(ledger.transaction(digest)?.checkpoint).toBe(8);
    vi.advanceTimersByTime(400);
    expect(newest()).toBe(12);
    clock.stop();
  });
});
