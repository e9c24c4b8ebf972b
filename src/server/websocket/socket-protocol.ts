import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { type Context, makeServer, type Server, type ServerOptions } from 'graphql-ws';
import type { AddressGate } from '../../callers/address-gate.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { noteCodes } from '../../errors/note-codes.ts';
import { reviveMarked } from '../../json/exact-number.ts';
import type { OperationAnswer } from '../../operation/operation-answer.ts';
import type { ServerContext } from '../../operation/server-context.ts';
import type { SocketOperationFacts } from '../../telemetry/events.ts';
import type { OperationFacts } from '../../telemetry/request-record.ts';
import { closeCodes } from './close-codes.ts';
import { Departure, nothingMore } from './departure.ts';
import type { FrameWriter } from './frame-writer.ts';
import type { OperationsUnderWay } from './operations-under-way.ts';
import { PushedOperation } from './pushed-operation.ts';
import type { SocketOperations } from './socket-operations.ts';
import type { SocketSession } from './socket-session.ts';
import { untilEnd } from './until-end.ts';

export interface SocketProtocolOptions {
  readonly operations: SocketOperations;
  readonly addresses: Pick<AddressGate, 'admit'>;
  /** At one time, for one client. */
  readonly maxOperations: number;
  /** Called once per operation, when it has ended. */
  readonly onOperation: (operation: SocketOperationFacts) => void;
}

/** The other side of the protocol. */
export interface SocketClient {
  readonly session: SocketSession;
  /** Called when the client is acknowledged: from now on single messages are bounded, not their sum. */
  readonly greeted: () => void;
  readonly close: (code: number, reason: string) => void;
  /** For what does not go through the protocol's own way of sending. */
  readonly frames: FrameWriter;
}

/** Errors of one operation that are looked at for the log: a stream may have one in each of its results. */
const maxNoted = 10;

type Params = Record<string, unknown> | undefined;
type Hooks = ServerOptions<Params, SocketClient>;

/** The steps of graphql-transport-ws: greeting, beginning an operation, running it. */
export function createSocketProtocol(
  options: SocketProtocolOptions,
  underWay: OperationsUnderWay,
): Server<SocketClient> {
  const { operations, addresses } = options;
  const begun: BegunOperations = new WeakMap();
  return makeServer<Params, SocketClient>({
    // Whoever bounds the greeting does it better: this one counts time in which the process could not read.
    connectionInitWaitTimeout: 0,
    onConnect: (context) => greet(context, addresses),
    onSubscribe: createOnSubscribe(options, begun),
    execute: run,
    // A stream is under way until it ends, which is after its last result was handed on.
    subscribe: run,
  });

  async function run(args: ExecutionArgs): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
    underWay.began();
    const operation = begun.get(args.contextValue as object);
    let errors: readonly GraphQLError[] = [];
    const note = ({ errors: told }: ExecutionResult) => {
      if (told && errors.length < maxNoted) errors = [...errors, ...told];
    };
    const ended = () => {
      underWay.ended();
      operation?.end(errors);
    };
    try {
      const answer = await operations.execute(args);
      const isGone = operation?.departure.isGone === true;
      if (Symbol.asyncIterator in answer) {
        const stream = toOperation(answer, operation, note, ended);
        if (isGone) await stream.return(undefined);
        return isGone ? nothingMore() : stream;
      }
      note(answer);
      ended();
      return isGone ? nothingMore() : answer;
    } catch (error) {
      ended();
      throw error;
    }
  }
}

async function greet(context: Context<Params, SocketClient>, addresses: Pick<AddressGate, 'admit'>): Promise<boolean> {
  const { session, greeted, close } = context.extra;
  session.introduce(context.connectionParams);
  // The session has taken what it needs. graphql-ws would keep the rest, which may be large, as long as the connection.
  Object.assign(context, { connectionParams: undefined });
  const { error } = await addresses.admit(session.sender);
  if (error) {
    close(closeCodes.tryAgainLater, error.message);
    return false;
  }
  greeted();
  return true;
}

interface BegunOperation {
  readonly id: string;
  readonly frames: FrameWriter;
  readonly departure: Departure;
  /** What to do when it has run, told its errors. */
  readonly end: (errors?: readonly GraphQLError[]) => void;
}

/** By the context an operation runs in. */
type BegunOperations = WeakMap<object, BegunOperation>;

/** A stream as graphql-ws is to see it. */
function toOperation(
  answer: Exclude<OperationAnswer, ExecutionResult>,
  begun: BegunOperation | undefined,
  onResult: (result: ExecutionResult) => void,
  onEnd: () => void,
): AsyncGenerator<ExecutionResult> {
  if (!begun || !('isPushed' in answer) || !answer.isPushed) return untilEnd(answer, onResult, onEnd);
  return new PushedOperation({ stream: answer, id: begun.id, frames: begun.frames, onResult, onEnd });
}

function createOnSubscribe(
  { operations, maxOperations, onOperation }: SocketProtocolOptions,
  begun: BegunOperations,
): NonNullable<Hooks['onSubscribe']> {
  return async (context, id, payload) => {
    const { session } = context.extra;
    const cost = session.forgive();
    const departure = new Departure();
    context.subscriptions[id] = departure;
    const records: OperationFacts[] = [];
    const codes: string[] = [];
    const server = toServerContext(session, cost, records, codes, departure);
    const tell = (errors: readonly GraphQLError[] = []) => {
      noteCodes(codes, errors);
      const durationMs = Math.round((performance.now() - server.arrivedAt) * 100) / 100;
      const facts = { requestId: session.requestId, durationMs, operations: records };
      onOperation(codes.length === 0 ? facts : { ...facts, codes });
    };
    const unread = refuseUnread(id, session.operations, maxOperations);
    if (unread) {
      session.blame(cost);
      operations.count(server);
      tell([unread]);
      return [unread];
    }
    session.begin(departure);
    const end = (errors?: readonly GraphQLError[]) => {
      session.end(departure);
      server.held?.release();
      tell(errors);
    };
    try {
      reviveMarked(payload.variables);
      const admitted = await operations.admit(payload, server);
      // What was read of it is kept elsewhere, its text once for all. graphql-ws would keep the rest as long as the operation.
      Object.assign(payload, { query: '', extensions: undefined });
      if ('schema' in admitted) {
        begun.set(admitted.contextValue as object, { id, frames: context.extra.frames, departure, end });
        return admitted;
      }
      if (admitted.some(({ extensions }) => extensions.code === 'RATE_LIMITED')) session.blame(cost);
      end(admitted);
      return departure.isGone ? nothingMore() : admitted;
    } catch (error) {
      end();
      throw error;
    }
  };
}

/** In characters. It is repeated in each result of a stream. */
const maxIdLength = 128;

/** Why an operation is refused although nobody has looked at it; `null` = it is not. */
function refuseUnread(id: string, underWay: number, maxOperations: number): GraphQLError | null {
  if (id.length > maxIdLength) {
    return gatewayError('BAD_REQUEST', `The id of an operation has at most ${maxIdLength} characters.`);
  }
  if (underWay < maxOperations) return null;
  return gatewayError('RATE_LIMITED', `Over the limit of ${maxOperations} operations at once on one WebSocket.`);
}

/** Over HTTP the standing sets headers, which a socket has not. A refusal says it in its error. */
const sayNothing = () => {};

function toServerContext(
  session: SocketSession,
  requestBytes: number,
  operations: OperationFacts[],
  codes: string[],
  departure: Departure,
): ServerContext {
  return {
    requestId: session.requestId,
    sender: session.sender,
    arrivedAt: performance.now(),
    requestBytes,
    isGone: () => departure.isGone,
    onGone: (giveUp) => departure.onGone(giveUp),
    onStanding: sayNothing,
    showUsage: session.showUsage,
    operations,
    codes,
  };
}
