import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Encoding } from '../config/value-types.ts';
import { addErrorCodes } from '../errors/reported-errors.ts';
import { printJson } from '../json/exact-json.ts';
import { printInTurns } from '../json/print-in-turns.ts';
import type { ChunkedBody } from '../ledger/answers/data-extent.ts';
import type { UnreadOutcome } from '../operation/open-operation.ts';
import { onWritten, pieceBytes } from './cut-into-pieces.ts';
import { breakOff } from './end-lingering.ts';
import type { Exchange } from './exchange.ts';
import type { PlainType } from './request-head.ts';

const contentTypes = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
} as const;

/** Writes the outcome of an operation, for a client that accepts a response in one piece. */
export function writeOutcome(exchange: Exchange, outcome: UnreadOutcome): void {
  const contentType = contentTypes[exchange.plainType ?? 'application/json'];
  if (isAlreadyKnown(exchange, outcome.kind, contentType)) exchange.res.writeHead(304).end();
  else if (outcome.kind === 'stream') writeStream(exchange, contentType, outcome.body);
  else if (outcome.kind === 'result') writeResult(exchange, outcome.result);
  else if (outcome.kind !== 'gone' && !exchange.res.destroyed) {
    if (outcome.kind === 'bytes') writeBytes(exchange, contentType, outcome.body);
    else writeText(exchange, contentType, outcome.text);
  }
}

/** Sets the headers for HTTP caches. @returns whether the client has the response already */
function isAlreadyKnown({ notes, res }: Exchange, kind: UnreadOutcome['kind'], contentType: string): boolean {
  return (kind === 'bytes' || kind === 'text') && !res.destroyed && notes?.settle(200, contentType) === true;
}

/** Writes a result in one piece; as a complete event stream if the client accepts streams only. */
export function writeResult(exchange: Exchange, result: ExecutionResult): void {
  const { plainType, res } = exchange;
  if (res.destroyed) return;
  if (result.errors) addErrorCodes(exchange.codes, result.errors);
  const printed = printResultInTurns(result, exchange.takePrintTurn);
  const write = (body: string | ChunkedBody) => {
    if (res.destroyed) return;
    if (plainType) {
      const head = toAnswerHead(result, plainType);
      if (typeof body === 'string') writeText(exchange, contentTypes[plainType], body, head);
      else writeBytes(exchange, contentTypes[plainType], body, head);
      return;
    }
    const framing = chooseFraming(exchange.req.headers.accept) ?? eventFraming;
    const { body: text, status, headers } = toWholeStream(result, toBodyText(body), framing);
    exchange.stamp();
    res.writeHead(status, { ...headers }).end(text);
    exchange.awaitReading();
  };
  if (typeof printed === 'string') write(printed);
  else exchange.failWith(printed.then(write));
}

/** Chunks up to this size together are joined: one write costs less than several. */
const maxJoinedBytes = 16 * 1024;

function writeBytes(exchange: Exchange, contentType: string, body: ChunkedBody, head = servedHead): void {
  const { res } = exchange;
  const { chunks, size, recycle } = body;
  const encoding = exchange.chooseEncoding(size);
  if (encoding !== null) {
    const joined = Buffer.concat(chunks as Buffer[], size);
    writeCompressed(exchange, contentType, { body: joined, encoding, head });
    return;
  }
  exchange.writeHead(head.status, contentType, size, head.retryAfterSeconds);
  const [only] = chunks;
  if (size > pieceBytes) {
    exchange.writeLong(body);
    return;
  }
  if (chunks.length === 1 && !recycle) res.end(only);
  else if (size <= maxJoinedBytes) {
    res.end(Buffer.concat(chunks as Buffer[], size));
    recycle?.();
  } else {
    res.cork();
    const last = chunks.length - 1;
    for (const [index, chunk] of chunks.entries()) res.write(chunk, index === last ? onWritten(recycle) : undefined);
    res.end();
    res.uncork();
  }
  exchange.awaitReading();
}

/** Characters above which a text is written as bytes, because unread strings stay on V8's heap, which may be small. */
const maxWrittenText = 64 * 1024;

/** Writes head and body as one string, unless the body is long. */
function writeText(exchange: Exchange, contentType: string, text: string, head = servedHead): void {
  const size = Buffer.byteLength(text);
  const encoding = exchange.chooseEncoding(size);
  if (encoding !== null) {
    writeCompressed(exchange, contentType, { body: Buffer.from(text), encoding, head });
    return;
  }
  exchange.writeHead(head.status, contentType, size, head.retryAfterSeconds);
  if (size > pieceBytes) {
    exchange.writeLong({ chunks: [Buffer.from(text)], size });
    return;
  }
  if (text.length > maxWrittenText) exchange.res.end(Buffer.from(text));
  // For ASCII, the cheaper encoding gives the same bytes.
  else exchange.res.end(text, size === text.length ? 'latin1' : 'utf8');
  exchange.awaitReading();
}

function writeCompressed(
  exchange: Exchange,
  contentType: string,
  { body, encoding, head }: { readonly body: Buffer; readonly encoding: Encoding; readonly head: AnswerHead },
): void {
  const { res, compression } = exchange;
  const written = Promise.resolve(compression?.compress(body, encoding) ?? null).then((compressed) => {
    if (res.destroyed || res.headersSent) return;
    const sent = compressed ?? body;
    exchange.writeHead(head.status, contentType, sent.length, head.retryAfterSeconds, compressed && encoding);
    exchange.writeLong({ chunks: [sent], size: sent.length });
  });
  exchange.failWith(written);
}

type StreamedBody = Extract<UnreadOutcome, { kind: 'stream' }>['body'];

/** Writes a response as it arrives, no faster than the client reads. A broken response lacks the last chunk. */
function writeStream(exchange: Exchange, contentType: string, body: StreamedBody): void {
  const { res } = exchange;
  exchange.writeHead(200, contentType, null);
  res.on('drain', () => body.resume());
  body.start({
    write: (bytes) => res.write(bytes),
    end: () => res.end(),
    fail: () => {
      breakOff(res);
      exchange.awaitReading();
    },
  });
}

/** A result as JSON, without the hints that set an HTTP status. */
export function printResult(result: ExecutionResult): string {
  return printJson(toShownResult(result));
}

/** The same, printed in turns if it is long. */
export function printResultInTurns(
  result: ExecutionResult,
  takeTurn: Parameters<typeof printInTurns>[1],
): ReturnType<typeof printInTurns> {
  return printInTurns(toShownResult(result), takeTurn);
}

export function toBodyText(body: string | ChunkedBody): string {
  return typeof body === 'string' ? body : Buffer.concat(body.chunks as Buffer[], body.size).toString();
}

export function toShownResult(result: ExecutionResult): object {
  const { errors } = result;
  return errors ? { ...result, errors: errors.map(toShown) } : result;
}

export function toShown(error: GraphQLError): GraphQLFormattedError {
  // Yoga has turned the errors of a single result into plain objects.
  const shown = error.toJSON?.() ?? error;
  if (shown.extensions?.http === undefined) return shown;
  const { http, ...extensions } = shown.extensions;
  return { ...shown, extensions };
}

export interface AnswerHead {
  readonly status: number;
  /** `null`: the response does not say when to retry. */
  readonly retryAfterSeconds: number | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpHints {
  readonly status?: number;
  /** The status for clients that accept `application/graphql-response+json`; others get 200. */
  readonly spec?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const noHeaders = {};
export const servedHead: AnswerHead = { status: 200, retryAfterSeconds: null, headers: noHeaders };

export function toAnswerHead(result: ExecutionResult, type: PlainType): AnswerHead {
  const { data, errors } = result;
  if (!errors || errors.length === 0) return servedHead;
  if (data !== undefined) return toBudgetRefusal(result) ?? servedHead;
  let status = 0;
  let headers: AnswerHead['headers'] = noHeaders;
  for (const { extensions } of errors) {
    const http = extensions?.http as HttpHints | undefined;
    if (http === undefined) continue;
    headers = { ...headers, ...http.headers };
    if (http.spec && type !== 'application/graphql-response+json') continue;
    status = Math.max(status, http.status ?? 0);
  }
  return { status: status || 200, retryAfterSeconds: null, headers };
}

/** Status 429 for an operation whose fields all failed because the caller's budget is used up; `null` for others. */
function toBudgetRefusal({ data, errors = [] }: ExecutionResult): AnswerHead | null {
  for (const key in data) if (data[key] !== null) return null;
  let waitMs = 0;
  for (const { extensions } of errors) {
    if (extensions?.code !== 'RATE_LIMITED' || typeof extensions.retryAfterMs !== 'number') return null;
    waitMs = Math.max(waitMs, extensions.retryAfterMs);
  }
  return { status: 429, retryAfterSeconds: Math.ceil(waitMs / 1_000), headers: noHeaders };
}

/** In milliseconds: an `EventSource` repeats a rejected request forever. */
const rejectedRetryMs = 60_000;

interface RefusalHints {
  readonly code?: string;
  readonly retryAfterMs?: number;
  readonly http?: HttpHints;
}

/** A stream of one result and its end, for a client that accepts streams only. @param json the result */
export function toWholeStream(result: ExecutionResult, json: string, framing: Framing) {
  const [refusal] = result.data === undefined ? (result.errors ?? []) : [];
  const { code, retryAfterMs, http } = (refusal?.extensions ?? {}) as RefusalHints;
  const usualMs = refusal && code !== 'UNAVAILABLE' ? rejectedRetryMs : undefined;
  return {
    body: framing.begin(retryAfterMs ?? usualMs) + framing.next(json, null) + framing.end,
    // A document error does not set the status: an `EventSource` could not read the errors then.
    status: (!http?.spec && http?.status) || 200,
    headers: { ...framing.headers, ...http?.headers },
  };
}

export interface Framing {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Sent immediately, so that the client sees the stream open.
   * @param retryMs when to reconnect after the end; left out: soon
   */
  begin(retryMs?: number): string;
  /** Heartbeat, so that both sides notice a broken connection. */
  readonly beat: string;
  /** @param cursor to resume after this result; `null` = it has none */
  next(json: string, cursor: string | null): string;
  /** Sends a cursor without a result; `null` if the framing cannot. */
  readonly cursor: ((cursor: string) => string) | null;
  readonly end: string;
}

/** Prevents caching of a stream. Also prevents buffering and compression by proxies, which delay events. */
const streamHeaders = { 'cache-control': 'private, no-store, no-transform', 'x-accel-buffering': 'no' };

/** Clients reconnect after a random number of milliseconds between these, so that they do not all come at the same time. */
const retryMs = { from: 1_000, to: 3_000 };

/**
 * Server-sent events (HTML standard, section 9.2), named as in the "distinct connections mode" of GraphQL over SSE. An
 * `EventSource` keeps the last `id`, and sends it as `Last-Event-ID` when it reconnects.
 */
export const eventFraming: Framing = {
  headers: { 'content-type': 'text/event-stream', ...streamHeaders },
  begin: (againMs = retryMs.from + Math.random() * (retryMs.to - retryMs.from)) =>
    `retry: ${Math.round(againMs)}\n:\n\n`,
  beat: ':\n\n',
  next: (json, cursor) => `event: next\n${cursor === null ? '' : `id: ${cursor}\n`}data: ${json}\n\n`,
  cursor: (cursor) => `id: ${cursor}\n\n`,
  end: 'event: complete\ndata:\n\n',
};

const boundary = 'graphql';
const toPart = (json: string) => `\r\ncontent-type: application/json\r\n\r\n${json}\r\n--${boundary}`;

/**
 * Apollo's protocol for subscriptions as parts of a `multipart/mixed` response. The boundary that ends a part is sent with it,
 * because clients wait for it.
 */
export const multipartFraming: Framing = {
  headers: { 'content-type': `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`, ...streamHeaders },
  begin: () => `\r\n--${boundary}`,
  beat: toPart('{}'),
  next: (json) => toPart(`{"payload":${json}}`),
  cursor: null,
  end: '--\r\n',
};

/** The entry of a normalised Accept header that requests Apollo's protocol. */
export const multipartType = 'multipart/mixed;subscriptionspec=1.0';

/**
 * The framing that the client prefers; `null` = none.
 * @param accept as normalised by `readAccept`
 */
export function chooseFraming(accept = ''): Framing | null {
  for (const type of accept.split(', ')) {
    if (type === 'text/event-stream') return eventFraming;
    if (type === multipartType) return multipartFraming;
  }
  return null;
}
