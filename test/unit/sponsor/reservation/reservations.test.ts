import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../../src/config/secret.ts';
import { gatewayError } from '../../../../src/errors/gateway-error.ts';
import { createLeaseKeys } from '../../../../src/sponsor/leases.ts';
import { createReservations, pauseUnlessOver, type ReservationOrder } from '../../../../src/sponsor/reservations.ts';
import { InconclusiveResponse } from '../../../../src/sponsor/sponsor-refusal.ts';
import type { SponsorshipStore } from '../../../../src/sponsor/store/decide.ts';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import { createRetryingStore } from '../../../../src/sponsor/store/retrying-store.ts';
import { defaultStoreBounds, StoreUnavailableError } from '../../../../src/sponsor/store/sponsorship-store.ts';

import type { SponsorshipFacts } from '../../../../src/telemetry/sponsorship-line.ts';
import { type Cancellation, createCancellation } from '../../../../src/upstream/cancellation.ts';
import { UpstreamCallError } from '../../../../src/upstream/upstream-call-error.ts';
import { failingStore, type StoreFault } from '../../../support/failing-store.ts';
import { allowanceOf, type TestBudget } from '../../../support/sponsorship-flow.ts';
import { toTestPolicy } from '../../../support/test-policy.ts';

const holder = 'client:web-app';
const gas = { key: 'client:web-app', perDay: 100 };
const coins = (number: number) => ({
  rawReservationId: String(number),
  sponsorAddress: '0x5',
  gasCoins: [{ objectId: '0xc01', version: '7', digest: 'D0' }],
});
const leases = createLeaseKeys(new Secret('the key of leases in tests'));

interface SetUp {
  readonly auth?: 'forward' | 'token';
  readonly store?: SponsorshipStore;
}

/** A sponsor in memory that numbers what it reserves, and a clock that a test moves. */
function setUp({ auth = 'token', store = createMemoryStore() }: SetUp = {}) {
  const time = { nowMs: Date.UTC(2026, 0, 31, 12) };
  const [events, asked]: [SponsorshipFacts[], number[]] = [[], []];
  const isOurs = auth === 'token';
  const world = {
    store,
    leases: isOurs ? leases : null,
    isStoreNeeded: isOurs,
    now: () => time.nowMs,
    answerMs: 10_000,
    maxOpenReservations: null,
    audit: (event: SponsorshipFacts) => events.push(event),
  };
  /** Two processes that serve as one gateway. */
  const [here, there] = [createReservations(world), createReservations(world)];
  const order = ({ gas, ...about }: Partial<ReservationOrder> & { gas?: TestBudget } = {}): ReservationOrder => ({
    holder,
    visitor: about.holder ?? holder,
    sender: null,
    spender: { visitor: holder, policy: gas ? toTestPolicy({ gas: { perDay: gas.perDay } }, gas.key) : null },
    gasBudget: 5,
    reserveDurationSecs: 60,
    idempotencyKey: null,
    cancellation: createCancellation(),
    send: async () => coins(asked.push(asked.length) + 41),
    requestId: 'r',
    ...about,
  });
  return { time, events, asked, here, there, order, store };
}

/** A store that is away from the step on that is named. */
function awayFrom(step: 'beginReservation' | 'endReservation' | 'findReservation'): SponsorshipStore {
  const away = () => Promise.reject(new StoreUnavailableError());
  return { ...createMemoryStore(), [step]: away };
}

/** Begins the execution of a lease, as `executeTx` does. */
async function execute(store: SponsorshipStore, reservationId: string, expiresAtMs: number, nowMs: number) {
  const { leaseId } = leases.open(reservationId, holder) ?? { leaseId: '' };
  await store.beginExecution({
    ...{ caller: holder, leaseId, digest: 'D', expiresAtMs, mustBeKnown: true, amount: 5 },
    ...{ sender: null, senderHolds: [] },
    ...{ idempotency: null, bodyHash: 'b', attempt: 'a', answerByMs: nowMs, nowMs },
    ...{ budget: 5, requestId: 'r', needsReservation: false },
  });
}

/** A store that fails after 1,000 begins: a call that repeats them without a pause would block the event loop for ever. */
function boundedStore() {
  const memory = createMemoryStore();
  const counts = { begins: 0 };
  const beginReservation: SponsorshipStore['beginReservation'] = (begin) => {
    counts.begins += 1;
    return counts.begins > 1_000 ? Promise.reject(new StoreUnavailableError()) : memory.beginReservation(begin);
  };
  return { store: { ...memory, beginReservation }, counts };
}

const refusals: readonly [string, () => Error, boolean][] = [
  ['a refusal of the sponsor', () => gatewayError('SPONSOR_REJECTED', 'no'), false],
  ['a connection that was never made', () => lost('unreachable'), false],
  ['silence', () => lost('timeout'), true],
  ['an answer broken off', () => lost('interrupted'), true],
  [
    'an answer that tells nothing',
    () => gatewayError('UPSTREAM_BAD_RESPONSE', 'what', {}, { originalError: new InconclusiveResponse() }),
    true,
  ],
  ['a fault of our own', () => new TypeError('x is undefined'), true],
];
const lost = (failure: 'unreachable' | 'timeout' | 'interrupted') =>
  gatewayError('UPSTREAM_UNAVAILABLE', 'gone', {}, { originalError: new UpstreamCallError(failure, 'x') });

describe('a reservation', () => {
  it('is a lease that its caller can open, expiring from before the sponsor was called', async () => {
    const { here, order, time, events } = setUp();
    const atMs = time.nowMs;
    const send = async () => {
      time.nowMs += 2_000;
      return coins(42);
    };
    const reserved = await here.reserve(order({ send }));
    expect(reserved).toMatchObject({
      sponsorAddress: '0x5',
      gasBudget: 5,
      expiresAtMs: atMs + 60_000,
      isConsumed: false,
    });
    const lease = leases.open(reserved.reservationId, holder);
    expect(lease).toMatchObject({ rawReservationId: '42', gasBudget: 5, issuedAtMs: atMs, expiresAtMs: atMs + 60_000 });
    const who = { caller: holder, visitor: holder, sender: null };
    const reason = { code: null, rule: null };
    expect(events).toEqual([
      { event: 'reserved', ...who, leaseId: lease?.leaseId, requestId: 'r', budget: 5, ...reason },
    ]);
  });

  it('in forward mode is the sponsor’s own number', async () => {
    const { here, order } = setUp({ auth: 'forward' });
    const { reservationId } = await here.reserve(order());
    expect(reservationId).toBe('42');
    expect(await here.find('42', holder)).toMatchObject({ reservationId: '42', gasBudget: 5 });
    expect(await here.find('42', 'somebody else')).toBeNull();
    expect(await here.find('43', holder)).toBeNull();
  });

  it('is not looked up for texts longer than any number, because one may fill many fields', async () => {
    const memory = createMemoryStore();
    const asked: string[] = [];
    const findReservation: SponsorshipStore['findReservation'] = (find) => {
      asked.push(find.leaseId);
      return memory.findReservation(find);
    };
    const { here } = setUp({ auth: 'forward', store: { ...memory, findReservation } });
    for (const text of ['4'.repeat(1_000_000), '18446744073709551615'])
      expect(await here.find(text, holder)).toBeNull();
    expect(asked).toEqual(['18446744073709551615']);
  });

  it('is found by its caller only, in each process, with its state', async () => {
    const { here, there, order, store, time } = setUp();
    const reserved = await here.reserve(order());
    const { reservationId, expiresAtMs } = reserved;
    expect(await there.find(reservationId, holder)).toEqual(reserved);
    expect(await there.find(reservationId, 'somebody else')).toBeNull();
    for (const text of ['', '42', `${reservationId}A`, reservationId.slice(1)])
      expect(await there.find(text, holder)).toBeNull();
    await execute(store, reservationId, expiresAtMs, time.nowMs);
    expect(await there.find(reservationId, holder)).toEqual({ ...reserved, isConsumed: true });
    time.nowMs = expiresAtMs;
    expect(await there.find(reservationId, holder)).toEqual({ ...reserved, isConsumed: true });
  });

  it.each(refusals)('after %s is null, with the right hold on the budget', async (_, toError, isLost) => {
    const { here, order, events, store, time } = setUp();
    const error = toError();
    await expect(here.reserve(order({ gas, send: () => Promise.reject(error) }))).rejects.toBe(error);
    expect(events).toMatchObject([{ event: isLost ? 'reserve-lost' : 'reserve-refused', budget: 5 }]);
    expect(await allowanceOf(store, gas, time.nowMs)).toMatchObject({ held: isLost ? 5 : 0, settled: 0 });
    expect(await allowanceOf(store, gas, time.nowMs + 60_000)).toMatchObject({ held: 0, free: 100 });
  });
});

describe('the end of a reservation', () => {
  const ends: (readonly [string, ReservationOrder['send']])[] = [
    ['reserved', async () => coins(42)],
    ...refusals.map(([name, toError]) => [name, () => Promise.reject(toError())] as const),
  ];

  it.each(ends)('is stored before its caller gets the response: %s', async (_, send) => {
    const memory = createMemoryStore();
    const events: string[] = [];
    const { here, order } = setUp({
      store: {
        ...memory,
        async endReservation(end) {
          await turnOfEvents();
          await memory.endReservation(end);
          events.push('stored');
        },
      },
    });
    const answered = () => events.push('answered');
    await here.reserve(order({ send })).then(answered, answered);
    expect(events).toEqual(['stored', 'answered']);
  });
});

describe('a gas budget', () => {
  it('is not exceeded by concurrent reservations, and the rejection contains the rest', async () => {
    const { here, there, order, asked, time } = setUp();
    const both = await Promise.allSettled(
      [here, there].map((process) => process.reserve(order({ gas, gasBudget: 60 }))),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(asked).toHaveLength(1);
    await expect(here.reserve(order({ gas, gasBudget: 41 }))).rejects.toMatchObject({
      message: expect.stringContaining('40 of 100'),
      extensions: {
        code: 'RATE_LIMITED',
        retry: 'backoff',
        argument: 'gasBudget',
        gas: { limit: 100, held: 60, settled: 0, left: 40, resetsAt: '2026-02-01T00:00:00.000Z' },
        // When the hold expires, long before the day ends.
        retryAfterMs: 60_000,
      },
    });
    await here.reserve(order({ gas, gasBudget: 40 }));
    time.nowMs += 60_000;
    await here.reserve(order({ gas, gasBudget: 100 }));
  });
});

describe('an idempotency key', () => {
  const idempotencyKey = 'a key';

  it('returns the same reservation again, in each process, with its remaining time', async () => {
    const { here, there, order, asked, events, time } = setUp();
    const reserved = await here.reserve(order({ idempotencyKey, gas }));
    time.nowMs += 61_000;
    expect(await there.reserve(order({ idempotencyKey, gas }))).toEqual(reserved);
    time.nowMs += 23 * 60 * 60_000;
    expect(await here.reserve(order({ idempotencyKey, gas }))).toEqual(reserved);
    expect(asked).toHaveLength(1);
    expect(events.map(({ event }) => event)).toEqual(['reserved', 'reserve-replayed', 'reserve-replayed']);
    time.nowMs += 2 * 60 * 60_000;
    expect(await here.reserve(order({ idempotencyKey, gas }))).not.toEqual(reserved);
  });

  it('returns a reservation that was used meanwhile as used', async () => {
    const { here, there, order, store, time } = setUp();
    const reserved = await here.reserve(order({ idempotencyKey }));
    await execute(store, reserved.reservationId, reserved.expiresAtMs, time.nowMs);
    expect(await there.reserve(order({ idempotencyKey }))).toEqual({ ...reserved, isConsumed: true });
  });

  it('of another caller is another key', async () => {
    const { here, order, asked } = setUp();
    await here.reserve(order({ idempotencyKey }));
    for (const other of ['client:another-app', 'address:192.0.2.1'])
      await here.reserve(order({ idempotencyKey, holder: other }));
    expect(asked).toHaveLength(3);
  });

  it.each([{ gasBudget: 6 }, { reserveDurationSecs: 61 }])('with %j is a conflict', async (change) => {
    const { here, order, asked } = setUp();
    await here.reserve(order({ idempotencyKey }));
    await expect(here.reserve(order({ idempotencyKey, ...change }))).rejects.toMatchObject({
      extensions: { code: 'IDEMPOTENCY_CONFLICT', argument: 'idempotencyKey' },
    });
    expect(asked).toHaveLength(1);
  });

  it('lets twins wait for one sponsor call, in this process and in another', async () => {
    const { here, there, order } = setUp();
    let asked = 0;
    let answer = (_: ReturnType<typeof coins>) => {};
    const send = () => {
      asked += 1;
      return new Promise<ReturnType<typeof coins>>((resolve) => (answer = resolve));
    };
    const twins = [here, here, there, there].map((process) => process.reserve(order({ idempotencyKey, send })));
    await expect.poll(() => asked).toBe(1);
    answer(coins(42));
    const [first, ...rest] = await Promise.all(twins);
    expect(rest).toEqual([first, first, first]);
    expect(asked).toBe(1);
  });

  it('lets a twin wait for its own caller’s call, whatever happens to another caller’s', async () => {
    // A second without an answer would make the twin poll the store again.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const memory = createMemoryStore();
    let begins = 0;
    const beginReservation: SponsorshipStore['beginReservation'] = (begin) => {
      begins += 1;
      return memory.beginReservation(begin);
    };
    const { here, order } = setUp({ store: { ...memory, beginReservation } });
    const answers: ((reserved: ReturnType<typeof coins>) => void)[] = [];
    const send = () => new Promise<ReturnType<typeof coins>>((resolve) => answers.push(resolve));
    const own = here.reserve(order({ idempotencyKey, send }));
    await turnOfEvents();
    const others = here.reserve(order({ idempotencyKey, send, holder: 'somebody else' }));
    await turnOfEvents();
    const twin = here.reserve(order({ idempotencyKey }));
    await turnOfEvents();
    answers[1]?.(coins(43));
    await others;
    await turnOfEvents();
    expect(begins).toBe(3);
    answers[0]?.(coins(42));
    expect(await twin).toEqual(await own);
  });

  it('can be reused after a rejection, and a waiting twin then calls itself', async () => {
    const { here, there, order, asked } = setUp();
    let refuse = (_: Error) => {};
    const answered = new Promise<never>((_, reject) => (refuse = reject));
    const send = () => answered;
    const first = here.reserve(order({ idempotencyKey, send }));
    const second = there.reserve(order({ idempotencyKey }));
    refuse(gatewayError('SPONSOR_EXHAUSTED', 'no coins'));
    await expect(first).rejects.toMatchObject({ extensions: { code: 'SPONSOR_EXHAUSTED' } });
    expect(await second).toMatchObject({ gasBudget: 5 });
    expect(asked).toHaveLength(1);
  });

  it('lets a twin wait for the current call, without repeated calls, when the first one was rejected', async () => {
    const { store, counts } = boundedStore();
    const { here, there, order } = setUp({ store });
    const refuse = () => Promise.reject(gatewayError('SPONSOR_EXHAUSTED', 'no coins'));
    await expect(here.reserve(order({ idempotencyKey, send: refuse }))).rejects.toThrow('no coins');
    let answer = (_: ReturnType<typeof coins>) => {};
    const send = () => new Promise<ReturnType<typeof coins>>((resolve) => (answer = resolve));
    const elsewhere = there.reserve(order({ idempotencyKey, send }));
    counts.begins = 0;
    const twin = here.reserve(order({ idempotencyKey }));
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
    // At most after 25 ms, 50 ms, and so on.
    expect(counts.begins).toBeLessThan(10);
    answer(coins(42));
    expect(await twin).toEqual(await elsewhere);
  });

  it('with a lost response reserves nothing more until the coins are free again', async () => {
    const { here, order, asked, time } = setUp();
    await expect(
      here.reserve(order({ idempotencyKey, send: () => Promise.reject(lost('timeout')) })),
    ).rejects.toMatchObject({ extensions: { retry: 'same-key', retryAfterMs: 60_000 } });
    await expect(here.reserve(order({ idempotencyKey }))).rejects.toMatchObject({
      message: expect.stringContaining('2026-01-31T12:01:00.000Z'),
      extensions: { code: 'UPSTREAM_TIMEOUT', retry: 'same-key', argument: 'idempotencyKey', retryAfterMs: 60_000 },
    });
    expect(asked).toHaveLength(0);
    time.nowMs += 60_000;
    await here.reserve(order({ idempotencyKey }));
  });

  it.each(['aborted', 'timeout'] as const)('releases a twin that is %s, and nothing of it was sent', async (cause) => {
    const { here, there, order } = setUp({ store: boundedStore().store });
    let answer = (_: ReturnType<typeof coins>) => {};
    const send = () => new Promise<ReturnType<typeof coins>>((resolve) => (answer = resolve));
    const first = here.reserve(order({ idempotencyKey, send }));
    const cancellations = [createCancellation(), createCancellation()] as const;
    const never = () => Promise.reject(new Error('asked'));
    const waiting = [here, there].map((process, index) =>
      process.reserve(order({ idempotencyKey, send: never, cancellation: cancellations[index as 0 | 1] })),
    );
    for (const cancellation of cancellations) cancellation.cancel(cause);
    for (const twin of waiting) await expect(twin).rejects.toMatchObject({ extensions: { code: 'REQUEST_TIMEOUT' } });
    answer(coins(42));
    await first;
  });
});

const full = { code: 'RATE_LIMITED', retryAfterMs: 60_000 };
const unavailable = { code: 'UPSTREAM_UNAVAILABLE' };
describe.each([
  ['full', () => createMemoryStore({ ...defaultStoreBounds, maxLeases: 0 }), full, full],
  ['unavailable', () => awayFrom('beginReservation'), unavailable, { ...unavailable, argument: 'idempotencyKey' }],
] as const)('while the store is %s', (_, open, extensions, ofKey) => {
  it('nothing is sent in token mode', async () => {
    const { here, order, asked, events } = setUp({ store: open() });
    await expect(here.reserve(order())).rejects.toMatchObject({ extensions });
    expect(asked).toEqual([]);
    expect(events).toMatchObject([{ event: 'reserve-refused', leaseId: null, code: extensions.code }]);
  });

  it('forward mode reserves nevertheless, but not under a key that could not be stored', async () => {
    const { here, order, asked } = setUp({ auth: 'forward', store: open() });
    expect(await here.reserve(order())).toMatchObject({ reservationId: '42' });
    await expect(here.reserve(order({ idempotencyKey: 'k' }))).rejects.toMatchObject({ extensions: ofKey });
    expect(asked).toHaveLength(1);
  });
});

describe('while the store is unreliable', () => {
  it('forward mode stores a reservation whose begin was not confirmed', async () => {
    const memory = createMemoryStore();
    let fault: StoreFault = 'after';
    const failing = failingStore(memory, () => fault);
    const store = createRetryingStore(failing, { now: () => 0, givenUp: () => {} });
    const { here, order, time } = setUp({ auth: 'forward', store });
    const send = async () => {
      fault = null;
      // Writes what waits, as the store does while the sponsor responds.
      await store.close();
      return coins(42);
    };
    await here.reserve(order({ gas, send }));
    expect(await here.find('42', holder)).toMatchObject({ reservationId: '42' });
    expect(await allowanceOf(memory, gas, time.nowMs)).toMatchObject({ held: 5 });
  });

  test('a made reservation is returned, even if its end cannot be stored', async () => {
    const { here, order } = setUp({ store: awayFrom('endReservation') });
    expect(await here.reserve(order())).toMatchObject({ gasBudget: 5 });
  });

  it('a reservation cannot be looked up, but an invented one is null', async () => {
    const { here, order } = setUp({ store: awayFrom('findReservation') });
    const { reservationId } = await here.reserve(order());
    await expect(here.find(reservationId, holder)).rejects.toMatchObject({
      extensions: { code: 'UPSTREAM_UNAVAILABLE' },
    });
    expect(await here.find(`${reservationId}A`, holder)).toBeNull();
  });
});

test.each(['time', 'twin', 'operation'] as const)(
  'a pause ends with its %s, and leaves nothing behind',
  async (cause) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const listeners = new Set<Parameters<Cancellation['onCancel']>[0]>();
    const onCancel: Cancellation['onCancel'] = (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    let end = () => {};
    const twin = new Promise<void>((resolve) => (end = resolve));
    const paused = pauseUnlessOver(3_600_000, { onCancel } as Cancellation, twin);
    if (cause === 'time') vi.advanceTimersByTime(3_600_000);
    else if (cause === 'twin') end();
    else for (const listener of listeners) listener('aborted');
    await paused;
    expect([vi.getTimerCount(), listeners.size]).toEqual([0, 0]);
  },
);
