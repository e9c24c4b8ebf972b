import { type ExecutionResult, GraphQLError } from 'graphql';
import { withUsage } from '../../documents/cost/usage.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { noteCodes } from '../../errors/note-codes.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { AdmittedOperation } from '../../operation/prepared-operation.ts';
import { createBeats } from '../beats.ts';
import type { Exchange } from '../exchange.ts';
import { writeResult } from '../write-answer.ts';
import { EventStream } from './event-stream.ts';
import { chooseFraming, multipartType } from './framing.ts';

export interface EventStreamsOptions {
  readonly runner: Pick<OperationRunner, 'run'>;
  readonly maskError: (error: unknown, requestId: string) => GraphQLError;
}

/** Runs a subscription that came over HTTP, and writes its results as a stream; a refusal is one answer. */
export type OpenEventStream = (exchange: Exchange, admitted: AdmittedOperation) => Promise<void>;

export function createOpenEventStream({ runner, maskError }: EventStreamsOptions): OpenEventStream {
  const beats = createBeats();
  return async (exchange, admitted) => {
    const { req, res, requestId, codes } = exchange;
    const framing = chooseFraming(req.headers.accept);
    if (!framing) {
      // Before the stream is opened: a client that cannot read it must not cost one.
      const usage = exchange.showUsage ? admitted.usage : null;
      return writeResult(exchange, withUsage({ errors: [notAcceptable()] }, usage));
    }
    const stream = new EventStream(res, {
      framing,
      lastEventId: req.headers['last-event-id']?.toString(),
      beats,
      maskError: (error) => maskError(error, requestId),
      onErrors: (errors) => noteCodes(codes, errors),
    });
    if (framing.cursor) exchange.streamPlace = stream;
    const answer = await runner.run(admitted, exchange).catch((error: unknown): ExecutionResult => {
      const usage = exchange.showUsage ? admitted.usage : null;
      return withUsage({ errors: [maskError(error, requestId)] }, usage);
    });
    if (!(Symbol.asyncIterator in answer)) return writeResult(exchange, answer);
    exchange.stamp();
    const { 'content-type': contentType = '', ...headers } = framing.headers;
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    exchange.writeHead(200, contentType, null);
    stream.follow(answer);
  };
}

function notAcceptable(): GraphQLError {
  const says = `A subscription is answered as text/event-stream or ${multipartType}: accept either, or subscribe over WebSocket.`;
  return new GraphQLError(says, { extensions: { code: 'BAD_REQUEST' satisfies ErrorCode, http: { status: 406 } } });
}
