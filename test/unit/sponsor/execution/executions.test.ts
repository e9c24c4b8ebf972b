import { setImmediate as turnOfEvents } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { gatewayError } from '../../../../src/errors/gateway-error.ts';
import type { FoundTransaction, PayingCoin } from '../../../../src/ledger/find-transaction.ts';
import type {
  ExecutionFact,
  ExecutionOrder,
  ExecutionSubject,
  SponsorVerdict,
} from '../../../../src/sponsor/execution/execution-order.ts';
import { toExecutionPace } from '../../../../src/sponsor/execution/execution-order.ts';
import { createExecutions, type ExecutionsOptions } from '../../../../src/sponsor/execution/executions.ts';
import { DoubtfulRefusal } from '../../../../src/sponsor/sponsor-refusal.ts';
import type { SponsorshipStore } from '../../../../src/sponsor/store/decide.ts';
import { createMemoryStore } from '../../../../src/sponsor/store/memory-store.ts';
import { defaultStoreBounds } from '../../../../src/sponsor/store/sponsorship-store.ts';
import { createCancellation, type OpenCancellation } from '../../../../src/upstream/cancellation.ts';
import { countLiveObjects } from '../../../support/count-live-objects.ts';
import { failingStore, type StoreFault } from '../../../support/failing-store.ts';
import { allowanceOf, newFlow } from '../../../support/sponsorship-flow.ts';

/** Effects of an unknown form. */
const effects = { effects: null, rawEffects: { of: 'TX' } };
type Tell = (verdict: SponsorVerdict) => void;

const executed: SponsorVerdict = { event: 'executed', succeeded: true, gasUsed: 7, effects };
type Said =
  | 'SPONSOR_REJECTED'
  | 'SPONSOR_UNAUTHORIZED'
  | 'RESERVATION_NOT_FOUND'
  | 'EXECUTION_OUTCOME_UNKNOWN'
  | 'UPSTREAM_UNAVAILABLE';
const sponsorError = (code: Said) => gatewayError(code, `said: ${code}`);
const refused: SponsorVerdict = { event: 'refused', error: sponsorError('SPONSOR_REJECTED') };
const unsent: SponsorVerdict = { event: 'unsent', error: sponsorError('UPSTREAM_UNAVAILABLE') };
const lost = (isOver = true): SponsorVerdict => ({
  event: 'lost',
  error: sponsorError('EXECUTION_OUTCOME_UNKNOWN'),
  isOver,
});

const mutationMs = 900;
const dayStart = Date.UTC(2026, 0, 31);

const gas = { key: 'client:a', perDay: 100 };
/** Holds gas for the lease that `begin` executes. */
const reservedLease = newFlow('client:a').reservation({
  ...{ leaseId: 'L', amount: 10, gas },
  ...{ nowMs: dayStart, expiresAtMs: dayStart + 600_000 },
});

interface SetUp extends ExecutionsOptions {
  readonly store?: SponsorshipStore;
  readonly isStoreNeeded?: boolean;
  readonly canFind?: boolean;
  /** Of the hands of the clock, which processes of one store share. */
  readonly time?: { ms: number };
}

function setUp({ store = createMemoryStore(), time = { ms: 0 }, ...options }: SetUp = {}) {
  const { isStoreNeeded = true, canFind = true, ...rest } = options;
  const sent: { readonly cancellation: { readonly cause: unknown }; readonly tell: Tell }[] = [];
  const asked: string[] = [];
  const facts: ExecutionFact[] = [];
  const ledger = {
    canFind,
    has: async (_digest: string): Promise<FoundTransaction | null> => null,
    isDead: async (_digest: string, _coin: PayingCoin): Promise<boolean> => false,
  };
  const faults: unknown[] = [];
  const executions = createExecutions(
    {
      store,
      isStoreNeeded,
      ledger: {
        canFind: () => ledger.canFind,
        find: (digest) => {
          asked.push(digest);
          return ledger.has(digest);
        },
        isDead: (...args) => ledger.isDead(...args),
      },
      now: () => dayStart + time.ms,
      clock: () => time.ms,
      pace: toExecutionPace(mutationMs),
      audit: (fact) => facts.push(fact),
      fault: (error) => faults.push(error),
    },
    { turnMs: 2 ** 31 - 1, ...rest },
  );
  const toOrder = (subject: Partial<ExecutionSubject> = {}, about: Partial<ExecutionOrder> = {}) => ({
    subject: {
      requestId: 'r',
      caller: 'client:a',
      leaseId: 'L',
      reservationId: 'the-lease',
      digest: 'TX',
      bodyHash: 'body',
      idempotencyKey: null,
      amount: 10,
      budget: 10,
      expiresAtMs: dayStart + 600_000,
      mustBeKnown: false,
      ...{ visitor: 'client:a', sender: null, senderHolds: [] },
      ...subject,
    },
    check: () => null,
    needsReservation: false,
    dispatch: (cancellation: OpenCancellation | { readonly cause: unknown }, tell: Tell) =>
      void sent.push({ cancellation, tell }),
    ...about,
  });
  return {
    store,
    sent,
    asked,
    facts,
    faults,
    ledger,
    executions,
    toOrder,
    /** What happened, for the audit. */
    told: () => facts.map(({ event }) => event),
    begin(subject: Partial<ExecutionSubject> = {}, cancellation = createCancellation(), about = {}) {
      const ended = executions.execute(toOrder(subject, about) as ExecutionOrder, cancellation).then(
        (result) => result,
        (error: GraphQLError) => ({ message: error.message, ...error.extensions }),
      );
      return { ended, cancellation };
    },
    /** Lets so much time pass, in steps of a turn, and everything happen that it brings about. */
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 25) {
        time.ms += Math.min(25, left);
        executions.turn();
        await turnOfEvents();
      }
    },
    settle: () => turnOfEvents(),
  };
}

describe('an execution', () => {
  it.each([
    [executed, { outcome: 'EXECUTED', effects }, ['dispatched', 'executed']],
    [{ ...executed, succeeded: false }, { outcome: 'FAILED', effects }, ['dispatched', 'failed']],
    [refused, { code: 'SPONSOR_REJECTED' }, ['dispatched', 'refused']],
    [unsent, { code: 'UPSTREAM_UNAVAILABLE' }, ['dispatched', 'unsent']],
  ] as const)('returns what the sponsor responds: %#', async (verdict, answer, events) => {
    const { begin, sent, settle, told, asked } = setUp();
    const { ended } = begin();
    await settle();
    sent[0]?.tell(verdict as SponsorVerdict);
    expect(await ended).toMatchObject(answer);
    expect([told(), asked]).toEqual([events, []]);
  });

  it('is logged for the audit with caller, lease and gas, without secrets', async () => {
    const { begin, sent, settle, facts } = setUp();
    const { ended } = begin();
    await settle();
    sent[0]?.tell(executed);
    await ended;
    const of = { caller: 'client:a', leaseId: 'L', digest: 'TX', budget: 10, requestId: 'r', code: null };
    expect(facts).toEqual([
      { ...of, event: 'dispatched', gasUsed: null, visitor: 'client:a', sender: null, targets: null },
      { ...of, event: 'executed', gasUsed: 7 },
    ]);
  });

  it.each([
    [7, 7],
    [null, 10],
  ])('that used %s of its gas settles %i: all of it where the effects do not tell', async (gasUsed, settled) => {
    const { begin, sent, settle, store } = setUp();
    await store.beginReservation(reservedLease);
    const { ended } = begin();
    await settle();
    sent[0]?.tell({ ...executed, gasUsed });
    await ended;
    expect(await allowanceOf(store, gas, dayStart)).toMatchObject({ held: 0, settled });
  });

  it('is answered once its end is stored, so that a repeat finds it; a call that times out before gets the same', async () => {
    const memory = createMemoryStore();
    let write = () => {};
    const mayWrite = new Promise<void>((resolve) => (write = resolve));
    const store: SponsorshipStore = { ...memory, endExecution: (end) => mayWrite.then(() => memory.endExecution(end)) };
    const { begin, sent, settle } = setUp({ store });
    const [waiting, late] = [begin(), begin()];
    let isAnswered = false;
    void waiting.ended.then(() => (isAnswered = true));
    await settle();
    sent[0]?.tell(executed);
    await settle();
    late.cancellation.cancel('timeout');
    expect(await late.ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(isAnswered).toBe(false);
    write();
    expect(await waiting.ended).toMatchObject({ outcome: 'EXECUTED' });
  });

  const forbidden = { check: () => gatewayError('FORBIDDEN', 'calls what it may not') };

  it('that the preflight rejects is not sent, and fences nothing', async () => {
    const { begin, sent, settle, told } = setUp();
    expect(await begin({}, undefined, forbidden).ended).toMatchObject({ code: 'FORBIDDEN' });
    expect([sent, told()]).toEqual([[], ['declined']]);
    void begin();
    await settle();
    expect(sent).toHaveLength(1);
  });

  it('that the preflight rejects is not said to be unsent while the store is away', async () => {
    const { begin, told } = setUp({ store: awayStore() });
    expect(await begin({}, undefined, forbidden).ended).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(told()).toEqual([]);
    const forward = setUp({ store: awayStore(), isStoreNeeded: false });
    expect(await forward.begin({}, undefined, forbidden).ended).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('that ran before the rules were narrowed is not told that nothing was sent', async () => {
    const { begin, sent, settle, told } = setUp();
    const keyed = { idempotencyKey: 'k' };
    const first = begin(keyed);
    await settle();
    const joined = begin({ ...keyed, requestId: 's' }, undefined, forbidden);
    await settle();
    sent[0]?.tell(executed);
    expect(await first.ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(await joined.ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(await begin(keyed, undefined, forbidden).ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(await begin({}, undefined, forbidden).ended).toMatchObject({ outcome: 'EXECUTED' });
    const other = await begin({ bodyHash: 'other', digest: 'TX2' }, undefined, forbidden).ended;
    expect(other).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest: 'TX' });
    expect([sent.length, told()]).toEqual([1, ['dispatched', 'executed', 'replayed', 'replayed']]);
  });

  it('that is refused ends the attempt that set the fence, and no other', async () => {
    const attempts: unknown[] = [];
    const memory = createMemoryStore();
    const store: SponsorshipStore = {
      ...memory,
      beginExecution(begin) {
        attempts.push(begin.attempt);
        return memory.beginExecution(begin);
      },
      endExecution(end) {
        attempts.push('attempt' in end.outcome && end.outcome.attempt);
        return memory.endExecution(end);
      },
    };
    const { begin, sent, settle } = setUp({ store });
    const { ended } = begin();
    await settle();
    sent[0]?.tell({ event: 'refused', error: sponsorError('SPONSOR_REJECTED') });
    expect(await ended).toMatchObject({ code: 'SPONSOR_REJECTED' });
    expect(attempts).toEqual([expect.stringMatching(/./), attempts[0]]);
  });

  it('whose dispatch fails by a fault of the gateway is unknown, keeps its hold, and is logged', async () => {
    const store = createMemoryStore();
    await store.beginReservation(reservedLease);
    const { begin, faults, told } = setUp({ store, canFind: false });
    const fault = new TypeError('x is undefined');
    const dispatch = () => {
      throw fault;
    };
    expect(await begin({}, undefined, { dispatch }).ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
    expect([faults, told()]).toEqual([[fault], ['dispatched', 'unknown']]);
    expect(await allowanceOf(store, gas, dayStart)).toMatchObject({ held: 10, settled: 0 });
  });

  it.each([false, true])(
    'is not sent if its check fails unexpectedly, and its lease stays usable (with a stored reservation: %s)',
    async (needsReservation) => {
      const { begin, sent, settle } = setUp();
      const check = () => {
        throw new TypeError('x is undefined');
      };
      const failed = begin({}, undefined, { needsReservation, check });
      expect(await failed.ended).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
      const { ended } = begin();
      await settle();
      expect(sent).toHaveLength(1);
      sent[0]?.tell(executed);
      expect(await ended).toMatchObject({ outcome: 'EXECUTED' });
    },
  );

  it('in forward mode is checked against its stored reservation, in two steps of the store, and leaves it usable', async () => {
    const store = createMemoryStore();
    const flow = newFlow('client:a');
    const { leaseId } = flow;
    await store.beginReservation(flow.reservation({ nowMs: dayStart, expiresAtMs: dayStart + 60_000 }));
    await store.endReservation(flow.reservationEnd({ kind: 'reserved', answer: 'coins' }, dayStart));
    const steps: string[] = [];
    const counted = new Proxy(store, {
      get: (target, name: keyof SponsorshipStore) => {
        steps.push(name);
        return target[name];
      },
    });
    const { begin, sent, told } = setUp({ store: counted });
    const seen: (string | null)[] = [];
    let reason: GraphQLError | null = gatewayError('BAD_USER_INPUT', 'other coins');
    const about = {
      needsReservation: true,
      check(reservation: string | null) {
        seen.push(reservation);
        return reason;
      },
    };
    expect(await begin({ leaseId }, undefined, about).ended).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect([sent, told()]).toEqual([[], ['declined', 'unsent']]);
    expect(steps).toEqual(['beginExecution', 'endExecution']);
    reason = null;
    const { ended } = begin({ leaseId }, undefined, about);
    await turnOfEvents();
    sent[0]?.tell(executed);
    expect(await ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(seen).toEqual(['coins', 'coins']);
  });

  it('is not begun for an operation that has ended', async () => {
    const { begin, sent } = setUp();
    const gone = createCancellation();
    gone.cancel('aborted');
    expect(await begin({}, gone).ended).toMatchObject({ code: 'REQUEST_TIMEOUT', reservationId: 'the-lease' });
    expect(sent).toEqual([]);
  });

  it('is sent again after a call that sent nothing, and only once', async () => {
    const { begin, sent, settle } = setUp();
    const first = begin();
    await settle();
    sent[0]?.tell(unsent);
    await first.ended;
    const second = begin();
    await settle();
    sent[1]?.tell(executed);
    expect(await second.ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(await begin().ended).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest: 'TX' });
    expect(sent).toHaveLength(2);
  });
});

describe('a lease', () => {
  it('is dispatched once, however many transactions are sent at once', async () => {
    const { begin, sent, settle } = setUp();
    const all = Array.from({ length: 1_000 }, (_, at) => begin({ bodyHash: `body ${at}`, digest: `TX${at}` }).ended);
    await settle();
    expect(sent).toHaveLength(1);
    sent[0]?.tell(executed);
    const answers = await Promise.all(all);
    expect(answers.filter((answer) => 'outcome' in answer)).toHaveLength(1);
    expect(answers.filter((answer) => 'code' in answer && answer.code === 'RESERVATION_NOT_FOUND')).toHaveLength(999);
    expect(answers[999]).toMatchObject({ digest: 'TX0' });
  });

  it('is not stored if its caller’s own credential was rejected, because anyone can invent those', async () => {
    const bounds = { ...defaultStoreBounds, maxKeys: 10, maxLeases: 10 };
    const { begin, sent, settle, told, store } = setUp({ store: createMemoryStore(bounds) });
    const kept = { caller: 'credential:known', leaseId: 'known', idempotencyKey: 'mine' };
    const ask = async (subject: Partial<ExecutionSubject>, verdict: SponsorVerdict) => {
      const { ended } = begin(subject);
      await settle();
      sent.at(-1)?.tell(verdict);
      return ended;
    };
    expect(await ask(kept, executed)).toMatchObject({ outcome: 'EXECUTED' });
    const unknown: SponsorVerdict = { event: 'refused', error: sponsorError('SPONSOR_UNAUTHORIZED') };
    for (let count = 0; count < 30; count += 1) {
      const subject = { caller: `credential:${count}`, leaseId: `${count}`, idempotencyKey: 'theirs' };
      expect(await ask(subject, unknown)).toMatchObject({ code: 'SPONSOR_UNAUTHORIZED' });
    }
    expect(told().slice(-2)).toEqual(['dispatched', 'refused']);
    expect(await begin(kept).ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(sent).toHaveLength(31);
    // Where the gateway holds the token, it is not the caller's that was not taken.
    const { caller, leaseId, reservation } = newFlow();
    await store.beginReservation(reservation({ nowMs: dayStart, expiresAtMs: dayStart + 60_000 }));
    await ask({ caller, leaseId, mustBeKnown: true }, unknown);
    expect(await begin({ caller, leaseId, bodyHash: 'another' }).ended).toMatchObject({
      code: 'RESERVATION_NOT_FOUND',
    });
  });

  it('spent by a rejection says so, and not that a transaction used it', async () => {
    const { begin, sent, settle } = setUp();
    const first = begin();
    await settle();
    const other = begin({ bodyHash: 'another', digest: 'TX2' });
    await settle();
    const used = /^The reservation was used by the transaction TX: look that one up/;
    expect(await other.ended).toMatchObject({ code: 'RESERVATION_NOT_FOUND', message: expect.stringMatching(used) });
    sent[0]?.tell(refused);
    await first.ended;
    for (const subject of [{}, { bodyHash: 'another', digest: 'TX2' }, { idempotencyKey: 'k' }]) {
      const { message, ...extensions } = (await begin(subject).ended) as { readonly message: string };
      expect(extensions).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest: 'TX', reservationId: 'the-lease' });
      expect(message).toMatch(/^The transaction TX was refused with this reservation: it did not run/);
      expect(message).not.toMatch(/was used|look/);
    }
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['token', true],
    ['forward', false],
  ])('that the sponsor no longer has may have been executed, in %s mode', async (_, mustBeKnown) => {
    const { begin, sent, settle, pass, asked, store } = setUp();
    const { caller, leaseId, reservation } = newFlow();
    await store.beginReservation(reservation({ nowMs: dayStart, expiresAtMs: dayStart + 60_000 }));
    const { ended } = begin({ caller, leaseId, mustBeKnown });
    await settle();
    sent[0]?.tell({ event: 'refused', error: sponsorError('RESERVATION_NOT_FOUND') });
    await pass(3_000);
    // Of a lease that the sponsor gave, the ledger is asked before it is believed.
    expect(asked.length > 0).toBe(mustBeKnown);
    expect(await ended).toMatchObject({ retry: 'look-up' });
    const repeated = await begin({ caller, leaseId, mustBeKnown }).ended;
    expect(repeated).toMatchObject({ retry: 'look-up', message: expect.stringMatching(/may or may not execute/) });
  });

  it('that the sponsor denies, because the request reached it twice, was executed if the ledger says so', async () => {
    const store = createMemoryStore();
    await store.beginReservation(reservedLease);
    const { begin, sent, settle, pass, ledger, told } = setUp({ store });
    const { ended } = begin({ mustBeKnown: true });
    await settle();
    sent[0]?.tell({ event: 'refused', error: sponsorError('RESERVATION_NOT_FOUND') });
    await pass(300);
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(1_000);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
    expect(told()).toEqual(['dispatched', 'recovered']);
    expect(await allowanceOf(store, gas, dayStart)).toMatchObject({ held: 0, settled: 4 });
  });

  it('that expires before the sponsor denies it may have been executed as well', async () => {
    const { begin, sent, settle, pass, ledger, told, store } = setUp();
    const { caller, leaseId, reservation } = newFlow();
    const expiresAtMs = dayStart + 100;
    await store.beginReservation(reservation({ nowMs: dayStart, expiresAtMs }));
    const { ended } = begin({ caller, leaseId, mustBeKnown: true, expiresAtMs });
    await settle();
    await pass(200);
    sent[0]?.tell({ event: 'refused', error: sponsorError('RESERVATION_NOT_FOUND') });
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(100);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
    expect(told()).toEqual(['dispatched', 'recovered']);
  });

  it('that is refused as if the transaction had run stays open until the ledger can tell', async () => {
    const store = createMemoryStore();
    await store.beginReservation(reservedLease);
    const { begin, sent, settle, pass, ledger, told } = setUp({ store, canFind: false });
    const { ended } = begin();
    await settle();
    const error = gatewayError('SPONSOR_REJECTED', 'stale object', {}, { originalError: new DoubtfulRefusal() });
    sent[0]?.tell({ event: 'refused', error });
    expect(await ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
    ledger.canFind = true;
    ledger.has = () => Promise.reject(new Error('away'));
    await pass(10_000);
    expect(await allowanceOf(store, gas, dayStart)).toMatchObject({ held: 10, settled: 0 });
    ledger.has = async () => null;
    await pass(31_000);
    expect(told()).toEqual(['dispatched', 'unknown', 'refused']);
    expect(await allowanceOf(store, gas, dayStart)).toMatchObject({ held: 0, settled: 0 });
  });

  it('that is refused as if the transaction had run is not believed on the word of a look-up that began too early', async () => {
    const { begin, sent, settle, pass, ledger } = setUp();
    const { ended } = begin();
    await settle();
    const error = gatewayError('SPONSOR_REJECTED', 'stale object', {}, { originalError: new DoubtfulRefusal() });
    let answer = (_: null) => {};
    ledger.has = () =>
      new Promise<null>((resolve) => {
        answer = resolve;
      });
    sent[0]?.tell({ event: 'refused', error });
    await pass(500);
    ledger.has = async () => ({ gasUsed: 4 });
    answer(null);
    await pass(500);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
  });

  it('is shared by twins: ten thousand of them are one dispatch and one response', async () => {
    const { begin, sent, settle, told } = setUp();
    const all = Array.from({ length: 10_000 }, () => begin().ended);
    await settle();
    sent[0]?.tell(executed);
    const answers = await Promise.all(all);
    expect(answers.every((answer) => 'outcome' in answer && answer.outcome === 'EXECUTED')).toBe(true);
    expect([sent.length, told()]).toEqual([1, ['dispatched', 'executed']]);
  });

  it('is shared by a twin with a key, which gets the same outcome when it repeats', async () => {
    const { begin, sent, pass } = setUp();
    const own = begin();
    await pass(25);
    const keyed = begin({ idempotencyKey: 'k' });
    await pass(25);
    sent[0]?.tell(executed);
    const outcome = { outcome: 'EXECUTED', effects };
    expect(await own.ended).toMatchObject(outcome);
    await pass(1_000);
    expect(await keyed.ended).toMatchObject(outcome);
    expect(await begin({ idempotencyKey: 'k' }).ended).toMatchObject(outcome);
    expect(sent).toHaveLength(1);
  });

  it('belongs to one caller: another caller neither joins it nor gets its response', async () => {
    const { begin, sent, settle } = setUp();
    const own = begin({ idempotencyKey: 'k' });
    const others = begin({ idempotencyKey: 'k', caller: 'client:b' });
    await settle();
    expect(sent).toHaveLength(2);
    sent[0]?.tell(executed);
    sent[1]?.tell(refused);
    expect(await own.ended).toMatchObject({ outcome: 'EXECUTED' });
    expect(await others.ended).toMatchObject({ code: 'SPONSOR_REJECTED' });
    expect(await begin({ idempotencyKey: 'k', caller: 'client:b' }).ended).toMatchObject({ code: 'SPONSOR_REJECTED' });
    expect(sent).toHaveLength(2);
  });

  it('is looked up immediately when a client repeats after the first one left and the sponsor was slow', async () => {
    const { begin, settle, pass, asked } = setUp();
    const first = begin();
    await settle();
    first.cancellation.cancel('aborted');
    await pass(mutationMs);
    expect(asked).toEqual([]);
    begin();
    await pass(50);
    expect(asked).toEqual(['TX']);
  });

  it('with unknown outcome is looked up soon when a client repeats, and later once that client leaves', async () => {
    const { begin, sent, settle, pass, ledger, asked } = setUp({ canFind: false });
    const first = begin();
    await settle();
    sent[0]?.tell(lost());
    await first.ended;
    ledger.canFind = true;
    const second = begin();
    await pass(400);
    expect(asked.length).toBeGreaterThan(2);
    second.cancellation.cancel('timeout');
    expect(await second.ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
    const soon = asked.length;
    await pass(900);
    expect(asked.length - soon).toBeLessThanOrEqual(1);
  });

  it('continues for waiting clients when the operation of another ends', async () => {
    const { begin, sent, settle, pass, ledger, told } = setUp({ canFind: false });
    const first = begin();
    await settle();
    sent[0]?.tell(lost());
    expect(await first.ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
    ledger.canFind = true;
    const second = begin();
    first.cancellation.cancel('timeout');
    await settle();
    ledger.has = async () => ({ gasUsed: 7 });
    await pass(1_000);
    expect(await second.ended).toMatchObject({ outcome: 'RECOVERED' });
    expect(told()).toEqual(['dispatched', 'unknown', 'recovered']);
  });
});

describe.each([
  ['full', () => createMemoryStore({ ...defaultStoreBounds, maxLeases: 0 }), 'RATE_LIMITED'],
  ['unavailable', awayStore, 'UPSTREAM_UNAVAILABLE'],
] as const)('while the store is %s', (_, open, code) => {
  it('nothing is sent that only the store fences', async () => {
    const { begin, sent, told } = setUp({ store: open() });
    expect(await begin().ended).toMatchObject({ code, reservationId: 'the-lease' });
    // A store that did not answer may have set the fence: it is undone.
    expect([sent, told()]).toEqual([[], code === 'RATE_LIMITED' ? [] : ['unsent']]);
  });

  it('an execution with the sponsor’s own fence continues, because invented credentials could fill the store', async () => {
    const { begin, settle, sent } = setUp({ store: open(), isStoreNeeded: false });
    const { ended } = begin();
    await settle();
    sent[0]?.tell(executed);
    expect(await ended).toMatchObject({ outcome: 'EXECUTED' });
  });
});

describe('an idempotency key', () => {
  it('replays effects and rejections, and rejects other arguments', async () => {
    const { begin, sent, settle, told } = setUp();
    const first = begin({ idempotencyKey: 'k' });
    await settle();
    sent[0]?.tell(executed);
    const answer = await first.ended;
    expect(await begin({ idempotencyKey: 'k' }).ended).toEqual(answer);
    expect(await begin({ idempotencyKey: 'k', bodyHash: 'another' }).ended).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
    const other = begin({ idempotencyKey: 'j', leaseId: 'M' });
    await settle();
    sent[1]?.tell(refused);
    expect(await begin({ idempotencyKey: 'j', leaseId: 'M' }).ended).toEqual(await other.ended);
    expect([sent.length, told()]).toEqual([
      2,
      ['dispatched', 'executed', 'replayed', 'dispatched', 'refused', 'replayed'],
    ]);
  });

  it('replays without effects that were too large', async () => {
    const { begin, sent, settle } = setUp();
    const first = begin({ idempotencyKey: 'k' });
    await settle();
    sent[0]?.tell({ ...executed, effects: { effects: null, rawEffects: 'x'.repeat(128 * 1024) } } as SponsorVerdict);
    await first.ended;
    expect(await begin({ idempotencyKey: 'k' }).ended).toEqual({ digest: 'TX', outcome: 'EXECUTED', effects: null });
  });
});

describe('a lost response', () => {
  it('is looked up until the ledger has the transaction', async () => {
    const { begin, sent, settle, pass, ledger, asked, told, facts } = setUp();
    const { ended } = begin();
    await settle();
    sent[0]?.tell(lost());
    await pass(200);
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(200);
    expect(await ended).toEqual({ digest: 'TX', outcome: 'RECOVERED', effects: null });
    expect([told(), facts.at(-1)?.gasUsed]).toEqual([['dispatched', 'recovered'], 4]);
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThan(8);
  });

  it('is unknown at the timeout; the lookup continues until it is found, and settles the budget', async () => {
    const time = { ms: 0 };
    const store = createMemoryStore();
    const { begin, sent, settle, pass, ledger, told } = setUp({ store, time });
    await store.beginReservation(reservedLease);
    const { ended, cancellation } = begin();
    await settle();
    sent[0]?.tell(lost());
    await pass(mutationMs);
    cancellation.cancel('timeout');
    expect(await ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN', message: expect.stringMatching(/^said/) });
    expect(await allowanceOf(store, gas, dayStart + time.ms)).toMatchObject({ held: 10, settled: 0 });
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(5_000);
    expect(told()).toEqual(['dispatched', 'unknown', 'recovered']);
    expect(await allowanceOf(store, gas, dayStart + time.ms)).toMatchObject({ held: 0, settled: 4 });
  });

  it('is given up eventually, with rare lookups', async () => {
    const { begin, sent, settle, pass, told, asked, store } = setUp();
    const { ended, cancellation } = begin();
    await settle();
    sent[0]?.tell(lost());
    cancellation.cancel('timeout');
    await ended;
    await pass(11 * 60_000);
    expect(told()).toEqual(['dispatched', 'unknown', 'abandoned']);
    expect(asked.length).toBeLessThan(40);
    await store.close();
  });

  it('is neither recovered nor rejected by a ledger that fails, hangs or returns nothing', async () => {
    const { begin, sent, settle, pass, ledger, asked } = setUp();
    const { ended } = begin();
    await settle();
    ledger.has = async () => {
      throw new Error('no');
    };
    sent[0]?.tell(lost());
    await pass(300);
    expect(asked.length).toBeGreaterThan(2);
    // A question that hangs is waited for; the sponsor's late answer is not.
    ledger.has = () => new Promise(() => {});
    await pass(900);
    const asks = asked.length;
    await pass(900);
    expect(asked.length).toBe(asks);
    sent[0]?.tell(executed);
    expect(await ended).toMatchObject({ outcome: 'EXECUTED' });
  });

  it('is not waited for if the ledger cannot look up transactions', async () => {
    const { begin, sent, settle, asked, told } = setUp({ canFind: false });
    const { ended } = begin();
    await settle();
    sent[0]?.tell(lost());
    expect(await ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
    expect([asked, told()]).toEqual([[], ['dispatched', 'unknown']]);
    expect(await begin().ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
  });

  it('is logged once found, although the store had no record of the execution', async () => {
    let fault: StoreFault = 'before';
    const store = failingStore(createMemoryStore(), () => fault);
    const { begin, sent, settle, pass, ledger, told } = setUp({ store, isStoreNeeded: false });
    const { ended } = begin();
    await settle();
    fault = null;
    sent[0]?.tell(lost());
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(100);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
    expect(told()).toEqual(['dispatched', 'recovered']);
  });

  it('is logged once found by the process that sent it, although the store lost the fence meanwhile', async () => {
    const emptied = createMemoryStore();
    let store = createMemoryStore();
    const fleet = new Proxy(store, { get: (_, name: keyof SponsorshipStore) => store[name] });
    const { begin, sent, settle, pass, ledger, told } = setUp({ store: fleet });
    const { ended } = begin();
    await settle();
    store = emptied;
    sent[0]?.tell(lost());
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(100);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
    expect(told()).toEqual(['dispatched', 'recovered']);
  });

  it('is logged before its end is stored: a process that dies in between loses no line', async () => {
    const store: SponsorshipStore = { ...createMemoryStore(), endExecution: () => new Promise(() => {}) };
    const { begin, sent, settle, pass, ledger, told } = setUp({ store });
    begin();
    await settle();
    sent[0]?.tell(lost());
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(100);
    expect(told()).toEqual(['dispatched', 'recovered']);
  });

  it.each([
    ['found', { gasUsed: 4 }, 'recovered'],
    ['proved dead', null, 'refused'],
  ] as const)('that another process %s and stored is not logged again', async (_, found, event) => {
    const [store, coin] = [createMemoryStore(), { objectId: '0xc', version: '7' }];
    const { begin, sent, settle, pass, ledger, told } = setUp({ store });
    const { cancellation } = begin({ coin });
    await settle();
    sent[0]?.tell(lost());
    cancellation.cancel('timeout');
    await pass(31_000);
    const outcome = event === 'refused' ? ({ kind: 'refused' } as const) : ({ kind: 'executed', gasUsed: 4 } as const);
    const end = { caller: 'client:a', leaseId: 'L', digest: 'TX', nowMs: dayStart, outcome, answer: 'ended' };
    expect(await store.endExecution(end)).toBe(true);
    ledger.has = async () => found;
    ledger.isDead = async () => true;
    await pass(40_000);
    expect(told()).toEqual(['dispatched', 'unknown']);
  });

  it('of a transaction whose gas coin has moved on without it ends the execution, and frees its gas', async () => {
    const store = createMemoryStore();
    await store.beginReservation(reservedLease);
    const { begin, sent, settle, pass, ledger, told } = setUp({ store });
    const coin = { objectId: '0xc', version: '7' };
    const asked: unknown[] = [];
    ledger.isDead = async (...args) => {
      asked.push(args);
      return true;
    };
    const { ended, cancellation } = begin({ coin });
    await settle();
    sent[0]?.tell(lost());
    await pass(1_000);
    cancellation.cancel('timeout');
    expect(await ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
    expect(asked).toEqual([]);
    await pass(65_000);
    expect(asked).toEqual([['TX', coin]]);
    expect(told()).toEqual(['dispatched', 'unknown', 'refused']);
    expect(await allowanceOf(store, gas, dayStart)).toMatchObject({ held: 0, settled: 0 });
    expect(await begin({ coin }).ended).toMatchObject({ code: 'RESERVATION_NOT_FOUND', retry: 'never' });
  });

  it('of another caller does not wait for the lookups of a caller with many', async () => {
    const { begin, sent, settle, pass, ledger } = setUp({ maxLooks: 4 });
    const waiting: (() => void)[] = [];
    ledger.has = (digest) =>
      digest === 'mine'
        ? Promise.resolve({ gasUsed: 4 })
        : new Promise((resolve) => void waiting.push(() => resolve(null)));
    for (let at = 0; at < 120; at++) begin({ leaseId: `L${at}` });
    const { ended } = begin({ caller: 'client:b', digest: 'mine' });
    await settle();
    for (const { tell } of sent) tell(lost());
    await pass(25);
    // One query of the others ends; the next is not another one of theirs.
    waiting.shift()?.();
    await pass(50);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
  });

  it('of a slow sponsor is looked up before the timeout', async () => {
    const { begin, settle, pass, ledger } = setUp();
    const { ended } = begin();
    await settle();
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(mutationMs);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
  });

  it('is looked up by a bounded number of lookups at once', async () => {
    const { begin, sent, settle, pass, ledger, asked } = setUp({ maxLooks: 4 });
    ledger.has = () => new Promise(() => {});
    for (let at = 0; at < 20; at++) begin({ leaseId: `L${at}` });
    await settle();
    for (const { tell } of sent) tell(lost());
    await pass(500);
    expect(asked).toHaveLength(4);
  });

  it('is looked up for a bounded number of executions: beyond it, the oldest are given up', async () => {
    const { begin, sent, settle, pass, told } = setUp({ maxSwept: 3 });
    const all = Array.from({ length: 5 }, (_, at) => begin({ leaseId: `L${at}` }));
    await settle();
    for (const { tell } of sent) tell(lost());
    for (const { cancellation } of all) cancellation.cancel('timeout');
    await pass(50);
    expect(told().filter((event) => event === 'abandoned')).toHaveLength(2);
  });
});

describe('a client that disconnects', () => {
  it.each(['aborted', 'timeout'] as const)('before the fence has nothing sent: %s', async (cause) => {
    const { store, release } = slowStore();
    const { begin, sent, settle } = setUp({ store });
    const { ended, cancellation } = begin();
    cancellation.cancel(cause);
    expect(await ended).toMatchObject({ code: 'REQUEST_TIMEOUT' });
    release();
    await settle();
    expect(sent).toEqual([]);
    const { ended: again } = begin();
    await settle();
    sent[0]?.tell(executed);
    expect(await again).toMatchObject({ outcome: 'EXECUTED' });
  });

  it('cancels nothing that was sent, and the outcome is stored', async () => {
    const { begin, sent, settle, told } = setUp();
    const { cancellation } = begin();
    await settle();
    cancellation.cancel('aborted');
    await settle();
    sent[0]?.tell(executed);
    await settle();
    expect(told()).toEqual(['dispatched', 'executed']);
    expect(await begin().ended).toMatchObject({ code: 'RESERVATION_NOT_FOUND' });
  });

  it('cancels the call only when its twins have left too', async () => {
    const { begin, sent, settle } = setUp();
    const [first, second] = [begin(), begin()];
    await settle();
    first.cancellation.cancel('timeout');
    expect(await first.ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN', reservationId: 'the-lease' });
    expect(sent[0]?.cancellation.cause).toBeNull();
    second.cancellation.cancel('timeout');
    expect(sent[0]?.cancellation.cause).toBe('timeout');
    sent[0]?.tell(unsent);
    expect(await second.ended).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it('after its response does not cancel the call', async () => {
    const { begin, sent, settle, pass, ledger } = setUp();
    const { ended, cancellation } = begin();
    await settle();
    ledger.has = async () => ({ gasUsed: 4 });
    await pass(mutationMs);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
    cancellation.cancel('aborted');
    expect(sent[0]?.cancellation.cause).toBeNull();
  });

  it('by a timeout is answered immediately, whatever the sponsor does', async () => {
    const { begin, settle } = setUp();
    const { ended, cancellation } = begin();
    await settle();
    cancellation.cancel('timeout');
    expect(await ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN', checkAfterMs: 5_000 });
  });

  it('and is followed by another in the same turn leaves neither unanswered', async () => {
    const { begin, sent, settle, pass, ledger, told } = setUp();
    const first = begin();
    await settle();
    first.cancellation.cancel('aborted');
    const second = begin();
    await settle();
    sent[0]?.tell(lost());
    ledger.has = async () => ({ gasUsed: 1 });
    await pass(100);
    expect(await second.ended).toMatchObject({ outcome: 'RECOVERED' });
    expect(told()).toEqual(['dispatched', 'recovered']);
  });

  it('and returns waits for the execution in flight', async () => {
    const { begin, sent, settle, pass, ledger } = setUp();
    const first = begin();
    await settle();
    first.cancellation.cancel('aborted');
    await settle();
    sent[0]?.tell(lost());
    await settle();
    const second = begin();
    ledger.has = async () => ({ gasUsed: 1 });
    await pass(100);
    expect(await second.ended).toMatchObject({ outcome: 'RECOVERED' });
    expect(sent).toHaveLength(1);
  });
});

describe('two processes with one store', () => {
  function twoProcesses() {
    const [store, time] = [createMemoryStore(), { ms: 0 }];
    return [setUp({ store, time }), setUp({ store, time })] as const;
  }

  it('dispatch once, and respond the same', async () => {
    const [one, other] = twoProcesses();
    const first = one.begin();
    await one.settle();
    const second = other.begin();
    await other.pass(300);
    one.sent[0]?.tell(executed);
    const answer = await first.ended;
    await other.pass(300);
    expect(await second.ended).toEqual(answer);
    expect(other.sent).toEqual([]);
  });

  it('send what the other one could not', async () => {
    const [one, other] = twoProcesses();
    const first = one.begin();
    await one.settle();
    const second = other.begin();
    await other.pass(100);
    one.sent[0]?.tell(unsent);
    await first.ended;
    await other.pass(1_000);
    expect(other.sent).toHaveLength(1);
    // The other one has set a fence of its own.
    const another = one.begin({ bodyHash: 'another', digest: 'TX2' });
    expect(await another.ended).toMatchObject({ code: 'RESERVATION_NOT_FOUND', digest: 'TX' });
    expect(one.sent).toHaveLength(1);
    other.sent[0]?.tell(executed);
    expect(await second.ended).toMatchObject({ outcome: 'EXECUTED' });
  });

  it('look up what a dead process left', async () => {
    const [one, other] = twoProcesses();
    one.begin();
    await one.settle();
    // Nothing is heard of it again.
    await other.pass(toExecutionPace(mutationMs).answerMs + 25);
    other.ledger.has = async () => ({ gasUsed: 3 });
    const { ended } = other.begin();
    await other.pass(100);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
    expect([other.sent, other.told()]).toEqual([[], ['recovered']]);
  });

  it('look up what the other is slow with, after growing pauses, and still follow it', async () => {
    const [one, other] = twoProcesses();
    const first = one.begin();
    await one.settle();
    const { ended } = other.begin();
    await other.pass(toExecutionPace(mutationMs).patienceMs - 25);
    expect(other.asked).toEqual([]);
    await other.pass(300);
    const looks = other.asked.length;
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(4);
    other.ledger.has = async () => ({ gasUsed: 3 });
    await other.pass(900);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
    expect([other.sent, other.told()]).toEqual([[], ['recovered']]);
    // Its own answer is the better one, and changes nothing that is written.
    one.sent[0]?.tell(executed);
    expect(await first.ended).toMatchObject({ outcome: 'EXECUTED' });
  });

  it('tell a repeat of a rejection that the other wrote after its time', async () => {
    const [one, other] = twoProcesses();
    one.begin();
    await one.settle();
    await other.pass(toExecutionPace(mutationMs).answerMs + 25);
    const [left, waiting] = [other.begin(), other.begin({ idempotencyKey: 'k' })];
    await other.pass(200);
    left.cancellation.cancel('timeout');
    expect(await left.ended).toMatchObject({ code: 'EXECUTION_OUTCOME_UNKNOWN' });
    one.sent[0]?.tell(refused);
    await other.pass(900);
    const repeat = other.begin();
    await other.pass(900);
    expect(await waiting.ended).toMatchObject({ code: 'SPONSOR_REJECTED' });
    expect(await repeat.ended).toMatchObject({
      code: 'RESERVATION_NOT_FOUND',
      message: expect.stringMatching(/refused/),
    });
    expect([other.sent, other.told()]).toEqual([[], ['replayed']]);
  });

  it('look up what was left while the store is unavailable', async () => {
    const [time, memory] = [{ ms: 0 }, createMemoryStore()];
    const away: { fault: StoreFault } = { fault: null };
    const store = failingStore(memory, () => away.fault);
    const [one, other] = [setUp({ store: memory, time }), setUp({ store, time })];
    one.begin();
    await one.settle();
    const { ended } = other.begin();
    await other.pass(100);
    away.fault = 'before';
    other.ledger.has = async () => ({ gasUsed: 3 });
    await other.pass(1_000);
    expect(await ended).toMatchObject({ outcome: 'RECOVERED' });
  });

  it('report an unknown outcome if the ledger does not have what was left', async () => {
    const [one, other] = twoProcesses();
    one.begin();
    await one.settle();
    await other.pass(toExecutionPace(mutationMs).answerMs + 25);
    const { ended, cancellation } = other.begin();
    await other.pass(500);
    cancellation.cancel('timeout');
    expect(await ended).toMatchObject({
      code: 'EXECUTION_OUTCOME_UNKNOWN',
      digest: 'TX',
      reservationId: 'the-lease',
      checkAfterMs: 5_000,
    });
    expect(other.sent).toEqual([]);
  });
});

describe('what remains', () => {
  it('of an execution with a lost response is not its transaction, however long the lookup takes', async () => {
    class Payload {}
    const { begin, sent, settle, told } = setUp();
    const before = countLiveObjects(Payload);
    const all = Array.from({ length: 20 }, (_, at) => {
      const payload = new Payload();
      const check = () => (payload ? null : gatewayError('BAD_USER_INPUT', 'none'));
      return begin({ leaseId: `L${at}` }, createCancellation(), { check });
    });
    await settle();
    for (const { tell } of sent) tell(lost());
    for (const { cancellation } of all) cancellation.cancel('aborted');
    await settle();
    expect(told().filter((event) => event === 'unknown')).toHaveLength(20);
    // The last one may be held by this test.
    expect(countLiveObjects(Payload) - before).toBeLessThan(5);
  });

  it('after all have ended is no timer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { begin, sent, settle, pass } = setUp();
    const { ended } = begin();
    await settle();
    expect(vi.getTimerCount()).toBe(1);
    sent[0]?.tell(executed);
    await ended;
    await pass(25);
    expect(vi.getTimerCount()).toBe(0);
    begin({ leaseId: 'M' });
    await settle();
    expect(vi.getTimerCount()).toBe(1);
  });
});

describe('closing', () => {
  it('waits for dispatched executions, and looks up the rest once more', async () => {
    const { begin, sent, settle, executions, ledger, told } = setUp();
    const [asked, lostOne] = [begin(), begin({ leaseId: 'M' })];
    await settle();
    sent[1]?.tell(lost());
    for (const { cancellation } of [asked, lostOne]) cancellation.cancel('aborted');
    await settle();
    ledger.has = async () => ({ gasUsed: 1 });
    let isClosed = false;
    const closed = executions.close().then(() => (isClosed = true));
    await settle();
    expect(isClosed).toBe(false);
    sent[0]?.tell(executed);
    await closed;
    expect(told()).toEqual(['dispatched', 'dispatched', 'unknown', 'executed', 'recovered']);
  });

  it('waits for a call that timed out until it has ended, and not for one that is over', async () => {
    const { begin, sent, settle, executions, told } = setUp();
    begin();
    begin({ leaseId: 'M' });
    await settle();
    sent[0]?.tell(lost(false));
    sent[1]?.tell(lost(true));
    let isClosed = false;
    const closed = executions.close().then(() => (isClosed = true));
    await settle();
    expect(isClosed).toBe(false);
    sent[0]?.tell(executed);
    await closed;
    expect(told()).toContain('executed');
  });

  it('stops the timer of executions that stay unknown', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { begin, sent, settle, executions, told } = setUp();
    const { cancellation, ended } = begin();
    await settle();
    sent[0]?.tell(lost());
    cancellation.cancel('timeout');
    await ended;
    await executions.close();
    expect([told(), vi.getTimerCount()]).toEqual([['dispatched', 'unknown'], 0]);
  });

  it('waits until the last lookup is stored', async () => {
    const memory = createMemoryStore();
    let write = () => {};
    const store: SponsorshipStore = {
      ...memory,
      async endExecution(end) {
        if (end.outcome.kind === 'executed') await new Promise<void>((resolve) => (write = resolve));
        return memory.endExecution(end);
      },
    };
    const { begin, sent, settle, executions, ledger } = setUp({ store });
    const { cancellation } = begin();
    await settle();
    sent[0]?.tell(lost());
    cancellation.cancel('aborted');
    await settle();
    ledger.has = async () => ({ gasUsed: 1 });
    let isClosed = false;
    const closed = executions.close().then(() => (isClosed = true));
    await settle();
    expect(isClosed).toBe(false);
    write();
    await closed;
    const found = { caller: 'client:a', leaseId: 'L', bodyHash: 'body', nowMs: dayStart };
    expect(await memory.findExecution(found)).toMatchObject({ kind: 'replay' });
  });
});

function awayStore(): SponsorshipStore {
  return failingStore(createMemoryStore(), () => 'before');
}

/** A store whose first answer is held back. */
function slowStore() {
  const store = createMemoryStore();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let isFirst = true;
  return {
    release: () => release(),
    store: {
      ...store,
      beginExecution: async (begin: Parameters<SponsorshipStore['beginExecution']>[0]) => {
        const start = store.beginExecution(begin);
        if (isFirst) {
          isFirst = false;
          await held;
        }
        return start;
      },
    },
  };
}
