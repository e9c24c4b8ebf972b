import { setTimeout as pause, setImmediate as turnOfEvents } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { Secret } from '../../src/config/secret.ts';
import { gatewayError } from '../../src/errors/gateway-error.ts';
import {
  type ExecutionFact,
  type ExecutionOrder,
  toExecutionPace,
} from '../../src/sponsor/execution/execution-order.ts';
import { createExecutions, watchOverdueExecutions } from '../../src/sponsor/execution/executions.ts';
import { createLeaseKeys, type LeaseKeys } from '../../src/sponsor/leases.ts';
import { createReservations, type ReservationOrder } from '../../src/sponsor/reservations.ts';
import {
  type SponsorshipStore,
  type StepKind,
  type StepOf,
  type StoreSteps,
  toStore,
} from '../../src/sponsor/store/decide.ts';
import { createRetryingStore } from '../../src/sponsor/store/retrying-store.ts';
import { dayMs, lingerMs, ownLookupMs, StoreUnavailableError } from '../../src/sponsor/store/sponsorship-store.ts';
import { createCancellation, type OpenCancellation } from '../../src/upstream/cancellation.ts';
import { createRandom, type Random } from './course-random.ts';
import type { CourseStores } from './course-stores.ts';
import {
  CourseLedger,
  type CourseTransaction,
  type ExecuteManner,
  executeManners,
  ledgerManners,
  mutationMs,
  saidError,
  toBodyHash,
} from './course-world.ts';
import { allowanceOf } from './sponsorship-flow.ts';
import { toTestPolicy } from './test-policy.ts';

type Mode = 'token' | 'forward';

const keys: LeaseKeys = createLeaseKeys(new Secret('the key of leases in courses'));
const pace = { ...toExecutionPace(mutationMs), overdue: { firstMs: 2 ** 30, longestMs: 2 ** 30 } };
const callers = { rich: 40, poor: 12 } as const;
type CallerName = keyof typeof callers;
const unit = 1_000;

interface HeldLease {
  readonly caller: CallerName;
  readonly leaseId: string;
  readonly reservationId: string;
  readonly number: string;
  readonly amount: number;
  readonly expiresAtMs: number;
  readonly coin: CourseTransaction['coin'];
}

interface Asked {
  readonly lease: HeldLease;
  readonly transaction: CourseTransaction;
  readonly key: string | null;
  readonly cancellation: OpenCancellation;
  readonly askedAtMs: number;
  answer:
    | { readonly outcome: string }
    | { readonly code: string; readonly digest: unknown; readonly message: string }
    | null;
}

interface Process {
  readonly executions: ReturnType<typeof createExecutions>;
  readonly reservations: ReturnType<typeof createReservations>;
  readonly recovery: ReturnType<typeof watchOverdueExecutions>;
  readonly store: SponsorshipStore;
  /** Ends the process: it tells nobody anything any more. */
  kill(): void;
  isAlive(): boolean;
}

export interface CourseReport {
  /** Milliseconds until all executions had ended, from when the ledger could tell. */
  readonly endedWithinMs: number;
  readonly dispatched: number;
  readonly disturbances: readonly string[];
}

const certainEnds: ReadonlySet<string> = new Set(['executed', 'failed', 'recovered', 'refused', 'unsent']);

/** Plays one course of random calls and faults, and judges it. Throws what does not hold. */
export async function playCourse(stores: CourseStores, mode: Mode, seed: number, steps: number): Promise<CourseReport> {
  const course = new Course(stores, mode, createRandom(seed));
  try {
    return await course.play(steps);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    throw new Error(`course ${seed} in ${mode} mode: ${told}\n${course.diary.join('\n')}`, { cause: error });
  } finally {
    await course.end();
  }
}

class Course {
  readonly diary: string[] = [];
  readonly #stores: CourseStores;
  readonly #mode: Mode;
  readonly #random: Random;
  readonly #ledger: CourseLedger;
  readonly #processes: Process[] = [];
  readonly #leases: HeldLease[] = [];
  readonly #asked: Asked[] = [];
  readonly #facts: ExecutionFact[] = [];
  readonly #disturbances: string[] = [];
  readonly #startMs: number;
  /** The wall clocks of the processes differ, and are corrected now and then. */
  readonly #skewsMs = [0, 400];
  /** Calls of any store that have no answer yet. */
  #underWay = 0;
  #isDisturbed = false;
  #hasForgotten = false;
  #keysUsed = 0;

  constructor(stores: CourseStores, mode: Mode, random: Random) {
    this.#stores = stores;
    this.#mode = mode;
    this.#random = random;
    this.#ledger = new CourseLedger(random);
    // Always the same day from its beginning, so that all of a course is one day of budgets.
    this.#startMs = 20_000 * dayMs + 60_000;
  }

  #nowOf(index: number): number {
    return this.#startMs + this.#ledger.nowMs + (this.#skewsMs[index] ?? 0);
  }

  #gasOf(caller: CallerName) {
    return this.#mode === 'token' ? { key: caller, perDay: callers[caller] * unit } : null;
  }

  async #launch(index: number): Promise<Process> {
    const isToken = this.#mode === 'token';
    const now = () => this.#nowOf(index);
    const inner = await this.#stores.open(index, now);
    let isAlive = true;
    const steps: StoreSteps = inner;
    const take = async <Kind extends StepKind>(kind: Kind, step: StepOf<Kind>) => {
      if (!isAlive) throw new StoreUnavailableError(new Error('killed'));
      this.#underWay += 1;
      try {
        const result = await steps[kind](step);
        if (!isAlive) throw new StoreUnavailableError(new Error('killed'));
        return result;
      } finally {
        this.#underWay -= 1;
      }
    };
    const mortal = toStore(take, () => inner.close());
    const store = createRetryingStore(mortal, {
      now,
      givenUp: () => {},
      firstPauseMs: 1,
      maxPauseMs: 4,
      closeWithinMs: 0,
    });
    const audit = (fact: ExecutionFact) => {
      if (isAlive) this.#facts.push(fact);
    };
    const ledger = {
      canFind: () => this.#ledger.canFind(),
      find: (digest: string) => this.#ledger.find(digest),
      isDead: (digest: string, coin: HeldLease['coin']) => this.#ledger.isDead(digest, coin),
    };
    const clock = () => this.#ledger.nowMs;
    const world = { store, isStoreNeeded: isToken, ledger, now, clock, pace, audit, fault: () => {} };
    const executions = createExecutions(world, { turnMs: 2 ** 31 - 1 });
    const recovery = watchOverdueExecutions(world);
    const reservations = createReservations({
      ...{ leases: isToken ? keys : null, store, isStoreNeeded: isToken, now, answerMs: pace.answerMs },
      maxOpenReservations: null,
      audit: () => {},
    });
    return {
      ...{ executions, reservations, recovery, store },
      isAlive: () => isAlive,
      kill() {
        isAlive = false;
        recovery.close();
        void executions.close();
        void store.close();
      },
    };
  }

  async play(steps: number): Promise<CourseReport> {
    await this.#stores.clear();
    for (let index = 0; index < this.#stores.size; index += 1) this.#processes.push(await this.#launch(index));
    await this.#reserve();
    for (let step = 0; step < steps; step += 1) {
      await this.#act();
      await this.#settle();
      this.#judgeDispatches();
      if (this.#random.chance(0.3)) await this.#judgeAllowances();
    }
    const endedWithinMs = await this.#conclude();
    const dispatched = [...this.#ledger.received.values()].flat().length;
    return { endedWithinMs, dispatched, disturbances: this.#disturbances };
  }

  async end(): Promise<void> {
    for (const { cancellation } of this.#asked) cancellation.cancel('aborted');
    for (const process of this.#processes) process.kill();
    await turnOfEvents();
  }

  #note(text: string): void {
    this.diary.push(`${this.#ledger.nowMs} ms: ${text}`);
  }

  #process(): readonly [index: number, process: Process] {
    const index = this.#random.below(this.#processes.length);
    return [index, this.#processes[index] as Process];
  }

  async #act(): Promise<void> {
    const random = this.#random;
    const chosen = random.below(100);
    if (chosen < 20) await this.#reserve();
    else if (chosen < 58) this.#execute();
    else if (chosen < 78) await this.#advance(random.pick([100, 500, 1_400, 2_100, 5_000, 61_000, 605_000]));
    else if (chosen < 84) this.#changeLedger();
    else if (chosen < 89) await this.#kill();
    else if (chosen < 91) this.#skewsMs[random.below(2)] = random.pick([-2_000, 0, 400, 3_000]);
    else if (chosen < 94) await this.#look();
    else await this.#disturb();
  }

  // What callers and the world do ----------------------------------------------------------------

  async #reserve(): Promise<void> {
    const random = this.#random;
    const [index, { reservations }] = this.#process();
    const caller = random.pick(Object.keys(callers) as CallerName[]);
    const gasBudget = (1 + random.below(4)) * unit;
    const seconds = random.pick([5, 60, 600]);
    const manner = random.pick(['reserves', 'reserves', 'reserves', 'reserves', 'loses the answer', 'refuses']);
    const cancellation = createCancellation();
    const gas = this.#gasOf(caller);
    const policy = gas && toTestPolicy({ gas: { perDay: gas.perDay } }, gas.key);
    const order: ReservationOrder = {
      ...{ holder: caller, gasBudget, reserveDurationSecs: seconds, cancellation },
      ...{ visitor: caller, sender: null, spender: { visitor: caller, policy } },
      idempotencyKey: random.chance(0.3) ? `key-${random.below(3)}` : null,
      requestId: 'r',
      send: async () => {
        if (manner === 'refuses') throw saidError('SPONSOR_EXHAUSTED');
        const coins = this.#ledger.reserve(seconds);
        if (manner !== 'reserves') throw saidError('UPSTREAM_UNAVAILABLE', true);
        return coins;
      },
    };
    this.#note(`${caller} reserves ${gasBudget} for ${seconds} s at ${index}; the sponsor ${manner}`);
    const reserved = reservations.reserve(order).catch((error: GraphQLError) => error);
    // A call that waits for a twin ends with its operation.
    setTimeout(() => cancellation.cancel('timeout'), 100).unref();
    const reservation = await reserved;
    if (reservation instanceof GraphQLError) {
      const code = String(reservation.extensions.code);
      this.#note(`… ${code}`);
      if (code === 'INTERNAL_SERVER_ERROR') throw reservation;
      return;
    }
    const { reservationId, gasCoins, expiresAtMs } = reservation;
    const opened = this.#mode === 'token' ? keys.open(reservationId, caller) : null;
    const number = opened?.rawReservationId ?? reservationId;
    const leaseId = opened?.leaseId ?? number;
    const [coin = { objectId: '', version: '' }] = gasCoins;
    const { objectId, version } = coin;
    const lease = {
      caller,
      leaseId,
      reservationId,
      number,
      amount: gasBudget,
      expiresAtMs,
      coin: { objectId, version },
    };
    if (!this.#leases.some((other) => other.leaseId === leaseId)) this.#leases.push(lease);
  }

  #execute(): void {
    const random = this.#random;
    const lease = random.pick(this.#leases.slice(-4));
    if (!lease) return;
    const digest = `${lease.number}-${random.chance(0.8) ? 0 : 1}`;
    const key = random.pick([null, null, `e-${digest}`, `e-${lease.number}`]);
    const manner: ExecuteManner = random.pick(executeManners);
    // In forward mode the sponsor's denial is believed.
    const fitting = this.#mode === 'forward' && manner === 'denies, ran' ? 'denies' : manner;
    const twins = random.pick([1, 1, 1, 2, 3]);
    const leavesAfterMs = random.pick([null, null, null, 0, 300]);
    const isDeclined = random.chance(0.05);
    const gasUsed = random.below(lease.amount);
    this.#note(`${lease.caller} executes ${digest}, key ${key}, ${twins} times; the sponsor ${fitting}`);
    for (let twin = 0; twin < twins; twin += 1) {
      const [index] = this.#process();
      const asked = this.#ask(index, lease, digest, key, { manner: fitting, gasUsed, isDeclined });
      if (leavesAfterMs === 0) asked.cancellation.cancel('aborted');
      else if (leavesAfterMs !== null) this.#leaving.push({ atMs: this.#ledger.nowMs + leavesAfterMs, asked });
    }
  }

  readonly #leaving: { readonly atMs: number; readonly asked: Asked }[] = [];

  #ask(
    index: number,
    lease: HeldLease,
    digest: string,
    key: string | null,
    about: { readonly manner: ExecuteManner; readonly gasUsed: number; readonly isDeclined?: boolean },
  ): Asked {
    const { caller, leaseId, number, amount, expiresAtMs, coin, reservationId } = lease;
    const isToken = this.#mode === 'token';
    const process = this.#processes[index] as Process;
    const cancellation = createCancellation();
    const transaction = { digest, coin, number };
    const asked: Asked = { lease, transaction, key, cancellation, askedAtMs: this.#ledger.nowMs, answer: null };
    this.#asked.push(asked);
    const order: ExecutionOrder = {
      subject: {
        ...{
          requestId: `r${this.#keysUsed++}`,
          caller,
          leaseId,
          reservationId,
          digest,
          idempotencyKey: key,
          amount,
          coin,
        },
        bodyHash: toBodyHash(leaseId, digest),
        budget: isToken ? amount : null,
        expiresAtMs: isToken ? expiresAtMs : this.#nowOf(index) + 600_000,
        mustBeKnown: isToken,
        ...{ visitor: caller, sender: null, senderHolds: [] },
      },
      needsReservation: !isToken,
      check: () => (about.isDeclined ? gatewayError('FORBIDDEN', 'not permitted') : null),
      dispatch: (_, report) => {
        // What a killed process would do is not done.
        if (!process.isAlive())
          return report({ event: 'lost', error: saidError('EXECUTION_OUTCOME_UNKNOWN'), isOver: true });
        this.#note(`${index} dispatches ${digest}`);
        this.#ledger.execute(transaction, about.manner, about.gasUsed, report);
      },
    };
    process.executions.execute(order, cancellation).then(
      ({ outcome }) => this.#hear(asked, { outcome }),
      (error: unknown) => {
        const { extensions, message } = error instanceof GraphQLError ? error : saidError('UPSTREAM_UNAVAILABLE');
        const code = error instanceof GraphQLError ? String(extensions.code) : `not a GraphQL error: ${error}`;
        this.#hear(asked, { code, digest: extensions.digest, message });
      },
    );
    return asked;
  }

  #hear(asked: Asked, answer: NonNullable<Asked['answer']>): void {
    asked.answer = answer;
    this.#note(
      `${asked.transaction.digest} is answered ${JSON.stringify('outcome' in answer ? answer.outcome : answer.code)}`,
    );
  }

  /** @param coarseMs nothing depends on what happens within this time */
  async #advance(ms: number, coarseMs = 0): Promise<void> {
    this.#note(`${ms} ms pass`);
    for (let left = ms; left > 0; ) {
      const passed = ms - left;
      const stepMs = Math.min(left, Math.max(coarseMs, passed < 2_500 ? 100 : passed < 10_000 ? 1_000 : 20_000));
      left -= stepMs;
      this.#ledger.advance(stepMs);
      for (const { atMs, asked } of this.#leaving) if (atMs <= this.#ledger.nowMs) asked.cancellation.cancel('aborted');
      for (const { askedAtMs, cancellation } of this.#asked)
        if (this.#ledger.nowMs - askedAtMs >= mutationMs) cancellation.cancel('timeout');
      await this.#turn();
    }
  }

  /** What the timers of the processes do. */
  async #turn(): Promise<void> {
    for (const { executions, recovery } of this.#processes) {
      executions.turn();
      if (this.#random.chance(0.3)) void recovery.recoverAll().catch(() => {});
    }
    await this.#settle();
  }

  #changeLedger(): void {
    this.#ledger.manner = this.#random.pick(ledgerManners);
    this.#note(`the ledger ${this.#ledger.manner}`);
  }

  async #kill(): Promise<void> {
    const [index, process] = this.#process();
    this.#note(`process ${index} is killed`);
    this.#isDisturbed = true;
    if (!this.#stores.remembers) this.#hasForgotten = true;
    this.#stores.kill(index);
    process.kill();
    this.#processes[index] = await this.#launch(index);
  }

  async #disturb(): Promise<void> {
    this.#isDisturbed = true;
    const { what, forgets } = await this.#stores.disturb(this.#random);
    if (forgets) this.#hasForgotten = true;
    this.#disturbances.push(what);
    this.#note(`the store: ${what}`);
    // Meanwhile something is asked.
    if (this.#random.chance(0.7)) this.#execute();
    if (this.#random.chance(0.5)) await this.#reserve();
    await this.#settle();
    await this.#stores.heal();
    await this.#storeIsBack();
  }

  async #look(): Promise<void> {
    const lease = this.#random.pick(this.#leases);
    if (!lease) return;
    const [, { reservations }] = this.#process();
    await reservations.find(lease.reservationId, lease.caller).catch(() => null);
    const other = Object.keys(callers).find((name) => name !== lease.caller) ?? '';
    const foreign = await reservations.find(lease.reservationId, other).catch(() => null);
    if (foreign) throw new Error('the reservation of another caller was shown');
  }

  /** Waits until nothing is under way, or a store does not answer. */
  async #settle(): Promise<void> {
    const deadline = performance.now() + 40;
    for (let quiet = 0; quiet < 4 && performance.now() < deadline; ) {
      await turnOfEvents();
      quiet = this.#underWay === 0 ? quiet + 1 : 0;
    }
  }

  async #storeIsBack(): Promise<void> {
    const deadline = performance.now() + 10_000;
    for (const [index, { store }] of this.#processes.entries())
      for (;;) {
        const isBack = await allowanceOf(store, { key: 'nobody', perDay: 1 }, this.#nowOf(index)).then(
          () => true,
          () => false,
        );
        if (isBack) break;
        if (performance.now() > deadline) throw new Error('the store does not come back');
        await pause(2);
      }
  }

  // What must hold --------------------------------------------------------------------------------

  #judgeDispatches(): void {
    const isToken = this.#mode === 'token';
    for (const [number, sent] of this.#ledger.received) {
      const { expiresAtMs = 0 } = this.#leases.find((lease) => lease.number === number) ?? {};
      // In forward mode numbers are forgotten long after their expiry, and the sponsor counts them while the store is away.
      const untilMs = isToken ? Number.POSITIVE_INFINITY : expiresAtMs - this.#startMs + lingerMs - 5_000;
      const arrived = sent.filter(({ isUnsent, atMs }) => !isUnsent && atMs < untilMs);
      if (arrived.length > 1 && (isToken || !this.#isDisturbed))
        throw new Error(`lease ${number} was dispatched twice: ${JSON.stringify(sent)}`);
    }
  }

  async #judgeAllowances(): Promise<void> {
    for (const caller of Object.keys(callers) as CallerName[]) {
      const gas = this.#gasOf(caller);
      if (!gas) return;
      const [index, { store }] = this.#process();
      const allowance = await allowanceOf(store, gas, this.#nowOf(index)).catch(() => null);
      if (!allowance) continue;
      const { limit, held, settled, free } = allowance;
      // What Redis evicts in part may be counted twice afterwards, but never too little.
      const isOver = free < 0 && !this.#hasForgotten;
      if (held < 0 || settled < 0 || isOver || held + settled + free !== limit || limit !== gas.perDay)
        throw new Error(`budgets do not add up: ${caller} ${JSON.stringify(allowance)}`);
    }
  }

  async #conclude(): Promise<number> {
    this.#note('conclusion');
    this.#ledger.manner = 'knows';
    await this.#stores.heal();
    await this.#storeIsBack();
    while (this.#ledger.isBusy) await this.#advance(30_000, 5_000);
    await this.#advance(2 * mutationMs);
    await this.#writesAreDone();
    for (const { answer, transaction } of this.#asked)
      if (!answer) throw new Error(`the call for ${transaction.digest} was never answered`);
    this.#ledger.spendAllCoins();
    const fromMs = this.#ledger.nowMs;
    const mostMs = ownLookupMs + 60_000 + fromMs / 2;
    // By then, all leases have expired as well.
    for (let open = await this.#open(); open.length > 0 && !this.#hasForgotten; open = await this.#open()) {
      if (this.#ledger.nowMs - fromMs > mostMs) throw new Error(`not ended: ${open.join(', ')}`);
      await this.#advance(20_000, 20_000);
      for (const { recovery } of this.#processes) await recovery.recoverAll();
      await this.#writesAreDone();
    }
    const endedWithinMs = this.#ledger.nowMs - fromMs;
    this.#judgeAnswers();
    if (!this.#hasForgotten) {
      this.#judgeAudit();
      await this.#judgeRecall();
      await this.#advance(610_000, 60_000);
      await this.#writesAreDone();
      await this.#judgeSums();
    }
    this.#judgeDispatches();
    await this.#judgeAllowances();
    return endedWithinMs;
  }

  /** Ends that the store did not take are written again. */
  async #writesAreDone(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      await pause(this.#isDisturbed ? 2 : 0);
      await this.#settle();
      quiet = this.#underWay === 0 ? quiet + 1 : 0;
      if (!this.#isDisturbed) return;
    }
  }

  /** Digests that were sent and have not ended in the store. */
  async #open(): Promise<readonly string[]> {
    const open: string[] = [];
    const [{ store }] = this.#processes as [Process];
    for (const { lease, transaction } of this.#distinct()) {
      const { caller, leaseId } = lease;
      const bodyHash = toBodyHash(leaseId, transaction.digest);
      const found = await store.findExecution({ caller, leaseId, bodyHash, nowMs: this.#nowOf(0) });
      if (found?.kind === 'in-progress') open.push(transaction.digest);
    }
    return open;
  }

  #distinct(): readonly Asked[] {
    return [...new Map(this.#asked.map((asked) => [asked.transaction.digest, asked])).values()];
  }

  #judgeAnswers(): void {
    for (const { answer, transaction } of this.#asked) {
      const entry = this.#ledger.chain.get(transaction.digest);
      if (!answer) continue;
      if ('outcome' in answer) {
        const isTrue = entry && ['RECOVERED', entry.succeeded ? 'EXECUTED' : 'FAILED'].includes(answer.outcome);
        if (!isTrue) throw new Error(`${transaction.digest} was told ${answer.outcome}, which is not true`);
      } else if (answer.code === 'SPONSOR_REJECTED' && entry) {
        throw new Error(`${transaction.digest} ran and was told to be refused`);
      } else if (/INTERNAL|not a/.test(answer.code)) {
        throw new Error(`${transaction.digest} was told ${answer.code}`);
      } else if (
        /was refused with this reservation/.test(answer.message) &&
        this.#ledger.chain.has(String(answer.digest))
      ) {
        throw new Error(`${answer.digest} ran and its lease was told to be refused`);
      }
    }
  }

  /** Everything that was sent has a line for its end, and each line is true. */
  #judgeAudit(): void {
    const sent = new Set([...this.#ledger.received.values()].flat().map(({ digest }) => digest));
    for (const digest of sent) {
      const events = this.#facts.filter((fact) => fact.digest === digest).map(({ event }) => event as string);
      const entry = this.#ledger.chain.get(digest);
      const ends = events.filter((event) => certainEnds.has(event));
      if (!events.includes('dispatched')) throw new Error(`the audit log lacks the dispatch of ${digest}`);
      // In forward mode a number may be sent again, and is denied.
      const untrue = entry
        ? [entry.succeeded ? 'failed' : 'executed', ...(this.#mode === 'token' ? ['refused'] : [])]
        : ['executed', 'failed', 'recovered'];
      if (ends.some((event) => untrue.includes(event))) throw new Error(`untrue lines of ${digest}: ${events}`);
      const isTold = entry ? ends.some((event) => /executed|failed|recovered/.test(event)) : ends.length > 0;
      if (!isTold && (this.#mode === 'token' || !this.#isDisturbed))
        throw new Error(`no line tells how ${digest} ended: ${events}`);
    }
  }

  /** A repeat of what ran is told so by each process. */
  async #judgeRecall(): Promise<void> {
    for (const { lease, transaction } of this.#distinct()) {
      if (!this.#ledger.chain.has(transaction.digest)) continue;
      for (const index of this.#processes.keys()) {
        const asked = this.#ask(index, lease, transaction.digest, null, { manner: 'refuses', gasUsed: 0 });
        await this.#advance(mutationMs + 100);
        const { answer } = asked;
        if (!answer) throw new Error(`the repeat of ${transaction.digest} was never answered`);
        if ('outcome' in answer) continue;
        const isSpent = answer.code === 'RESERVATION_NOT_FOUND';
        const isOver = this.#nowOf(index) >= lease.expiresAtMs || this.#mode === 'forward';
        if (!isSpent || !(answer.digest === transaction.digest || isOver))
          throw new Error(`the repeat of ${transaction.digest} was told ${JSON.stringify(answer)}`);
      }
    }
    this.#judgeDispatches();
  }

  /** What ran was paid once, and everything else was released. */
  async #judgeSums(): Promise<void> {
    for (const caller of Object.keys(callers) as CallerName[]) {
      const gas = this.#gasOf(caller);
      if (!gas) return;
      const own = this.#leases.filter((lease) => lease.caller === caller);
      const used = own.flatMap(({ number, amount }) =>
        [...this.#ledger.chain]
          .filter(([digest]) => digest.startsWith(`${number}-`))
          .map(([, { gasUsed }]) => Math.min(gasUsed, amount)),
      );
      const sum = used.reduce((total, each) => total + each, 0);
      for (const [index, { store }] of this.#processes.entries()) {
        const { held, settled } = await allowanceOf(store, gas, this.#nowOf(index));
        if (held !== 0 || settled !== sum)
          throw new Error(`${caller} has ${held} held and ${settled} settled, and used ${sum}`);
      }
    }
  }
}
