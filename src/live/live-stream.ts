import type { Cancellation, OpenCancellation } from '../transport/cancellation.ts';
import { createCancellation } from '../transport/cancellation.ts';
import { type CatchUpOptions, catchUp, type Joint } from './catch-up.ts';
import type { Channel, Told } from './channel.ts';
import { pause } from './clock.ts';
import { type ResumePoint, resumeAt } from './live-source.ts';

export interface LiveStreamOptions extends Omit<CatchUpOptions, 'cancellation'> {
  /** Where to go on; `null` = from now. */
  readonly after: ResumePoint | null;
  /** Called each time everything up to a place has been told, and nothing is on its way. */
  readonly onQuiet?: ((at: ResumePoint) => void) | undefined;
  /** Called once, when it ends by itself or is left. */
  readonly onEnd: (stream: object) => void;
}

/** One who follows a channel, at its own pace: what is next is looked for when it is asked for. */
export class LiveStream<Item, Payload> implements AsyncGenerator<Payload, undefined> {
  readonly #cancellation: OpenCancellation = createCancellation();
  readonly #steps: AsyncGenerator<Payload, undefined>;
  readonly #onEnd: LiveStreamOptions['onEnd'];
  #isOver = false;
  #isStopped = false;

  constructor(channel: Channel<Item, Payload>, { onEnd, ...options }: LiveStreamOptions) {
    this.#onEnd = onEnd;
    this.#steps = this.#follow(channel, { ...options, cancellation: this.#cancellation });
  }

  async next(): Promise<IteratorResult<Payload, undefined>> {
    const step = await this.#steps.next();
    if (step.done) this.#end();
    return step;
  }

  /** Ends it at once, even while it waits. */
  async return(): Promise<IteratorResult<Payload, undefined>> {
    this.#isStopped = false;
    this.#cancellation.cancel('aborted');
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
    this.#cancellation.cancel('aborted');
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this);
  }

  async *#follow(
    channel: Channel<Item, Payload>,
    { after, onQuiet, ...options }: Omit<LiveStreamOptions, 'onEnd'> & CatchUpOptions,
  ): AsyncGenerator<Payload, undefined> {
    let at = after;
    let isBehind = true;
    while (isBehind) {
      isBehind = false;
      const history = at ? catchUp(at, channel, options) : beginNow(channel, options.cancellation);
      let step = await history.next();
      while (!step.done && !this.#isStopped) {
        at = step.value.at;
        yield step.value.payload;
        step = await history.next();
      }
      const joint = step.done ? step.value : null;
      if (!joint) break;
      for await (const told of followLive(channel, joint, at, options)) {
        isBehind = told.isBehind;
        at = told.at;
        if (told.payload !== null) yield told.payload;
        else onQuiet?.(at);
      }
    }
    if (this.#isStopped && at) yield channel.presenter.missed(0, at);
    return undefined;
  }
}

interface Step<Payload> {
  /** `null`: everything up to there has been told. */
  readonly payload: Payload | null;
  readonly at: ResumePoint;
  /** Is what follows not in memory any more? Then this is the last one. */
  readonly isBehind: boolean;
}

// biome-ignore lint/correctness/useYield: it has the form of what reads history, and there is none
async function* beginNow<Item, Payload>(
  { feed }: Channel<Item, Payload>,
  cancellation: Cancellation,
): AsyncGenerator<Told<Payload>, Joint | null> {
  await feed.caughtUp(cancellation);
  return feed.isStarted ? { sequence: feed.news.end - 1, delivered: new Set() } : null;
}

async function* followLive<Item, Payload>(
  channel: Channel<Item, Payload>,
  { sequence, delivered }: Joint,
  from: ResumePoint | null,
  { cancellation, clock }: Pick<CatchUpOptions, 'cancellation' | 'clock'>,
): AsyncGenerator<Step<Payload>> {
  let at = from ?? resumeAt(channel.feed.frontier);
  const position = channel.positionBehind(sequence);
  while (!cancellation.cause) {
    const reading = channel.read(position);
    switch (reading.kind) {
      case 'told':
        at = reading.told.at;
        if (!delivered.has(at.place?.key ?? '')) yield { payload: reading.told.payload, at, isBehind: false };
        break;
      case 'missed':
        yield { payload: channel.presenter.missed(reading.count, at), at, isBehind: false };
        break;
      case 'more':
        await pause(clock, 0, cancellation);
        break;
      case 'dropped':
        yield { payload: null, at, isBehind: true };
        return;
      case 'nothing':
        at = resumeAt(channel.frontier);
        yield { payload: null, at, isBehind: false };
        await untilNews(channel, cancellation);
    }
  }
}

function untilNews(channel: Pick<Channel<never, never>, 'whenNews'>, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    let stopListening = () => {};
    const stopWaiting = channel.whenNews(() => {
      stopListening();
      resolve();
    });
    stopListening = cancellation.onCancel(() => {
      stopWaiting();
      resolve();
    });
  });
}
