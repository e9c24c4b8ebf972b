import { dayMs, type SpendingCounts, type StoreBounds } from './sponsorship-store.ts';

// The records of the store, by name:
//
//   lease:<lease>      a reservation and its execution, with their answers
//   number:<lease>     which lease has the sponsor's number, where clients get such numbers
//   key:<key>          which lease an idempotency key belongs to
//   account:<name>     a sum of holds: gas or transactions of one day, open reservations, the leases of a caller, its answers; a row of spending
//   holds:<name>       ordered set: the holds of an account that expire, as `<lease>:<amount>`, by their expiry
//   spenders:<day>     how many clients have rows of spending on a day; spenders:<day>:<client>: how many rows one has
//   spender:<list>     an entry of such a list
//   overdue            ordered set: open executions, by the time at which any process may look for the outcome
//
// A set is changed only together with the record that counts it, so that the version of the record protects both.

/** What a step may read. The result of a step depends on nothing else. */
export interface Records {
  /** Identifies the run of the server that has the records. After another run, the last writes may be lost. */
  readonly run: string;
  /** Of all callers in the memory of one process; nothing in Redis, which has its own limit. */
  readonly load: StoreLoad;
  get(name: string): unknown;
  /** The first members of a set, `portion` at most, by their score. @param untilMs of those with at most this score */
  first(set: string, untilMs?: number): readonly Member[];
  score(set: string, member: string): number | null;
}

export interface StoreLoad {
  readonly leases: number;
  /** Of answers. */
  readonly bytes: number;
  /** Callers with answers or keys. */
  readonly callers: number;
}

export interface Member {
  readonly member: string;
  readonly score: number;
}

/** Members of a set that one step reads or drops. */
export const portion = 64;

export type Change =
  | { readonly kind: 'put'; readonly name: string; readonly value: object; readonly untilMs: number }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'add'; readonly set: string; readonly member: string; readonly score: number }
  | { readonly kind: 'remove'; readonly set: string; readonly member: string };

interface AccountRecord {
  readonly held: number;
  readonly settled: number;
  readonly count: number;
  /** Who created the record. A record that was deleted meanwhile, and created again, does not contain the earlier holds. */
  readonly origin: string;
  /** Only of a row of spending. */
  readonly spent?: SpendingCounts;
}

/** The records as they will be after the step. */
export class Draft {
  readonly records: Records;
  readonly nowMs: number;
  readonly bounds: StoreBounds;
  isPartial = false;
  readonly #puts = new Map<string, Extract<Change, { kind: 'put' | 'delete' }>>();
  readonly #moves: Change[] = [];
  readonly #accounts = new Map<string, Account>();

  constructor(records: Records, nowMs: number, bounds: StoreBounds) {
    this.records = records;
    this.nowMs = nowMs;
    this.bounds = bounds;
  }

  get<Value>(name: string): Value | null {
    const put = this.#puts.get(name);
    if (put) return put.kind === 'put' ? (put.value as Value) : null;
    return this.records.get(name) as Value | null;
  }

  put(name: string, value: object, untilMs: number): void {
    this.#puts.set(name, { kind: 'put', name, value, untilMs });
  }

  delete(name: string): void {
    this.#puts.set(name, { kind: 'delete', name });
  }

  /** @param score `null`: no member any more */
  move(set: string, member: string, score: number | null): void {
    this.#moves.push(score === null ? { kind: 'remove', set, member } : { kind: 'add', set, member, score });
  }

  account(name: string): Account {
    let account = this.#accounts.get(name);
    if (!account) {
      account = new Account(name, this);
      this.#accounts.set(name, account);
    }
    return account;
  }

  changes(): readonly Change[] {
    for (const account of this.#accounts.values()) account.save();
    return [...this.#puts.values(), ...this.#moves];
  }
}

const hourMs = 60 * 60_000;
/** How long an account that is not of one day is kept without a change: longer than any of its holds. */
const accountLifeMs = dayMs + 2 * hourMs;

/** An account, after its expired holds were released: some at a time, so that no step takes long. */
export class Account {
  held: number;
  settled: number;
  count: number;
  /** There may be more expired holds. */
  readonly hasMore: boolean;
  readonly origin: string;
  /** `null`: it is no row of spending, or a new one. */
  spent: SpendingCounts | null;
  readonly #name: string;
  readonly #set: string;
  readonly #draft: Draft;
  #moved: Map<string, number | null> | null = null;
  #isChanged = false;

  constructor(name: string, draft: Draft) {
    const { records, nowMs } = draft;
    this.#name = name;
    this.#set = `holds:${name}`;
    this.#draft = draft;
    const record = draft.get<AccountRecord>(`account:${name}`);
    // Of a record that was deleted, the holds may be left.
    const left = record ? [] : records.first(this.#set);
    this.held = record?.held ?? sumOf(left);
    this.count = record?.count ?? left.length;
    this.settled = record?.settled ?? 0;
    this.spent = record?.spent ?? null;
    this.origin = record?.origin ?? `${nowMs} ${left[0]?.member ?? ''}`;
    const expired = records.first(this.#set, nowMs);
    this.hasMore = expired.length === portion;
    for (const { member } of expired) this.cancel(member);
  }

  /** The holds that expire first. */
  get pending(): readonly Member[] {
    return this.#draft.records.first(this.#set).filter(({ member }) => !this.#moved?.has(member));
  }

  /** Adds a hold that expires, or changes its expiry. */
  expireAt(member: string, atMs: number): void {
    const before = this.#score(member);
    if (before === atMs) return;
    if (before === null) this.#add(member, 1);
    this.#move(member, atMs);
  }

  /** Releases a hold that expires, if there still is one. */
  cancel(member: string): void {
    if (this.#score(member) === null) return;
    this.#add(member, -1);
    this.#move(member, null);
  }

  /** Keeps a hold until it is settled. One that has expired by another clock is restored, since it is being spent. */
  fix(member: string): string {
    if (this.#score(member) === null) this.#add(member, 1);
    else this.#move(member, null);
    this.#isChanged = true;
    return this.origin;
  }

  /** Ends a hold that was fixed. @param fixedIn the account that it was fixed in */
  settle(member: string, fixedIn: string, used: number): void {
    if (fixedIn === this.origin) this.#add(member, -1);
    this.settled += Math.min(used, amountOf(member));
    this.#isChanged = true;
  }

  /** Counts what a row of spending tells besides. */
  note(more: Partial<SpendingCounts>): void {
    const { reserved = 0, executed = 0, failed = 0, refused = 0 } = this.spent ?? {};
    this.spent = {
      reserved: reserved + (more.reserved ?? 0),
      executed: executed + (more.executed ?? 0),
      failed: failed + (more.failed ?? 0),
      refused: refused + (more.refused ?? 0),
    };
    this.#isChanged = true;
  }

  save(): void {
    if (!this.#isChanged) return;
    const { held, settled, count, origin, spent } = this;
    if (count === 0 && settled === 0 && spent === null) {
      this.#draft.delete(`account:${this.#name}`);
      return;
    }
    const day = /^(?:gas|count|spent):(\d+):/.exec(this.#name)?.[1];
    const untilMs = day === undefined ? toHour(this.#draft.nowMs) + accountLifeMs : endOfAccounts(Number(day));
    const record = { held, settled, count, origin };
    this.#draft.put(`account:${this.#name}`, spent === null ? record : { ...record, spent }, untilMs);
  }

  #score(member: string): number | null {
    const moved = this.#moved?.get(member);
    return moved === undefined ? this.#draft.records.score(this.#set, member) : moved;
  }

  #move(member: string, score: number | null): void {
    this.#moved ??= new Map();
    this.#moved.set(member, score);
    this.#draft.move(this.#set, member, score);
    this.#isChanged = true;
  }

  #add(member: string, sign: 1 | -1): void {
    this.held = Math.max(0, this.held + sign * amountOf(member));
    this.count = Math.max(0, this.count + sign);
  }
}

/** When the records of a day expire. If they expired before the day ends, a budget could be spent twice. */
export function endOfAccounts(day: number): number {
  return (day + 2) * dayMs;
}

/** So that not every change of an account changes when it expires. */
function toHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}

export function amountOf(member: string): number {
  return Number(member.slice(member.lastIndexOf(':') + 1));
}

function sumOf(members: readonly Member[]): number {
  return members.reduce((sum, { member }) => sum + amountOf(member), 0);
}
