import type { ServerContext } from '../operation/server-context.ts';
import type { LaneOperations, LaneOutcome } from '../shells/lane/lane-operations.ts';
import type { Caller } from '../subschemas/operation-context.ts';
import type { Exchange } from './exchange.ts';

export interface LaneOptions {
  readonly operations: LaneOperations;
  readonly graphqlPath: string;
}

/** Where a request goes that the lane does not answer. One is called at most, and at most once. */
export interface LaneExits {
  /** To Yoga, with what is known of it so far. @param isBegun it was counted, and may have been executed */
  readonly leave: (context: ServerContext, isBegun: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Serves a JSON POST of an operation that was seen before, without Yoga.
 * @param caller has been counted for it
 * @param body read whole, within its bound
 */
export type Lane = (exchange: Exchange, caller: Caller, body: Buffer, exits: LaneExits) => void;

export function createLane({ operations, graphqlPath }: LaneOptions): Lane {
  return (exchange, caller, body, exits) => {
    const { req, res } = exchange;
    const mediaType = exchange.plainType;
    // A query string may say something, and is not read here.
    const operation = mediaType && req.url === graphqlPath ? operations.find(body) : null;
    if (!mediaType || !operation) return exits.leave(exchange.toContext(caller), false);
    exchange.isInLane = true;
    const finish = (outcome: LaneOutcome): void => {
      if (outcome.kind === 'bytes' && !res.destroyed) writeWhole(exchange, contentTypes[mediaType], outcome.body);
      if (outcome.kind === 'text' && !res.destroyed) writeText(exchange, contentTypes[mediaType], outcome.text);
      if (outcome.kind === 'stream') writeStream(exchange, contentTypes[mediaType], outcome.body);
      if (outcome.kind !== 'handover') return;
      exchange.isInLane = false;
      exits.leave({ ...exchange.toContext(caller), begun: outcome.begun }, true);
    };
    operations
      .run(
        operation,
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
