import { createCancellation, type OpenCancellation } from '../upstream/cancellation.ts';
import { beginNow, type CatchUpOptions, CurrentPage, catchUp, type Handover } from './catch-up.ts';
import type { Channel, Delivery, Position } from './channel.ts';
import { type LiveEntry, type ResumePoint, resumeAt } from './live-source.ts';
import { Progress } from './progress.ts';

export interface LiveStreamOptions extends Pick<CatchUpOptions<unknown>, 'clock' | 'caller' | 'lostAfterMs'> {
  /** Where to resume; `null` = begin now. */
  readonly after: ResumePoint | null;
  /** Called each time everything up to a place has been delivered. */
  readonly onQuiet?: ((at: ResumePoint) => void) | undefined;
  /** Called once, when the stream ends by itself or is left. */
  readonly onEnd: (stream: object) => void;
}

/** Takes payloads as soon as they are there. */
export interface DeliveryConsumer<Payload> {
  /** Does it take another one now? When it does again, it calls `resume` of the stream. */
  readonly isReady: boolean;
  take(payload: Payload): void;
  /** The stream has ended by itself. */
  end(): void;
  fail(error: unknown): void;
}

/** Keys delivered from history that the channel may bring again: far more than can have come late. */
const maxDelivered = 2_000;
/** A page of history may be megabytes: a stream whose subscriber takes nothing for so many milliseconds releases it. */
const holdPageMs = 2_000;
/** Payloads pushed to a taker before others have their turn. */
const maxPushedAtOnce = 64;

/** What a stream needs while it reads history. Released when it is live, as most streams are most of the time. */
interface Catching<Item, Payload> {
  readonly deliveries: AsyncGenerator<Delivery<Payload>, Handover | null>;
  readonly cancellation: OpenCancellation;
  readonly progress: Progress;
  readonly page: CurrentPage<LiveEntry<Item>>;
}

/**
 * One subscriber of a channel: delivers each matching item once and in order, behind a resume point or from now on. It reads
 * history first, and goes live where that meets the feed. A subscriber that falls behind gets the number of missed items; one whose
 * next item the feed dropped before the channel was opened goes back to history.
 *
 * Payloads are either pulled with `next`, or pushed to a taker in the turn in which the channel has them: ten thousand waiting
 * subscribers then need no promise each.
 */
export class LiveStream<Item, Payload> implements AsyncGenerator<Payload, undefined> {
  readonly #channel: Channel<Item, Payload>;
  readonly #options: Omit<LiveStreamOptions, 'after'>;
  /** `null` while it is live. */
  #catching: Catching<Item, Payload> | null;
  /** In the channel; `null` while it is not live. */
  #position: Position | null = null;
  /** Is it live, and has not read anything yet? */
  #isJoining = false;
  /** Keys that were delivered from history already; `null` = none. */
  #delivered: ReadonlySet<string> | null = null;
  /** Behind the last delivery; `null` = nothing was delivered, and it began now. */
  #at: ResumePoint | null;
  #taker: DeliveryConsumer<Payload> | null = null;
  #isPushingHistory = false;
  #isPushing = false;
  #isStopped = false;
  #isOver = false;
  /** Resolves the promise that waits for news, or for the taker. */
  #goOn = () => {};
  /** Ends a pause in which others have their turn; `null` = there is none. */
  #stopPause: (() => void) | null = null;
  /** Ends the time for which a page is held. */
  #stopHolding = () => {};

  constructor(channel: Channel<Item, Payload>, { after, ...options }: LiveStreamOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#at = after;
    this.#catching = this.#catchUpFrom(after);
  }

  /** Of a stream that reads history; `null` = it is live, or over. */
  get progress(): Progress | null {
    return this.#catching?.progress ?? null;
  }

  async next(): Promise<IteratorResult<Payload, undefined>> {
    this.#stopHolding();
    while (!this.#isStopped && !this.#isOver) {
      if (this.#catching) {
        const delivery = await this.#nextOfHistory(this.#catching);
        if (!delivery) continue;
        this.#holdPage();
        return { done: false, value: delivery.payload };
      }
      if (!this.#position) break;
      const payload = this.#nextLive(this.#position);
      if (payload !== undefined) return { done: false, value: payload };
      if (!this.#catching) await this.#untilCalled();
    }
    const last = this.#end();
    return last === null ? { done: true, value: undefined } : { done: false, value: last };
  }

  /** Pushes payloads from now on; `next` must not be called any more. */
  pushTo(consumer: DeliveryConsumer<Payload>): void {
    this.#taker = consumer;
    this.#isPushingHistory = true;
    this.#pushHistory(consumer).then(
      () => {
        this.#isPushingHistory = false;
        this.wake();
      },
      (error) => this.#fail(consumer, error),
    );
  }

  /** The taker is ready again. */
  resume(): void {
    this.wake();
  }

  /** The channel may have something new. */
  wake(): void {
    const consumer = this.#taker;
    // Reading the channel may wake all its followers, this one among them, which would then deliver out of order.
    if (!consumer || this.#isPushingHistory || this.#isPushing) {
      this.#goOn();
      return;
    }
    this.#isPushing = true;
    try {
      this.#push(consumer);
    } catch (error) {
      // The caller wakes other streams too.
      this.#fail(consumer, error);
    } finally {
      this.#isPushing = false;
    }
  }

  /** Leaves the stream, even while it waits. */
  async return(): Promise<IteratorResult<Payload, undefined>> {
    this.#isStopped = false;
    this.#end();
    return { done: true, value: undefined };
  }

  throw(error: unknown): Promise<never> {
    void this.return();
    return Promise.reject(error);
  }

  /** Ends after sending a resume point. */
  stop(): void {
    this.#isStopped = true;
    this.#catching?.cancellation.cancel('aborted');
    this.wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #push(consumer: DeliveryConsumer<Payload>): void {
    for (let pushed = 0; this.#position && !this.#isStopped && !this.#isOver && consumer.isReady; pushed += 1) {
      if (pushed === maxPushedAtOnce) {
        this.#pause();
        return;
      }
      const payload = this.#nextLive(this.#position);
      if (payload === undefined) {
        if (this.#catching) this.pushTo(consumer);
        return;
      }
      consumer.take(payload);
    }
    if (this.#isOver || (this.#position && !this.#isStopped)) return;
    // A stopped stream sends its resume point even if the taker is not ready: it is one small message, and the last.
    const last = this.#end();
    if (last !== null) consumer.take(last);
    consumer.end();
  }

  async #pushHistory(consumer: DeliveryConsumer<Payload>): Promise<void> {
    while (this.#catching) {
      if (!consumer.isReady) this.#holdPage();
      while (!consumer.isReady && !this.#isStopped && !this.#isOver) await this.#untilCalled();
      this.#stopHolding();
      const delivery = await this.#nextOfHistory(this.#catching);
      if (delivery && !this.#isOver) consumer.take(delivery.payload);
    }
  }

  /** @returns `null` where history ends: the stream is live then, or over */
  async #nextOfHistory({ deliveries }: Catching<Item, Payload>): Promise<Delivery<Payload> | null> {
    const step = this.#isStopped || this.#isOver ? null : await deliveries.next();
    if (step && !step.done && !this.#isStopped && !this.#isOver) {
      this.#at = step.value.at;
      return step.value;
    }
    this.#catching = null;
    if (step?.done && step.value && !this.#isOver) this.#goLive(step.value);
    return null;
  }

  #goLive({ sequence, delivered, at }: Handover): void {
    this.#at ??= at;
    if (delivered.size > 0) {
      const all = new Set([...(this.#delivered ?? []), ...delivered]);
      this.#delivered = all.size > maxDelivered ? delivered : all;
    }
    // The feed may have read on since the joint was found, and dropped what follows before it was matched.
    if (sequence + 1 < this.#channel.feed.news.start) {
      this.#goBack();
      return;
    }
    this.#isJoining = true;
    this.#position = this.#channel.positionBehind(sequence);
    this.#channel.follow(this);
  }

  /** `undefined` = nothing now: the stream is woken again, or has history to read first. */
  #nextLive(position: Position): Payload | undefined {
    const channel = this.#channel;
    for (;;) {
      const reading = channel.read(position);
      const isJoining = this.#isJoining;
      this.#isJoining = false;
      switch (reading.kind) {
        case 'delivery': {
          const { payload, at } = reading.delivery;
          this.#at = at;
          if (this.#delivered?.has(at.place?.key ?? '')) break;
          return payload;
        }
        case 'missed':
          if (!isJoining) return channel.presenter.missed(reading.count, this.#at as ResumePoint);
          // A stream that has read nothing yet cannot have been slow.
          this.#goBack();
          return undefined;
        case 'more':
          this.#pause();
          return undefined;
        case 'dropped':
          this.#goBack();
          return undefined;
        case 'nothing':
          this.#options.onQuiet?.(resumeAt(channel.frontier));
          return undefined;
      }
    }
  }

  #pause(): void {
    this.#stopPause ??= this.#options.clock.after(0, () => {
      this.#stopPause = null;
      this.wake();
    });
  }

  /** The feed does not keep the next items any more: read them as history. */
  #goBack(): void {
    this.#channel.unfollow(this);
    this.#position = null;
    this.#catching = this.#catchUpFrom(this.#at);
  }

  #catchUpFrom(point: ResumePoint | null): Catching<Item, Payload> {
    const cancellation = createCancellation();
    const page = new CurrentPage<LiveEntry<Item>>();
    const progress = new Progress('stream', this.#options.clock);
    const options = { ...this.#options, cancellation, page, progress };
    const deliveries = point ? catchUp(point, this.#channel, options) : beginNow(this.#channel, options);
    return { deliveries, cancellation, progress, page };
  }

  #holdPage(): void {
    this.#stopHolding = this.#options.clock.after(holdPageMs, () => this.#catching?.page.release());
  }

  #untilCalled(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = () => {
        this.#goOn = () => {};
        resolve();
      };
    });
  }

  #fail(consumer: DeliveryConsumer<Payload>, error: unknown): void {
    this.#end();
    consumer.fail(error);
  }

  /** @returns the last payload of a stream that was stopped */
  #end(): Payload | null {
    if (this.#isOver) return null;
    this.#isOver = true;
    const channel = this.#channel;
    channel.unfollow(this);
    this.#catching?.cancellation.cancel('aborted');
    this.#stopPause?.();
    this.#stopHolding();
    // Everything up to the frontier has been delivered, or does not match.
    if (this.#position && channel.read(this.#position).kind === 'nothing') this.#at = resumeAt(channel.frontier);
    this.#options.onEnd(this);
    this.#goOn();
    return this.#isStopped && this.#at ? channel.presenter.missed(0, this.#at) : null;
  }
}
