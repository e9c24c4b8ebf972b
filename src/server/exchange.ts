import type { ServerResponse } from 'node:http';
import { rateLimitHeaderNames, type Standing, toRateLimitHeaders } from '../callers/caller-gate.ts';
import { type Sender, toSender } from '../callers/identify-caller.ts';
import { isUsageAsked } from '../documents/cost/usage.ts';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { noteCodes } from '../errors/note-codes.ts';
import { AnswerNotes, toSourceHeaders } from '../ledger/immutable/answer-notes.ts';
import type { ServerContext } from '../operation/server-context.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { type OperationFacts, type RequestFacts, RequestRecord } from '../telemetry/request-record.ts';
import type { Held } from '../upstream/cancellation.ts';
import type { Caller } from '../upstream/operation-context.ts';
import { type PlainType, readAccept } from './headers/media-types.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { type Stamps, toRequestId } from './stamp-response.ts';

export interface ExchangeOptions {
  readonly stamps: Stamps;
  /** Names of the headers by which a caller asks to be told its usage. */
  readonly usageHeaders: readonly string[];
  /** Names of all request headers by which answers to one address differ, as `Vary` lists them. */
  readonly vary: string;
  readonly telemetry: Pick<Telemetry, 'errorMasked'>;
  /** Milliseconds for which a client may read nothing of an answer that waits for it; then its connection is closed. */
  readonly stallMs: number;
  /** Called when a long answer waits for its client. */
  readonly onLongUnread: () => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Of answers beyond it each is looked at when it is written: as many as come at once would else come before the next look. */
const longAnswerBytes = 1024 * 1024;

interface RefusalFacts {
  readonly code: ErrorCode;
  readonly retryAfterSeconds?: number;
}

/** Status that is logged for a request whose client left before its answer; nginx logs the same. */
const hungUp = 499;

/**
 * One request, and the headers that its answer carries whichever shell writes it. `writeHead` gets them in one list, which
 * costs a third of setting each; only for answers that others write are they set on the response (`stamp`).
 */
export class Exchange implements ServerContext {
  readonly req: IncomingRequest;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly sender: Sender;
  readonly showUsage: boolean;
  readonly operations: OperationFacts[] = [];
  /** Monotonic milliseconds. */
  readonly arrivedAt = performance.now();
  /** Of the request, without host and query. */
  readonly path: string;
  /** Served without Yoga. */
  isInLane = false;
  /** Media type for an answer in one piece; `null` before `negotiate`, or if the caller accepts none. */
  plainType: PlainType | null = null;
  /** Its body is still being read, so nobody else will answer it. */
  isReading = false;
  /** Of its body, in bytes. */
  requestBytes = 0;
  /** Its body, from when it is whole until it is served. */
  body: Buffer | null = null;
  held: Held | undefined;
  /** Its answer was written, and the client has not taken all of it. */
  isUnread = false;
  readonly #stamps: string[];
  readonly #now: () => number;
  readonly #vary: string;
  readonly #telemetry: ExchangeOptions['telemetry'];
  readonly #options: Pick<ExchangeOptions, 'stallMs' | 'onLongUnread'>;
  #isStamped = false;
  #standing: Standing = null;
  #codes: string[] | null = null;
  /** A list if there are several, which only a batch has. */
  #onGone: (() => void) | (() => void)[] | null = null;

  constructor(req: IncomingRequest, res: ServerResponse, path: string, options: ExchangeOptions) {
    const { headers, socket } = req;
    this.req = req;
    this.res = res;
    this.path = path;
    this.requestId = toRequestId(headers['x-request-id']);
    this.sender = toSender(headers, socket.remoteAddress);
    this.showUsage = isUsageAsked(headers, options.usageHeaders);
    this.#stamps = options.stamps(headers.origin, this.requestId);
    this.#now = options.now;
    this.#vary = options.vary;
    this.#telemetry = options.telemetry;
    this.#options = options;
  }

  /** Hardly any request has one. */
  get codes(): string[] {
    this.#codes ??= [];
    return this.#codes;
  }

  isGone(): boolean {
    return this.req.socket.destroyed;
  }

  onGone(giveUp: () => void): void {
    if (this.isGone()) giveUp();
    else if (this.#onGone === null) this.#onGone = giveUp;
    else if (typeof this.#onGone === 'function') this.#onGone = [this.#onGone, giveUp];
    else this.#onGone.push(giveUp);
  }

  /** Must be called once, when the answer has been sent or the client has left. */
  close(): void {
    const told = this.#onGone;
    // The listener holds the whole answer: drop it now, since Node keeps this response for a while.
    this.#onGone = null;
    this.held?.release();
    this.held = undefined;
    this.body = null;
    if (typeof told === 'function') told();
    else for (const giveUp of told ?? []) giveUp();
  }

  /** Sets what the rate limit headers tell the caller. In a batch the operation that is counted last decides. */
  onStanding(standing: Standing): void {
    this.#standing = standing;
    if (this.#isStamped && !this.res.headersSent) this.#setStanding();
  }

  /** Sets the headers on the response, for an answer that somebody else writes. */
  stamp(): void {
    if (this.#isStamped) return;
    this.#isStamped = true;
    const stamps = this.#stamps;
    for (let index = 0; index < stamps.length; index += 2)
      this.res.setHeader(stamps[index] ?? '', stamps[index + 1] ?? '');
    if (this.req.method === 'GET') {
      // Answers change over time and may depend on the caller, so no cache may keep one.
      this.res.setHeader('cache-control', 'private, no-store');
      this.res.setHeader('vary', this.#vary);
    }
    this.#setStanding();
  }

  #setStanding(): void {
    if (!this.#standing) return;
    const headers = toRateLimitHeaders(this.#standing, this.#now());
    for (let index = 0; index < headers.length; index += 2)
      this.res.setHeader(headers[index] ?? '', headers[index + 1] ?? '');
  }

  /**
   * Begins an answer with all its headers.
   * @param size of the body in bytes; `null` = not known yet
   * @param retryAfterSeconds when to ask again; not said where the rate limit says so
   */
  writeHead(status: number, contentType: string, size: number | null, retryAfterSeconds: number | null = null): void {
    const head = this.#isStamped ? [] : this.#stamps;
    const standing = this.#standing;
    if (standing && !this.#isStamped) head.push(...toRateLimitHeaders(standing, this.#now()));
    if (retryAfterSeconds !== null && !(standing && 'retryAfterSeconds' in standing))
      head.push('retry-after', String(retryAfterSeconds));
    head.push('content-type', contentType, ...toSourceHeaders(this.req.headers, this.operations));
    if (size !== null) head.push('content-length', String(size));
    this.res.writeHead(status, head);
  }

  /**
   * To be called when the whole answer was handed to the connection. What the client does not read stays in memory, so it is
   * waited for less long than one that merely asks nothing.
   */
  awaitReading(): void {
    this.isUnread = this.req.socket.writableLength > 0;
    if (this.isUnread) this.boundReading();
    // Not that of the connection alone: an answer may wait for its turn there.
    if (this.res.writableLength > longAnswerBytes) this.#options.onLongUnread();
  }

  /** The same for an answer that somebody else writes: to be called before, since nobody says when it was handed over. */
  boundReading(): void {
    this.req.socket.setTimeout(this.#options.stallMs);
  }

  /** Reduces the Accept header to what can be served. @returns `false` if that is nothing */
  negotiate(): boolean {
    const acceptable = readAccept(this.req.headers.accept);
    if (acceptable === null) return false;
    this.req.headers.accept = acceptable.header;
    this.plainType = acceptable.plain;
    return true;
  }

  /** Refuses the request before GraphQL saw it, with a GraphQL error; as JSON if the caller accepts nothing we can send. */
  refuse(code: ErrorCode, message: string, status?: number): void {
    this.refuseWith(gatewayError(code, message), status);
  }

  refuseWith(error: ReturnType<typeof gatewayError>, status?: number): void {
    noteCodes(this.codes, [error]);
    const { req, res } = this;
    // An answer to GET has more headers.
    if (req.method === 'GET') this.stamp();
    const type = this.plainType ?? readAccept(req.headers.accept)?.plain ?? 'application/json';
    const text = JSON.stringify({ errors: [error] });
    const { code, retryAfterSeconds = null } = error.extensions as unknown as RefusalFacts;
    const size = Buffer.byteLength(text);
    this.writeHead(status ?? errorCatalogue[code].status, `${type}; charset=utf-8`, size, retryAfterSeconds);
    res.end(req.method === 'HEAD' ? undefined : text);
  }

  giveUp(): void {
    this.endConnection();
    this.refuse('UNAVAILABLE', 'This gateway is stopping, and nothing of the request was begun. Connect again.');
  }

  /** Makes the answer close the connection; requests behind it are not served. Call it before the answer begins. */
  endConnection(): void {
    this.res.setHeader('connection', 'close');
  }

  /** Logs an unforeseen error and answers with a masked one; cuts the connection if an answer has begun. */
  fail(error: unknown): void {
    this.#telemetry.errorMasked(error, this.requestId);
    if (this.res.headersSent) this.res.destroy();
    else this.refuse('INTERNAL_SERVER_ERROR', 'Unexpected error.');
  }

  /** Answers with `fail` if a promise is rejected. */
  failWith(work: unknown): void {
    Promise.resolve(work).catch((error: unknown) => this.fail(error));
  }

  /** The facts for the log, once it is over. */
  toRecord(): RequestFacts {
    const { requestId, req, res, path, arrivedAt, operations } = this;
    const durationMs = Math.round((performance.now() - arrivedAt) * 100) / 100;
    const method = req.method ?? '';
    const status = res.headersSent ? res.statusCode : hungUp;
    const codes = this.#codes;
    return new RequestRecord(requestId, method, path, status, durationMs, operations, codes, this.isInLane);
  }

  /**
   * The context for Yoga, which adds members to it and copies it.
   * @param counted the caller, who has been counted for one operation
   */
  toContext(counted: Caller): ServerContext {
    const { requestId, sender, arrivedAt, held, showUsage, operations, codes } = this;
    let left: Caller | null = counted;
    const takeCounted = () => {
      const taken = left;
      left = null;
      return taken;
    };
    return {
      requestId,
      sender,
      arrivedAt,
      requestBytes: this.requestBytes,
      held,
      showUsage,
      operations,
      codes,
      isGone: () => this.isGone(),
      onGone: (giveUp) => this.onGone(giveUp),
      takeCounted,
      turnKey: counted.rate.key,
      onStanding: (standing) => this.onStanding(standing),
      notes: new AnswerNotes(this, rateLimitHeaderNames, this.#now),
    };
  }
}
