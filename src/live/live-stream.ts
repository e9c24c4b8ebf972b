import type { ItemReader, PushedItems } from '../upstream/operation-context.ts';
import { CatchUp, type CatchUpOptions } from './catch-up.ts';
import type { ChannelPosition, LiveChannel } from './channel.ts';
import { type ResumePoint, resumeAt } from './live-source.ts';
import type { Progress } from './progress.ts';

/** The owner of a stream. */
export interface Subscriber extends Pick<CatchUpOptions, 'caller'> {
  /**
   * Called each time everything up to a position has been delivered.
   * @param toCursor of the channel, so that no stream keeps one of its own
   */
  readonly onQuiet?: ((at: ResumePoint, toCursor: (at: ResumePoint) => string) => void) | undefined;
}

/** Shared by all streams: there may be ten thousand. */
export interface LiveStreamOptions<Stream> extends Omit<CatchUpOptions, 'caller'> {
  /** Called once, when the stream ends by itself or is left. */
  readonly onEnd: (stream: Stream) => void;
}

/**
 * Milliseconds after which a stream whose subscriber reads nothing releases its page of history, which may have megabytes.
 */
const holdPageMs = 2_000;
/** Maximum payloads pushed to one consumer before other consumers get theirs. */
const maxPushedAtOnce = 64;
const noKeys: ReadonlySet<string> = new Set();

/**
 * One subscriber of a channel: delivers each matching item once and in order, behind a resume point or from now on. It catches up
 * first, and is live then. A subscriber that falls behind gets the number of missed items.
 *
 * Payloads are pushed to a consumer in the turn in which the channel has them: ten thousand waiting subscribers then need no
 * promise each.
 */
export class LiveStream<Item, Payload, Owner extends Subscriber = Subscriber> implements PushedItems<Payload> {
  readonly owner: Owner;
  readonly #channel: LiveChannel<Item, Payload>;
  readonly #options: LiveStreamOptions<LiveStream<Item, Payload, Owner>>;
  /** `null` while it is live: most streams are, most of the time. */
  #catchUp: CatchUp<Item, Payload> | null;
  /** Position in the channel; `null` while the stream is not live. */
  #position: ChannelPosition | null = null;
  /** Is the stream live without having read from its channel yet? */
  #isJoining = false;
  /** Keys that were delivered from history already. */
  #delivered = noKeys;
  /** Resume point after the last delivery; `null` = the stream began without `after` and has delivered nothing. */
  #at: ResumePoint | null;
  #reader: ItemReader<Payload> | null = null;
  /** Is the stream waiting for the next delivery from its history? */
  #isReading = false;
  #isPushing = false;
  #isStopped = false;
  #isOver = false;
  /** Ends a pause in which others have their turn; `null` = there is none. */
  #stopPause: (() => void) | null = null;
  #stopHolding: (() => void) | null = null;

  /** @param after where to resume; `null` = begin now */
  constructor(
    channel: LiveChannel<Item, Payload>,
    after: ResumePoint | null,
    owner: Owner,
    options: LiveStreamOptions<LiveStream<Item, Payload, Owner>>,
  ) {
    this.owner = owner;
    this.#channel = channel;
    this.#options = options;
    this.#at = after;
    this.#catchUp = this.#startCatchUp();
  }

  get feed(): object {
    return this.#channel.feed;
  }

  /** Of a stream that catches up; `null` = it is live, or over. */
  get progress(): Progress | null {
    return this.#catchUp?.progress ?? null;
  }

  pushTo(reader: ItemReader<Payload>): void {
    this.#reader = reader;
    if (this.#isOver) reader.end();
    else this.wake();
  }

  resume(): void {
    this.wake();
  }

  /** Called when the channel may have new items. */
  wake(): void {
    const reader = this.#reader;
    // Reading the channel may wake all its followers, this one among them, which would then deliver out of order.
    if (!reader || this.#isOver || this.#isReading || this.#isPushing) return;
    this.#isPushing = true;
    try {
      this.#push(reader);
    } catch (error) {
      // The caller wakes other streams too.
      this.fail(error);
    } finally {
      this.#isPushing = false;
    }
  }

  leave(): void {
    if (this.#isOver) return;
    this.#end();
    this.#reader?.end();
  }

  /** Ends after sending a resume point. */
  stop(): void {
    this.#isStopped = true;
    this.#catchUp?.cancel();
    this.wake();
  }

  #push(reader: ItemReader<Payload>): void {
    this.#stopHolding?.();
    for (let pushed = 0; reader.isReady && !this.#isStopped && !this.#isOver; pushed += 1) {
      if (pushed === maxPushedAtOnce) {
        this.#pause();
        return;
      }
      const payload = this.#position ? this.#nextLive(this.#position) : undefined;
      if (payload === undefined) {
        if (this.#catchUp) this.#readHistory(this.#catchUp);
        return;
      }
      reader.take(payload);
    }
    if (this.#isOver) return;
    if (this.#isStopped) {
      // Sent even if the consumer is not ready: it is one small message, and the last.
      this.#end();
      if (this.#at) reader.take(this.#channel.presenter.missed(0, this.#at));
      reader.end();
    } else if (this.#catchUp) {
      this.#stopHolding = this.#options.clock.after(holdPageMs, () => this.#catchUp?.releasePage());
    }
  }

  #readHistory(catchUp: CatchUp<Item, Payload>): void {
    this.#isReading = true;
    catchUp
      .next()
      .then(({ done, value }) => {
        this.#isReading = false;
        if (this.#isOver || this.#isStopped) return;
        if (!value) {
          this.leave();
          return;
        }
        this.#at = value.at;
        if (!done) {
          this.#reader?.take(value.payload);
          return;
        }
        this.#catchUp = null;
        this.#delivered = value.delivered;
        this.#position = value.position;
        this.#isJoining = true;
        this.#channel.followers.add(this);
      })
      .then(
        () => this.wake(),
        (error) => this.fail(error),
      );
  }

  /** `undefined` = nothing now: the stream is woken again, or has to catch up. */
  #nextLive(position: ChannelPosition): Payload | undefined {
    const channel = this.#channel;
    for (;;) {
      const reading = channel.read(position);
      const isJoining = this.#isJoining;
      this.#isJoining = false;
      if (reading === null) {
        this.#pass();
        this.owner.onQuiet?.(this.#at as ResumePoint, channel.presenter.toCursor);
        return undefined;
      }
      if (typeof reading === 'number') {
        if (!isJoining) return channel.presenter.missed(reading, this.#at as ResumePoint);
        // A stream that has read nothing yet cannot have been slow.
        channel.followers.delete(this);
        this.#position = null;
        this.#catchUp = this.#startCatchUp();
        return undefined;
      }
      this.#at = reading.at;
      if (!this.#delivered.has(reading.at.last?.key ?? '')) return reading.payload;
    }
  }

  /** Everything up to the frontier has been delivered, or does not match. A late item behind it is part of the resume point. */
  #pass(): void {
    const { frontier } = this.#channel.feed;
    if (this.#at?.from?.key !== frontier?.key) this.#at = resumeAt(frontier);
  }

  #pause(): void {
    this.#stopPause ??= this.#options.clock.after(0, () => {
      this.#stopPause = null;
      this.wake();
    });
  }

  #startCatchUp(): CatchUp<Item, Payload> {
    const options = { ...this.#options, caller: this.owner.caller };
    return new CatchUp({ at: this.#at, delivered: this.#delivered }, this.#channel, options);
  }

  /** Ends with an error. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#reader?.fail(error);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const channel = this.#channel;
    channel.followers.delete(this);
    this.#catchUp?.cancel();
    this.#catchUp = null;
    this.#stopPause?.();
    this.#stopHolding?.();
    if (this.#position && channel.read(this.#position) === null) this.#pass();
    this.#options.onEnd(this);
  }
}
