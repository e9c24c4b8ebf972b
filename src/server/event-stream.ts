import type { ServerResponse } from 'node:http';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { withUsage } from '../documents/cost/usage.ts';
import { toExtensions } from '../errors/gateway-error.ts';
import { addErrorCodes } from '../errors/reported-errors.ts';
import type { AdmittedOperation } from '../operation/admit-operation.ts';
import type { OperationRunner } from '../operation/operation-runner.ts';
import { type ResultReader, ResultStream, type ResultText } from '../operation/subscriptions/result-stream.ts';
import { type ResumableResult, resumeCursorKey, type StreamSlot } from '../upstream/operation-context.ts';
import { breakOff } from './end-lingering.ts';
import type { Exchange } from './exchange.ts';
import { Beating, Heartbeats } from './heartbeats.ts';
import { chooseFraming, type Framing, multipartType, printResult, writeResult } from './write-answer.ts';

/** Runs a subscription received over HTTP and streams its results. A rejected subscription gets a single response. */
export type OpenEventStream = (exchange: Exchange, admitted: AdmittedOperation) => Promise<void>;

export function createOpenEventStream(runner: Pick<OperationRunner, 'subscribe'>): OpenEventStream {
  const heartbeats = new Heartbeats(heartbeatMs);
  return async (exchange, admitted) => {
    const { req, res, codes } = exchange;
    const framing = chooseFraming(req.headers.accept);
    if (!framing) {
      // Check this before opening the stream: a client that cannot read it must not cost a stream.
      const usage = exchange.showUsage ? admitted.usage : null;
      return writeResult(exchange, withUsage({ errors: [notAcceptable()] }, usage));
    }
    const stream = new EventStream(res, {
      framing,
      heartbeats,
      lastEventId: req.headers['last-event-id']?.toString(),
      onErrors: (errors) => addErrorCodes(codes, errors),
    });
    if (framing.cursor) exchange.streamSlot = stream;
    const answer = await runner.subscribe(admitted, exchange);
    if (!(answer instanceof ResultStream)) return writeResult(exchange, answer);
    const { 'content-type': contentType = '', ...headers } = framing.headers;
    // The head and the opening leave in one write. Corked on its own, Node 24 writes the response in five.
    req.socket.cork();
    // In one list: a header that is set takes three times as much memory.
    exchange.writeStreamHead(contentType, Object.entries(headers).flat());
    // Otherwise, Node keeps the head of the response as a chain of 30 texts, and there may be ten thousand streams.
    res.flushHeaders();
    req.dropHead();
    stream.follow(answer);
    req.socket.uncork();
  };
}

function notAcceptable(): GraphQLError {
  const says = `A subscription is answered as text/event-stream or ${multipartType}: accept either, or subscribe over WebSocket.`;
  return new GraphQLError(says, { extensions: toExtensions('BAD_REQUEST', { http: { status: 406 } }) });
}

/** Milliseconds between heartbeats, also of WebSockets: proxies close connections that are silent for a minute. */
export const heartbeatMs = 15_000;
/** Characters after which `Last-Event-ID` is truncated: cursors have a few hundred. */
const maxLastEventId = 4_096;

interface EventStreamOptions {
  readonly framing: Framing;
  readonly heartbeats: Heartbeats;
  readonly lastEventId: string | undefined;
  readonly onErrors: (errors: readonly GraphQLError[]) => void;
}

/**
 * Writes the results of a subscription to a response, no faster than the client reads: an opening, each result, a heartbeat
 * every 15 s, and the end. A heartbeat carries the stream's cursor if the client lacks it and the framing has a field for it,
 * so that a client that reconnects misses nothing.
 */
export class EventStream extends Beating implements ResultReader, StreamSlot {
  /** The cursor to resume at; `null` = the operation's argument decides. */
  readonly after: string | null;
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  /** The position that the stream has reached without a result, and that the client does not have yet. */
  #toCursor: (() => string) | null = null;
  #isFollowing = false;
  #hasCursor = false;

  constructor(response: ServerResponse, options: EventStreamOptions) {
    super();
    this.#response = response;
    this.#options = options;
    this.after = options.lastEventId ? options.lastEventId.slice(0, maxLastEventId) : null;
  }

  /** The source calls this when every result up to a cursor has been sent. */
  quietAt(toCursor: () => string): void {
    this.#toCursor = toCursor;
    // A client that is disconnected before the first event resumes here.
    if (this.#isOpen && !this.#hasCursor) this.beat();
  }

  /** Sends the stream. Call once, after the head of the response has been written. */
  follow(stream: ResultStream): void {
    const response = this.#response;
    const leave = () => {
      this.#finish();
      stream.leave();
    };
    response.on('close', leave);
    if (response.destroyed) {
      leave();
      return;
    }
    this.#isFollowing = true;
    response.write(this.#options.framing.begin());
    if (this.#toCursor) this.beat();
    this.#options.heartbeats.add(this);
    response.on('drain', () => stream.resume());
    stream.pushTo(this);
  }

  /** Has the client read all that was sent? If not, the response emits `drain` later. */
  get isReady(): boolean {
    return this.#isOpen && !this.#response.writableNeedDrain;
  }

  takeText(text: ResultText): void {
    this.#pass();
    if (this.#isOpen) this.#response.write(text.in(this.#options.framing), 'latin1');
  }

  takeResult(result: ExecutionResult & ResumableResult): void {
    if (result.errors) this.#options.onErrors(result.errors);
    this.#pass();
    if (!this.#isOpen) return;
    this.#response.write(this.#options.framing.next(printResult(result), result[resumeCursorKey] ?? null));
  }

  #pass(): void {
    this.#toCursor = null;
    this.#hasCursor = true;
  }

  end(): void {
    if (this.#isOpen) this.#response.end(this.#options.framing.end);
    this.#finish();
  }

  /** Breaks the connection, so that the client reconnects, unless it would get the same error again. */
  fail(error: unknown): void {
    if (error instanceof GraphQLError && error.extensions.retry === 'never') {
      this.takeResult({ errors: [error] });
      this.end();
      return;
    }
    if (this.#response.socket) this.#response.destroy();
    else breakOff(this.#response);
    this.#finish();
  }

  override beat(): void {
    // Do not queue a heartbeat for a client that is not reading.
    if (!this.isReady) return;
    const { framing } = this.#options;
    const cursor = this.#toCursor && framing.cursor?.(this.#toCursor());
    if (cursor) this.#pass();
    this.#response.write(cursor || framing.beat);
  }

  /** Writing to a destroyed response would end the process. */
  get #isOpen(): boolean {
    return this.#isFollowing && !this.#response.destroyed;
  }

  #finish(): void {
    this.#isFollowing = false;
    this.#options.heartbeats.remove(this);
  }
}
