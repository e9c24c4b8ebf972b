import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ExecutionResult } from 'graphql';
import type { ResultReader, ResultStream, ResultText } from '../../operation/operation-answer.ts';
import { itemPlace, type PlacedResult } from '../../upstream/item-place.ts';
import { printResult } from '../whole-answer.ts';
import type { EventStreamPlace } from './event-stream-place.ts';
import type { Framing } from './framing.ts';
import type { Heart } from './heart.ts';

export interface PushedBodyOptions {
  readonly stream: ResultStream;
  readonly framing: Framing;
  readonly place: EventStreamPlace | null;
  readonly heart: Heart;
  /** Called once, when it begins to be sent. */
  readonly onSent: () => void;
  /** Called with each result that has errors. */
  readonly onResult: (result: ExecutionResult) => void;
}

/**
 * The body of an answer whose stream hands on its results by itself. Yoga takes it for a stream of Node, and connects it with the
 * response that it is sent by: from then on it writes there, for a stream between them would be a dozen promises for each
 * result of each client.
 */
export class PushedBody extends Readable implements ResultReader {
  readonly #stream: ResultStream;
  readonly #framing: Framing;
  readonly #place: EventStreamPlace | null;
  readonly #heart: Heart;
  readonly #onSent: PushedBodyOptions['onSent'];
  readonly #onResult: PushedBodyOptions['onResult'];
  #response: ServerResponse | null = null;
  #stopBeating: (() => void) | null = null;
  #isOver = false;

  constructor({ stream, framing, place, heart, onSent, onResult }: PushedBodyOptions) {
    super();
    this.#stream = stream;
    this.#framing = framing;
    this.#place = place;
    this.#heart = heart;
    this.#onSent = onSent;
    this.#onResult = onResult;
  }

  override pipe<Destination extends NodeJS.WritableStream>(destination: Destination): Destination {
    const response = destination as unknown as ServerResponse;
    this.#response = response;
    this.#onSent();
    response.write(this.#framing.begin());
    // Who is cut off before the first event goes on from here, and not from when it is back.
    this.#place?.onFirst(() => this.#beat());
    this.#stopBeating = this.#heart.onBeat(() => this.#beat());
    response.on('drain', () => this.#stream.resume());
    this.#stream.pushTo(this);
    return destination;
  }

  /** Has the client read what it was sent? Else the response says when. */
  get isReady(): boolean {
    return this.#isOpen && this.#response?.writableNeedDrain === false;
  }

  takeText(text: ResultText): void {
    this.#place?.pass();
    if (this.#isOpen) this.#response?.write(text.in(this.#framing), 'latin1');
  }

  takeResult(result: ExecutionResult & PlacedResult): void {
    if (result.errors) this.#onResult(result);
    this.#place?.pass();
    if (this.#isOpen) this.#response?.write(this.#framing.next(printResult(result), result[itemPlace] ?? null));
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#isOpen) this.#response?.end(this.#framing.end);
    this.#finish();
  }

  /** Nothing can be said any more that would not be taken for a result: the client sees the connection break, and asks again. */
  fail(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#response?.destroy();
  }

  /** There is nothing in it: it is written elsewhere. */
  override _read(): void {}

  /** Its client is gone, or has everything. */
  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.#finish();
    void this.#stream.return();
    done();
  }

  /** Writing to a response that was broken off would end the process. */
  get #isOpen(): boolean {
    return !this.#isOver && this.#response?.destroyed === false;
  }

  #beat(): void {
    // Nothing is put behind what the client has not read yet.
    if (!this.isReady) return;
    const at = this.#place?.take() ?? null;
    this.#response?.write((at === null ? null : this.#framing.place(at)) ?? this.#framing.beat);
  }

  #finish(): void {
    this.#isOver = true;
    this.#stopBeating?.();
    this.#stopBeating = null;
  }
}
