import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Context, handleProtocols, makeServer, type ServerOptions } from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import type { AddressGate } from '../../admission/address-gate.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { reviveMarked, unmarkJson } from '../../json/exact-number.ts';
import { isTooIntricate, maxJsonCommas, maxJsonNesting } from '../../json/json-shape.ts';
import { markVariables } from '../../json/parse-json.ts';
import type { OperationRecord, ServerContext } from '../../operation/open-operation.ts';
import { keepAlive } from './keep-alive.ts';
import { createOutbox } from './outbox.ts';
import type { SocketOperations } from './socket-operations.ts';
import { createSession, type SocketSession } from './socket-session.ts';
import { untilGone } from './until-gone.ts';

export interface SocketServerOptions {
  readonly operations: SocketOperations;
  readonly addresses: Pick<AddressGate, 'admit'>;
  /** Largest message a client may send, in bytes; more ends the connection. */
  readonly maxMessageBytes: number;
  /** All that a client may send before it is acknowledged, in bytes; more ends the connection. */
  readonly maxGreetingBytes: number;
  /** Operations that a client may have under way at once. */
  readonly maxOperations: number;
  /** Names of the headers by which a caller asks to be told its usage. */
  readonly usageHeaders: readonly string[];
  /** Called once per operation, when it has ended. */
  readonly onOperation: (record: SocketOperationRecord) => void;
  /** Between two pings, in milliseconds. */
  readonly pingMs?: number;
}

export interface SocketOperationRecord {
  readonly requestId: string;
  readonly durationMs: number;
  readonly operations: readonly OperationRecord[];
}

/** A request for a WebSocket that was found acceptable. */
export interface Upgrade {
  readonly requestId: string;
  /** What its answer bears. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, with which status it was answered. */
  readonly answered: (status: number) => void;
  /** Refuses it instead: the handshake is not what the protocol asks for. */
  readonly malformed: () => void;
}

export interface SocketServer {
  /** It will close, and takes no more. */
  readonly draining: boolean;
  /** Takes over an HTTP upgrade that was found acceptable. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, upgrade: Upgrade): void;
  /** Lets the operations under way be answered, for at most so long, then tells every client to go elsewhere. */
  drain(graceMs: number): Promise<void>;
}

/** Proxies drop connections that are silent for a minute. */
const usualPingMs = 15_000;
const goingAway = 1001;
const tooMuchSaid = 1008;
const tooBig = 1009;
const tryAgainLater = 1013;
const internalError = 4500;
const badRequest = 4400;
/** How long a client may take to answer a farewell, in milliseconds. */
const farewellMs = 1_000;

interface Extra {
  readonly session: SocketSession;
  /** It was acknowledged: what it sends is bounded by the message from now on. */
  readonly greeted: () => void;
  readonly close: (code: number, reason: string) => void;
}

type Params = Record<string, unknown> | undefined;

/** Serves operations over WebSocket by the graphql-transport-ws protocol. */
export function createSocketServer(options: SocketServerOptions): SocketServer {
  const { operations, addresses, usageHeaders, onOperation, maxOperations, pingMs = usualPingMs } = options;
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const ends = new WeakMap<object, () => void>();
  let active = 0;
  let draining = false;
  let onIdle = () => {};

  const bounds = {
    maxPayload: options.maxMessageBytes,
    // A large message in the smallest pieces would take a hundred times its size.
    maxBufferedChunks: 4_096,
    maxFragments: 1_024,
    closeTimeout: farewellMs,
  };
  const sockets = new WebSocketServer({ noServer: true, handleProtocols, ...bounds });
  sockets.on('headers', (lines, req) => {
    const upgrade = upgrades.get(req);
    for (const [name, value] of Object.entries(upgrade?.headers ?? {})) lines.push(`${name}: ${value}`);
    upgrade?.answered(101);
  });

  sockets.on('wsClientError', (_error, socket, req) => {
    const upgrade = upgrades.get(req);
    if (upgrade) upgrade.malformed();
    else socket.destroy();
  });

  const onConnect = async (context: Context<Params, Extra>): Promise<boolean> => {
    const { session, greeted, close } = context.extra;
    session.introduce(context.connectionParams);
    // All that is wanted of it is taken; it may be large, and the library keeps it as long as the connection.
    Object.assign(context, { connectionParams: undefined });
    const { error } = await addresses.admit(session.sender);
    if (error) {
      close(tryAgainLater, error.message);
      return false;
    }
    greeted();
    return true;
  };

  const onSubscribe: ServerOptions<Params, Extra>['onSubscribe'] = async (context, id, payload) => {
    const { session } = context.extra;
    const cost = session.forgive();
    const hangUp = new AbortController();
    context.subscriptions[id] = untilGone(() => hangUp.abort());
    const records: OperationRecord[] = [];
    const server: ServerContext = {
      requestId: session.requestId,
      sender: session.sender,
      isGone: () => hangUp.signal.aborted,
      // A socket has no headers to say it in; a refusal says it itself.
      onStanding: () => {},
      showUsage: session.showUsage,
      operations: records,
    };
    if (session.operations >= maxOperations) {
      session.blame(cost);
      operations.count(server);
      return [gatewayError('RATE_LIMITED', `Over the limit of ${maxOperations} operations at once on one WebSocket.`)];
    }
    session.operations += 1;
    const startedAt = performance.now();
    const end = () => {
      session.operations -= 1;
      const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
      onOperation({ requestId: session.requestId, durationMs, operations: records });
    };
    try {
      reviveMarked(payload.variables);
      const admitted = await operations.admit(payload, server, hangUp.signal);
      if ('schema' in admitted) ends.set(admitted.contextValue as object, end);
      else {
        if (admitted.some(({ extensions }) => extensions.code === 'RATE_LIMITED')) session.blame(cost);
        end();
      }
      return admitted;
    } catch (error) {
      end();
      throw error;
    }
  };

  const protocol = makeServer<Params, Extra>({
    onConnect,
    onSubscribe,
    execute: async (args) => {
      active += 1;
      try {
        return await operations.execute(args);
      } finally {
        active -= 1;
        ends.get(args.contextValue as object)?.();
        // Not before the answer has been handed to the socket, which happens in the turns after this one.
        if (active === 0) setImmediate(() => active === 0 && onIdle());
      }
    },
  });

  sockets.on('connection', (socket, request) => {
    const requestId = upgrades.get(request)?.requestId ?? '';
    const session = createSession({ request, requestId, usageHeaders });
    const stopPinging = keepAlive(socket, pingMs, session.rest);
    const greeted = boundGreeting(socket, request.socket, options.maxGreetingBytes);
    const close = (code: number, reason: string) => socket.close(code, reason);
    const hear = (bytes: number): boolean => {
      if (socket.readyState !== WebSocket.OPEN) return false;
      const isWithin = session.heard(bytes);
      if (!isWithin) close(tooMuchSaid, 'Too much besides operations');
      return isWithin;
    };
    socket.on('ping', (data) => void hear(data.length));
    const send = createOutbox(socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => send(unmarkJson(data)),
        close,
        onMessage: (handle) => {
          socket.on('message', (data) => {
            // Binary type is the default of the library, so this is one Buffer.
            const message = data as Buffer;
            if (!hear(message.length)) return;
            if (isTooIntricate(message, maxJsonNesting, maxJsonCommas)) return close(badRequest, 'Too intricate');
            handle(markVariables(String(message))).catch(() => close(internalError, 'Internal server error'));
          });
        },
      },
      { session, greeted, close },
    );
    // The library closes a connection that broke or sent too much; without a listener the error would end the process.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      stopPinging();
      void closed(code, String(reason));
    });
  });

  return {
    get draining() {
      return draining;
    },
    accept(req, socket, head, upgrade) {
      upgrades.set(req, upgrade);
      sockets.handleUpgrade(req, socket, head, (accepted) => sockets.emit('connection', accepted, req));
    },
    async drain(graceMs) {
      draining = true;
      if (active > 0) {
        await new Promise<void>((resolve) => {
          const fuse = setTimeout(resolve, graceMs);
          onIdle = () => {
            clearTimeout(fuse);
            resolve();
          };
        });
      }
      for (const socket of sockets.clients) socket.close(goingAway, 'Going away');
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
    },
  };
}

/**
 * Ends a connection that sends more before it is acknowledged than anybody has to say then. The library bounds single
 * messages only, and gathers one that is not whole.
 * @returns lifts the bound
 */
function boundGreeting(socket: WebSocket, connection: Duplex, maxBytes: number): () => void {
  let size = 0;
  const count = (chunk: Buffer) => {
    const before = size;
    size += chunk.length;
    // It has been told why, and goes on.
    if (before > maxBytes * 4) socket.terminate();
    else if (size > maxBytes && before <= maxBytes) socket.close(tooBig, 'Too much before it is acknowledged');
  };
  // Before whoever reads the message, which must find the connection closing.
  connection.prependListener('data', count);
  return () => connection.off('data', count);
}
