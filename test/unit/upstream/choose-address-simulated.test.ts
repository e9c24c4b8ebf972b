import { describe, expect, it } from 'vitest';
import {
  AddressState,
  admitCall,
  beginTrial,
  type ChoiceFacts,
  chooseAddress,
  countTokens,
  isBroken,
  mayRetry,
  RetryTokens,
  recordNewest,
  recordOutcome,
} from '../../../src/upstream/choose-address.ts';
import { seededRandom } from '../../support/plausible-documents.ts';

interface Behaviour {
  readonly failureRate: (nowMs: number, caller: string) => number;
  readonly failure: 'failed' | 'timeout';
  readonly slowness: number;
  /** Checkpoints behind the newest. */
  readonly behind: number;
  /** Milliseconds to a failure. */
  readonly failsAfterMs: number;
}

const healthy: Behaviour = { failureRate: () => 0, failure: 'failed', slowness: 1, behind: 0, failsAfterMs: 2 };
const [callsPerSecond, simulatedMs, meanMs, checkpointMs] = [400, 60_000, 7, 250];
const calls = (callsPerSecond * simulatedMs) / 1_000;
const whileDark = (nowMs: number) => Number(nowMs > 20_000 && nowMs < 40_000);
const plain = { maxBehind: 20, least: null, floor: undefined, tried: 0, isRepeatable: true };

/** A minute of calls to simulated addresses, on a simulated clock. Each failed call is repeated once. */
function simulate(
  behaviours: readonly Partial<Behaviour>[],
  choose: (states: readonly AddressState[], facts: ChoiceFacts) => ReturnType<typeof chooseAddress> = chooseAddress,
  callerOf: (call: number) => string = () => 'one',
) {
  const random = seededRandom(1);
  const addresses = behaviours.map((each) => ({ ...healthy, ...each, state: new AddressState() }));
  const states = addresses.map(({ state }) => state);
  const tokens = new RetryTokens();
  const pending: { readonly atMs: number; readonly run: () => void }[] = [];
  const latencies: number[] = [];
  const served = addresses.map(() => 0);
  let [nowMs, errors, refused, stale] = [0, 0, 0, 0];
  const schedule = (atMs: number, run: () => void) => {
    const before = pending.findLastIndex((each) => each.atMs <= atMs);
    pending.splice(before + 1, 0, { atMs, run });
  };
  const call = (beganMs: number, tried: number, caller: string) => {
    const choice = choose(states, { ...plain, nowMs, random, tried });
    if (typeof choice === 'string') {
      refused += 1;
      return;
    }
    const { index, isTrial } = choice;
    const { state, slowness, failureRate, failure, failsAfterMs, behind } = addresses[
      index
    ] as (typeof addresses)[number];
    if (isTrial) beginTrial(state, nowMs);
    state.inFlight += 1;
    const hasFailed = random() < failureRate(nowMs, caller);
    const durationMs = hasFailed ? failsAfterMs : -Math.log(1 - random()) * meanMs * slowness;
    schedule(nowMs + durationMs, () => {
      state.inFlight -= 1;
      recordOutcome(state, hasFailed ? failure : 'ok', { nowMs, durationMs, random: random(), isTrial, caller });
      countTokens(tokens, hasFailed, caller);
      if (hasFailed && tried === 0 && addresses.length > 1 && mayRetry(tokens, caller))
        call(beganMs, 1 << index, caller);
      else if (hasFailed) errors += 1;
      else {
        stale += Number(behind > plain.maxBehind);
        served[index] = (served[index] as number) + 1;
        latencies.push(nowMs - beganMs);
      }
    });
  };
  for (let begun = 0; begun <= calls; begun += 1) {
    const untilMs = (begun * 1_000) / callsPerSecond;
    for (let next = pending[0]; next && (next.atMs <= untilMs || begun === calls); next = pending[0]) {
      pending.shift();
      nowMs = next.atMs;
      next.run();
    }
    if (begun === calls) break;
    nowMs = untilMs;
    if (begun % callsPerSecond === 0) {
      for (const { state, behind } of addresses)
        recordNewest(state, 1_000 + Math.floor(nowMs / checkpointMs) - behind, nowMs);
    }
    call(nowMs, 0, callerOf(begun));
  }
  latencies.sort((one, other) => one - other);
  return { p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0, errors, refused, stale, served };
}

/** The only address of an upstream. */
const single: typeof chooseAddress = ([state], { nowMs }) =>
  admitCall(state as AddressState, nowMs) ? { index: 0, isTrial: isBroken(state as AddressState) } : 'refused';

describe('400 calls a second for a minute, 7 ms each', () => {
  const { p99Ms: healthyMs } = simulate([{}, {}, {}]);

  it('avoids an address that is ten times slower', () => {
    const { p99Ms, errors, served } = simulate([{ slowness: 10 }, {}, {}]);
    expect(errors).toBe(0);
    expect(p99Ms).toBeLessThan(1.2 * healthyMs);
    expect(served[0]).toBeLessThan(0.01 * calls);
    // An address that recovers is found again.
    expect(served[0]).toBeGreaterThan(3);
  });

  it('ejects an address that fails half of its calls', () => {
    const { errors, served } = simulate([{ failureRate: () => 0.5 }, {}, {}]);
    expect(errors).toBeLessThan(80);
    expect(served[0]).toBeGreaterThan(10);
  });

  it('hides an address that is down for 20 s, and uses it again', () => {
    const { errors, refused, served } = simulate([{ failureRate: whileDark, failsAfterMs: 1_000 }, {}, {}]);
    expect([errors, refused]).toEqual([0, 0]);
    expect(served[0]).toBeGreaterThan(0.15 * calls);
  });

  it('never reads an address that is 300 checkpoints behind', () => {
    const { stale, errors } = simulate([{ behind: 300 }, {}, {}]);
    expect([stale, errors]).toEqual([0, 0]);
  });

  it('refuses nothing while all addresses fail 60 % of their calls', () => {
    const { refused, served } = simulate([0, 1, 2].map(() => ({ failureRate: () => 0.6 })));
    expect(refused).toBeLessThan(0.01 * calls);
    expect((served[0] as number) + (served[1] as number) + (served[2] as number)).toBeGreaterThan(0.38 * calls);
  });

  it('refuses nothing while the only address fails 60 % of its calls', () => {
    const { refused, served } = simulate([{ failureRate: () => 0.6 }], single);
    expect(refused).toBeLessThan(0.01 * calls);
    expect(served[0]).toBeGreaterThan(0.38 * calls);
  });

  it('refuses calls at once while the only address is down, and finds its recovery within seconds', () => {
    const { errors, refused, served } = simulate([{ failureRate: whileDark, failsAfterMs: 200 }], single);
    expect(errors).toBeLessThan(160);
    expect(refused).toBeLessThan(8_000 + 2.5 * callsPerSecond);
    expect(errors + refused + (served[0] as number)).toBe(calls);
  });

  it.each([40, 2_000])('refuses nothing if all calls of one caller time out, and one in %s is of another', (every) => {
    const callerOf = (call: number) => (call % every === 0 ? 'cheap' : 'expensive');
    const failureRate = (_: number, caller: string) => Number(caller === 'expensive');
    const { refused, served } = simulate([{ failureRate, failure: 'timeout', failsAfterMs: 500 }], single, callerOf);
    expect([refused, served[0]]).toEqual([0, calls / every]);
  });

  it('refuses nothing while the calls of many callers time out and one is answered', () => {
    const failureRate = (_: number, caller: string) => Number(caller !== '0');
    const many = (call: number) => String(call % 40);
    const { refused } = simulate([{ failureRate, failure: 'timeout', failsAfterMs: 500 }], single, many);
    expect(refused).toBe(0);
  });

  it('refuses calls while the only address hangs for two callers, and finds its recovery within seconds', () => {
    const two = (call: number) => String(call % 2);
    const hangs = { failureRate: whileDark, failure: 'timeout', failsAfterMs: 500 } as const;
    const { errors, refused, served } = simulate([hangs], single, two);
    expect(errors).toBeLessThan(300);
    expect(refused).toBeLessThan(8_000 + 2.5 * callsPerSecond);
    expect(errors + refused + (served[0] as number)).toBe(calls);
  });
});
