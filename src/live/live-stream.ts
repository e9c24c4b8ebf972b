import type { OpenCancellation } from '../upstream/cancellation.ts';
import { createCancellation } from '../upstream/cancellation.ts';
import { type CatchUpOptions, catchUp, type Joint } from './catch-up.ts';
import type { Channel, Position, Told } from './channel.ts';
import type { Clock } from './clock.ts';
import { awayReason } from './judge-loss.ts';
import { type LiveEntry, type Place, type ResumePoint, resumeAt } from './live-source.ts';
import { PageInHand } from './page-in-hand.ts';
import { Progress } from './progress.ts';
import type { Taker } from './rounds.ts';

export interface LiveStreamOptions extends Pick<CatchUpOptions<unknown>, 'clock' | 'caller' | 'lostAfterMs'> {
  /** Where to go on; `null` = from now. */
  readonly after: ResumePoint | null;
  /** Called each time everything up to a place has been told, and nothing is on its way. */
  readonly onQuiet?: ((at: ResumePoint) => void) | undefined;
  /** Called once, when it ends by itself or is left. */
  readonly onEnd: (stream: object) => void;
}

const none: ReadonlySet<string> = new Set();
/** Names that were told on the way to where the channel is, and may come again: far more than can have come late. */
const maxDelivered = 2_000;
/** Milliseconds in which a look at the upstream ends while it is up. */
const promptMs = 2_000;
/** In milliseconds. A page of history may be megabytes: who takes nothing of it for so long has it read again. */
const patienceMs = 2_000;
/** Items that a reader is handed before others have their turn. */
const stretch = 64;

/**
 * One who follows a channel, at its own pace. What is next is either asked for, one by one, or handed to a reader (`pushTo`)
 * in the same turn in which the channel has it: ten thousand who wait are then no promise each.
 */
export class LiveStream<Item, Payload> implements AsyncGenerator<Payload, undefined> {
  readonly #channel: Channel<Item, Payload>;
  readonly #onEnd: LiveStreamOptions['onEnd'];
  readonly #onQuiet: LiveStreamOptions['onQuiet'];
  readonly #options: Pick<LiveStreamOptions, 'clock' | 'caller' | 'lostAfterMs'>;
  /** What leads to where the channel is; `null` while it is live. */
  #history: AsyncGenerator<Told<Payload>, Joint | null> | null = null;
  #cancellation: OpenCancellation | null = null;
  #progress: Progress | null = null;
  /** What the history has read and not told. */
  #hand: PageInHand<LiveEntry<Item>> | null = null;
  #reader: Taker<Payload> | null = null;
  /** In the channel; `null` while it is not live. */
  #position: Position | null = null;
  #isPushingHistory = false;
  #isPushing = false;
  /** Is it live, and has not read anything yet? */
  #isJoining = false;
  /** Names of items behind that which were told on the way already. */
  #delivered = none;
  /** Behind what was told last; `null` = nothing was, and it began now. */
  #at: ResumePoint | null;
  #isStopped = false;
  #isOver = false;
  /** Goes on with what waits for news, or for its reader. */
  #goOn = () => {};
  /** Ends a rest in which others have their turn; `null` = there is none. */
  #stopResting: (() => void) | null = null;
  /** Ends the time in which a page waits for its reader. */
  #stopHolding = () => {};

  constructor(channel: Channel<Item, Payload>, { onEnd, onQuiet, after, ...options }: LiveStreamOptions) {
    this.#channel = channel;
    this.#onEnd = onEnd;
    this.#onQuiet = onQuiet;
    this.#at = after;
    this.#options = options;
    if (after) this.#readFrom(after);
    else {
      this.#cancellation = createCancellation();
      this.#progress = new Progress('stream', options.clock);
      this.#history = beginNow(channel, { ...options, cancellation: this.#cancellation, progress: this.#progress });
    }
  }

  /** Of a stream that catches up; `null` = it is live, or over. */
  get progress(): Progress | null {
    return this.#progress;
  }

  async next(): Promise<IteratorResult<Payload, undefined>> {
    this.#stopHolding();
    while (!this.#isStopped && !this.#isOver) {
      if (this.#history) {
        const told = await this.#nextOfHistory(this.#history);
        if (!told) continue;
        this.#hold();
        return { done: false, value: told.payload };
      }
      if (!this.#position) break;
      const payload = this.#nextLive(this.#position);
      if (payload !== undefined) return { done: false, value: payload };
      if (!this.#history) await this.#untilCalled();
    }
    const last = this.#end();
    return last === null ? { done: true, value: undefined } : { done: false, value: last };
  }

  /** Hands on what it tells from now on; `next` must not be called any more. */
  pushTo(reader: Taker<Payload>): void {
    this.#reader = reader;
    this.#isPushingHistory = true;
    this.#pushHistory(reader).then(
      () => {
        this.#isPushingHistory = false;
        this.wake();
      },
      (error) => {
        this.#end();
        reader.fail(error);
      },
    );
  }

  /** Its reader is ready again. */
  resume(): void {
    this.wake();
  }

  /** The channel may have something new. */
  wake(): void {
    const reader = this.#reader;
    // To read the channel may wake all that follow it, this one among them: what it tells would then be told out of order.
    if (!reader || this.#isPushingHistory || this.#isPushing) {
      this.#goOn();
      return;
    }
    this.#isPushing = true;
    try {
      this.#push(reader);
    } catch (error) {
      // Whoever wakes many is not to fail with one.
      this.#end();
      reader.fail(error);
    } finally {
      this.#isPushing = false;
    }
  }

  #push(reader: Taker<Payload>): void {
    for (let taken = 0; this.#position && !this.#isStopped && !this.#isOver && reader.isReady; taken += 1) {
      if (taken === stretch) {
        this.#rest(this.#options.clock);
        return;
      }
      const payload = this.#nextLive(this.#position);
      if (payload !== undefined) reader.take(payload);
      else {
        if (this.#history) this.pushTo(reader);
        return;
      }
    }
    if (this.#isOver || (this.#position && !this.#isStopped)) return;
    // One that is stopped says where to go on, ready or not: it is one small message, and the last.
    const last = this.#end();
    if (last !== null) reader.take(last);
    reader.end();
  }

  /** Ends it at once, even while it waits. */
  async return(): Promise<IteratorResult<Payload, undefined>> {
    this.#isStopped = false;
    this.#end();
    return { done: true, value: undefined };
  }

  throw(error: unknown): Promise<never> {
    void this.return();
    return Promise.reject(error);
  }

  /** Has it end by itself, telling first where to go on. */
  stop(): void {
    this.#isStopped = true;
    this.#cancellation?.cancel('aborted');
    this.wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  async #pushHistory(reader: Taker<Payload>): Promise<void> {
    while (this.#history) {
      if (!reader.isReady) this.#hold();
      while (!reader.isReady && !this.#isStopped && !this.#isOver) await this.#untilCalled();
      this.#stopHolding();
      const told = await this.#nextOfHistory(this.#history);
      if (told && !this.#isOver) reader.take(told.payload);
    }
  }

  /** `null` where it ends: the stream is live then, or over. */
  async #nextOfHistory(history: AsyncGenerator<Told<Payload>, Joint | null>): Promise<Told<Payload> | null> {
    const step = this.#isStopped || this.#isOver ? null : await history.next();
    if (step && !step.done && !this.#isStopped && !this.#isOver) {
      this.#at = step.value.at;
      return step.value;
    }
    // What only history needs is let go: most streams are live most of the time.
    this.#history = null;
    this.#cancellation = null;
    this.#progress = null;
    this.#hand = null;
    if (step?.done && step.value && !this.#isOver) this.#goLive(step.value);
    return null;
  }

  #goLive({ sequence, delivered, at }: Joint): void {
    this.#at ??= at;
    if (delivered.size > 0) {
      const all = new Set([...this.#delivered, ...delivered]);
      this.#delivered = all.size > maxDelivered ? delivered : all;
    }
    // Since the place was found the feed may have read on, and dropped what follows: it is not known then what of that matches.
    if (sequence + 1 < this.#channel.feed.news.start) {
      this.#goBack();
      return;
    }
    this.#isJoining = true;
    this.#position = this.#channel.positionBehind(sequence);
    this.#channel.follow(this);
  }

  /** `undefined` = nothing now: it is called again, or has history to read first. */
  #nextLive(position: Position): Payload | undefined {
    const channel = this.#channel;
    for (;;) {
      const reading = channel.read(position);
      const isJoining = this.#isJoining;
      this.#isJoining = false;
      switch (reading.kind) {
        case 'told': {
          const { payload, at } = reading.told;
          this.#at = at;
          if (this.#delivered !== none && this.#delivered.has(at.place?.key ?? '')) break;
          return payload;
        }
        case 'missed':
          // Nor can it be late that has not read anything yet.
          if (isJoining) {
            this.#goBack();
            return undefined;
          }
          return channel.presenter.missed(reading.count, this.#at as ResumePoint);
        case 'more':
          this.#rest(this.#options.clock);
          return undefined;
        case 'dropped':
          this.#goBack();
          return undefined;
        case 'nothing':
          this.#onQuiet?.(resumeAt(channel.frontier));
          return undefined;
      }
    }
  }

  #rest(clock: Clock): void {
    this.#stopResting ??= clock.after(0, () => {
      this.#stopResting = null;
      this.wake();
    });
  }

  /** What is next is not in memory any more. */
  #goBack(): void {
    this.#channel.unfollow(this);
    this.#position = null;
    this.#readFrom(this.#at as ResumePoint);
  }

  #readFrom(point: ResumePoint): void {
    const cancellation = createCancellation();
    const hand = new PageInHand<LiveEntry<Item>>();
    const progress = new Progress('stream', this.#options.clock);
    this.#cancellation = cancellation;
    this.#hand = hand;
    this.#progress = progress;
    this.#history = catchUp(point, this.#channel, { ...this.#options, cancellation, hand, progress });
  }

  /** Keeps what waits for its reader, for a while. */
  #hold(): void {
    this.#stopHolding = this.#options.clock.after(patienceMs, () => this.#hand?.letGo());
  }

  #untilCalled(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = () => {
        this.#goOn = () => {};
        resolve();
      };
    });
  }

  /** @returns what one that was stopped says at its end */
  #end(): Payload | null {
    if (this.#isOver) return null;
    this.#isOver = true;
    const channel = this.#channel;
    channel.unfollow(this);
    this.#cancellation?.cancel('aborted');
    this.#stopResting?.();
    this.#stopHolding();
    // Everything up to there has been told, or does not match.
    if (this.#position && channel.read(this.#position).kind === 'nothing') this.#at = resumeAt(channel.frontier);
    this.#onEnd(this);
    this.#goOn();
    return this.#isStopped && this.#at ? channel.presenter.missed(0, this.#at) : null;
  }
}

/**
 * Begins behind what a look at the upstream brings. While none comes to its end, what happens must not be left out in silence:
 * the stream then begins where its reader was when it was opened, or, where that is not known, behind a gap.
 */
async function* beginNow<Item, Payload>(
  { feed, presenter }: Channel<Item, Payload>,
  { clock, cancellation, progress }: Pick<CatchUpOptions<Item>, 'clock' | 'cancellation' | 'progress'>,
): AsyncGenerator<Told<Payload>, Joint | null> {
  const toJoint = (sequence: number, place: Place | null) => ({ sequence, delivered: none, at: resumeAt(place) });
  const opening = feed.isStarted ? toJoint(feed.news.end - 1, feed.frontier) : null;
  const { isUp } = feed;
  progress.waitFor('the reader to look at the upstream');
  const caughtUp = feed.caughtUp(cancellation);
  const isPrompt = await isWithin(promptMs, caughtUp, clock);
  if (!isPrompt && opening && isUp) return opening;
  await caughtUp;
  if (cancellation.cause || !feed.isStarted) return null;
  const joint = toJoint(feed.news.end - 1, feed.frontier);
  const at = opening?.at ?? joint.at;
  if (!isPrompt) yield { payload: presenter.gap(opening?.at ?? null, null, awayReason), at };
  return joint;
}

function isWithin(ms: number, settling: Promise<void>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => resolve(false));
    void settling.then(() => {
      stop();
      resolve(true);
    });
  });
}
