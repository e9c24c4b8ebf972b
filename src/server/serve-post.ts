import { gatewayError } from '../errors/gateway-error.ts';
import { noteCodes } from '../errors/note-codes.ts';
import { isTooIntricate, maxJsonCommas, maxJsonMembers, maxJsonNesting, simpleJsonBytes } from '../json/json-shape.ts';
import type { ChunkedBody } from '../ledger/answers/plain-answer.ts';
import type { ServerContext } from '../operation/server-context.ts';
import type { Caller } from '../upstream/operation-context.ts';
import type { BytesInFlight } from './bounds/bytes-in-flight.ts';
import { type BodyReading, readBody, restoreBody } from './bounds/read-body.ts';
import type { Exchange } from './exchange.ts';
import { isEncoded, isJsonType, type PlainType } from './headers/media-types.ts';
import type { LaneOperations, LaneOutcome } from './lane/lane-operations.ts';
import { type Refusal, type RefuseCounted, refuseUnread } from './refuse-counted.ts';
import { printResult, servedHead, toAnswerHead } from './whole-answer.ts';

export interface ServePostOptions {
  readonly graphqlPath: string;
  readonly maxBodyBytes: number;
  readonly bytesInFlight: BytesInFlight;
  /** Asked first. */
  readonly lane: LaneOperations;
  /** Refuses a request for what its head says. */
  readonly refuse: RefuseCounted;
  /** Calls `serve` if the caller is within its limits and has not left; refuses it otherwise. */
  readonly afterEntry: (exchange: Exchange, serve: (caller: Caller) => void) => void;
  readonly serveByYoga: (exchange: Exchange, context: ServerContext) => void;
}

/** Serves a POST: reads its body, offers it to the lane, and gives Yoga what the lane leaves. */
export function createServePost(options: ServePostOptions): (exchange: Exchange) => void {
  const { maxBodyBytes, bytesInFlight, afterEntry, serveByYoga } = options;
  const bounds = { maxBytes: maxBodyBytes, arrivals: bytesInFlight };
  const serveInLane = createServeInLane(options);
  /** @param fault why there is no whole body; `null` = there is one */
  const serveBody = (exchange: Exchange, caller: Caller, fault: Unread | null) => {
    const { body } = exchange;
    exchange.body = null;
    if (fault) return exchange.refuseWith(toRefusal(fault, maxBodyBytes));
    if (body === null) return;
    // A small body is scanned only if the lane leaves it: the lane checks what it has parsed.
    const isSimple = body.length <= simpleJsonBytes;
    if (!isSimple && isTooIntricate(body, maxJsonNesting, maxJsonCommas)) return refuseIntricate(exchange);
    serveInLane(exchange, caller, body, {
      leave: (context) => {
        // A subscription passed the lane's check, and may have been charged: it cannot be refused now.
        if (!context.admitted && isSimple && isTooIntricate(body, maxJsonNesting, maxJsonCommas))
          return refuseIntricate(exchange);
        restoreBody(exchange.req, body);
        serveByYoga(exchange, context);
      },
      fail: (error) => exchange.fail(error),
    });
  };

  return (exchange) => {
    const { req } = exchange;
    if (!exchange.negotiate()) return refuseUnread(options.refuse, exchange, notAcceptable);
    if (!isJsonType(req.headers['content-type'])) return refuseUnread(options.refuse, exchange, noJson);
    if (isEncoded(req.headers['content-encoding'])) return refuseUnread(options.refuse, exchange, compressed);
    // Yoga compares the header as text, so give it the plainest form of what was accepted here.
    req.headers['content-type'] = 'application/json';
    exchange.isReading = true;
    readBody(req, bounds, (reading) => {
      exchange.isReading = false;
      // It was refused meanwhile, or its client is gone.
      if (reading.kind === 'aborted' || exchange.res.headersSent) return;
      const fault = reading.kind === 'whole' ? null : reading.kind;
      if (reading.kind === 'whole') {
        exchange.body = reading.body;
        exchange.requestBytes = reading.body.length;
        // The rest of the body would be taken for the next request.
      } else exchange.endConnection();
      // Count the request before its body is looked at, so that faulty ones count too.
      afterEntry(exchange, (caller) => serveBody(exchange, caller, fault));
    });
  };
}

const answerTypes = 'application/graphql-response+json, application/json or text/event-stream';
export const notAcceptable = refusal(406, `Accept must allow ${answerTypes}.`);
const noJson = refusal(415, 'The content type must be application/json, in UTF-8.');
const compressed = refusal(415, 'Compressed request bodies are not accepted.');

function refusal(status: number, message: string): Refusal {
  return { code: 'BAD_REQUEST', status, message };
}

type Unread = Exclude<BodyReading['kind'], 'whole' | 'aborted'>;

/** Why a body was not read to its end. */
function toRefusal(why: Unread, maxBodyBytes: number): ReturnType<typeof gatewayError> {
  switch (why) {
    case 'too-large':
      return gatewayError('PAYLOAD_TOO_LARGE', `The request body is over ${maxBodyBytes} bytes.`);
    case 'scattered':
      return gatewayError('BAD_REQUEST', 'The request body comes in too many small pieces.');
    case 'crowded-out':
      return gatewayError('UNAVAILABLE', 'Too many request bodies are under way, and this one is among the slowest.');
  }
}

function refuseIntricate(exchange: Exchange): void {
  const bounds = `nested over ${maxJsonNesting} levels, or has over ${maxJsonCommas} values or ${maxJsonMembers} members`;
  exchange.refuse('BAD_REQUEST', `The request body is ${bounds}.`);
}

/** How a request leaves the lane unanswered. At most one of these is called, once. */
interface LaneExits {
  /** Hands it to Yoga. */
  readonly leave: (context: ServerContext) => void;
  readonly fail: (error: unknown) => void;
}

/** Serves a JSON POST of one operation without Yoga. */
function createServeInLane({ lane, graphqlPath }: ServePostOptions) {
  /**
   * @param caller has been counted for it
   * @param body read whole, within its bound
   */
  return (exchange: Exchange, caller: Caller, body: Buffer, exits: LaneExits) => {
    const { req, res } = exchange;
    const mediaType = exchange.plainType;
    // Yoga reads the query string too, the lane does not: it takes only requests without one.
    const request = mediaType && req.url === graphqlPath ? lane.read(body) : null;
    if (!mediaType || !request) return exits.leave(exchange.toContext(caller));
    exchange.isInLane = true;
    const finish = (outcome: LaneOutcome): void => {
      if (outcome.kind === 'gone') return;
      if (outcome.kind === 'stream') writeStream(exchange, contentTypes[mediaType], outcome.body);
      else if (outcome.kind === 'subscription') {
        exchange.isInLane = false;
        exits.leave({ ...exchange.toContext(caller), admitted: outcome.admitted });
      } else {
        if (!res.destroyed) writeWhole(exchange, mediaType, outcome);
        exchange.awaitReading();
      }
    };
    lane
      .run(
        request,
        caller,
        exchange,
        // HTTP/1.0 has no chunks: an answer of unknown length ends when the connection closes, just like a broken one.
        req.httpVersion !== '1.0',
        (outcome) => {
          // The upstream's connection calls this, and would take an error thrown here for its own.
          try {
            finish(outcome);
          } catch (error) {
            exits.fail(error);
          }
        },
      )
      .catch(exits.fail);
  };
}

const contentTypes = {
  'application/json': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
} as const;

type WholeOutcome = Extract<LaneOutcome, { kind: 'bytes' | 'text' | 'result' }>;

function writeWhole(exchange: Exchange, mediaType: PlainType, outcome: WholeOutcome): void {
  const contentType = contentTypes[mediaType];
  if (outcome.kind === 'bytes') writeBytes(exchange, contentType, outcome.body);
  else if (outcome.kind === 'text') writeText(exchange, contentType, outcome.text);
  else {
    const { result } = outcome;
    if (result.errors) noteCodes(exchange.codes, result.errors);
    writeText(exchange, contentType, printResult(result), toAnswerHead(result, mediaType));
  }
}

/** Answers of up to this size are joined: one write then costs less than several. */
const maxJoinedBytes = 16 * 1024;

/** One write to the socket, with the length known. */
function writeBytes(exchange: Exchange, contentType: string, { chunks, size }: ChunkedBody): void {
  const { res } = exchange;
  exchange.writeHead(200, contentType, size);
  const [only] = chunks;
  if (chunks.length === 1) res.end(only);
  else if (size <= maxJoinedBytes) res.end(Buffer.concat(chunks as Buffer[], size));
  else {
    res.cork();
    for (const chunk of chunks) res.write(chunk);
    res.end();
    res.uncork();
  }
}

/** A longer text is written as bytes, in characters: what waits to be read is then no part of V8's heap, which may be small. */
const maxWrittenText = 64 * 1024;

/** Head and text go to the connection as one string, unless it is long. */
function writeText(exchange: Exchange, contentType: string, text: string, head = servedHead): void {
  const size = Buffer.byteLength(text);
  exchange.writeHead(head.status, contentType, size, head.retryAfterSeconds);
  if (text.length > maxWrittenText) exchange.res.end(Buffer.from(text));
  // As many bytes as characters: it is ASCII, of which the cheaper encoding makes the same bytes.
  else exchange.res.end(text, size === text.length ? 'latin1' : 'utf8');
}

type StreamedBody = Extract<LaneOutcome, { kind: 'stream' }>['body'];

/** Writes an answer as it arrives, no faster than the client reads. One that breaks off lacks the last chunk, which tells. */
function writeStream(exchange: Exchange, contentType: string, body: StreamedBody): void {
  const { res } = exchange;
  exchange.writeHead(200, contentType, null);
  res.on('drain', () => body.resume());
  body.start({
    write: (bytes) => res.write(bytes),
    end: () => res.end(),
    fail: () => res.destroy(),
  });
}
