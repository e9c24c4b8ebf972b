import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { rateLimitHeaderNames, type Standing, toRateLimitHeaders } from '../callers/caller-gate.ts';
import { type Sender, toSender } from '../callers/identify-caller.ts';
import type { UsageHeader } from '../config/network-profile.ts';
import { isUsageAsked } from '../documents/cost/usage.ts';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { noteCodes } from '../errors/reported-errors.ts';
import { CacheHeaders, sourceHeader, toSourceHeaders } from '../ledger/immutable/answer-notes.ts';
import type { OperationAdmission, ServerContext } from '../operation/admit-operation.ts';
import { type OperationFacts, type RequestFacts, type Telemetry, toRequestRecord } from '../telemetry/events.ts';
import type { Held } from '../upstream/cancellation.ts';
import type { Caller, StreamSlot } from '../upstream/operation-context.ts';
import type { IncomingRequest } from './read-body.ts';
import { type PlainType, readAccept } from './request-head.ts';

export interface ExchangeOptions {
  readonly stamps: Stamps;
  /** Headers by which a caller requests usage. */
  readonly usageHeaders: readonly UsageHeader[];
  /** Names of all request headers by which answers to one address differ, as `Vary` lists them. */
  readonly vary: string;
  readonly telemetry: Pick<Telemetry, 'errorMasked'>;
  /** Milliseconds for which a client may read nothing of an answer that waits for it; then its connection is closed. */
  readonly stallMs: number;
  /**
   * Milliseconds for which nothing may move on a connection; then it is closed. Longer than any answer may take, and longer
   * than proxies keep an unused connection, mostly a minute: they would send requests into one that is being closed.
   */
  readonly idleMs: number;
  /** Called when a long answer waits for its client. */
  readonly onLongUnread: () => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Bytes. When a longer answer is written, unread bytes are checked at once: many such answers could come before the next
 * regular check.
 */
const longAnswerBytes = 1024 * 1024;

/** Status that is logged for a request whose client left before its answer; nginx logs the same. */
const clientClosedRequest = 499;

/**
 * One request and its response. Knows the headers that every answer has, how to refuse, what to cancel when the client leaves,
 * and the facts for the log line. Answers of the lane get their headers in one list, which costs a third of setting each;
 * `stamp` sets them on the response for answers that others write.
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
  isInLane = false;
  /** Media type for an answer in one piece; `null` before `negotiate`, or if the client accepts none. */
  plainType: PlainType | null = null;
  /** Its body is still being read, so nothing else answers it. */
  isReading = false;
  requestBytes = 0;
  /** Its body, from when it is whole until it is served. */
  body: Buffer | null = null;
  held: Held | undefined;
  /** Collects facts for the headers of an answer that Yoga writes. */
  notes: CacheHeaders | undefined;
  /** Of a subscription whose transport keeps the client's cursor. */
  streamSlot: StreamSlot | undefined;
  readonly #options: ExchangeOptions;
  readonly #stamps: string[];
  #isStamped = false;
  #isReadingBounded = false;
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
    this.#options = options;
    this.#stamps = options.stamps(headers.origin, this.requestId);
  }

  /** Codes of its errors. Made when it is first read: hardly any request has one. */
  get codes(): string[] {
    this.#codes ??= [];
    return this.#codes;
  }

  /** Reduces the Accept header to what can be served. @returns `false` if that is nothing */
  negotiate(): boolean {
    const acceptable = readAccept(this.req.headers.accept);
    if (acceptable === null) return false;
    this.req.headers.accept = acceptable.header;
    this.plainType = acceptable.plain;
    return true;
  }

  /** Sets the values of the rate limit headers. In a batch the operation that is counted last decides. */
  onStanding(standing: Standing): void {
    this.#standing = standing;
    if (this.#isStamped && !this.res.headersSent) this.#setHeaders(this.#standingHeaders());
  }

  /** Sets the headers on the response, for an answer that something else writes. Safe to call twice. */
  stamp(): void {
    if (this.#isStamped) return;
    this.#isStamped = true;
    this.#setHeaders(this.#stamps);
    // Answers to GET change over time and may depend on the caller, so no cache may keep one.
    if (this.req.method === 'GET') this.#setHeaders(['cache-control', 'private, no-store', 'vary', this.#options.vary]);
    this.#setHeaders(this.#standingHeaders());
  }

  /** @param list names and values in turn */
  #setHeaders(list: readonly string[]): void {
    for (let index = 0; index < list.length; index += 2) this.res.setHeader(list[index] ?? '', list[index + 1] ?? '');
  }

  #standingHeaders(): readonly string[] {
    return this.#standing ? toRateLimitHeaders(this.#standing, this.#options.now()) : [];
  }

  /**
   * Begins an answer with all its headers.
   * @param size of the body in bytes; `null` = not known yet
   * @param retryAfterSeconds when to retry, unless the rate limit says so
   */
  writeHead(status: number, contentType: string, size: number | null, retryAfterSeconds: number | null = null): void {
    const head = this.#isStamped ? [] : this.#stamps;
    const standing = this.#standing;
    if (standing && !this.#isStamped) head.push(...this.#standingHeaders());
    if (retryAfterSeconds !== null && !(standing && 'retryAfterSeconds' in standing))
      head.push('retry-after', String(retryAfterSeconds));
    head.push('content-type', contentType, ...toSourceHeaders(this.req.headers, this.operations));
    if (size !== null) head.push('content-length', String(size));
    this.res.writeHead(status, head);
  }

  /** Call it when the whole answer was handed to the connection. What the client does not read stays in memory. */
  awaitReading(): void {
    if (this.req.socket.writableLength > 0) this.boundReading();
    // Not `writableLength` of the connection alone: an answer may wait for its turn there.
    if (this.res.writableLength > longAnswerBytes) this.#options.onLongUnread();
  }

  /** Closes the connection if the client reads nothing for `stallMs`, which is shorter than a connection may be idle. */
  boundReading(): void {
    this.#isReadingBounded = true;
    this.req.socket.setTimeout(this.#options.stallMs);
  }

  /** Refuses the request before GraphQL saw it; as JSON if the caller accepts nothing we can send. */
  refuse(code: ErrorCode, message: string, status?: number): void {
    this.refuseWith(gatewayError(code, message), status);
  }

  refuseWith(error: GraphQLError, status?: number): void {
    noteCodes(this.codes, [error]);
    const { req, res } = this;
    // An answer to GET has more headers.
    if (req.method === 'GET') this.stamp();
    const type = this.plainType ?? readAccept(req.headers.accept)?.plain ?? 'application/json';
    const text = JSON.stringify({ errors: [error] });
    const { code, retryAfterSeconds } = error.extensions;
    const retryAfter = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : null;
    const answered = status ?? errorCatalogue[code as ErrorCode].status;
    this.writeHead(answered, `${type}; charset=utf-8`, Buffer.byteLength(text), retryAfter);
    res.end(req.method === 'HEAD' ? undefined : text);
  }

  /** Refuses it because the server stops before its body has come. */
  abandon(): void {
    this.endConnection();
    this.refuse('UNAVAILABLE', 'This gateway is stopping, and nothing of the request was begun. Connect again.');
  }

  /** Makes the answer close the connection; requests behind it are not served. Call it before the answer begins. */
  endConnection(): void {
    this.res.setHeader('connection', 'close');
  }

  /** Logs an unexpected error and answers with a masked one; breaks the answer off if it has begun. */
  fail(error: unknown): void {
    this.#options.telemetry.errorMasked(error, this.requestId);
    if (this.res.headersSent) this.res.destroy();
    else this.refuse('INTERNAL_SERVER_ERROR', 'Unexpected error.');
  }

  /** Calls `fail` if a promise is rejected. */
  failWith(work: unknown): void {
    Promise.resolve(work).catch((error: unknown) => this.fail(error));
  }

  isGone(): boolean {
    return this.req.socket.destroyed;
  }

  onGone(abandon: () => void): void {
    if (this.isGone()) abandon();
    else if (this.#onGone === null) this.#onGone = abandon;
    else if (typeof this.#onGone === 'function') this.#onGone = [this.#onGone, abandon];
    else this.#onGone.push(abandon);
  }

  /** Must be called once, when the answer has been sent or the client has left. */
  close(): void {
    // The connection may be used again.
    if (this.#isReadingBounded) this.req.socket.setTimeout(this.#options.idleMs);
    const listeners = this.#onGone;
    // Drop the listener: Node keeps the response object, and the listener holds the whole answer.
    this.#onGone = null;
    this.held?.release();
    this.held = undefined;
    this.body = null;
    if (typeof listeners === 'function') listeners();
    else for (const abandon of listeners ?? []) abandon();
  }

  /** The facts for the log, once it is over. */
  toRecord(): RequestFacts {
    const { requestId, req, res, path, arrivedAt, operations } = this;
    const durationMs = Math.round((performance.now() - arrivedAt) * 100) / 100;
    const method = req.method ?? '';
    const status = res.headersSent ? res.statusCode : clientClosedRequest;
    const codes = this.#codes;
    return toRequestRecord(requestId, method, path, status, durationMs, operations, codes, this.isInLane);
  }

  /**
   * @param counted the caller, which has been counted for one operation
   * @param admission what was decided about that operation; left out for a batch
   */
  toYogaContext(counted: Caller, admission?: OperationAdmission): YogaContext {
    this.notes = new CacheHeaders(this, rateLimitHeaderNames, this.#options.now);
    let left: Caller | null = counted;
    const takeCounted = () => {
      const taken = left;
      left = null;
      return taken;
    };
    return { server: this, turnKey: counted.rate.key, takeCounted, ...(admission && { admission }) };
  }
}

/** The context that Yoga passes to its plugins. */
export interface YogaContext {
  readonly server: ServerContext;
  /** Key for the caller's turns. */
  readonly turnKey: string;
  /** Returns the counted caller once, for the first operation of a batch, and then `null`: the others are counted one by one. */
  readonly takeCounted: () => Caller | null;
  admission?: OperationAdmission;
}

interface StampOptions {
  /** Header names that carry the ledger's build version: the contract's, and the network's own. */
  readonly versionHeaders: readonly string[];
  /** The ledger's build version as last seen. */
  readonly rpcVersion: { readonly current: string };
  readonly corsOrigins: '*' | readonly string[];
}

const acceptableId = /^[\w.-]{1,64}$/;

/** Ids of one process share a random prefix and count up. An id is no secret, so random bits for each request would be wasted. */
const idPrefix = randomUUID().slice(0, -12);
let idCount = 0;

function makeRequestId(): string {
  idCount += 1;
  return idPrefix + idCount.toString(16).padStart(12, '0');
}

/** The client's own request id if it is short and safe to repeat, else a new one. */
export function toRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && acceptableId.test(header) ? header : makeRequestId();
}

/**
 * Headers that every response carries, names and values by turns: version, request id, and for CORS the origins that may read it. Each call
 * returns a new list, to which the caller may add.
 * @param origin of the page that asks, as its request says
 */
export type Stamps = (origin: string | undefined, requestId: string) => string[];

/** Is an origin configured? Configured origins are in lower case; scheme and host ignore case. */
export function isListed(origin: string, corsOrigins: readonly string[]): boolean {
  return corsOrigins.includes(origin) || corsOrigins.includes(origin.toLowerCase());
}

/** All but the request id is worked out once for each version and origin in use. */
export function createStamps({ versionHeaders, rpcVersion, corsOrigins }: StampOptions): Stamps {
  const exposed = [...versionHeaders, 'x-request-id', sourceHeader, ...rateLimitHeaderNames].join(', ');
  let version: string | undefined;
  let known = new Map<string | undefined, readonly string[]>();

  const make = (origin: string | undefined): readonly string[] => {
    const stamps = versionHeaders.flatMap((name) => [name, version ?? '']);
    if (corsOrigins !== '*') stamps.push('vary', 'origin');
    if (corsOrigins !== '*' && origin === undefined) return stamps;
    stamps.push('access-control-allow-origin', corsOrigins === '*' ? '*' : (origin ?? ''));
    stamps.push('access-control-expose-headers', exposed);
    return stamps;
  };

  return (origin, requestId) => {
    const { current } = rpcVersion;
    if (current !== version) {
      version = current;
      known = new Map();
    }
    // All other origins share one entry: clients can invent new ones.
    const listed = corsOrigins !== '*' && origin !== undefined && isListed(origin, corsOrigins) ? origin : undefined;
    let stamps = known.get(listed);
    if (!stamps) {
      stamps = make(listed);
      // Do not keep other spellings of a listed origin: there are thousands.
      if (listed === undefined || corsOrigins.includes(listed)) known.set(listed, stamps);
    }
    return ['x-request-id', requestId, ...stamps];
  };
}
