import { describe, expect, it } from 'vitest';
import {
  type AddressState,
  admitCall,
  beginTrial,
  type ChoiceFacts,
  chooseAddress,
  countTokens,
  createAddressState,
  createRetryTokens,
  isBroken,
  mayRetry,
  newestOf,
  pause,
  recordLatency,
  recordNewest,
  recordOutcome,
  upperNewest,
} from '../../../src/upstream/choose-address.ts';

/** Numbers from 0 up to 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
const plain = { maxBehind: 20, least: null, pinned: -1, tried: 0, isRepeatable: true };

/** A minute of calls to simulated addresses, on a simulated clock. Each failed call is repeated once. */
function simulate(
  behaviours: readonly Partial<Behaviour>[],
  choose: (states: readonly AddressState[], facts: ChoiceFacts) => ReturnType<typeof chooseAddress> = chooseAddress,
  callerOf: (call: number) => string = () => 'one',
) {
  const random = createRandom(1);
  const addresses = behaviours.map((each) => ({ ...healthy, ...each, state: createAddressState() }));
  const states = addresses.map(({ state }) => state);
  const tokens = createRetryTokens();
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
      countTokens(tokens, hasFailed);
      if (hasFailed && tried === 0 && addresses.length > 1 && mayRetry(tokens)) call(beganMs, 1 << index, caller);
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

describe('the choice of an address', () => {
  const chooseOf = (states: readonly AddressState[], facts: Partial<ChoiceFacts> = {}) =>
    chooseAddress(states, { ...plain, nowMs: 0, random: () => 0, ...facts });
  const statesOf = (count: number) => Array.from({ length: count }, createAddressState);
  const fail = (state: AddressState, times: number, nowMs = 0, isTrial = false) => {
    for (let time = 0; time < times; time += 1)
      recordOutcome(state, 'failed', { nowMs, durationMs: 1, random: 0.5, isTrial });
  };
  const indexes = (states: readonly AddressState[], facts: Partial<ChoiceFacts> = {}) => {
    const random = createRandom(7);
    const found = Array.from({ length: 100 }, () => chooseOf(states, { random, ...facts }));
    return [...new Set(found.map((choice) => (typeof choice === 'string' ? choice : choice.index)))].sort();
  };

  it('uses all addresses while none is known to be worse', () => expect(indexes(statesOf(3))).toEqual([0, 1, 2]));

  it('ejects an address after five failures in a row, until a trial succeeds', () => {
    const states = statesOf(3);
    const [bad] = states as [AddressState];
    fail(bad, 4);
    expect(bad.isEjected).toBe(false);
    fail(bad, 1);
    expect(indexes(states)).toEqual([1, 2]);
    expect(chooseOf(states, { nowMs: 499 })).toMatchObject({ isTrial: false });
    expect(chooseOf(states, { nowMs: 500 })).toEqual({ index: 0, isTrial: true });
    // A mutation cannot be repeated, so it is no trial.
    expect(chooseOf(states, { nowMs: 500, isRepeatable: false })).toMatchObject({ isTrial: false });
    beginTrial(bad, 500);
    expect(indexes(states, { nowMs: 501 })).toEqual([1, 2]);
    fail(bad, 1, 510, true);
    // The pause has doubled.
    expect(chooseOf(states, { nowMs: 1_509 })).toMatchObject({ isTrial: false });
    expect(chooseOf(states, { nowMs: 1_510 })).toEqual({ index: 0, isTrial: true });
    recordOutcome(bad, 'ok', { nowMs: 1_600, durationMs: 1, random: 0.5, isTrial: true });
    expect(indexes(states, { nowMs: 1_600 })).toEqual([0, 1, 2]);
  });

  it('repeats a trial that showed nothing, and one that hangs', () => {
    const states = statesOf(2);
    const [bad] = states as [AddressState];
    fail(bad, 5);
    beginTrial(bad, 600);
    recordOutcome(bad, 'unrelated', { nowMs: 700, durationMs: 1, random: 0.5, isTrial: true });
    expect(chooseOf(states, { nowMs: 700 })).toEqual({ index: 0, isTrial: true });
    beginTrial(bad, 700);
    expect(chooseOf(states, { nowMs: 2_699 })).toMatchObject({ isTrial: false });
    expect(chooseOf(states, { nowMs: 2_700 })).toEqual({ index: 0, isTrial: true });
  });

  it('uses ejected addresses if fewer than half of the addresses work, except those that fail every call', () => {
    const states = statesOf(3);
    const [one, two, three] = states as [AddressState, AddressState, AddressState];
    fail(one, 5);
    fail(two, 5);
    expect(indexes(states)).toEqual([0, 1, 2]);
    fail(one, 15);
    expect(indexes(states)).toEqual([1, 2]);
    fail(two, 15);
    fail(three, 19);
    expect(indexes(states)).toEqual([2]);
    fail(three, 1);
    expect(indexes(states)).toEqual(['refused']);
  });

  it('obeys Retry-After for at most a minute, as long as others work', () => {
    const states = statesOf(2);
    const [paused, other] = states as [AddressState, AddressState];
    pause(paused, 3_600_000, 0);
    expect(indexes(states, { nowMs: 59_999 })).toEqual([1]);
    expect(indexes(states, { nowMs: 60_000 })).toEqual([0, 1]);
    pause(other, 60_000, 0);
    expect(indexes(states, { nowMs: 10 })).toEqual([0, 1]);
  });

  it('does not use an address more than 20 checkpoints behind the newest', () => {
    const states = statesOf(3);
    const [one, two, three] = states as [AddressState, AddressState, AddressState];
    recordNewest(one, 120, 0);
    recordNewest(two, 100, 0);
    recordNewest(three, 99, 0);
    expect(indexes(states)).toEqual([0, 1]);
    // What an unreachable address once reported does not count.
    recordNewest(three, 99, 10_001);
    recordNewest(two, 100, 10_001);
    expect(newestOf(states, 10_001)).toBe(100);
    expect(indexes(states, { nowMs: 10_001 })).toEqual([0, 1, 2]);
  });

  it('uses an older address while the newest one fails every call', () => {
    const states = statesOf(2);
    const [newest, older] = states as [AddressState, AddressState];
    recordNewest(newest, 200, 0);
    recordNewest(older, 100, 0);
    fail(newest, 19);
    expect(indexes(states)).toEqual([0]);
    fail(newest, 1);
    expect(indexes(states)).toEqual([1]);
    expect(indexes(states, { least: 150 })).toEqual(['too old']);
  });

  it('ignores a late answer to an earlier question about the newest data', () => {
    const state = createAddressState();
    recordNewest(state, 104, 2_000);
    recordNewest(state, 100, 1_000);
    expect([state.newest, state.newestAtMs]).toEqual([104, 2_000]);
  });

  it('takes the first data of an empty address for no growth', () => {
    const state = createAddressState();
    recordNewest(state, 0, 1_000);
    recordNewest(state, 5_000_000, 2_000);
    expect(upperNewest(state, 3_000)).toBe(5_000_000);
  });

  it('keeps an operation at its address, or moves it to one with data as new', () => {
    const states = statesOf(3);
    const [one, two] = states as [AddressState, AddressState];
    recordNewest(one, 110, 0);
    recordNewest(two, 112, 0);
    expect(indexes(states, { pinned: 0, least: 112 })).toEqual([0]);
    expect(indexes(states, { least: 112 })).toEqual([1]);
    expect(indexes(states, { pinned: 0, least: 112, tried: 0b001 })).toEqual([1]);
    expect(indexes(states, { least: 113 })).toEqual(['too old']);
  });

  it('tells the newest data that an address may have now from its growth', () => {
    const state = createAddressState();
    expect(upperNewest(state, 5)).toBeNull();
    recordNewest(state, 100, 1_000);
    recordNewest(state, 104, 2_000);
    expect(upperNewest(state, 2_000)).toBe(104);
    expect(upperNewest(state, 2_600)).toBe(107);
  });

  it('weighs recent latency, which fades, with the calls in flight', () => {
    const states = statesOf(2);
    const [slow, fast] = states as [AddressState, AddressState];
    recordLatency(slow, 50, 1_000);
    recordLatency(fast, 5, 1_000);
    expect(indexes(states, { nowMs: 1_000 })).toEqual([1]);
    fast.inFlight = 10;
    expect(indexes(states, { nowMs: 1_000 })).toEqual([0]);
    fast.inFlight = 0;
    recordLatency(fast, 5, 20_000);
    expect(indexes(states, { nowMs: 20_000 })).toEqual([0]);
  });
});

it('stops retries when half of the tokens are gone, and resumes after successes', () => {
  const tokens = createRetryTokens();
  for (let failures = 0; failures < 49; failures += 1) countTokens(tokens, true);
  expect(mayRetry(tokens)).toBe(true);
  countTokens(tokens, true);
  expect(mayRetry(tokens)).toBe(false);
  countTokens(tokens, false);
  expect(mayRetry(tokens)).toBe(true);
  for (let successes = 0; successes < 1_000; successes += 1) countTokens(tokens, false);
  expect(tokens.count).toBe(100);
  for (let failures = 0; failures < 200; failures += 1) countTokens(tokens, true);
  expect(tokens.count).toBe(0);
});
