import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { gatewayError } from '../../errors/gateway-error.ts';
import { noteCodes } from '../../errors/note-codes.ts';
import type { AdmitOperation } from '../../operation/admit-operation.ts';
import type { OperationAnswer } from '../../operation/operation-answer.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import type { SocketOperationFacts } from '../../telemetry/events.ts';
import type { Caller } from '../../upstream/operation-context.ts';
import { createHeart } from './heart.ts';
import { isOperationId, readSharedRequest, type SharedRequest } from './read-shared-request.ts';
import { createReservations, type Reservation, type ReservationsOptions } from './reservations.ts';
import { type SharedOperation, SharedStream } from './shared-stream.ts';

export interface SharedStreamsOptions extends ReservationsOptions {
  readonly admit: Pick<AdmitOperation, 'decide'>;
  readonly runner: Pick<OperationRunner, 'run'>;
  readonly maskError: (error: unknown, requestId: string) => GraphQLError;
  /** At one time, for one stream. */
  readonly maxOperations: number;
  /** Called once per operation, when it has ended. */
  readonly onOperation: (operation: SocketOperationFacts) => void;
}

/** A request and its answer, as the server has them. */
export interface StreamExchange
  extends Pick<
    ServerContext,
    'requestId' | 'sender' | 'arrivedAt' | 'requestBytes' | 'showUsage' | 'isGone' | 'onGone' | 'onStanding'
  > {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Sets the headers that every answer has. */
  stamp(): void;
  refuse(code: ErrorCode, message: string, status?: number): void;
  refuseWith(error: ReturnType<typeof gatewayError>): void;
}

/**
 * The "single connection mode" of GraphQL over SSE (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md): `PUT`
 * reserves a stream and answers its token, `GET` opens it, each `POST` begins an operation whose results it carries, and
 * `DELETE` ends one. What GraphQL itself says to an operation, refusals among it, is told by the stream: clients take any
 * other answer than 202 for a broken connection, and ask again and again.
 */
export interface SharedStreams {
  /** Does a request name such a stream in its headers, as each `POST` for one does? */
  isNamed(req: IncomingMessage): boolean;
  /** Is a request about such a stream, which is no `POST`? */
  takes(req: IncomingMessage): boolean;
  /** Serves one that is. @param caller has been counted for it */
  serve(exchange: StreamExchange, caller: Caller): void;
  /** Serves a `POST` with a token. @param body JSON that is not too intricate */
  operate(exchange: StreamExchange, caller: Caller, body: string): Promise<void>;
  /** Ends each stream when its operations have ended. */
  stop(): void;
}

const tokenHeader = 'x-graphql-event-stream-token';

export function createSharedStreams(options: SharedStreamsOptions): SharedStreams {
  const { maxOperations } = options;
  const reservations = createReservations<SharedStream>(options);
  const heart = createHeart();
  const run = createRunShared(options);

  function reserve(exchange: StreamExchange, caller: Caller): void {
    const token = reservations.reserve(caller);
    if (typeof token !== 'string') {
      exchange.refuseWith(token);
      return;
    }
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
    exchange.res.writeHead(201, { ...headers, 'content-length': token.length }).end(token);
  }

  function find(exchange: StreamExchange, caller: Caller): Reservation<SharedStream> | null {
    const found = reservations.find(tokenOf(exchange.req) ?? '', caller);
    if (!found) {
      const says = 'There is no event stream with this token here, or it is over: reserve another one.';
      exchange.refuse('BAD_REQUEST', says, 404);
    }
    return found;
  }

  function open(exchange: StreamExchange, caller: Caller): void {
    const reservation = find(exchange, caller);
    if (!reservation) return;
    if (reservation.stream) {
      exchange.refuse('BAD_REQUEST', 'This event stream is open already.', 409);
      return;
    }
    const onGone = (then: () => void) => exchange.onGone(then);
    reservation.fulfil(new SharedStream(exchange.res, { maxOperations, heart, onGone }));
    onGone(() => reservation.giveUp());
  }

  function leave(exchange: StreamExchange, caller: Caller): void {
    const id = paramOf(exchange.req, 'operationId');
    if (!isOperationId(id)) {
      exchange.refuse('BAD_REQUEST', 'The parameter "operationId" says which one to end.');
      return;
    }
    const reservation = find(exchange, caller);
    if (!reservation) return;
    reservation.stream?.leave(id);
    exchange.res.writeHead(200, { 'content-length': 0 }).end();
  }

  const isNamed = ({ headers }: IncomingMessage) => headers[tokenHeader] !== undefined;

  return {
    isNamed,
    takes(req) {
      if (req.method === 'PUT') return true;
      if (req.method === 'DELETE') return isNamed(req);
      // An `EventSource` cannot set headers. With a query it is an operation of its own, whatever else its address says.
      return req.method === 'GET' && (isNamed(req) || (paramOf(req, 'token') !== null && !paramOf(req, 'query')));
    },
    serve(exchange, caller) {
      if (exchange.req.method === 'PUT') reserve(exchange, caller);
      else if (exchange.req.method === 'DELETE') leave(exchange, caller);
      else open(exchange, caller);
    },
    async operate(exchange, caller, body) {
      const reservation = find(exchange, caller);
      if (!reservation) return;
      if (!reservation.stream) return exchange.refuse('BAD_REQUEST', 'Open the event stream first.', 409);
      const request = readSharedRequest(body);
      if (typeof request === 'string') return exchange.refuse('BAD_REQUEST', request);
      const operation = reservation.stream.begin(request.operationId);
      switch (operation) {
        case 'stopping':
          return exchange.refuse('UNAVAILABLE', 'This gateway is stopping. Connect again.');
        case 'taken':
          return exchange.refuse('BAD_REQUEST', 'An operation of this id is under way on this event stream.', 409);
        case 'too-many':
          return exchange.refuse(
            'RATE_LIMITED',
            `Over the limit of ${maxOperations} operations at once on one event stream.`,
          );
        case 'unread':
          return exchange.refuse('RATE_LIMITED', 'Read the event stream first: too much waits there.');
        default:
          return run(exchange, caller, request, operation);
      }
    },
    stop() {
      reservations.close();
      for (const stream of reservations.streams) stream.stop();
    },
  };
}

/** Admits an operation, accepts it, and has its stream tell what comes of it. */
function createRunShared({ admit, runner, maskError, onOperation }: SharedStreamsOptions) {
  return async (exchange: StreamExchange, caller: Caller, request: SharedRequest, operation: SharedOperation) => {
    const { requestId, res } = exchange;
    const server = toServerContext(exchange, operation);
    const { codes, operations } = server;
    const end = () => {
      const durationMs = Math.round((performance.now() - exchange.arrivedAt) * 100) / 100;
      const facts = { requestId, durationMs, operations };
      onOperation(codes.length === 0 ? facts : { ...facts, codes });
    };
    const note = ({ errors = [] }: ExecutionResult) => noteCodes(codes, errors);
    const failed = (error: unknown): ExecutionResult => ({ errors: [maskError(error, requestId)] });
    try {
      const admission = await admit.decide(server, caller, request);
      // Who was not told that it was accepted sends it again.
      if (exchange.isGone()) return operation.leave();
      exchange.stamp();
      res.writeHead(202, { 'content-length': 0 }).end();
      if (admission.kind === 'refused') return await operation.tell({ errors: admission.errors }, note);
      const answer: OperationAnswer = await runner.run(admission, server).catch(failed);
      await operation.tell(masked(answer, failed), note);
    } catch (error) {
      if (!res.headersSent) throw error;
      await operation.tell(failed(error), note);
    } finally {
      operation.leave();
      end();
    }
  };
}

/** Without what clients are not shown. Of a stream each result was looked at when it was made. */
function masked(answer: OperationAnswer, failed: (error: unknown) => ExecutionResult): OperationAnswer {
  if (Symbol.asyncIterator in answer || !answer.errors) return answer;
  return { ...answer, errors: answer.errors.flatMap((error) => failed(error).errors ?? []) };
}

function toServerContext(exchange: StreamExchange, operation: SharedOperation): ServerContext {
  const { requestId, sender, arrivedAt, showUsage, requestBytes = 0 } = exchange;
  return {
    requestId,
    sender,
    arrivedAt,
    requestBytes,
    isGone: () => operation.isLeft,
    onGone: (giveUp) => operation.onLeft(giveUp),
    onStanding: (standing) => exchange.onStanding(standing),
    showUsage,
    operations: [],
    codes: [],
  };
}

function tokenOf(req: IncomingMessage): string | null {
  const header = req.headers[tokenHeader];
  if (header !== undefined) return String(header);
  return req.method === 'GET' ? paramOf(req, 'token') : null;
}

/** A parameter of the address; `null` if it has none of this name. */
function paramOf({ url = '' }: IncomingMessage, name: string): string | null {
  if (!url.includes(`${name}=`)) return null;
  return new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(name);
}
