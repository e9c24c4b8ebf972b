import { describe, expect, it } from 'vitest';
import {
  AddressState,
  beginTrial,
  type ChoiceFacts,
  chooseAddress,
  countTokens,
  isBroken,
  mayRetry,
  newestOf,
  pauseAddress,
  RetryTokens,
  recordLatency,
  recordNewest,
  recordOutcome,
  upperNewest,
} from '../../../src/upstream/choose-address.ts';
import { seededRandom } from '../../support/plausible-documents.ts';

const plain = { maxBehind: 20, least: null, floor: undefined, tried: 0, isRepeatable: true };

describe('the choice of an address', () => {
  const chooseOf = (states: readonly AddressState[], facts: Partial<ChoiceFacts> = {}) =>
    chooseAddress(states, { ...plain, nowMs: 0, random: () => 0, ...facts });
  const statesOf = (count: number) => Array.from({ length: count }, () => new AddressState());
  const fail = (state: AddressState, times: number, nowMs = 0, isTrial = false) => {
    for (let time = 0; time < times; time += 1)
      recordOutcome(state, 'failed', { nowMs, durationMs: 1, random: 0.5, isTrial });
  };
  const indexes = (states: readonly AddressState[], facts: Partial<ChoiceFacts> = {}) => {
    const random = seededRandom(7);
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
    // The pauseAddress has doubled.
    expect(chooseOf(states, { nowMs: 1_509 })).toMatchObject({ isTrial: false });
    expect(chooseOf(states, { nowMs: 1_510 })).toEqual({ index: 0, isTrial: true });
    recordOutcome(bad, 'ok', { nowMs: 1_600, durationMs: 1, random: 0.5, isTrial: true });
    expect(indexes(states, { nowMs: 1_600 })).toEqual([0, 1, 2]);
  });

  it('forgets the failures of an address whose trial succeeded', () => {
    const [bad] = statesOf(3) as [AddressState];
    fail(bad, 12);
    recordOutcome(bad, 'ok', { nowMs: 600, durationMs: 1, random: 0.5, isTrial: true });
    fail(bad, 4, 700);
    expect(bad.isEjected).toBe(false);
  });

  const succeed = (state: AddressState, times: number, nowMs = 0, isTrial = false) => {
    for (let time = 0; time < times; time += 1)
      recordOutcome(state, 'ok', { nowMs, durationMs: 1, random: 0.5, isTrial });
  };

  it('ejects an address at its tenth failure among twenty calls', () => {
    const state = new AddressState();
    for (let round = 0; round < 9; round += 1) {
      fail(state, 1);
      succeed(state, 1);
    }
    expect(state.isEjected).toBe(false);
    fail(state, 1);
    expect(state.isEjected).toBe(true);
    // After a successful trial, earlier failures no longer count.
    succeed(state, 1, 500, true);
    fail(state, 1, 600);
    expect(state.isEjected).toBe(false);
  });

  it('lets no call that was in flight when its address was ejected delay the trial, or stand for it', () => {
    const states = statesOf(3);
    const [bad] = states as [AddressState];
    fail(bad, 5);
    fail(bad, 3, 400);
    succeed(bad, 1, 400);
    recordOutcome(bad, 'unrelated', { nowMs: 400, durationMs: 1, random: 0.5, isTrial: false });
    expect([bad.isEjected, bad.trialAtMs]).toEqual([true, 500]);
  });

  it.each([
    ['after a longer pauseAddress if it fails again soon', 18, 0, 2_000],
    ['after a longer pauseAddress if it failed five of its last twenty calls', 19, 5, 2_000],
    ['after a short pauseAddress if it failed at most four of its last twenty calls', 19, 4, 500],
  ])('tries an address again %s', (_, successes, failures, pausedMs) => {
    const state = new AddressState();
    for (let time = 0; time < 2; time += 1) {
      fail(state, 5);
      succeed(state, 1, 0, true);
    }
    for (let time = 0; time < successes; time += 1) {
      if (time >= successes - failures * 2 && (successes - time) % 2 === 0) fail(state, 1);
      else succeed(state, 1);
    }
    succeed(state, 1);
    fail(state, 5, 10_000);
    expect([state.isEjected, state.trialAtMs - 10_000]).toEqual([true, pausedMs]);
  });

  it('forgets at a response which callers had timeouts', () => {
    const state = new AddressState();
    const timeOut = (caller: string, times = 1) => {
      for (let time = 0; time < times; time += 1)
        recordOutcome(state, 'timeout', { nowMs: 100, durationMs: 1, random: 0.5, isTrial: false, caller });
    };
    timeOut('one');
    timeOut('another');
    succeed(state, 1);
    timeOut('another', 20);
    expect(isBroken(state)).toBe(false);
    timeOut('one');
    expect(isBroken(state)).toBe(true);
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
    pauseAddress(paused, 3_600_000, 0);
    expect(indexes(states, { nowMs: 59_999 })).toEqual([1]);
    expect(indexes(states, { nowMs: 60_000 })).toEqual([0, 1]);
    pauseAddress(other, 60_000, 0);
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
    const state = new AddressState();
    recordNewest(state, 104, 2_000);
    recordNewest(state, 100, 1_000);
    expect([state.newest, state.newestAtMs]).toEqual([104, 2_000]);
  });

  it('takes the first data of an empty address for no growth', () => {
    const state = new AddressState();
    recordNewest(state, 0, 1_000);
    recordNewest(state, 5_000_000, 2_000);
    expect(upperNewest(state, 3_000)).toBe(5_000_000);
    recordNewest(state, 5_000_004, 2_000);
    expect(upperNewest(state, 3_000)).toBe(5_000_004);
  });

  it('keeps an operation at its address, or moves it to one with data as new', () => {
    const states = statesOf(3);
    const [one, two] = states as [AddressState, AddressState];
    recordNewest(one, 110, 0);
    recordNewest(two, 112, 0);
    const floor = { newest: 112, by: 0, era: 0 };
    expect(indexes(states, { floor, least: 112 })).toEqual([0]);
    expect(indexes(states, { least: 112 })).toEqual([1]);
    expect(indexes(states, { floor, least: 112, tried: 0b001 })).toEqual([1]);
    expect(indexes(states, { least: 113 })).toEqual(['too old']);
  });

  it('tells the newest data that an address may have now from its growth', () => {
    const state = new AddressState();
    expect(upperNewest(state, 5)).toBeNull();
    recordNewest(state, 100, 1_000);
    recordNewest(state, 104, 2_000);
    expect(upperNewest(state, 2_000)).toBe(104);
    expect(upperNewest(state, 2_600)).toBe(107);
  });

  it('averages latency, and gives a new response a share even within the same millisecond', () => {
    const state = new AddressState();
    recordLatency(state, 100, 1_000);
    expect(state.latencyMs).toBe(100);
    recordLatency(state, 0, 6_000);
    expect(state.latencyMs).toBeCloseTo(100 / Math.E);
    recordLatency(state, 0, 6_000);
    expect(state.latencyMs).toBeCloseTo(90 / Math.E);
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

it('stops the retries of a caller that has taken three quarters of the tokens, and resumes them after its successes', () => {
  const tokens = new RetryTokens();
  const fail = (count: number, caller: string) => {
    for (let failures = 0; failures < count; failures += 1) countTokens(tokens, true, caller);
  };
  fail(37, 'one');
  expect(mayRetry(tokens, 'one')).toBe(true);
  fail(200, 'one');
  expect([mayRetry(tokens, 'one'), mayRetry(tokens, 'other'), tokens.count]).toEqual([false, true, 62]);
  for (let successes = 0; successes < 10; successes += 1) countTokens(tokens, false, 'one');
  expect(mayRetry(tokens, 'one')).toBe(true);
  for (let successes = 0; successes < 1_000; successes += 1) countTokens(tokens, false, 'one');
  expect([tokens.count, tokens.takenBy.size]).toEqual([100, 0]);
});

it('stops all retries when the calls of many callers fail, and remembers a bounded number of callers', () => {
  const tokens = new RetryTokens();
  for (let caller = 0; caller < 100; caller += 1) countTokens(tokens, true, `caller ${caller}`);
  expect([tokens.count, mayRetry(tokens), mayRetry(tokens, 'caller 0'), mayRetry(tokens, 'new')]).toEqual([
    50,
    false,
    false,
    false,
  ]);
  for (let caller = 0; caller < 20_000; caller += 1) {
    countTokens(tokens, true, `another ${caller}`);
    for (let successes = 0; successes < 10; successes += 1) countTokens(tokens, false, 'good');
  }
  expect(tokens.takenBy.size).toBe(10_000);
});
