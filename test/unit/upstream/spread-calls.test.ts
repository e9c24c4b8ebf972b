import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CancelCause, ServedOperation } from '../../../src/upstream/cancellation.ts';
import { AddressState, recordNewest, toOutcome } from '../../../src/upstream/choose-address.ts';
import type { Freshness } from '../../../src/upstream/freshness.ts';
import { NetworkInForce } from '../../../src/upstream/network-in-force.ts';
import type { RawListener, RawRequest, RawSink } from '../../../src/upstream/raw-call.ts';
import { RecentWriters, type WriteCounter } from '../../../src/upstream/run-on.ts';
import { spreadCalls } from '../../../src/upstream/spread-calls.ts';
import { UpstreamCallError, type UpstreamFailure } from '../../../src/upstream/upstream-call-error.ts';
import { until } from '../../support/until.ts';

interface Sent {
  readonly address: number;
  readonly request: RawRequest;
  readonly answer: (status?: number, headers?: Record<string, string>) => void;
  readonly fail: (failure: UpstreamFailure) => void;
  readonly listener: RawListener;
  cancelled: CancelCause | null;
}

/** Two addresses whose calls a test answers, and a random choice that begins with the first. */
function setUp({
  count = 2,
  least = null as number | null,
  changes = { count: 0 } as WriteCounter,
  hedgeMs = 0,
  refreshMs = 0,
} = {}) {
  const sent: Sent[] = [];
  const events: string[] = [];
  const states: AddressState[] = [];
  const addresses = Array.from({ length: count }, (_, address) => {
    const state = new AddressState();
    states.push(state);
    return {
      state,
      path: `/${address}`,
      send: (request: RawRequest, listener: RawListener) => {
        const call: Sent = {
          address,
          request,
          listener,
          cancelled: null,
          answer: (status = 200, headers = {}) =>
            listener.answered({ status, headers: new Map(Object.entries(headers)), chunks: [], size: 0 }),
          fail: (failure) => listener.failed(new UpstreamCallError(failure, 'of a test')),
        };
        sent.push(call);
        return {
          isSent: true,
          cancel(cause: CancelCause) {
            call.cancelled = cause;
            call.fail(cause);
          },
        };
      },
    };
  });
  const freshness: Freshness = {
    inForce: new NetworkInForce(),
    maxBehind: 20,
    leastOf: () => least,
    refresh: async () => {
      events.push('refreshed');
      if (refreshMs > 0) await new Promise((resolve) => setTimeout(resolve, refreshMs));
    },
    mayReach: () => events.length < 3,
    follow() {},
    stop() {},
  };
  const spread = spreadCalls({
    addresses,
    freshness,
    changes,
    hedgeMs: hedgeMs || null,
    random: () => 0,
    watch: {
      retried: () => events.push('retried'),
      ejected: (index) => events.push(`ejected ${index}`),
      refused: () => events.push('refused'),
      otherNetwork() {},
    },
  });
  const ends: string[] = [];
  const call = (request: Partial<RawRequest> = {}, listener: Partial<RawListener> = {}) =>
    spread(
      { method: 'POST', path: '/x', headers: [], body: null, timeoutMs: 600_000, ...request },
      {
        answered: ({ status }) => void ends.push(String(status)),
        failed: ({ failure }) => void ends.push(failure),
        ...listener,
      },
    );
  const at = (index: number) => sent[index] as Sent;
  return { call, at, sent, ends, events, states };
}

function fakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

/** The state of an address that fails every call. */
const broken = {
  ...{ isEjected: true, recent: 2 ** 20 - 1, known: 20, failsForAll: true },
  trialAtMs: Number.POSITIVE_INFINITY,
};
const operation = (): ServedOperation => ({ calls: 0 });

describe('a read', () => {
  it('goes to one address, with that path', () => {
    const { call, at, sent, ends } = setUp();
    call();
    at(0).answer();
    expect([sent.length, at(0).request.path, ends]).toEqual([1, '/0', ['200']]);
  });

  it.each(['unreachable', 'interrupted', 'crowded'] as const)('is repeated once elsewhere if it is %s', (failure) => {
    const { call, at, sent, ends, events } = setUp({ count: 3 });
    call();
    at(0).fail(failure);
    expect(at(1).address).not.toBe(at(0).address);
    expect(at(1).request.attempt).toBe(2);
    expect(at(1).request.timeoutMs).toBeLessThanOrEqual(600_000);
    at(1).fail(failure);
    expect([sent.length, ends, events]).toEqual([2, [failure], ['retried']]);
  });

  it.each([502, 503, 504])('is repeated after the status %s', (status) => {
    const { call, at, ends } = setUp();
    call();
    at(0).answer(status);
    at(1).answer();
    expect(ends).toEqual(['200']);
  });

  it.each([200, 400, 429, 500])('is not repeated after the status %s', (status) => {
    const { call, at, sent, ends } = setUp();
    call();
    // A pause that is over already.
    at(0).answer(status, { 'retry-after': new Date(Date.now() - 30_000).toUTCString() });
    expect([sent.length, ends]).toEqual([1, [String(status)]]);
  });

  it.each(['timeout', 'too-large', 'crowded-out', 'unsendable'] as const)('is not repeated if it is %s', (failure) => {
    const { call, at, sent, ends } = setUp();
    call();
    at(0).fail(failure);
    expect([sent.length, ends]).toEqual([1, [failure]]);
  });

  it('leaves an address that asks for a pause, also by a date', () => {
    const { call, at, sent, states } = setUp();
    call();
    at(0).answer(429, { 'retry-after': '30' });
    at(1).answer();
    for (let index = 2; index < 10; index += 1) {
      call();
      at(index).answer();
    }
    expect(sent.slice(1).every(({ address }) => address !== at(0).address)).toBe(true);
    const { call: later, at: sentLater, states: others } = setUp();
    later();
    sentLater(0).answer(503, { 'retry-after': new Date(Date.now() + 30_000).toUTCString() });
    for (const all of [states, others]) expect(all[0]?.pausedUntilMs).toBeGreaterThan(performance.now() + 20_000);
  });

  it.each<[string, end: (sent: Sent) => void]>([
    ['interrupted', ({ fail }) => fail('interrupted')],
    ['503', ({ answer }) => answer(503)],
    ['429', ({ answer }) => answer(429, { 'retry-after': '30' })],
  ])('is not repeated once the retries of all calls have used the tokens: %s', (outcome, end) => {
    const { call, sent, ends, states } = setUp();
    for (let calls = 0; calls < 60; calls += 1) {
      // The breaker would refuse the calls first.
      for (const state of states) Object.assign(state, new AddressState());
      call();
      for (let last = sent.at(-1); ends.length <= calls; last = sent.at(-1)) if (last) end(last);
    }
    expect(new Set(ends)).toEqual(new Set([outcome]));
    // Each attempt takes a token, and retries of one caller stop at 38.
    expect(sent).toHaveLength(60 + 19);
    // Another caller's are repeated.
    call({ operation: { calls: 0, caller: 'another' } });
    for (let last = sent.at(-1); ends.length <= 60; last = sent.at(-1)) if (last) end(last);
    expect(sent).toHaveLength(60 + 19 + 2);
  });

  it('takes a token for a second address of its own accord, which a call that was left does not return', () => {
    fakeTimers();
    const { call, sent, ends } = setUp({ hedgeMs: 100 });
    for (let calls = 0; calls < 60; calls += 1) {
      call();
      vi.advanceTimersByTime(101);
      sent.at(-1)?.answer();
    }
    // A success returns a tenth.
    expect(sent).toHaveLength(60 + 44);
    for (let calls = 0; calls < 100; calls += 1) call().cancel('aborted');
    const before = sent.length;
    call();
    sent.at(-1)?.fail('interrupted');
    expect([sent.length - before, ends.at(-1)]).toEqual([1, 'interrupted']);
  });

  it('is sent to no third address', () => {
    fakeTimers();
    const { call, at, sent } = setUp({ count: 3 });
    call();
    at(0).fail('interrupted');
    vi.advanceTimersByTime(599_000);
    expect(sent).toHaveLength(2);
  });

  it('is sent to a second address if the first one is slow, and the first response counts', async () => {
    const { call, at, sent, ends, states } = setUp({ hedgeMs: 1 });
    call();
    await until(() => sent.length === 2, 'the second address was asked');
    at(1).answer();
    expect([ends, at(0).cancelled]).toEqual([['200'], 'aborted']);
    // It takes at least as long as it was waited for.
    expect(states[at(0).address]?.latencyMs).toBeGreaterThan(0);
    at(0).answer();
    expect(ends).toEqual(['200']);
    expect(states.map(({ inFlight, recent, known }) => [inFlight, recent, known])).toEqual([
      [0, 0, 0],
      [0, 0, 1],
    ]);
  });

  it('counts an address as failed that did not answer within half of the timeout', async () => {
    const { call, at, sent, ends, states } = setUp();
    call({ timeoutMs: 20 });
    await until(() => sent.length === 2, 'the second address was asked');
    at(0).fail('interrupted');
    expect(ends).toEqual([]);
    at(1).answer();
    expect(ends).toEqual(['200']);
    expect(states[at(0).address]?.recent).toBe(1);
  });

  it('leaves an address that has been silent since the call began, and not one that is only slow', async () => {
    const { call, at, sent, states } = setUp();
    const slow = setUp();
    call();
    slow.call();
    await until(() => {
      for (const state of slow.states) state.heardAtMs = performance.now();
      return sent.length === 2;
    }, 'the silent address is left');
    at(1).answer();
    expect(states[at(0).address]?.recent).toBe(1);
    expect(slow.sent).toHaveLength(1);
  });

  it('is a trial of an address only if it may be repeated elsewhere', () => {
    const { call, at, states } = setUp({ count: 3 });
    Object.assign(states[1] as AddressState, { isEjected: true, trialAtMs: 0 });
    call({ runOnMs: 1_000 });
    call();
    call();
    at(2).fail('interrupted');
    expect([0, 1, 2, 3].map((index) => at(index).address)).toEqual([0, 1, 2, 0]);
  });

  it('that is a trial is the only one, and is sent to a second address after 250 ms', () => {
    fakeTimers();
    const { call, at, sent, ends, states } = setUp();
    Object.assign(states[0] as AddressState, { isEjected: true, trialAtMs: 0, heardAtMs: Number.POSITIVE_INFINITY });
    call();
    call();
    expect(sent.map(({ address }) => address)).toEqual([0, 1]);
    at(1).answer();
    vi.advanceTimersByTime(249);
    expect(sent).toHaveLength(2);
    vi.advanceTimersByTime(2);
    expect(sent).toHaveLength(3);
    at(2).answer();
    expect([ends, states[0]?.isEjected]).toEqual([['200', '200'], true]);
    Object.assign(states[0] as AddressState, { trialAtMs: 0 });
    call();
    at(3).answer();
    expect([at(3).address, states[0]?.isEjected]).toEqual([0, false]);
  });

  it('has the rest of its time at the second address, whose answer counts if the first one fails', () => {
    fakeTimers();
    const { call, at, sent, ends } = setUp();
    call({ timeoutMs: 10_000 });
    vi.advanceTimersByTime(1_501);
    expect(sent.map(({ request }) => Math.round(request.timeoutMs / 100))).toEqual([100, 85]);
    at(0).answer(503);
    expect(ends).toEqual([]);
    at(1).answer();
    expect([ends, vi.getTimerCount()]).toEqual([['200'], 0]);
  });

  it('that streams is neither repeated nor hedged, and can be cancelled', () => {
    const { call, at, sent, states } = setUp();
    const received: string[] = [];
    const sink: RawSink = {
      data: () => true,
      end: () => received.push('end'),
      failed: ({ failure }) => received.push(failure),
    };
    const inFlight = call({}, { stream: () => sink });
    const begun = { status: 200, headers: new Map(), chunks: [], size: 0 };
    const stream = at(0).listener.stream?.(begun, () => {});
    expect(stream?.data(Buffer.from('x'))).toBe(true);
    inFlight.cancel('aborted');
    expect([received, sent.length, at(0).cancelled]).toEqual([['aborted'], 1, 'aborted']);
    expect(states[0]?.inFlight).toBe(0);
    call({}, { stream: () => sink });
    at(1)
      .listener.stream?.(begun, () => {})
      ?.end();
    expect(received).toEqual(['aborted', 'end']);
  });

  it('leaves no timer behind, however it ends', () => {
    fakeTimers();
    const { call, at, ends } = setUp();
    const begun = { status: 200, headers: new Map(), chunks: [], size: 0 };
    const calls = [0, 1, 2].map(() => call());
    call({}, { stream: () => ({ data: () => true, end() {}, failed() {} }) });
    expect(vi.getTimerCount()).toBe(4);
    call();
    at(4).fail('interrupted');
    at(5).answer();
    ends.length = 0;
    at(0).answer();
    at(1).fail('timeout');
    calls[2]?.cancel('aborted');
    at(3).listener.stream?.(begun, () => {});
    expect([ends, vi.getTimerCount()]).toEqual([['200', 'timeout', 'aborted'], 0]);
  });

  it('is not repeated after its client has left', () => {
    const { call, sent, ends } = setUp();
    call().cancel('aborted');
    expect([sent.length, ends]).toEqual([1, ['aborted']]);
  });
});

describe('a mutation', () => {
  const mutation = { runOnMs: 1_000 };

  it.each(['interrupted', 'timeout'] as const)('is never repeated if it may have arrived: %s', (failure) => {
    const { call, at, sent, ends } = setUp();
    call(mutation);
    at(0).fail(failure);
    expect([sent.length, ends]).toEqual([1, [failure]]);
  });

  it('is never sent to a second address while the first one may still answer', () => {
    fakeTimers();
    const { call, sent } = setUp({ hedgeMs: 1 });
    call(mutation);
    vi.advanceTimersByTime(600_000);
    expect([sent.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it('counts as sent once any address has it, and waits for no newer data', () => {
    const { call, sent } = setUp({ least: 10_000 });
    expect([call(mutation).isSent, sent.length]).toEqual([true, 1]);
  });

  it('is not repeated once its time is over', () => {
    fakeTimers();
    const { call, at, sent } = setUp();
    call({ ...mutation, timeoutMs: 10 });
    vi.advanceTimersByTime(10);
    at(0).fail('unreachable');
    expect(sent).toHaveLength(1);
  });

  it('is not repeated after a bad status', () => {
    const { call, at, sent, ends } = setUp();
    call(mutation);
    at(0).answer(503, { 'retry-after': '1' });
    expect([sent.length, ends]).toEqual([1, ['503']]);
  });

  it.each(['unreachable', 'crowded'] as const)('is repeated elsewhere if it did not arrive: %s', (failure) => {
    const { call, at, ends } = setUp();
    call(mutation);
    at(0).fail(failure);
    at(1).answer();
    expect([at(0).address, at(1).address, ends]).toEqual([0, 1, ['200']]);
  });
});

describe('answers that do not go back in time', () => {
  /** The second address is a little behind the first. */
  function setUpLag(options: Parameters<typeof setUp>[0] = {}) {
    const set = setUp(options);
    recordNewest(set.states[0] as AddressState, 110, performance.now());
    recordNewest(set.states[1] as AddressState, 105, performance.now());
    return set;
  }
  /** Makes the other address the better choice. */
  const busy = (state: AddressState | undefined) => {
    if (state) state.inFlight += 100;
  };

  it('keep the calls of an operation at its address, unlike those of others', () => {
    const { call, at, states } = setUpLag();
    const one = operation();
    call({ operation: one });
    at(0).answer();
    busy(states[0]);
    call({ operation: one });
    call({ operation: operation() });
    expect([at(1).address, at(2).address]).toEqual([0, 1]);
  });

  it('keep no call at an address that answered with an error', () => {
    const { call, at, states } = setUpLag();
    const one = operation();
    call({ operation: one });
    at(0).answer(500);
    busy(states[0]);
    call({ operation: one });
    expect(at(1).address).toBe(1);
  });

  it('ask for news before an operation moves to an address that may be older, and move once it is as new', async () => {
    const { call, at, sent, states, events, ends } = setUpLag();
    const one = operation();
    call({ operation: one });
    at(0).answer();
    const [first, second] = states as [AddressState, AddressState];
    Object.assign(first, broken);
    call({ operation: one });
    expect(sent).toHaveLength(1);
    await until(() => events.includes('refreshed'), 'the addresses are asked');
    recordNewest(second, 1_000, performance.now());
    await until(() => sent.length === 2, 'the call is sent');
    expect(at(1).address).toBe(1);
    at(1).answer();
    expect(ends).toEqual(['200', '200']);
  });

  it('wait for an address that is as new if that of the operation fails, and are then repeated there', async () => {
    const { call, at, sent, states, events, ends } = setUpLag();
    const one = operation();
    call({ operation: one });
    at(0).answer();
    call({ operation: one });
    at(1).fail('unreachable');
    expect([sent.length, ends]).toEqual([2, ['200']]);
    await until(() => events.includes('refreshed'), 'the addresses are asked');
    recordNewest(states[1] as AddressState, 1_000, performance.now());
    await until(() => sent.length === 3, 'the call is repeated');
    at(2).answer();
    expect([at(1).address, at(2).address, ends]).toEqual([0, 1, ['200', '200']]);
    expect(events.filter((event) => event === 'retried')).toHaveLength(1);
  });

  it.each([
    ['are repeated at another address if none becomes as new', false, 'sent again'],
    ['are refused if every address fails while they wait', true, 'refused'],
  ])('%s', async (_, breaks, end) => {
    const { call, at, sent, states, ends } = setUpLag();
    const one = operation();
    call({ operation: one });
    at(0).answer();
    call({ operation: one });
    at(1).fail('unreachable');
    if (breaks) for (const state of states) Object.assign(state, broken);
    await until(() => sent.length === 3 || ends.length === 2, 'the call ends or is repeated');
    expect(ends[1] ?? 'sent again').toBe(end);
  });

  it('do not move to an older address for a page, which that address has, but for a mutation', () => {
    const { call, at, sent, states } = setUpLag({ least: 50 });
    const one = operation();
    call({ operation: one });
    at(0).answer();
    Object.assign(states[0] as AddressState, broken);
    call({ operation: one });
    expect(sent).toHaveLength(1);
    call({ operation: one, runOnMs: 1_000 });
    expect(at(1).address).toBe(1);
  });

  it('ask the newest address for the newest data, whatever the operation has read before', () => {
    const { call, at, states } = setUpLag({ least: Number.POSITIVE_INFINITY });
    const one = operation();
    busy(states[0]);
    call({ operation: one, runOnMs: 1_000 });
    at(0).answer();
    call({ operation: one });
    expect([at(0).address, at(1).address]).toEqual([1, 0]);
  });

  it('send a page to an address that has its checkpoint, or to any if none ever will', async () => {
    const { call, at, sent, states } = setUpLag({ least: 108 });
    busy(states[0]);
    call();
    expect(at(0).address).toBe(0);
    const { call: other, sent: sentToOther } = setUpLag({ least: 10_000 });
    other();
    await until(() => sentToOther.length === 1, 'the page is sent');
    expect(sent).toHaveLength(1);
  });

  it('leave the address of an operation for a page that is newer than all it has answered', () => {
    const { call, at, states } = setUpLag({ least: 108 });
    const one = operation();
    busy(states[0]);
    call({ operation: one, runOnMs: 1_000 });
    at(0).answer();
    call({ operation: one });
    expect([at(0).address, at(1).address]).toEqual([1, 0]);
  });

  it('are repeated elsewhere if the address is silent, also after they waited for newer data', async () => {
    fakeTimers();
    const { call, sent } = setUpLag({ least: 10_000, refreshMs: 1_600 });
    call();
    await vi.advanceTimersByTimeAsync(3_200);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_600);
    expect(sent.map(({ address }) => address)).toEqual([0, 1]);
  });

  it('blame no address for the time in which they waited for newer data', async () => {
    fakeTimers();
    const { call, at, sent, states } = setUpLag({ least: 10_000, refreshMs: 600 });
    call({ timeoutMs: 2_000 });
    // It waits for at most half of its time.
    await vi.advanceTimersByTimeAsync(1_200);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(399);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(sent).toHaveLength(2);
    at(1).answer();
    expect(states[0]?.recent).toBe(1);
  });

  it('keep an operation at the newest address of those that answered calls at once, whichever was last', () => {
    const { call, at, states } = setUpLag();
    const one = operation();
    call({ operation: one });
    busy(states[0]);
    call({ operation: one });
    expect([at(0).address, at(1).address]).toEqual([0, 1]);
    at(0).answer();
    at(1).answer();
    call({ operation: one });
    expect(at(2).address).toBe(0);
  });

  it.each([
    ['as new by now', 105, 120],
    ['perhaps as new', 109, 105],
  ])('stay at the address of an operation for a page if it is %s', (_, seen, newest) => {
    const { call, at, states } = setUpLag({ least: 108 });
    const second = states[1] as AddressState;
    const one = operation();
    busy(states[0]);
    second.newest = seen;
    call({ operation: one, runOnMs: 1_000 });
    at(0).answer();
    second.newest = newest;
    Object.assign(states[0] as AddressState, { inFlight: 0 });
    busy(second);
    call({ operation: one });
    expect([at(0).address, at(1).address]).toEqual([1, 1]);
  });

  it('stay at the address of an operation for a page that no address ever has', async () => {
    const { call, at, sent, states } = setUpLag({ least: 10_000 });
    const one = operation();
    busy(states[0]);
    call({ operation: one, runOnMs: 1_000 });
    at(0).answer();
    Object.assign(states[0] as AddressState, { inFlight: 0 });
    busy(states[1]);
    call({ operation: one });
    await until(() => sent.length === 2, 'the page is sent');
    expect([at(0).address, at(1).address]).toEqual([1, 1]);
  });

  it('count what an address may have got since its last report', () => {
    fakeTimers();
    const { call, at, sent, states } = setUpLag();
    const one = operation();
    busy(states[0]);
    Object.assign(states[1] as AddressState, { newestPerMs: 1 });
    vi.advanceTimersByTime(10);
    call({ operation: one });
    at(0).answer();
    Object.assign(states[1] as AddressState, broken);
    call({ operation: one });
    // The other one has 110, and the answer may have had 115.
    expect(sent).toHaveLength(1);
  });

  it('can be cancelled while they wait, and are not sent then', async () => {
    const { call, sent, ends, events } = setUpLag({ least: 10_000 });
    const inFlight = call();
    expect(inFlight.isSent).toBe(false);
    inFlight.cancel('timeout');
    await new Promise(setImmediate);
    expect([ends, sent.length, events]).toEqual([['timeout'], 0, ['refreshed']]);
  });

  it('keep a caller that has written at one address, and others free', () => {
    const writers = new RecentWriters();
    const { call, at, states } = setUpLag({ changes: { count: 0, writers } });
    const read = (caller: string) => call({ operation: { calls: 0, caller } });
    writers.note('writer', performance.now());
    read('writer');
    at(0).answer();
    busy(states[0]);
    read('writer');
    read('other');
    expect([at(1).address, at(2).address]).toEqual([0, 1]);
  });
});

it('refuses calls if every address fails', () => {
  const { call, states, ends, events, sent } = setUp();
  for (const state of states) Object.assign(state, broken);
  call();
  expect([ends, events, sent.length]).toEqual([['refused'], ['refused'], 0]);
});

it('reports an address that fails once, however often it fails', () => {
  const { call, at, events } = setUp({ count: 1 });
  for (let calls = 0; calls < 8; calls += 1) {
    call();
    at(calls).fail('timeout');
  }
  expect(events).toEqual(['ejected 0']);
});

it.each([
  [['a', 'b'], true],
  [['a', 'a'], false],
])('counts timeouts of the callers %j as a failure for all: %s', (callers, expected) => {
  const { call, at, states } = setUp({ count: 1 });
  for (const [index, caller] of callers.entries()) {
    call({ operation: { calls: 0, caller } });
    at(index).fail('timeout');
  }
  expect(states[0]?.failsForAll).toBe(expected);
});

it.each<[UpstreamFailure, ReturnType<typeof toOutcome>]>([
  ['too-large', 'ok'],
  ['garbled', 'ok'],
  ['timeout', 'timeout'],
  ['no-connection', 'timeout'],
  ['interrupted', 'failed'],
  ['unreachable', 'failed'],
  ['aborted', 'unrelated'],
  ['crowded', 'unrelated'],
])('a call that is %s says of its address: %s', (failure, outcome) => {
  expect(toOutcome(new UpstreamCallError(failure, 'of a test'))).toBe(outcome);
});
