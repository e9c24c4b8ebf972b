import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import type { Policy } from '../../src/config/policy.ts';
import { Secret } from '../../src/config/secret.ts';
import { gatewayError } from '../../src/errors/gateway-error.ts';
import type { PolicyRule } from '../../src/errors/policy-rules.ts';
import type { Simulation } from '../../src/ledger/simulate-transaction.ts';
import { toExecutionPace } from '../../src/sponsor/execution/execution-order.ts';
import { createExecutions } from '../../src/sponsor/execution/executions.ts';
import { createLeaseKeys } from '../../src/sponsor/leases.ts';
import { createPolicyHook } from '../../src/sponsor/policy-hook.ts';
import type { Reservation } from '../../src/sponsor/reservations.ts';
import type { SponsorClient, SponsorExecution } from '../../src/sponsor/sponsor-client.ts';
import { toHolds, toSenderHolds } from '../../src/sponsor/sponsor-policy.ts';
import { InconclusiveResponse } from '../../src/sponsor/sponsor-refusal.ts';
import { createSponsorResolvers } from '../../src/sponsor/sponsor-resolvers.ts';
import type { SponsoredTransaction } from '../../src/sponsor/sponsor-transaction.ts';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import { dayMs, dayOf, type HoldRequest } from '../../src/sponsor/store/sponsorship-store.ts';
import { transactionDigest } from '../../src/transactions/digest.ts';
import { programmableTransactionBcs, toTransactionBytes } from '../../src/transactions/transaction-bcs.ts';
import { createCancellation } from '../../src/upstream/cancellation.ts';
import type { CallerPolicy, OperationContext } from '../../src/upstream/operation-context.ts';
import { isWithinShare } from '../../src/upstream/quota.ts';
import { UpstreamCallError } from '../../src/upstream/upstream-call-error.ts';
import { createRandom, type Random } from './course-random.ts';
import type { CourseStores } from './course-stores.ts';
import { toTestCaller } from './test-caller.ts';
import { toTestRules } from './test-policy.ts';

const address = (digit: string) => `0x${digit.repeat(64)}`;
const sponsorAddress = address('e');
const senders = ['a', 'b', 'c'].map(address);
const packages = { listed: address('1'), other: address('2') };
const keys = createLeaseKeys(new Secret('the key of leases in courses of policies'));
const signature = Buffer.alloc(97).toString('base64');
const maxGasBudgetExclusive = 100_000;

/** What the operator's service says. */
const hookManners = ['allows', 'allows', 'allows', 'allows', 'allows', 'denies', 'is away', 'talks nonsense'] as const;
/** What the dry run says, whatever the transaction will do. */
const simulations = [
  'succeeds',
  'succeeds',
  'succeeds',
  'succeeds',
  'succeeds',
  'fails',
  'is away',
  'hides its costs',
] as const;
const reserveManners = [
  'reserves',
  'reserves',
  'reserves',
  'reserves',
  'reserves',
  'refuses',
  'loses the answer',
] as const;
const executeManners = ['succeeds', 'succeeds', 'fails', 'refuses', 'is not reached', 'loses the answer'] as const;

interface Manners {
  hook: (typeof hookManners)[number];
  simulation: (typeof simulations)[number];
  storage: number;
  reserve: (typeof reserveManners)[number];
  execute: (typeof executeManners)[number];
  gasUsed: number;
}

interface Process {
  readonly store: SponsorshipStore;
  readonly mutation: ReturnType<typeof createSponsorResolvers>['Mutation'];
  /** What the hook decided about transactions, by visitor and digest. */
  readonly decided: Map<string, { readonly isAllowed: boolean; readonly untilMs: number }>;
}

interface StoryHold extends HoldRequest {
  /** `open`: it expires with the lease. `sent`: held until it is settled. */
  state: 'open' | 'sent' | 'over';
  used: number;
  readonly expiresAtMs: number;
}

interface StoryLease {
  readonly visitor: string;
  readonly reservation: Reservation;
  readonly policy: CallerPolicy;
  /** As `sponsorTransaction` completed it. */
  readonly completed: SponsoredTransaction | null;
  holds: StoryHold[];
  isSpent: boolean;
}

/** What a call asks for, as far as rules look at it. */
interface Asked {
  readonly budget: number | null;
  readonly durationSecs: number | null;
  readonly sender: string | null;
  readonly calls: readonly string[];
  readonly holds: readonly HoldRequest[];
  readonly storage: number | null;
}

export interface PolicyCourseReport {
  readonly sponsored: number;
  readonly executed: number;
  readonly denied: ReadonlyMap<string, number>;
}

/**
 * Plays one course of visitors and senders under policies that change, with a hook that is away or says nonsense and a dry run that
 * is wrong in both directions, beside the plainest account of what is held. Throws what does not hold.
 */
export async function playPolicyCourse(stores: CourseStores, seed: number, steps: number): Promise<PolicyCourseReport> {
  const course = new Course(stores, createRandom(seed));
  try {
    return await course.play(steps);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    throw new Error(`course ${seed}: ${told}\n${course.diary.join('\n')}`, { cause: error });
  } finally {
    await course.end();
  }
}

class Course {
  readonly diary: string[] = [];
  readonly #stores: CourseStores;
  readonly #random: Random;
  readonly #processes: Process[] = [];
  readonly #leases: StoryLease[] = [];
  readonly #holds: StoryHold[] = [];
  readonly #denied = new Map<string, number>();
  readonly #maxOpen: number | null;
  readonly #dryRun: 'off' | 'failing' | 'strict';
  readonly #isOpen: boolean;
  readonly #manners: Manners;
  #rules: Policy = toTestRules();
  #nowMs: number;
  #asks = 0;
  #sent = 0;
  #numbers = 0;
  #sponsored = 0;
  #executed = 0;

  constructor(stores: CourseStores, random: Random) {
    this.#stores = stores;
    this.#random = random;
    this.#nowMs = 20_000 * dayMs + random.pick([60_000, dayMs - 300_000]);
    this.#maxOpen = random.pick([null, 8]);
    this.#dryRun = random.pick(['off', 'failing', 'strict']);
    this.#isOpen = random.chance(0.3);
    this.#manners = {
      ...{ hook: 'allows', simulation: 'succeeds', storage: 0 },
      ...{ reserve: 'reserves', execute: 'succeeds', gasUsed: 0 },
    };
  }

  async play(steps: number): Promise<PolicyCourseReport> {
    await this.#stores.clear();
    for (let index = 0; index < this.#stores.size; index += 1) this.#processes.push(await this.#launch(index));
    this.#changePolicy();
    for (let step = 0; step < steps; step += 1) {
      await this.#act();
      await this.#judge();
    }
    return { sponsored: this.#sponsored, executed: this.#executed, denied: this.#denied };
  }

  async end(): Promise<void> {
    for (const { store } of this.#processes) await store.close();
  }

  async #act(): Promise<void> {
    const random = this.#random;
    const chosen = random.below(100);
    if (chosen < 22) await this.#reserve();
    else if (chosen < 42) await this.#sponsor();
    else if (chosen < 72) await this.#execute();
    else if (chosen < 77) await this.#race();
    else if (chosen < 86) {
      const ms = random.pick([1, 1_000, 10_000, 10_000, 60_000, 600_000, dayMs / 2]);
      this.#nowMs += ms;
      this.#note(`${ms} ms pass`);
    } else if (chosen < 94 || !this.#stores.remembers) this.#changePolicy();
    else await this.#kill();
  }

  #note(text: string): void {
    this.diary.push(`${this.#nowMs}: ${text}`);
  }

  async #launch(index: number): Promise<Process> {
    const now = () => this.#nowMs;
    const store = await this.#stores.open(index, now);
    const executions = createExecutions(
      {
        ...{ store, isStoreNeeded: true, now, clock: now, pace: toExecutionPace(2_000) },
        // Lost executions stay unknown.
        ledger: { canFind: () => false, find: async () => null, isDead: async () => false },
        ...{ audit: () => {}, fault: () => {} },
      },
      { turnMs: 2 ** 31 - 1 },
    );
    const hook = createPolicyHook({ deciders: [() => this.#decide()], isOpen: this.#isOpen, now });
    const { Mutation } = createSponsorResolvers({
      client: this.#client(),
      sponsorship: {
        ...{ auth: 'token', token: new Secret('token'), maxGasBudgetExclusive, maxOpenReservations: this.#maxOpen },
        ...{ preflight: 'enforce', unreadable: 'refuse', dryRun: this.#dryRun },
      },
      limits: { maxTransactionPayloadBytes: 1_000_000 },
      mutationMs: 2_000,
      services: {
        ...{ leases: keys, store, isStoreNeeded: true, executions, hook, audit: () => {} },
        simulate: async () => this.#simulate(),
        gasPrice: async () => 1n,
      },
      doubted: () => {},
      now,
    });
    return { store, mutation: Mutation, decided: new Map() };
  }

  async #kill(): Promise<void> {
    const index = this.#random.below(this.#processes.length);
    this.#note(`process ${index} is killed`);
    this.#stores.kill(index);
    await this.#processes[index]?.store.close();
    this.#processes[index] = await this.#launch(index);
  }

  // The world -------------------------------------------------------------------------------------

  #decide(): unknown {
    this.#asks += 1;
    const { hook } = this.#manners;
    if (hook === 'is away') throw new TypeError('it is away');
    if (hook === 'talks nonsense') return { allow: true, deny: { message: 'both' } };
    return hook === 'allows' ? { allow: true } : { deny: { message: 'not today' } };
  }

  #simulate(): Simulation {
    const { simulation, storage } = this.#manners;
    if (simulation === 'is away') return { kind: 'unavailable', reason: 'it is away' };
    const costs = { computation: 100n, storage: BigInt(storage), rebate: 0n };
    const kind = simulation === 'fails' ? 'fails' : 'succeeds';
    return { kind, reason: 'says so', costs: simulation === 'hides its costs' ? null : costs, account: null };
  }

  #client(): SponsorClient {
    const unused = () => Promise.reject(new Error('not in these courses'));
    return {
      ...{ health: unused, version: unused, debugHealthCheck: unused, reloadAccessController: unused },
      reserveGas: async () => {
        const { reserve } = this.#manners;
        const lost = { originalError: new InconclusiveResponse() };
        if (reserve === 'refuses') throw gatewayError('SPONSOR_EXHAUSTED', 'no coins');
        if (reserve !== 'reserves') throw gatewayError('UPSTREAM_UNAVAILABLE', 'lost', {}, lost);
        this.#numbers += 1;
        const objectId = `0x${this.#numbers.toString(16).padStart(64, '0')}`;
        const gasCoins = [{ objectId, version: '1', digest: '11111111111111111111111111111111' }];
        return { rawReservationId: String(this.#numbers), sponsorAddress, gasCoins };
      },
      executeTx: async ({ digest }): Promise<SponsorExecution> => {
        const { execute, gasUsed } = this.#manners;
        this.#sent += 1;
        const unreached = { originalError: new UpstreamCallError('unreachable', 'no connection') };
        const lost = { originalError: new InconclusiveResponse() };
        if (execute === 'refuses') throw gatewayError('SPONSOR_REJECTED', 'no');
        if (execute === 'is not reached') throw gatewayError('UPSTREAM_UNAVAILABLE', 'away', {}, unreached);
        if (execute === 'loses the answer') throw gatewayError('EXECUTION_OUTCOME_UNKNOWN', 'lost', {}, lost);
        const costs = { computationCost: String(gasUsed), storageCost: '0', storageRebate: '0' };
        const effects = { gasUsed: costs } as unknown as SponsorExecution['effects'];
        return { digest, succeeded: execute === 'succeeds', effects, rawEffects: { digest } };
      },
    };
  }

  #changePolicy(): void {
    const random = this.#random;
    const perhaps = (most: number) => (random.chance(0.35) ? 1 + random.below(most) : null);
    this.#rules = toTestRules({
      gas: {
        ...{ perDay: perhaps(30_000), perVisitorPerDay: perhaps(15_000), perSenderPerDay: perhaps(15_000) },
        ...{ perTransaction: random.chance(0.3) ? 500 + random.below(6_000) : null, storage: perhaps(2_000) },
      },
      transactions: { perVisitorPerDay: perhaps(6), perSenderPerDay: perhaps(6) },
      openReservations: { perVisitor: perhaps(6), inAll: perhaps(8) },
      reservation: { maxDurationSecs: random.pick([null, null, 60]), needsSender: random.chance(0.15) },
      senders: {
        allow: random.chance(0.1) ? senders.slice(1) : null,
        deny: random.chance(0.2) ? [senders[0] ?? ''] : null,
      },
      moveCalls: random.chance(0.3) ? [packages.listed] : null,
      commands: { allow: null, max: random.pick([null, null, 1]) },
      fromMs: random.chance(0.04) ? this.#nowMs + 30_000 : null,
      untilMs: random.chance(0.04) ? this.#nowMs + 30_000 : null,
    });
    this.#note('the policy changes');
  }

  #drawManners(): void {
    const random = this.#random;
    Object.assign(this.#manners, {
      ...{ hook: random.pick(hookManners), simulation: random.pick(simulations), storage: random.below(1_500) },
      ...{ reserve: random.pick(reserveManners), execute: random.pick(executeManners) },
      // More than was reserved, too.
      gasUsed: random.below(9_000),
    } satisfies Manners);
    this.#note(JSON.stringify(this.#manners));
  }

  // What visitors do ------------------------------------------------------------------------------

  #context(visitor: string): OperationContext {
    const group = visitor.slice(0, visitor.indexOf(' '));
    const policy = { group, rules: this.#rules, total: { key: 'all', perDay: 60_000 } };
    const scopes = new Set(['read', 'sponsor'] as const);
    const about = {
      id: group,
      kind: 'API_KEY',
      scopes,
      visitor,
      rate: { key: visitor, perMinute: null },
      policy,
    } as const;
    return { requestId: 'r', cancellation: createCancellation(), caller: toTestCaller(about) };
  }

  #visitor(): string {
    return `${this.#random.pick(['client:page', 'client:page', 'client:shop'])} address:${this.#random.below(3)}`;
  }

  #process(): Process {
    return this.#random.pick(this.#processes);
  }

  #toHolds({ caller }: OperationContext, budget: number, sender: string | null): readonly HoldRequest[] {
    return toHolds(caller, budget, sender, this.#nowMs, this.#maxOpen);
  }

  /** Often exactly what an account has left, or one unit more. */
  #budget(context: OperationContext, sender: string | null): number {
    const random = this.#random;
    const bound = random.pick(this.#toHolds(context, 0, sender).filter(({ account }) => account.startsWith('gas:')));
    const left = bound ? bound.limit - this.#heldOf(bound.account) - this.#usedOf(bound.account) : 0;
    return left > 0 && random.chance(0.3) ? left + random.below(2) : 1 + random.below(6_000);
  }

  async #reserve(): Promise<void> {
    const random = this.#random;
    this.#drawManners();
    const visitor = this.#visitor();
    const context = this.#context(visitor);
    const sender = random.pick([null, ...senders]);
    const [gasBudget, reserveDurationSecs] = [this.#budget(context, sender), random.pick([5, 60, 60, 600])];
    const call = () =>
      this.#process().mutation.reserveGas(
        {},
        { gasBudget, reserveDurationSecs, sender },
        context,
      ) as Promise<Reservation>;
    const holds = this.#toHolds(context, gasBudget, sender);
    const asked = { budget: gasBudget, durationSecs: reserveDurationSecs, sender, calls: [], holds, storage: null };
    this.#note(`${visitor} reserves ${gasBudget} for ${sender?.slice(0, 3)}, ${reserveDurationSecs} s`);
    const answer = await this.#hear(call());
    this.#judgeAnswer(answer, asked, 'reserve');
    this.#takeReservation(answer, visitor, context, asked, null);
  }

  async #sponsor(): Promise<void> {
    const random = this.#random;
    this.#drawManners();
    const visitor = this.#visitor();
    const context = this.#context(visitor);
    const { policy } = context.caller;
    const sender = random.pick(senders);
    const calls = random.pick([
      [packages.listed],
      [packages.listed],
      [packages.other],
      [packages.listed, packages.other],
    ]);
    const gasBudget = random.pick([null, this.#budget(context, sender)]);
    const reserveDurationSecs = random.pick([5, 60, 60, 600]);
    const process = this.#process();
    const transactionKind = toKind(calls).toString('base64');
    const args = { transactionKind, sender, gasBudget, reserveDurationSecs };
    this.#note(
      `${visitor} has a transaction of ${sender.slice(0, 3)} with ${calls.length} calls sponsored, ${gasBudget}`,
    );
    const answer = await this.#hear(process.mutation.sponsorTransaction({}, args, context));
    const { perTransaction } = policy?.rules.gas ?? {};
    const needed = 100 + this.#manners.storage;
    const found = Math.min(needed + Math.floor(needed / 5) + 1_000, perTransaction ?? maxGasBudgetExclusive - 1);
    const budget = gasBudget ?? found;
    if (answer instanceof GraphQLError === false && answer.gasBudget !== budget)
      throw new Error(`the budget is ${answer.gasBudget} instead of ${budget}`);
    const holds = this.#toHolds(context, budget, sender);
    const { storage, simulation } = this.#manners;
    const asked = { budget, durationSecs: reserveDurationSecs, sender, calls, holds, storage };
    this.#judgeAnswer(answer, asked, 'sponsor');
    if (answer instanceof GraphQLError) return this.#takeReservation(answer, visitor, context, asked, null);
    if (simulation !== 'succeeds' && !(simulation === 'hides its costs' && gasBudget !== null))
      throw new Error(`it was sponsored although the simulation ${simulation}`);
    this.#judgeHook(this.#manners.hook === 'allows' ? true : this.#manners.hook === 'denies' ? false : null, true);
    process.decided.set(`${visitor} ${answer.digest}`, { isAllowed: true, untilMs: answer.reservation.expiresAtMs });
    this.#takeReservation(answer.reservation, visitor, context, asked, answer);
  }

  #takeReservation(
    answer: Reservation | GraphQLError | SponsoredTransaction,
    visitor: string,
    { caller: { policy } }: OperationContext,
    { holds, durationSecs }: Asked,
    completed: SponsoredTransaction | null,
  ): void {
    const expiresAtMs = this.#nowMs + (durationSecs ?? 0) * 1_000;
    // Coins may be locked.
    const isLost = answer instanceof GraphQLError && answer.message === 'lost';
    if (isLost) this.#take(holds, 'open', expiresAtMs);
    if (answer instanceof GraphQLError || !policy) return;
    const taken = this.#take(holds, 'open', expiresAtMs);
    this.#sponsored += 1;
    this.#leases.push({
      ...{ visitor, reservation: answer as Reservation, policy, completed, isSpent: false },
      holds: taken,
    });
  }

  async #execute(): Promise<void> {
    const random = this.#random;
    this.#drawManners();
    const lease = random.pick(
      this.#leases.filter(
        (each) => !each.isSpent && (random.chance(0.1) || this.#nowMs < each.reservation.expiresAtMs),
      ),
    );
    if (!lease) return;
    const { reservation, visitor, completed } = lease;
    const process = this.#process();
    const context = this.#context(visitor);
    const sender = random.chance(0.85) ? (reservation.sender ?? random.pick(senders)) : random.pick(senders);
    const calls = random.pick([[packages.listed], [packages.listed], [packages.other]]);
    const isOwn = completed !== null && random.chance(0.8);
    const budget = random.chance(0.9) ? reservation.gasBudget : reservation.gasBudget + 1;
    const payment = reservation.gasCoins.map((coin) => ({ ...coin, version: Number(coin.version) }));
    const gas = { payment, owner: sponsorAddress, price: 1n, budget: BigInt(budget) };
    const txBytes = isOwn ? completed.txBytes : toTransactionBytes(toKind(calls), sender, gas).toString('base64');
    const { reservationId } = reservation;
    const args = { reservationId, txBytes, userSig: signature, requestType: 'WAIT_FOR_EFFECTS_CERT' } as const;
    this.#note(
      `${visitor} executes ${reservation.gasBudget} for ${sender.slice(0, 3)}${isOwn ? ', as completed' : ''}`,
    );
    const asksBefore = this.#asks;
    const answer = await this.#hear(process.mutation.executeTx({}, args, context), context.cancellation);
    const key = `${visitor} ${transactionDigest(Buffer.from(txBytes, 'base64'))}`;
    const own = this.#kindOf(completed);
    const subject = isOwn && own ? own : { sender, calls, budget };
    const policy = context.caller.policy;
    const added =
      reservation.sender === null && policy
        ? toSenderHolds(policy, reservation.gasBudget, subject.sender, this.#nowMs)
        : [];
    const asked = { ...subject, durationSecs: null, holds: added, storage: this.#manners.storage };
    this.#judgeAnswer(answer, asked, 'execute');
    const code = answer instanceof GraphQLError ? answer.extensions.code : null;
    const { simulation } = this.#manners;
    // What the sponsor said shows that the transaction was sent.
    const said = { refuses: 'SPONSOR_REJECTED', 'loses the answer': 'EXECUTION_OUTCOME_UNKNOWN' } as const;
    const isSent = code === null || code === said.refuses || code === said['loses the answer'];
    const decision = this.#decisionOf(process, key, asksBefore);
    if (!isSent) return;
    if (reservation.expiresAtMs <= this.#nowMs) throw new Error('it was sent after its lease had expired');
    if (reservation.sender !== null && reservation.sender !== subject.sender) throw new Error('it has another sender');
    if (subject.budget > reservation.gasBudget) throw new Error('it may spend more than was reserved');
    if (this.#dryRun !== 'off' && simulation === 'fails') throw new Error('it was sent although it would fail');
    if (this.#dryRun === 'strict' && simulation === 'is away') throw new Error('it was sent without a simulation');
    this.#judgeHook(decision, false);
    lease.isSpent = true;
    for (const hold of lease.holds) if (!isOpenAccount(hold)) hold.state = 'sent';
    lease.holds.push(...this.#take(added, 'sent', reservation.expiresAtMs));
    if (code === said['loses the answer']) return;
    if (code === null) this.#executed += 1;
    for (const hold of lease.holds) {
      hold.state = 'over';
      if (code !== null || isOpenAccount(hold)) continue;
      hold.used = hold.account.startsWith('count:') ? 1 : Math.min(this.#manners.gasUsed, hold.amount);
    }
  }

  #kindOf(completed: SponsoredTransaction | null) {
    const lease = this.#leases.find((each) => each.completed === completed);
    if (!completed || !lease) return null;
    return { sender: lease.reservation.sender ?? '', budget: completed.gasBudget, calls: callsOf(completed.txBytes) };
  }

  /** What the hook decided about a transaction; `null`: nothing. */
  #decisionOf({ decided }: Process, key: string, asksBefore: number): boolean | null {
    const known = decided.get(key);
    if (this.#asks === asksBefore) return known && this.#nowMs < known.untilMs ? known.isAllowed : null;
    const { hook } = this.#manners;
    if (hook !== 'allows' && hook !== 'denies') return null;
    decided.set(key, { isAllowed: hook === 'allows', untilMs: Number.POSITIVE_INFINITY });
    return hook === 'allows';
  }

  #judgeHook(decision: boolean | null, isReserved: boolean): void {
    if (decision === true || (decision === null && this.#isOpen)) return;
    throw new Error(`it was ${isReserved ? 'reserved' : 'sent'} although the hook ${this.#manners.hook}`);
  }

  /** Several reserve at once: no account has more than its limit, and none is refused that would have fitted. */
  async #race(): Promise<void> {
    const random = this.#random;
    this.#drawManners();
    this.#manners.reserve = 'reserves';
    const calls = Array.from({ length: 6 }, () => {
      const visitor = this.#visitor();
      const context = this.#context(visitor);
      const sender = random.pick(senders);
      const gasBudget = this.#budget(context, sender);
      const holds = this.#toHolds(context, gasBudget, sender);
      const asked = { budget: gasBudget, durationSecs: 60, sender, calls: [], holds, storage: null };
      const args = { gasBudget, reserveDurationSecs: 60, sender };
      const call = this.#process().mutation.reserveGas({}, args, context) as Promise<Reservation>;
      return { visitor, context, asked, answer: this.#hear(call) };
    });
    this.#note('six reserve at once');
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    for (const [index, { visitor, context, asked }] of calls.entries()) {
      const answer = answers[index] as Reservation | GraphQLError;
      if (answer instanceof GraphQLError) continue;
      this.#takeReservation(answer, visitor, context, asked, null);
    }
    for (const [index, { asked }] of calls.entries()) {
      const answer = answers[index] as Reservation | GraphQLError;
      if (answer instanceof GraphQLError) this.#judgeAnswer(answer, asked, 'reserve');
    }
    for (const { account, limit } of calls.flatMap(({ asked }, index) =>
      isError(answers[index]) ? [] : asked.holds,
    )) {
      const sum = this.#heldOf(account) + this.#usedOf(account);
      if (sum > limit) throw new Error(`${account} has ${sum} of ${limit}`);
    }
  }

  /** Waits for an answer. A lost one is answered when its time is over. */
  async #hear<Answer>(
    call: Promise<Answer>,
    cancellation?: OperationContext['cancellation'],
  ): Promise<Answer | GraphQLError> {
    let answer: Answer | GraphQLError | undefined;
    const heard = Promise.resolve(call).then(
      (value) => {
        answer = value;
      },
      (error: unknown) => {
        if (!(error instanceof GraphQLError) || error.extensions.code === 'INTERNAL_SERVER_ERROR') throw error;
        answer = error;
      },
    );
    if (cancellation && this.#manners.execute === 'loses the answer') {
      const before = this.#sent;
      const deadline = performance.now() + 200;
      while (answer === undefined && (this.#sent === before || performance.now() < deadline)) await turnOfEvents();
      if (this.#sent > before) (cancellation as ReturnType<typeof createCancellation>).cancel('timeout');
    }
    await heard;
    if (answer instanceof GraphQLError) this.#note(`… ${answer.extensions.code}: ${answer.message}`);
    return answer as Answer | GraphQLError;
  }

  // What must hold --------------------------------------------------------------------------------

  /** What passed violates no rule, and a rule that refused is violated. */
  #judgeAnswer(answer: object, asked: Asked, step: 'reserve' | 'sponsor' | 'execute'): void {
    if (!(answer instanceof GraphQLError)) {
      const violated = step === 'reserve' ? this.#violated(asked, reserveRules) : this.#violated(asked, allRules);
      const applied = violated.filter((rule) => step !== 'execute' || !rule.startsWith('reservation.'));
      if (applied.length > 0) throw new Error(`it passed, and violates ${applied.join(', ')}`);
      return;
    }
    const { policy, code } = answer.extensions as { policy?: { readonly rule: PolicyRule }; code: string };
    this.#denied.set(policy?.rule ?? code, (this.#denied.get(policy?.rule ?? code) ?? 0) + 1);
    if (!policy || policy.rule === 'hook') return;
    if (!this.#violated(asked, [policy.rule]).includes(policy.rule))
      throw new Error(`it was refused by ${policy.rule}, which it does not violate`);
  }

  #violated(asked: Asked, rules: readonly PolicyRule[]): readonly PolicyRule[] {
    return rules.filter((rule) => this.#isViolated(rule, asked));
  }

  #isViolated(rule: PolicyRule, { budget, durationSecs, sender, calls, holds, storage }: Asked): boolean {
    const { gas, reservation, senders: listed, moveCalls, commands, fromMs, untilMs } = this.#rules;
    const exceeds = (used: number | null, limit: number | null) => used !== null && limit !== null && used > limit;
    switch (rule) {
      case 'gas.perTransaction':
        return exceeds(budget, gas.perTransaction);
      case 'gas.storage':
        return exceeds(storage, gas.storage);
      case 'reservation.maxDurationSecs':
        return exceeds(durationSecs, reservation.maxDurationSecs);
      case 'reservation.needsSender':
        return reservation.needsSender && sender === null;
      case 'senders.allow':
        return sender !== null && listed.allow !== null && !listed.allow.includes(sender);
      case 'senders.deny':
        return sender !== null && (listed.deny?.includes(sender) ?? false);
      case 'moveCalls':
        return moveCalls !== null && calls.some((call) => !moveCalls.includes(call));
      case 'commands.max':
        return exceeds(calls.length, commands.max);
      case 'from':
        return fromMs !== null && this.#nowMs < fromMs;
      case 'until':
        return untilMs !== null && this.#nowMs >= untilMs;
      case 'openReservations.ofGateway':
        return (
          holds.some((hold) => hold.rule === rule && this.#isFull(hold)) || holds.some((hold) => this.#isTooLarge(hold))
        );
      default:
        return holds.some((hold) => hold.rule === rule && this.#isFull(hold));
    }
  }

  #isFull({ account, amount, limit }: HoldRequest): boolean {
    return this.#heldOf(account) + this.#usedOf(account) + amount > limit;
  }

  #isTooLarge({ account, amount, shareOf }: HoldRequest): boolean {
    if (!shareOf) return false;
    const left = shareOf.limit - this.#heldOf(shareOf.account) - amount;
    return left >= 0 && !isWithinShare(this.#heldOf(account) + amount, left, 3);
  }

  #take(holds: readonly HoldRequest[], state: StoryHold['state'], expiresAtMs: number): StoryHold[] {
    const taken = holds.map((hold) => ({ ...hold, state, used: 0, expiresAtMs }));
    this.#holds.push(...taken);
    return taken;
  }

  #heldOf(account: string): number {
    const isHeld = ({ state, expiresAtMs }: StoryHold) =>
      state === 'sent' || (state === 'open' && this.#nowMs < expiresAtMs);
    return this.#sum(account, (hold) => (isHeld(hold) ? hold.amount : 0));
  }

  #usedOf(account: string): number {
    return this.#sum(account, ({ used }) => used);
  }

  #sum(account: string, of: (hold: StoryHold) => number): number {
    return this.#holds.filter((hold) => hold.account === account).reduce((total, hold) => total + of(hold), 0);
  }

  /** For every account, held and settled and free make up its limit. */
  async #judge(): Promise<void> {
    const latest = new Map(this.#holds.map((hold) => [hold.account, hold]));
    for (const hold of latest.values()) {
      const { account, limit } = hold;
      // Accounts of earlier days are forgotten.
      const day = /^[a-z]+:(\d+):/.exec(account)?.[1];
      if (day !== undefined && Number(day) < dayOf(this.#nowMs)) continue;
      const found = await this.#process().store.gasAllowance({ bounds: [hold], nowMs: this.#nowMs });
      const [held, settled] = [this.#heldOf(account), this.#usedOf(account)];
      const isTrue =
        found?.held === held && found.settled === settled && found.held + found.settled + found.free === limit;
      if (!isTrue) throw new Error(`${account} has ${JSON.stringify(found)}, and should have ${held} and ${settled}`);
    }
  }
}

const isError = (answer: unknown) => answer instanceof GraphQLError;
const isOpenAccount = ({ account }: HoldRequest) => account === 'open' || account.startsWith('open:');

const reserveRules: readonly PolicyRule[] = [
  ...(['from', 'until', 'gas.perTransaction', 'reservation.maxDurationSecs', 'reservation.needsSender'] as const),
  ...(['senders.allow', 'senders.deny', 'gas.perDay', 'gas.perVisitorPerDay', 'gas.perSenderPerDay'] as const),
  ...(['gas.inAllPerDay', 'transactions.perVisitorPerDay', 'transactions.perSenderPerDay'] as const),
  ...(['openReservations.perVisitor', 'openReservations.inAll', 'openReservations.ofGateway'] as const),
];
const allRules: readonly PolicyRule[] = [...reserveRules, 'moveCalls', 'commands.max', 'gas.storage'];

function toKind(packageIds: readonly string[]): Buffer {
  const commands = packageIds.map((packageId) => ({
    ...{ kind: 'moveCall' as const, package: packageId, module: 'm', function: 'f' },
    ...{ typeArguments: [], arguments: [] },
  }));
  return Buffer.concat([Buffer.from([0]), programmableTransactionBcs.serialize({ inputs: [], commands }).toBytes()]);
}

/** Packages called by a completed transaction. */
function callsOf(txBytes: string): readonly string[] {
  const hex = Buffer.from(txBytes, 'base64').toString('hex');
  return Object.values(packages).flatMap((id) => Array<string>(hex.split(id.slice(2)).length - 1).fill(id));
}
