import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { GraphQLError } from 'graphql';
import { type RateLimitState, rateLimitHeaderNames, toRateLimitHeaders } from '../callers/caller-gate.ts';
import { type Sender, toSender } from '../callers/identify-caller.ts';
import type { UsageHeader } from '../config/network-profile.ts';
import type { Encoding } from '../config/value-types.ts';
import { isUsageAsked } from '../documents/cost/usage.ts';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { addErrorCodes } from '../errors/reported-errors.ts';
import type { ChunkedBody } from '../ledger/answers/data-extent.ts';
import { CacheHeaders, sourceHeader, toSourceHeaders } from '../ledger/immutable/answer-notes.ts';
import type { OperationAdmission, ServerContext } from '../operation/admit-operation.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { type OperationFacts, type RequestFacts, toRequestRecord } from '../telemetry/request-line.ts';
import type { Trace } from '../telemetry/trace.ts';
import type { RequestMemory } from '../upstream/cancellation.ts';
import type { FairTurns } from '../upstream/fair-turns.ts';
import type { Caller, StreamSlot } from '../upstream/operation-context.ts';
import type { Share } from '../upstream/quota.ts';
import type { Compression } from './compression.ts';
import { cutIntoPieces, memoryOf, onWritten, writeInPieces } from './cut-into-pieces.ts';
import { breakOff } from './end-lingering.ts';
import type { IncomingRequest } from './read-body.ts';
import { type PlainType, readAccept, toRequestId } from './request-head.ts';

export interface ExchangeOptions {
  readonly stamps: CommonHeaders;
  readonly usageHeaders: readonly UsageHeader[];
  /** Request headers on which responses depend, for `Vary`. */
  readonly vary: string;
  readonly compression: Compression | null;
  readonly telemetry: Pick<Telemetry, 'errorMasked'>;
  readonly turns: Pick<FairTurns, 'run' | 'runNext'>;
  /** Milliseconds for which a client may read nothing of its response; then the gateway closes the connection. */
  readonly stallMs: number;
  /**
   * Milliseconds without any traffic after which a connection is closed. Longer than any response may take, and longer than
   * proxies keep an idle connection (60 s), so that no proxy sends a request into a closing connection.
   */
  readonly idleMs: number;
  /** Called when a long response waits for its client to read. */
  readonly onLongUnread: () => void;
  /** Called when its response becomes a stream, which has bounds of its own. */
  readonly onStream: (exchange: Exchange) => void;
  /** Clock in milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * After a response of this many bytes, unread bytes are checked immediately: many long responses could follow before the next
 * regular check.
 */
const longAnswerBytes = 1024 * 1024;

/** Status that is logged for a request whose client left before the response; nginx logs the same. */
const clientClosedRequest = 499;

/**
 * One request and its response: the common headers, rejections, cancellation when the client leaves, and the facts for the log
 * line. The lane writes its headers as one list, which takes a third of the time of setting each; `stamp` sets them for
 * responses that other code writes.
 */
export class Exchange implements ServerContext {
  readonly req: IncomingRequest;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly sender: Sender;
  readonly showUsage: boolean;
  readonly operations: OperationFacts[] = [];
  readonly codes: string[] = [];
  /** Monotonic milliseconds at which the request arrived. */
  readonly arrivedAt = performance.now();
  /** Path of the request, without host and query. */
  readonly path: string;
  isInLane = false;
  /** Media type of a response in one piece; `null` before `negotiate`, or if the client accepts none. */
  plainType: PlainType | null = null;
  /** Address of the client: IPv4, or the /64 of an IPv6 address. Known once its connection has counted the request. */
  address = '';
  /** Identifies the memory of its response if that may be shared with other responses. */
  memory: object | null = null;
  /** Bytes of its response that are held and not yet written. */
  unwritten = 0;
  /** Key that identifies the caller in the fair scheduling of turns, once it is counted. */
  turnKey = '';
  /** The share on which it is counted; `null` = it is not, or no longer. */
  share: Share | null = null;
  /** The body is still arriving, so only the code that reads it may respond. */
  isReading = false;
  requestBytes = 0;
  /** The request's body, from its last byte until the request is served. */
  body: Buffer | null = null;
  held: RequestMemory | undefined;
  trace: Trace | null = null;
  /** Collects facts for the headers of a response that Yoga writes. */
  notes: CacheHeaders | undefined;
  /** Cursor position of a subscription whose transport keeps the client's cursor. */
  streamSlot: StreamSlot | undefined;
  readonly compression: Compression | null;
  readonly #options: ExchangeOptions;
  #stamps: string[];
  #isStamped = false;
  #isReadingBounded = false;
  #standing: RateLimitState = null;
  #variesByEncoding = false;
  #onGone: (() => void)[] = [];

  constructor(req: IncomingRequest, res: ServerResponse, path: string, options: ExchangeOptions) {
    const { headers, socket } = req;
    this.req = req;
    this.res = res;
    this.path = path;
    this.requestId = toRequestId(headers['x-request-id']);
    this.sender = toSender(headers, socket.remoteAddress);
    this.showUsage = isUsageAsked(headers, options.usageHeaders);
    this.compression = options.compression;
    this.#options = options;
    this.#stamps = options.stamps(headers.origin, this.requestId);
  }

  /**
   * Reduces the Accept header to the media types that the gateway can send.
   * @returns `false` if none is left
   */
  negotiate(): boolean {
    const acceptable = readAccept(this.req.headers.accept);
    if (acceptable === null) return false;
    this.req.headers.accept = acceptable.header;
    this.plainType = acceptable.plain;
    return true;
  }

  /** Sets the values of the rate limit headers. In a batch, the operation counted last decides. */
  onStanding(standing: RateLimitState): void {
    this.#standing = standing;
    if (this.#isStamped && !this.res.headersSent) this.#setHeaders(this.#standingHeaders());
  }

  /** Sets the headers for a response that other code writes. Safe to call twice. */
  stamp(): void {
    if (this.#isStamped) return;
    this.#isStamped = true;
    this.#setHeaders(this.#stamps);
    // Responses to GET change over time and may depend on the caller, so no cache may keep them.
    if (this.req.method === 'GET') this.#setHeaders(['cache-control', 'private, no-store', 'vary', this.#options.vary]);
    this.#setHeaders(this.#standingHeaders());
  }

  /** @param list alternating names and values */
  #setHeaders(list: readonly string[]): void {
    for (let index = 0; index < list.length; index += 2) this.res.setHeader(list[index] ?? '', list[index + 1] ?? '');
  }

  #standingHeaders(): readonly string[] {
    return this.#standing ? toRateLimitHeaders(this.#standing, this.#options.now()) : [];
  }

  /**
   * The encoding of a response in one piece; `null` = none. Call once, before its head is written.
   * @param size of the body in bytes
   */
  chooseEncoding(size: number): Encoding | null {
    const { compression } = this;
    if (compression === null || !compression.isFor(size) || this.operations.length === 0) return null;
    // Mutations may return secrets beside text of the client, and the size of a compressed response reveals repetitions.
    if (this.operations.some(({ type }) => type !== 'query')) return null;
    // `Vary` of a response to GET lists the header anyway.
    if (!this.#isStamped) this.#variesByEncoding = true;
    else if (this.req.method !== 'GET') this.res.appendHeader('vary', 'accept-encoding');
    return compression.choose(this.req);
  }

  /**
   * Begins a response with all its headers.
   * @param size of the body in bytes; `null` = not known yet
   * @param retryAfterSeconds when to retry, unless the rate limit sets it
   */
  writeHead(
    status: number,
    contentType: string,
    size: number | null,
    retryAfterSeconds: number | null = null,
    encoding: Encoding | null = null,
  ): void {
    const head = this.#isStamped ? [] : this.#stamps;
    if (this.#variesByEncoding) head.push('vary', 'accept-encoding');
    if (encoding !== null) head.push('content-encoding', encoding);
    if (!this.#isStamped) head.push(...this.#standingHeaders());
    if (retryAfterSeconds !== null && !(this.#standing && 'retryAfterSeconds' in this.#standing))
      head.push('retry-after', String(retryAfterSeconds));
    head.push('content-type', contentType, ...toSourceHeaders(this.req.headers, this.operations));
    if (size !== null) head.push('content-length', String(size));
    this.res.writeHead(status, head);
  }

  /** Bytes of its response that the client has yet to read. */
  get unread(): number {
    return this.res.writableLength + this.unwritten;
  }

  /** Does a part of the work on its response in a turn of its caller. */
  takeTurn<Result>(work: () => Result): Result | Promise<Result> {
    return this.#options.turns.run(this.turnKey, this, work);
  }

  /** Prints a part of its response, before other responses of its caller: together they would fill the memory. */
  readonly takePrintTurn = <Result>(work: () => Result): Result | Promise<Result> =>
    this.#options.turns.runNext(this.turnKey, this, work);

  /**
   * Writes a long response as its client reads it. The part that is not written yet counts as unread.
   * @param to what becomes its body
   */
  writeLong({ chunks, size, recycle }: ChunkedBody, to: Writable = this.res): void {
    const pieces = cutIntoPieces(chunks);
    this.memory = memoryOf(chunks);
    this.unwritten = size;
    const takeTurn = (work: () => void) => this.failWith(this.takeTurn(work));
    writeInPieces(to, takeTurn, () => {
      for (const part of pieces.next().value ?? []) {
        this.unwritten -= part.length;
        to.write(part, this.unwritten === 0 ? onWritten(recycle) : undefined);
      }
      if (this.unwritten === 0) to.end();
      return this.unwritten > 0;
    });
    this.boundReading();
    this.awaitReading();
  }

  /** Call when the whole response was handed to the connection. Bytes that the client does not read stay in memory. */
  awaitReading(): void {
    if (this.req.socket.writableLength > 0) this.boundReading();
    // The connection's `writableLength` alone misses a pipelined response that waits for earlier ones.
    if (this.unread > longAnswerBytes) this.#options.onLongUnread();
  }

  /**
   * Closes the connection if the client reads nothing for `stallMs`, which is shorter than the timeout of an idle connection.
   */
  boundReading(): void {
    this.#isReadingBounded = true;
    this.req.socket.setTimeout(this.#options.stallMs);
  }

  /** Begins a stream of unknown duration. @param list further headers, alternating names and values */
  writeStreamHead(contentType: string, list: readonly string[]): void {
    if (this.#isStamped) this.#setHeaders(list);
    else this.#stamps.push(...list);
    this.writeHead(200, contentType, null);
    this.#stamps = [];
    this.#options.onStream(this);
  }

  /** Rejects the request before GraphQL execution; as JSON if the caller accepts no type that the gateway can send. */
  refuse(code: ErrorCode, message: string, status?: number): void {
    this.refuseWith(gatewayError(code, message), status);
  }

  refuseWith(error: GraphQLError, status?: number): void {
    addErrorCodes(this.codes, [error]);
    const { req, res } = this;
    // A response to GET has more headers.
    if (req.method === 'GET') this.stamp();
    const type = this.plainType ?? readAccept(req.headers.accept)?.plain ?? 'application/json';
    const text = JSON.stringify({ errors: [error] });
    const { code, retryAfterMs } = error.extensions;
    const retryAfter = typeof retryAfterMs === 'number' ? Math.ceil(retryAfterMs / 1_000) : null;
    const answered = status ?? errorCatalogue[code as ErrorCode].status;
    this.writeHead(answered, `${type}; charset=utf-8`, Buffer.byteLength(text), retryAfter);
    res.end(req.method === 'HEAD' ? undefined : text);
  }

  /** Rejects the request because the server stops before its body has arrived. */
  abandon(): void {
    this.endConnection();
    this.refuse('UNAVAILABLE', 'This gateway is stopping, and nothing of the request was begun. Connect again.');
  }

  /** Makes the response close the connection, so later requests on it are not served. Call before the response begins. */
  endConnection(): void {
    this.res.setHeader('connection', 'close');
  }

  /** Logs an unexpected error and responds with a masked one. Breaks the connection if the response has begun. */
  fail(error: unknown): void {
    this.#options.telemetry.errorMasked(error, this.requestId);
    if (this.res.headersSent) breakOff(this.res);
    else this.refuse('INTERNAL_SERVER_ERROR', 'Unexpected error.');
  }

  failWith(work: unknown): void {
    if (work !== undefined) Promise.resolve(work).catch((error: unknown) => this.fail(error));
  }

  isGone(): boolean {
    return this.req.socket.destroyed;
  }

  onGone(abandon: () => void): void {
    if (this.isGone()) abandon();
    else this.#onGone = [...this.#onGone, abandon];
  }

  /** Must be called once, when the response has been sent or the client has left. @returns when its operations have ended */
  close(): void | Promise<void> {
    // The connection may be reused.
    if (this.#isReadingBounded) this.req.socket.setTimeout(this.#options.idleMs);
    // Node emits no `close` for a request that was rejected before its body had arrived.
    if (this.isReading) this.req.abandonBody();
    const listeners = this.#onGone;
    // Drop the listeners: Node keeps the response object, and they hold the whole body.
    this.#onGone = [];
    this.held?.release();
    this.held = undefined;
    this.body = null;
    const abandonAll = () => {
      for (const abandon of listeners) abandon();
    };
    // To cancel an operation takes time, and a client may leave many at once.
    return this.isGone() ? this.#options.turns.run(this.turnKey, null, abandonAll) : abandonAll();
  }

  /** Collects what its response's headers for HTTP caches depend on. */
  prepareCaching(): void {
    this.notes = new CacheHeaders(this, rateLimitHeaderNames, this.#options.now);
  }

  /** Facts for the log line, once the request has ended. */
  toRecord(): RequestFacts {
    const { requestId, req, res, path, operations, codes, isInLane, trace } = this;
    const durationMs = Math.round((performance.now() - this.arrivedAt) * 100) / 100;
    const status = res.headersSent ? res.statusCode : clientClosedRequest;
    return toRequestRecord(requestId, req.method ?? '', path, status, durationMs, operations, codes, isInLane, trace);
  }

  /**
   * @param counted the caller, after being counted for one operation
   * @param admission the decision about that operation; left out for a batch
   */
  toYogaContext(counted: Caller, admission?: OperationAdmission): YogaContext {
    this.prepareCaching();
    let left: Caller | null = counted;
    const takeCounted = () => {
      const taken = left;
      left = null;
      return taken;
    };
    return { server: this, turnKey: counted.rate.key, takeCounted, body: this, ...(admission && { admission }) };
  }
}

/** The context that Yoga passes to its plugins. */
export interface YogaContext {
  readonly server: ServerContext;
  /** Key that identifies the caller in the fair scheduling of turns. */
  readonly turnKey: string;
  /**
   * Returns the counted caller once, for the first operation of a batch, then `null`: the other operations are counted one by
   * one.
   */
  readonly takeCounted: () => Caller | null;
  readonly body: Pick<Exchange, 'chooseEncoding' | 'compression' | 'writeLong'>;
  admission?: OperationAdmission;
}

interface CommonHeadersOptions {
  /** Names of the headers that carry the ledger's build version: the contract's, and the network's own. */
  readonly versionHeaders: readonly string[];
  /** The ledger's build version, as last seen. */
  readonly rpcVersion: { readonly current: string };
  readonly corsOrigins: '*' | readonly string[];
}

/**
 * Headers of every response as alternating names and values: version, request id, and for CORS the allowed origin. Each call
 * returns a new list, to which the caller may add.
 * @param origin of the requesting page, from the `Origin` header
 */
export type CommonHeaders = (origin: string | undefined, requestId: string) => string[];

/** Is an origin configured? Configured origins are in lower case; scheme and host are case-insensitive. */
export function isListed(origin: string, corsOrigins: readonly string[]): boolean {
  return corsOrigins.includes(origin) || corsOrigins.includes(origin.toLowerCase());
}

export function createCommonHeaders({ versionHeaders, rpcVersion, corsOrigins }: CommonHeadersOptions): CommonHeaders {
  const exposed = [...versionHeaders, 'x-request-id', sourceHeader, ...rateLimitHeaderNames].join(', ');
  return (origin, requestId) => {
    const headers = ['x-request-id', requestId];
    for (const name of versionHeaders) headers.push(name, rpcVersion.current);
    if (corsOrigins !== '*') headers.push('vary', 'origin');
    const allowed = corsOrigins === '*' ? '*' : origin !== undefined && isListed(origin, corsOrigins) ? origin : null;
    if (allowed !== null)
      headers.push('access-control-allow-origin', allowed, 'access-control-expose-headers', exposed);
    return headers;
  };
}
