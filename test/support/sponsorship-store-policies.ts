import { describe, expect, test } from 'vitest';
import type { Policy } from '../../src/config/policy.ts';
import { toHolds, toSenderHolds } from '../../src/sponsor/sponsor-policy.ts';
import type { SponsorshipStore } from '../../src/sponsor/store/decide.ts';
import { dayMs, dayOf, type HoldRequest, unresolvedLifeMs } from '../../src/sponsor/store/sponsorship-store.ts';
import type { CallerPolicy } from '../../src/upstream/operation-context.ts';
import { createRandom, type Random } from './course-random.ts';
import { runs, seed } from './runs.ts';
import { newFlow, newName, noon, type Stores } from './sponsorship-flow.ts';
import { toTestRules } from './test-policy.ts';

const spender = (group: string, visitor: string, rules: Policy, total: CallerPolicy['total'] = null) => ({
  visitor: `${group} ${visitor}`,
  policy: { group, rules, total },
});

/** Policies: many accounts that one lease holds parts of. */
export function describePolicies(stores: Stores): void {
  describe('of a policy', () => {
    test('of 1,000 senders that race for the last unit of gas, one gets it', async () => {
      const { one, other } = stores();
      const group = newName('client:page');
      const rules = toTestRules({ gas: { perDay: 11, perSenderPerDay: 5 }, transactions: { perSenderPerDay: 2 } });
      const reserve = (sender: string, amount: number, store: SponsorshipStore) => {
        const holds = toHolds(spender(group, sender, rules), amount, sender, noon, null);
        return store.beginReservation(newFlow().reservation({ sender, holds }));
      };
      for (const sender of ['0xa', '0xb']) expect(await reserve(sender, 5, one)).toEqual({ kind: 'begun' });
      const starts = await Promise.all(
        Array.from({ length: 1_000 }, (_, index) => reserve(`0x${index}`, 1, index % 2 === 0 ? one : other)),
      );
      expect(starts.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
      expect(starts.filter((start) => start.kind === 'denied' && start.rule === 'gas.perDay')).toHaveLength(999);
      const [bound] = toHolds(spender(group, '', rules), 0, null, noon, null);
      expect(await one.gasAllowance({ bounds: bound ? [bound] : [], nowMs: noon })).toMatchObject({
        held: 11,
        free: 0,
      });
    });

    test('one sender over 50 visitors gets its share once', async () => {
      const { one, other } = stores();
      const group = newName('client:page');
      const rules = toTestRules({ gas: { perSenderPerDay: 100, perVisitorPerDay: 100 } });
      const starts = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const holds = toHolds(spender(group, `address:${index}`, rules), 30, '0xa', noon, null);
          return (index % 2 === 0 ? one : other).beginReservation(newFlow().reservation({ sender: '0xa', holds }));
        }),
      );
      expect(starts.filter(({ kind }) => kind === 'begun')).toHaveLength(3);
      expect(starts.filter((start) => start.kind === 'denied' && start.rule === 'gas.perSenderPerDay')).toHaveLength(
        47,
      );
    });

    test('a lease of one sender is not executed for another, and stays unspent', async () => {
      const { one, other } = stores();
      const flow = newFlow();
      await one.beginReservation(flow.reservation({ sender: '0xa' }));
      await one.endReservation(flow.reservationEnd({ kind: 'reserved', answer: 'coins' }));
      for (const sender of ['0xb', null])
        expect(await other.beginExecution(flow.execution({ sender }))).toEqual({ kind: 'other-sender', sender: '0xa' });
      expect(await other.beginExecution(flow.execution({ sender: '0xa' }))).toEqual({ kind: 'begun' });
    });

    test('idempotency keys of two visitors of one caller are two', async () => {
      const { one, other } = stores();
      const caller = newName('client:page');
      const reserve = (store: SponsorshipStore, visitor: string, bodyHash: string) =>
        store.beginReservation(newFlow(caller).reservation({ idempotency: { key: 'k', bodyHash, visitor } }));
      expect(await reserve(one, `${caller} a`, '1')).toEqual({ kind: 'begun' });
      expect(await reserve(other, `${caller} b`, '2')).toEqual({ kind: 'begun' });
      expect(await reserve(other, `${caller} a`, '3')).toEqual({ kind: 'conflict' });
    });

    test(`in any course, every account adds up, and no rule is exceeded or applied too early (SEED=${seed})`, {
      timeout: 3_600_000,
    }, async () => {
      const { one, other } = stores();
      for (let course = 0; course < runs(40); course += 1)
        await new PolicyCourse([one, other], createRandom(seed * 100_000 + course)).play();
    });
  });
}

interface StoryHold extends Omit<HoldRequest, 'account'> {
  /** `open`: it expires with the lease. `sent`: held until it is settled. */
  state: 'open' | 'sent' | 'over';
  account: string;
  used: number;
  readonly expiresAtMs: number;
}

/** What a row of spending tells besides its holds. */
interface StoryRow {
  reserved: number;
  executed: number;
  failed: number;
  refused: number;
}

interface StoryLease {
  readonly flow: ReturnType<typeof newFlow>;
  readonly spender: ReturnType<typeof spender>;
  readonly sender: string | null;
  readonly amount: number;
  readonly expiresAtMs: number;
  state: 'reserved' | 'sent' | 'over';
  sentAtMs: number;
  readonly reservedAtMs: number;
  attempt: string;
  holds: StoryHold[];
}

const rowOf = (nowMs: number, { visitor }: { readonly visitor: string }, sender: string | null) =>
  `spent:${dayOf(nowMs)}:${JSON.stringify([visitor, sender])}`;
const isRow = ({ account }: Pick<HoldRequest, 'account'>) => account.startsWith('spent');
const isOpenAccount = ({ account }: Pick<HoldRequest, 'account'>) => account.startsWith('open');

/** A course of visitors and senders under a policy that changes, beside the plainest account of what is held. */
class PolicyCourse {
  readonly #stores: readonly SponsorshipStore[];
  readonly #random: Random;
  readonly #group = newName('client:page');
  readonly #leases: StoryLease[] = [];
  readonly #holds: StoryHold[] = [];
  readonly #rows = new Map<string, StoryRow>();
  #rules = toTestRules();
  #maxOpen: number | null = null;
  #nowMs = noon;

  constructor(stores: readonly SponsorshipStore[], random: Random) {
    this.#stores = stores;
    this.#random = random;
  }

  async play(): Promise<void> {
    this.#changePolicy();
    for (let step = 0; step < 40; step += 1) {
      const kind = this.#random.pick([
        'reserve',
        'reserve',
        'execute',
        'execute',
        'end',
        'end',
        'end',
        'time',
        'policy',
      ] as const);
      if (kind === 'reserve') await this.#reserve();
      else if (kind === 'execute') await this.#execute();
      else if (kind === 'end') await this.#end();
      else if (kind === 'time') this.#nowMs += this.#random.pick([1, 10_000, 60_000, 600_000, dayMs / 2]);
      else this.#changePolicy();
      await this.#judge();
    }
  }

  #changePolicy(): void {
    const random = this.#random;
    const perhaps = (most: number) => (random.chance(0.6) ? 1 + random.below(most) : null);
    this.#maxOpen = null;
    this.#rules = toTestRules({
      gas: { perDay: perhaps(300), perVisitorPerDay: perhaps(150), perSenderPerDay: perhaps(150) },
      transactions: { perVisitorPerDay: perhaps(5), perSenderPerDay: perhaps(5) },
      openReservations: { perVisitor: perhaps(4), inAll: perhaps(6) },
    });
  }

  #store(): SponsorshipStore {
    return this.#random.pick(this.#stores);
  }

  #heldOf(account: string): number {
    const isHeld = (hold: StoryHold) =>
      hold.state === 'sent' || (hold.state === 'open' && this.#nowMs < hold.expiresAtMs);
    return this.#sum(account, (hold) => (isHeld(hold) ? hold.amount : 0));
  }

  #sum(account: string, of: (hold: StoryHold) => number): number {
    return this.#holds.filter((hold) => hold.account === account).reduce((total, hold) => total + of(hold), 0);
  }

  #note(account: string, more: Partial<StoryRow>): void {
    const row = this.#rows.get(account) ?? { reserved: 0, executed: 0, failed: 0, refused: 0 };
    for (const [name, count] of Object.entries(more)) row[name as keyof StoryRow] += count;
    this.#rows.set(account, row);
  }

  /** The rule of the first account without room. */
  #deniedBy(holds: readonly HoldRequest[]): string | null {
    const isFull = ({ account, amount, limit }: HoldRequest) =>
      this.#heldOf(account) + this.#sum(account, ({ used }) => used) + amount > limit;
    return holds.find(isFull)?.rule ?? null;
  }

  #take(holds: readonly HoldRequest[], state: StoryHold['state'], expiresAtMs: number): StoryHold[] {
    const taken = holds.map((hold) => ({ ...hold, state, used: 0, expiresAtMs }));
    this.#holds.push(...taken);
    return taken;
  }

  async #reserve(): Promise<void> {
    const random = this.#random;
    const nowMs = this.#nowMs;
    const by = spender(this.#group, `address:${random.below(3)}`, this.#rules, { key: this.#group, perDay: 250 });
    const sender = random.pick([null, '0xa', '0xb', '0xc']);
    const amount = 1 + random.below(60);
    const expiresAtMs = nowMs + random.pick([5_000, 60_000, 600_000]);
    const holds = toHolds(by, amount, sender, nowMs, this.#maxOpen);
    const flow = newFlow(this.#group);
    const spending = { client: this.#group, visitor: by.visitor, amount };
    const begin = flow.reservation({ sender, holds, spending, expiresAtMs, nowMs });
    const start = await this.#store().beginReservation(begin);
    const denied = this.#deniedBy(holds);
    expect('rule' in start ? start.rule : null, `of a reservation at ${nowMs}`).toBe(denied);
    const row = { rule: 'gas.perDay', account: rowOf(nowMs, by, sender), amount, limit: 0, shareOf: null } as const;
    this.#note(row.account, denied === null ? { reserved: amount } : { refused: 1 });
    if (denied !== null) return;
    const outcome = random.pick(['reserved', 'reserved', 'reserved', 'refused', 'lost'] as const);
    const end = outcome === 'reserved' ? ({ kind: outcome, answer: 'coins' } as const) : { kind: outcome };
    await this.#store().endReservation(flow.reservationEnd(end, nowMs));
    const taken = this.#take([...holds, row], outcome === 'refused' ? 'over' : 'open', expiresAtMs);
    if (outcome === 'refused') this.#note(row.account, { reserved: -amount, refused: 1 });
    if (outcome !== 'reserved') return;
    this.#leases.push({
      flow,
      spender: by,
      sender,
      amount,
      expiresAtMs,
      state: 'reserved',
      sentAtMs: 0,
      reservedAtMs: nowMs,
      attempt: '',
      holds: taken,
    });
  }

  async #execute(): Promise<void> {
    const random = this.#random;
    const lease = random.pick(
      this.#leases.filter(({ state, expiresAtMs }) => state === 'reserved' && this.#nowMs < expiresAtMs),
    );
    if (!lease) return;
    const sender = random.chance(0.8) && lease.sender ? lease.sender : random.pick(['0xa', '0xb', '0xc']);
    const policy = { ...lease.spender.policy, rules: this.#rules };
    const senderHolds = toSenderHolds(policy, lease.amount, sender, this.#nowMs);
    const { amount, expiresAtMs } = lease;
    const begin = lease.flow.execution({ sender, senderHolds, amount, expiresAtMs, nowMs: this.#nowMs });
    const start = await this.#store().beginExecution(begin);
    if (lease.sender !== null && lease.sender !== sender) {
      expect(start).toEqual({ kind: 'other-sender', sender: lease.sender });
      return;
    }
    const added = lease.sender === null ? senderHolds : [];
    const denied = this.#deniedBy(added);
    expect('rule' in start ? start.rule : null, `of an execution at ${this.#nowMs}`).toBe(denied);
    for (const row of lease.holds.filter(isRow)) {
      this.#note(row.account, denied === null ? { reserved: -amount } : { refused: 1 });
      if (denied !== null) return;
      row.account = rowOf(lease.reservedAtMs, lease.spender, sender);
      this.#note(row.account, { reserved: amount });
    }
    // Without those of an execution that was undone.
    lease.holds = lease.holds.filter(({ state }) => state !== 'over');
    for (const hold of lease.holds) if (!isOpenAccount(hold)) hold.state = 'sent';
    lease.holds.push(...this.#take(added, 'sent', expiresAtMs));
    Object.assign(lease, { state: 'sent', sentAtMs: this.#nowMs, attempt: begin.attempt });
  }

  async #end(): Promise<void> {
    const random = this.#random;
    const isKept = ({ state, sentAtMs }: StoryLease) => state === 'sent' && this.#nowMs < sentAtMs + unresolvedLifeMs;
    const lease = random.pick(this.#leases.filter(isKept));
    if (!lease) return;
    const kind = random.pick(['executed', 'executed', 'refused', 'unknown', 'not-sent'] as const);
    const gasUsed = random.below(2 * lease.amount);
    const hasFailed = random.chance(0.3);
    const { attempt } = lease;
    const outcome =
      kind === 'executed'
        ? ({ kind, gasUsed, hasFailed } as const)
        : kind === 'not-sent'
          ? ({ kind, attempt } as const)
          : { kind };
    await this.#store().endExecution(lease.flow.executionEnd(outcome, { nowMs: this.#nowMs }));
    if (kind === 'unknown') return;
    lease.state = kind === 'not-sent' ? 'reserved' : 'over';
    const end = kind === 'refused' ? kind : hasFailed ? 'failed' : 'executed';
    for (const { account } of lease.holds.filter(isRow)) if (kind !== 'not-sent') this.#note(account, { [end]: 1 });
    for (const hold of lease.holds) {
      if (kind !== 'not-sent') {
        if (kind === 'executed' && !isOpenAccount(hold))
          hold.used = hold.account.startsWith('count:') ? 1 : Math.min(gasUsed, hold.amount);
        hold.state = 'over';
      } else if (hold.state === 'sent') {
        hold.state = lease.sender === null && hold.account.includes(':sender ') ? 'over' : 'open';
      }
    }
  }

  /** Rows add up to the same, and tell who it was. */
  async #judgeRows(day: number): Promise<void> {
    const find = { day, client: this.#group, from: 0, nowMs: this.#nowMs };
    const { rows, next } = await this.#store().findSpending(find);
    expect(next).toBeNull();
    const known = rows.map(({ client, visitor, sender, ...row }) => {
      expect(client).toBe(this.#group);
      return [`spent:${day}:${JSON.stringify([visitor, sender])}`, row] as const;
    });
    const own = [...this.#rows].filter(([account]) => account.startsWith(`spent:${day}:`));
    const expected = own.map(([account, row]) => {
      const settled = this.#sum(account, ({ used }) => used);
      return [account, { held: this.#heldOf(account), settled, ...row }] as const;
    });
    expect(new Map(known)).toEqual(new Map(expected));
  }

  async #judge(): Promise<void> {
    await this.#judgeRows(dayOf(this.#nowMs));
    await this.#judgeRows(dayOf(this.#nowMs) - 1);
    const latest = new Map(this.#holds.filter((hold) => !isRow(hold)).map((hold) => [hold.account, hold]));
    for (const hold of latest.values()) {
      const { account, limit } = hold;
      // Accounts of earlier days are forgotten.
      const day = /^[a-z]+:(\d+):/.exec(account)?.[1];
      if (day !== undefined && Number(day) < dayOf(this.#nowMs)) continue;
      const allowance = await this.#store().gasAllowance({ bounds: [hold], nowMs: this.#nowMs });
      const held = this.#heldOf(account);
      const settled = this.#sum(account, ({ used }) => used);
      expect(allowance, account).toMatchObject({ limit, held, settled, free: limit - held - settled });
    }
  }
}
