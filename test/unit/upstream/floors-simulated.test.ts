import { describe, expect, it } from 'vitest';
import { AddressState, newestOf, recordNewest } from '../../../src/upstream/choose-address.ts';
import type { Freshness } from '../../../src/upstream/freshness.ts';
import { NetworkInForce } from '../../../src/upstream/network-in-force.ts';
import type { RawListener, RawRequest } from '../../../src/upstream/raw-call.ts';
import { RecentWriters } from '../../../src/upstream/run-on.ts';
import { spreadCalls } from '../../../src/upstream/spread-calls.ts';
import { UpstreamCallError } from '../../../src/upstream/upstream-call-error.ts';
import { seededRandom } from '../../support/plausible-documents.ts';

interface Simulation {
  /** Checkpoints by which each address lags at least. */
  readonly lags: readonly number[];
  readonly callers: number;
  /** Have the callers just written? */
  readonly haveWritten: boolean;
  /** The first address refuses connections from here to there. */
  readonly downMs?: readonly [from: number, to: number];
}

const [seconds, operationsPerSecond, meanMs, roundTripMs, pauseMs] = [12, 200, 7, 5, 100];

/** Operations of one to three reads in a row, on a simulated clock. A response contains the checkpoint that its address had. */
async function simulate({ lags, callers, haveWritten, downMs: [downMs, upMs] = [0, 0] }: Simulation) {
  const random = seededRandom(1);
  const pending: { readonly atMs: number; readonly run: () => void }[] = [];
  let nowMs = 1;
  const schedule = (atMs: number, run: () => void) => {
    pending.splice(pending.findLastIndex((each) => each.atMs <= atMs) + 1, 0, { atMs, run });
  };
  const isDown = (address: number) => address === 0 && downMs < nowMs && nowMs < upMs;

  const jitter = lags.map(() => 0);
  const highest = lags.map(() => 0);
  const checkpointOf = (address: number): number => {
    const behind = (lags[address] as number) + (jitter[address] as number);
    highest[address] = Math.max(highest[address] as number, 1_000 + Math.floor(nowMs / 250) - behind);
    return highest[address];
  };
  const states = lags.map(() => new AddressState());
  const addresses = states.map((state, address) => ({
    state,
    path: '/',
    send: (_: RawRequest, listener: RawListener) => {
      const fail = () => listener.failed(new UpstreamCallError('unreachable', 'of a test'));
      const answer = () =>
        listener.answered({ status: 200, headers: new Map(), chunks: [], size: checkpointOf(address) });
      if (isDown(address)) schedule(nowMs + 1, fail);
      else schedule(nowMs - Math.log(1 - random()) * meanMs, answer);
      return { isSent: true, cancel() {} };
    },
  }));

  const ask = () => {
    for (const [address, state] of states.entries()) {
      if (!isDown(address)) recordNewest(state, checkpointOf(address), nowMs);
      if (!isDown(address)) state.heardAtMs = nowMs;
    }
  };
  let [round, endedMs]: [Promise<void> | null, number] = [null, 0];
  const freshness: Freshness = {
    inForce: new NetworkInForce(),
    maxBehind: 20,
    leastOf: () => null,
    refresh() {
      round ??= new Promise((resolve) => {
        schedule(Math.max(nowMs, endedMs + pauseMs) + roundTripMs, () => {
          ask();
          endedMs = nowMs;
          round = null;
          resolve();
        });
      });
      return round;
    },
    mayReach: (least: number | null, all: readonly AddressState[]) => (least ?? 0) <= (newestOf(all, nowMs) ?? 0) + 100,
    follow() {},
    stop() {},
  };
  const writers = new RecentWriters();
  const spread = spreadCalls({
    ...{ addresses, freshness, random, hedgeMs: null },
    changes: { count: 0, writers },
    clock: () => nowMs,
    watch: { retried() {}, ejected() {}, refused() {}, otherNetwork() {} },
  });

  const found = { answers: 0, failures: 0, olderInOperation: 0, olderOfCaller: 0, longestMs: 0 };
  const shown = new Map<string, number>();
  const begin = (caller: string) => {
    const operation = { calls: 0, caller };
    let [seen, left] = [0, 1 + Math.floor(random() * 3)];
    if (haveWritten) writers.note(caller, nowMs);
    const read = () => {
      const [beganMs, before] = [nowMs, shown.get(caller) ?? 0];
      spread(
        { method: 'POST', path: '/', headers: [], body: null, timeoutMs: 20_000, operation },
        {
          answered({ size }) {
            found.answers += 1;
            found.olderInOperation += Number(size < seen);
            found.olderOfCaller += Number(size < before);
            found.longestMs = Math.max(found.longestMs, nowMs - beganMs);
            seen = Math.max(seen, size);
            shown.set(caller, Math.max(shown.get(caller) ?? 0, size));
            left -= 1;
            if (left > 0) read();
          },
          failed() {
            found.failures += 1;
          },
        },
      );
    };
    read();
  };

  for (let second = 0; second < seconds; second += 1) {
    schedule(second * 1_000, () => {
      for (const address of lags.keys()) jitter[address] = Math.floor(random() * 3);
      ask();
    });
  }
  for (let begun = 0; begun < seconds * operationsPerSecond; begun += 1) {
    schedule(1 + (begun * 1_000) / operationsPerSecond, () => begin(`caller ${Math.floor(random() * callers)}`));
  }
  for (let next = pending.shift(); next; next = pending.shift()) {
    nowMs = Math.max(nowMs, next.atMs);
    next.run();
    // Calls that waited for newer data go on in a microtask.
    for (let turns = 0; turns < 4; turns += 1) await null;
  }
  return found;
}

describe.each([
  ['lag alike', [0, 0, 0]],
  ['lag by up to 5 checkpoints', [0, 2, 5]],
  ['lag by up to 5 checkpoints, the most used one least', [5, 2, 0]],
])('three addresses that %s', (_, lags) => {
  it.each([1, 5, 200])(
    'show none of %i callers that have written anything older, also if one goes down',
    async (callers) => {
      const { answers, longestMs, ...rest } = await simulate({
        lags,
        callers,
        haveWritten: true,
        downMs: [4_000, 8_000],
      });
      expect(rest).toEqual({ failures: 0, olderInOperation: 0, olderOfCaller: 0 });
      expect(answers).toBeGreaterThan(seconds * operationsPerSecond);
      expect(longestMs).toBeLessThan(1_500);
    },
  );

  it('show no operation anything older, also if one goes down', async () => {
    const { failures, olderInOperation } = await simulate({
      ...{ lags, callers: 5, haveWritten: false },
      downMs: [4_000, 8_000],
    });
    expect([failures, olderInOperation]).toEqual([0, 0]);
  });
});
