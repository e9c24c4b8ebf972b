import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { FeedParts, FleetMember, JoinFleet } from '../feed.ts';
import type { ItemPosition } from '../live-source.ts';
import { takeAll } from '../reader.ts';
import {
  type Entry,
  frontOf,
  type ItemText,
  readEntry,
  writeChanges,
  writeFirstEntry,
  writeUnshared,
} from './entry-text.ts';
import type { LeasedLog, LeasedLogs, LogEntry, OnLogChange } from './leased-log.ts';

export interface FleetOptions {
  readonly logs: LeasedLogs;
  readonly clock: Clock;
  /** Called once when Redis is away so long that each process reads for itself. */
  readonly onUnavailable: (error: unknown) => void;
  /** Called once when Redis answers again. */
  readonly onBack: () => void;
}

export type Fleet = ReturnType<typeof createFleet>;

/** The processes that share the reading of an upstream, as one of them sees them. */
export function createFleet({ logs, clock, onUnavailable, onBack }: FleetOptions) {
  let answeredAtMs: number | null = null;
  let isUnavailable = false;

  const onCheck = (error: unknown) => {
    if (error === null) {
      answeredAtMs = clock.now();
      if (isUnavailable) onBack();
      isUnavailable = false;
    } else if (!isUnavailable && (answeredAtMs === null || clock.now() - answeredAtMs >= unavailableAfterMs)) {
      isUnavailable = true;
      onUnavailable(error);
    }
  };
  return {
    /** @param query the same text for the same query of the same upstream, in all processes */
    join:
      <Item>(query: string, itemText: ItemText<Item>): JoinFleet<Item> =>
      (feed) =>
        new Member((onChange) => logs.open(query, onChange), { ...feed, itemText, clock, onCheck }),
    close: () => logs.close(),
  };
}

interface MemberOptions<Item> extends FeedParts<Item> {
  readonly itemText: ItemText<Item>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Called after each read of the log. @param error `null` if Redis answered */
  readonly onCheck: (error: unknown) => void;
}

/** Milliseconds between two reads of the log: a third of a lease. */
const checkEveryMs = 1_000;
/** Milliseconds after which a follower that cannot read the log reads for itself. A lost leader's lease ends about then. */
const unavailableAfterMs = 2_500;
/** Milliseconds after which a process that gets no position from the leader reads for itself. */
const maxJoiningMs = 1_000;
/**
 * Milliseconds after which a leader whose reader makes no progress releases its lease: other processes may reach the
 * upstream.
 */
const maxStuckMs = 10_000;
const maxEntries = 4_096;

/** How one process takes part in the reading of a query. */
type MemberState =
  /** It has read nothing yet, and checks whether another process leads. */
  | 'joining'
  /** It reads only the leader's entries, so that all processes deliver in the same order. */
  | 'following'
  /** It holds the lease, reads the upstream, and writes what it reads as entries. */
  | 'leading'
  /** It reads the upstream for itself, and writes nothing. */
  | 'alone';

/**
 * The part of one process in the reading of one query. The process that holds the lease leads: it reads the upstream and writes
 * the items as entries of a log. The other processes follow: they add the entries to their timelines.
 *
 * A process becomes the leader when nobody holds the lease. Any doubt leads to `alone`: reading for itself costs upstream calls,
 * and loses or repeats nothing. Doubt is: entries are missing, unreadable or do not continue the timeline; the lease is lost
 * before all items were written; Redis does not answer. A process that is alone follows again once it has read as far as the
 * newest entry.
 */
class Member<Item> implements FleetMember {
  readonly #leased: LeasedLog;
  readonly #options: MemberOptions<Item>;
  readonly #beganMs: number;
  #state: MemberState = 'joining';
  /** Id of the newest entry that was read or written; `null` = none. Unused while `alone`. */
  #at: string | null = null;
  /** As leader: how much of the timeline its entries contain. */
  #written = { isStarted: false, end: 0, front: null as ItemPosition | null };
  /** As leader: the sizes of its entries in bytes, oldest first. */
  #sizes: number[] = [];
  /** As leader: requests for a poll that its reader has not served yet, and those that the next entry answers. */
  readonly #heard = new Set<string>();
  #answers: string[] = [];
  /** Callbacks that wait for a poll; those of `#asked` wait for the leader's answer. */
  readonly #waiting = new Set<() => void>();
  #asked: { readonly ask: string; readonly waiting: Set<() => void> } | null = null;
  #failingSinceMs: number | null = null;
  #isCheckDue = false;
  #isCatchingUp = false;
  #isClosed = false;
  /** The last step. Steps run one after the other, since each depends on the result of the one before. */
  #steps: Promise<unknown> = Promise.resolve();
  #stopTimer = () => {};

  constructor(open: (onChange: OnLogChange) => LeasedLog, options: MemberOptions<Item>) {
    this.#options = options;
    this.#beganMs = options.clock.now();
    this.#leased = open((ask) => {
      if (ask !== '') this.#hear(ask);
      // The leader wrote the entry itself. A process that reads alone can wait for the next check.
      else if (this.#state === 'joining' || this.#state === 'following') this.#check();
    });
    this.#checkRegularly();
  }

  get isFollowing(): boolean {
    return this.#state === 'following';
  }

  whenCaughtUp(then: () => void): void {
    this.#waiting.add(then);
    this.#serveWaiting();
  }

  stopWaiting(then: () => void): void {
    this.#waiting.delete(then);
    this.#asked?.waiting.delete(then);
    this.#options.reader.stopWaiting(then);
  }

  share(): void {
    if (this.#state === 'leading') this.#inTurn(() => this.#write());
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
    void this.#leased.leave().catch(() => {});
    this.#waitAnew();
    for (const then of takeAll(this.#waiting)) then();
  }

  #checkRegularly(): void {
    this.#stopTimer = this.#options.clock.after(checkEveryMs, () => this.#checkRegularly());
    this.#check();
    this.#ask();
  }

  #check(): void {
    if (this.#isCheckDue) return;
    this.#isCheckDue = true;
    this.#inTurn(async () => {
      this.#isCheckDue = false;
      try {
        await this.#readLog();
        this.#failingSinceMs = null;
        this.#options.onCheck(null);
      } catch (error) {
        this.#options.onCheck(error);
        const nowMs = this.#options.clock.now();
        this.#failingSinceMs ??= nowMs;
        const isUnavailable = this.#state === 'following' && nowMs - this.#failingSinceMs >= unavailableAfterMs;
        if (this.#state === 'joining' || isUnavailable) this.#enter('alone');
      }
    });
  }

  #inTurn(step: () => Promise<void>): void {
    this.#steps = this.#steps.then(() => (this.#isClosed ? undefined : step()));
  }

  #enter(state: MemberState): void {
    if (this.#isClosed || state === this.#state) return;
    const { reader } = this.#options;
    this.#state = state;
    this.#waitAnew();
    if (state === 'following') for (const then of reader.stop()) this.#waiting.add(then);
    else reader.start();
    this.#heard.clear();
    this.#serveWaiting();
  }

  /** The leader that was asked may not answer any more. */
  #waitAnew(): void {
    for (const then of this.#asked?.waiting ?? []) this.#waiting.add(then);
    this.#asked = null;
  }

  /** Lets the callbacks wait for the own reader or, as a follower, for the leader's. */
  #serveWaiting(): void {
    if (this.#state === 'leading' || this.#state === 'alone') {
      for (const then of takeAll(this.#waiting)) this.#options.reader.whenCaughtUp(then);
    } else if (this.#state === 'following' && !this.#asked && this.#waiting.size > 0) {
      this.#asked = { ask: randomUUID(), waiting: new Set(takeAll(this.#waiting)) };
      this.#ask();
    }
  }

  /** Requests a poll from the leader. Repeated with each check until the leader answers, since messages may be lost. */
  #ask(): void {
    if (!this.#asked) return;
    this.#inTurn(async () => {
      if (this.#asked) await this.#leased.ask(this.#asked.ask).catch(() => {});
    });
  }

  #hear(ask: string): void {
    if (this.#state !== 'leading' || this.#heard.has(ask)) return;
    this.#heard.add(ask);
    this.#options.reader.whenCaughtUp(() => {
      if (!this.#heard.delete(ask)) return;
      this.#answers.push(ask);
      this.share();
    });
  }

  /** @throws if Redis does not answer, or rejects this process as leader although no process leads */
  async #readLog(): Promise<void> {
    const state = this.#state;
    const { reader, timeline, clock } = this.#options;
    const isStuck = (reader.progress.stall?.forMs ?? 0) >= maxStuckMs;
    const after = { joining: this.#at ?? '0', following: this.#at, leading: this.#at, alone: null }[state];
    const { leader, newest, entries } = await this.#leased.read(after, state === 'leading' && !isStuck);
    if (this.#isClosed) return;
    if (state === 'leading') {
      if ((leader === 'me' && newest === this.#at) || (leader === 'nobody' && isStuck)) return;
      // Without items of its own, it continues where its entries end.
      const mayFollow = leader === 'other' && timeline.news.end === this.#written.end;
      this.#enter(mayFollow ? 'following' : 'alone');
      if (!mayFollow) return;
    }
    if (state !== 'alone') {
      const isContinued = await this.#addEntries(entries);
      if (this.#isClosed) return;
      if (isContinued && entries.length > 0 && this.#at !== newest) {
        this.#check();
        return;
      }
      if (!isContinued || this.#at !== newest) this.#enter('alone');
    }
    if (leader !== 'other') {
      if (!isStuck) await this.#lead();
    } else if (this.#state === 'alone') this.#catchUpWith(entries.at(-1));
    else if (this.#state === 'joining') {
      if (timeline.isStarted) this.#enter('following');
      else if (clock.now() - this.#beganMs >= maxJoiningMs) this.#enter('alone');
    }
  }

  /** Follows the leader after a poll that has read as far as the newest entry, since all earlier entries are known then. */
  #catchUpWith(newest: LogEntry | undefined): void {
    const { reader, timeline, itemText } = this.#options;
    const entry = newest && readEntry(newest.text, itemText.read);
    // An answer of the leader is another entry, which can be read.
    if (entry === null) void this.#leased.ask(randomUUID()).catch(() => {});
    const front = entry ? frontOf(entry) : undefined;
    if (!newest || front === undefined || this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    reader.whenCaughtUp(() => {
      this.#isCatchingUp = false;
      this.#inTurn(async () => {
        if (this.#state !== 'alone' || (front && !timeline.knows(front.key))) return;
        this.#at = newest.id;
        this.#enter('following');
        this.#check();
      });
    });
  }

  /** Tries to become the leader. @throws if Redis fails */
  async #lead(): Promise<void> {
    const { timeline } = this.#options;
    const { isStarted, frontier, news } = timeline;
    const written = { isStarted, end: news.end, front: frontier };
    const opening = writeFirstEntry(timeline.recent);
    try {
      const id = await this.#leased.lead(opening);
      // Another process was faster. A joining process can begin with its entries.
      if (id === null && this.#state === 'joining') this.#check();
      if (id === null) return;
      this.#at = id;
    } catch (error) {
      // A Redis that rejects writes has no leader.
      this.#enter('alone');
      throw error;
    }
    this.#written = written;
    this.#sizes = [Buffer.byteLength(opening)];
    this.#enter('leading');
  }

  /** Writes new items of the timeline, and answers, as entries. */
  async #write(): Promise<void> {
    const { timeline, itemText, mostBytes } = this.#options;
    if (this.#state !== 'leading') return;
    try {
      if (!this.#written.isStarted && timeline.isStarted) await this.#lead();
      const { end, front } = this.#written;
      const { news, frontier } = timeline;
      const answers = this.#answers.splice(0);
      if (news.end === end && answers.length === 0) return;
      this.#written = { isStarted: true, end: news.end, front: frontier };
      // The timeline may have dropped items before they were written.
      const entries = news.start > end ? null : writeChanges(front, news.from(end), answers, itemText.write);
      for (const entry of entries ?? writeUnshared(frontier, answers)) await this.#append(entry, mostBytes());
    } catch {
      // Unknown whether the entries were written.
      this.#enter('alone');
    }
  }

  /** @throws if it may not have been written */
  async #append(entry: string, mostBytes: number): Promise<void> {
    this.#sizes.push(Buffer.byteLength(entry));
    let bytes = this.#sizes.reduce((sum, size) => sum + size, 0);
    while (this.#sizes.length > 1 && (bytes > mostBytes || this.#sizes.length > maxEntries)) {
      bytes -= this.#sizes.shift() ?? 0;
    }
    const id = await this.#leased.append(this.#at ?? '', entry, this.#sizes.length);
    if (id === null) throw new Error('the lease is lost');
    this.#at = id;
  }

  /** @returns `false` if they do not continue the timeline */
  async #addEntries(entries: readonly LogEntry[]): Promise<boolean> {
    const { timeline, itemText, mostBytes } = this.#options;
    timeline.shrinkTo(mostBytes());
    const { end } = timeline.news;
    const answers: string[] = [];
    const isContinued = entries.every(({ id, behind, text }) => {
      // A process that knows nothing begins at the oldest entry there is.
      const isNext = behind === this.#at || (this.#state === 'joining' && !timeline.isStarted);
      const entry = isNext ? readEntry(text, itemText.read) : null;
      if (!entry || !this.#addItems(entry)) return false;
      this.#at = id;
      answers.push(...entry.answers);
      return true;
    });
    const followed = timeline.news.end > end ? timeline.wakeFollowers() : null;
    if (this.#asked && answers.includes(this.#asked.ask)) {
      for (const then of this.#asked.waiting) then();
      this.#asked = null;
      this.#serveWaiting();
    }
    await followed;
    return isContinued;
  }

  /** @returns `false` if they do not continue the timeline */
  #addItems({ from, items }: Entry<Item>): boolean {
    const { timeline } = this.#options;
    const base = from.at(-1);
    if (!timeline.isStarted) {
      if (from.length === 0) return true;
      timeline.beginAt(from);
    } else if (base && !timeline.knows(base.key)) return false;
    /** Key of the item before the next one, in the upstream's order. */
    let before = base?.key;
    for (const { entry, isLate } of items) {
      if (isLate) timeline.addLate(entry);
      else {
        // Its position is only known if the item before it is the newest here too.
        if (!timeline.knows(entry.key) && timeline.frontier?.key !== before) return false;
        timeline.addNext(entry);
        before = entry.key;
      }
    }
    return true;
  }
}
