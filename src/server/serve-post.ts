import { isEncoded, isJsonType } from '../http/media-types.ts';
import { isTooIntricate, maxJsonCommas, maxJsonMembers, maxJsonNesting, simpleJsonBytes } from '../json/json-shape.ts';
import type { ServerContext } from '../operation/server-context.ts';
import type { LaneOperations, LaneOutcome } from '../shells/lane/lane-operations.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { Exchange } from './exchange.ts';
import { type BodyReading, readBody, restoreBody } from './read-body.ts';

export interface ServePostOptions {
  readonly graphqlPath: string;
  readonly maxBodyBytes: number;
  /** Asked first. */
  readonly lane: LaneOperations;
  /** Goes on with a caller who may ask and still waits; refuses any other. */
  readonly afterEntry: (exchange: Exchange, serve: (caller: Caller) => void) => void;
  readonly serveByYoga: (exchange: Exchange, context: ServerContext) => void;
}

/** Serves a POST: its body is read within its bound, the lane is asked first, and Yoga does what the lane leaves. */
export function createServePost(options: ServePostOptions): (exchange: Exchange) => void {
  const { maxBodyBytes, afterEntry, serveByYoga } = options;
  const serveInLane = createServeInLane(options);
  const serveBody = (exchange: Exchange, caller: Caller, reading: Exclude<BodyReading, { kind: 'aborted' }>) => {
    if (reading.kind === 'too-large') {
      return exchange.refuse('PAYLOAD_TOO_LARGE', `The request body is over ${maxBodyBytes} bytes.`);
    }
    const { body } = reading;
    // Of a small body the lane sees for itself whether it is plain enough.
    const isSimple = body.length <= simpleJsonBytes;
    if (!isSimple && isTooIntricate(body, maxJsonNesting, maxJsonCommas)) return refuseIntricate(exchange);
    serveInLane(exchange, caller, body, {
      leave: (context, isBegun) => {
        // What has begun was found plain enough, and may have been paid for.
        if (!isBegun && isSimple && isTooIntricate(body, maxJsonNesting, maxJsonCommas))
          return refuseIntricate(exchange);
        restoreBody(exchange.req, body);
        serveByYoga(exchange, context);
      },
      fail: (error) => exchange.fail(error),
    });
  };

  return (exchange) => {
    const { req } = exchange;
    if (!exchange.negotiate()) return;
    if (!isJsonType(req.headers['content-type'])) {
      return exchange.refuseUnread('BAD_REQUEST', 'The content type must be application/json, in UTF-8.', 415);
    }
    if (isEncoded(req.headers['content-encoding'])) {
      return exchange.refuseUnread('BAD_REQUEST', 'Compressed request bodies are not accepted.', 415);
    }
    // Whoever reads it next compares texts: it must find the one that says what was found here.
    req.headers['content-type'] = 'application/json';
    exchange.isReading = true;
    readBody(req, maxBodyBytes, (reading) => {
      exchange.isReading = false;
      if (reading.kind === 'aborted') return;
      // The next request would begin in the middle of this one.
      if (reading.kind === 'too-large') exchange.endConnection();
      // Counted whatever it says, and before anybody looks at it.
      afterEntry(exchange, (caller) => serveBody(exchange, caller, reading));
    });
  };
}

function refuseIntricate(exchange: Exchange): void {
  const bounds = `nested over ${maxJsonNesting} levels, or has over ${maxJsonCommas} values or ${maxJsonMembers} members`;
  exchange.refuse('BAD_REQUEST', `The request body is ${bounds}.`);
}

/** Where a request goes that the lane does not answer. One is called at most, and at most once. */
interface LaneExits {
  /** To Yoga, with what is known of it so far. @param isBegun it was counted, and may have been executed */
  readonly leave: (context: ServerContext, isBegun: boolean) => void;
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
    // A query string may say something, and is not read here.
    const request = mediaType && req.url === graphqlPath ? lane.read(body) : null;
    if (!mediaType || !request) return exits.leave(exchange.toContext(caller), false);
    exchange.isInLane = true;
    const finish = (outcome: LaneOutcome): void => {
      if (outcome.kind === 'bytes' && !res.destroyed) writeWhole(exchange, contentTypes[mediaType], outcome.body);
      if (outcome.kind === 'text' && !res.destroyed) writeText(exchange, contentTypes[mediaType], outcome.text);
      if (outcome.kind === 'stream') writeStream(exchange, contentTypes[mediaType], outcome.body);
      if (outcome.kind !== 'handover') return;
      exchange.isInLane = false;
      exits.leave({ ...exchange.toContext(caller), begun: outcome.begun }, true);
    };
    lane
      .run(
        request,
        caller,
        exchange,
        // Before chunks there was no way to end an answer of unknown length but to hang up, as broken ones end.
        req.httpVersion !== '1.0',
        (outcome) => {
          // It is called from within the connection, which would take a fault of ours for one of its own.
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

type BytesOutcome = Extract<LaneOutcome, { kind: 'bytes' }>;

/** Up to so many bytes putting pieces together costs less than writing each. */
const maxJoinedBytes = 16 * 1024;

/** One write to the socket, with the length known. */
function writeWhole(exchange: Exchange, contentType: string, { chunks, size }: BytesOutcome['body']): void {
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

/** Head and text go to the connection as one string. */
function writeText(exchange: Exchange, contentType: string, text: string): void {
  exchange.writeHead(200, contentType, Buffer.byteLength(text));
  exchange.res.end(text);
}

type StreamedBody = Extract<LaneOutcome, { kind: 'stream' }>['body'];

/** As it comes, no faster than the caller takes it. One that cannot be finished ends without its last chunk. */
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
