import type { FeedParts, FleetMember } from '../feed.ts';
import type { Place } from '../live-source.ts';
import type { BoardQuery, Lead, Sight } from './board.ts';
import { type EntryNews, type ItemText, readEntry, writeNews, writeOpening } from './entry-text.ts';

export interface MemberOptions<Item> extends FeedParts<Item> {
  readonly itemText: ItemText<Item>;
  /** Told how each look at the board went. */
  readonly onLook: (error: unknown) => void;
  /** Has the board been away for so long that nobody should wait for it? */
  readonly isAway: () => boolean;
}

/**
 * - `new`: knows nothing yet, and looks whether others do.
 * - `following`: tells what the entries of the leader say, and reads nothing itself.
 * - `leading`: reads, and adds what it read as entries.
 * - `alone`: reads for itself, as if there were no others: they are away, or it has lost their thread.
 */
type Mode = 'new' | 'following' | 'leading' | 'alone';

/** Ticks in which one that is new may learn nothing before it reads for itself. */
const maxTicksOfNew = 3;

/** Looks in a row at one query that may fail while others of the board go well. */
const mostMissed = 3;

/** One process among those that follow a query, and who reads it at each moment. */
export class Member<Item> implements FleetMember {
  readonly #query: BoardQuery;
  readonly #options: MemberOptions<Item>;
  #mode: Mode = 'new';
  /** The newest entry that was read or added. Not known of one that is alone. */
  #at: string | null = null;
  #lead: Lead | null = null;
  /** Of the timeline: what of it the entries have. */
  #told = { end: 0, beginnings: 0, front: null as Place | null };
  /** The leader has jumped over a gap, and the places behind it come. */
  #isJumping = false;
  #isJoining = false;
  #ticksOfNew = 0;
  /** Looks in a row that have failed. */
  #missed = 0;
  /** Those who wait for a look at the upstream: not asked for yet, and asked for with this number. */
  #unasked: (() => void)[] = [];
  #asked: { readonly number: number; readonly then: (() => void)[] }[] = [];
  #isAsking = false;
  /** The last number that a look of this leader was begun for. */
  #answering = 0;
  #isLooking = false;
  #isRung = false;
  #isOver = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(query: BoardQuery, options: MemberOptions<Item>) {
    this.#query = query;
    this.#options = options;
    if (options.isAway()) this.#goAlone();
    void this.#look();
  }

  /** Of what the leader's reader has come to nothing is heard here but its entries. */
  get isUp(): boolean {
    return this.#mode === 'following' || this.#options.reader.isUp;
  }

  /** Calls back when what an upstream tells from now on has been read, and everything before it is told. */
  whenCaughtUp(then: () => void): void {
    this.#wait([then]);
  }

  ring(why: 'told' | 'asked' | 'left'): void {
    // Who leads knows what it told, and who follows cannot answer. Who is alone has time until the next tick.
    const isWorthIt = {
      new: true,
      following: why !== 'asked',
      leading: why === 'asked',
      alone: why === 'left',
    };
    if (isWorthIt[this.#mode]) void this.#look();
  }

  /** To be called every second. */
  tick(): void {
    if (this.#mode === 'new') this.#ticksOfNew += 1;
    void this.#look();
  }

  /** Looks at the board; once more if it was rung meanwhile. */
  async #look(): Promise<void> {
    this.#isRung = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#isRung && !this.#isOver) {
        this.#isRung = false;
        await this.#inTurn(() => this.#lookOnce());
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** Passes on what the reader has added to the timeline. */
  async afterLook(): Promise<void> {
    if (this.#mode === 'leading') await this.#inTurn(() => this.#passOn());
  }

  /** @returns those who wait, and are not called any more */
  close(): (() => void)[] {
    this.#isOver = true;
    void this.#query.leave().catch(() => {});
    return this.#takeWaiting();
  }

  /** One step after the other, since each goes by what the one before has found. */
  #inTurn<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
    const taken = this.#turn.then(() => (this.#isOver ? undefined : step()));
    this.#turn = taken.catch(() => {});
    return taken;
  }

  async #lookOnce(): Promise<void> {
    const { onLook, isAway } = this.#options;
    const behind = this.#mode === 'new' ? (this.#at ?? '0') : this.#mode === 'following' ? this.#at : null;
    try {
      const sight = await this.#query.look(behind, this.#lead);
      this.#missed = 0;
      if (!this.#isOver) await this.#take(sight);
      onLook(null);
    } catch (error) {
      onLook(error);
      this.#missed += 1;
      const isWaiting = this.#mode === 'new' || (this.#mode === 'following' && (isAway() || this.#missed > mostMissed));
      if (isWaiting && !this.#isOver) this.#goAlone();
    }
  }

  /** @throws if nobody leads, and this one cannot */
  async #take(sight: Sight): Promise<void> {
    if (this.#mode === 'leading') return this.#stayLeading(sight);
    if (this.#mode !== 'alone' && sight.entries.length > 0 && sight.tail !== null) {
      if (!this.#takeEntries(sight.entries)) this.#goAlone();
      // There may be more: entries come in bounded numbers.
      else if (this.#at !== sight.tail) {
        this.#isRung = true;
        return;
      }
    }
    if (this.#mode === 'following' && this.#at !== sight.tail) this.#goAlone();
    if (sight.leader !== 'other') return this.#tryToLead();
    if (this.#mode === 'new') this.#settle();
    if (this.#mode === 'alone') this.#tryToJoin(sight);
    if (this.#mode === 'following') this.#hearAnswers(sight);
  }

  /** From new to following, as soon as it is known where the leader is. */
  #settle(): void {
    if (this.#options.timeline.isStarted) {
      this.#mode = 'following';
      this.#wait(this.#takeWaiting());
    } else if (this.#ticksOfNew >= maxTicksOfNew) this.#goAlone();
  }

  #stayLeading({ leader, tail, asked, caught }: Sight): void {
    if (leader === 'me' && tail === this.#at) {
      if (asked > caught) this.#answer(asked);
      return;
    }
    // Where its own entries are gone others may go on from a place that they have not read up to.
    if (leader === 'other') this.#followAgain();
    else this.#goAlone();
    this.#isRung = true;
  }

  async #tryToLead(): Promise<void> {
    const { timeline } = this.#options;
    const told = this.#markTold();
    const opening = writeOpening(timeline.recent);
    let lead: Lead | null;
    try {
      lead = await this.#query.lead({ text: opening.text, front: nameOf(opening.front) });
    } catch (error) {
      // Who has nobody to wait for reads: a board that is full, or may only be read, tells nobody anything.
      if (this.#mode !== 'alone' && !this.#isOver) this.#goAlone();
      throw error;
    }
    if (this.#isOver) return;
    if (!lead) {
      // Somebody was quicker. One who knows nothing yet wants to know at once what that one does.
      this.#isRung ||= this.#mode === 'new';
      return;
    }
    this.#lead = lead;
    this.#at = lead.id;
    this.#told = told;
    this.#answering = 0;
    this.#mode = 'leading';
    this.#read();
    if (lead.asked > 0) this.#answer(lead.asked);
  }

  /** Whoever reads from now on serves those who wait. */
  #read(): void {
    this.#options.reader.start();
    this.#wait(this.#takeWaiting());
  }

  #goAlone(): void {
    this.#mode = 'alone';
    this.#lead = null;
    this.#at = null;
    this.#isJumping = false;
    this.#read();
  }

  /** From one who read: what is read from now on comes from others. */
  #followAgain(): void {
    this.#mode = 'following';
    this.#lead = null;
    this.#isJumping = false;
    this.#wait([...this.#options.reader.stop(), ...this.#takeWaiting()]);
  }

  /**
   * Joins the others where everything is known that their entries say: after a look at the upstream that begins now, if it has
   * come as far as they are.
   */
  #tryToJoin({ tail, front }: Sight): void {
    const { reader, timeline } = this.#options;
    if (this.#isJoining || tail === null || front === undefined) return;
    this.#isJoining = true;
    reader.whenCaughtUp(() => {
      this.#isJoining = false;
      if (this.#mode !== 'alone' || this.#isOver) return;
      if (front !== null && !timeline.knows(front)) return;
      this.#at = tail;
      this.#followAgain();
      void this.#look();
    });
  }

  /** @returns `false` if they cannot be gone on from */
  #takeEntries(entries: Sight['entries']): boolean {
    const { timeline, itemText, mostBytes } = this.#options;
    timeline.shrinkTo(mostBytes());
    const before = timeline.news.end;
    let isTaken = true;
    for (const { id, behind, text } of entries) {
      // One who is new begins at the oldest entry there is.
      const isNext = behind === this.#at || (this.#mode === 'new' && !timeline.isStarted);
      const entry = readEntry(text, itemText.read);
      isTaken = isNext && entry !== null && this.#takeNews(entry);
      if (!isTaken) break;
      this.#at = id;
    }
    if (timeline.news.end > before) timeline.tell();
    return isTaken;
  }

  /** @returns `false` if it cannot be gone on from: something before it, or of it, is not known here */
  #takeNews({ base, front, news, recent }: EntryNews<Item>): boolean {
    const { timeline } = this.#options;
    if (!timeline.isStarted) {
      if (base === undefined) return true;
      timeline.beginAt(recent && news.length === 0 ? recent : [base]);
    } else if (base && !timeline.knows(base.key)) return false;
    let before = base?.key;
    for (const each of news) {
      switch (each.kind) {
        case 'next':
          if (!timeline.knows(each.entry.key)) {
            // Something else is the newest here, so this one is not next to it: its place has to be looked for.
            if (timeline.frontier?.key !== before) return false;
            timeline.addNext(each.entry);
          }
          before = each.entry.key;
          break;
        case 'late':
          if (!timeline.knows(each.entry.key)) timeline.addLate(each.entry);
          break;
        case 'long':
          if (!timeline.knows(each.key)) return false;
          break;
        case 'gap':
          if (timeline.frontier?.key === each.after.key) {
            timeline.addGap(each.after, each.before, each.reason);
            if (each.before) timeline.forgetAllBut(null);
            else this.#isJumping = true;
            before = undefined;
          } else if (each.before && !timeline.knows(each.before.key)) return false;
      }
    }
    if (recent && this.#isJumping) {
      timeline.beginAt(recent);
      this.#isJumping = false;
    }
    return !front || timeline.knows(front.key);
  }

  #markTold(): { end: number; beginnings: number; front: Place | null } {
    const { news, beginnings, frontier } = this.#options.timeline;
    return { end: news.end, beginnings, front: frontier };
  }

  async #passOn(): Promise<void> {
    const { timeline, itemText, mostBytes } = this.#options;
    const { end, beginnings, front } = this.#told;
    const isNews = timeline.news.end > end || timeline.beginnings > beginnings;
    if (this.#mode !== 'leading' || !this.#lead || !isNews) return;
    // Not all of it is there any more: others have to find what is missing by themselves.
    if (timeline.news.start > end) return this.#goAlone();
    const news = [];
    for (let index = end; index < timeline.news.end; index += 1) {
      const each = timeline.news.at(index);
      if (each) news.push(each);
    }
    const hasBegun = timeline.beginnings > beginnings;
    this.#told = this.#markTold();
    const base = hasBegun && news.length === 0 ? timeline.frontier : front;
    for (const entry of writeNews(base, news, hasBegun ? timeline.recent : null, itemText.write)) {
      const { lead, at } = { lead: this.#lead, at: this.#at ?? '' };
      try {
        const added = { text: entry.text, front: nameOf(entry.front) };
        const id = await this.#query.add(lead, at, added, mostBytes());
        if (id === null) {
          // Its own entries up to here are the others' too.
          this.#followAgain();
          void this.#look();
          return;
        }
        this.#at = id;
      } catch {
        // It may have been added or not: others must not be taken for knowing it, nor this one for knowing theirs.
        this.#goAlone();
        return;
      }
    }
  }

  #answer(asked: number): void {
    if (asked <= this.#answering) return;
    this.#answering = asked;
    this.#options.reader.whenCaughtUp(() => {
      void this.#inTurn(async () => {
        if (!this.#lead) return;
        await this.#query.answer(this.#lead, asked).catch(() => {
          this.#answering = 0;
        });
      });
    });
  }

  #wait(waiting: (() => void)[]): void {
    if (this.#mode === 'alone' || this.#mode === 'leading') {
      for (const then of waiting) this.#options.reader.whenCaughtUp(then);
      return;
    }
    this.#unasked.push(...waiting);
    void this.#ask();
  }

  #takeWaiting(): (() => void)[] {
    return [...this.#asked.splice(0).flatMap(({ then }) => then), ...this.#unasked.splice(0)];
  }

  /** For all who came while it was asking, once more. */
  async #ask(): Promise<void> {
    while (this.#mode === 'following' && this.#unasked.length > 0 && !this.#isAsking) {
      this.#isAsking = true;
      const then = this.#unasked.splice(0);
      const number = await this.#query.ask().catch(() => null);
      this.#isAsking = false;
      if (number === null) {
        this.#unasked.unshift(...then);
        // With the next look.
        break;
      }
      this.#asked.push({ number, then });
    }
    if (this.#mode !== 'following' && this.#mode !== 'new') this.#wait(this.#takeWaiting());
  }

  #hearAnswers({ asked, caught }: Sight): void {
    const answered = this.#asked.filter(({ number }) => number <= caught);
    // The board has forgotten some.
    const forgotten = this.#asked.filter(({ number }) => number > asked);
    this.#asked = this.#asked.filter(({ number }) => number > caught && number <= asked);
    for (const { then } of answered) for (const each of then) each();
    this.#wait(forgotten.flatMap(({ then }) => then));
  }
}

function nameOf(place: Place | null | undefined): string | null | undefined {
  return place ? place.key : place;
}
