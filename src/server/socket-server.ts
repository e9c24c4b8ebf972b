import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { toSender } from '../admission/sender.ts';
import { isUsageAsked } from '../documents/show-usage.ts';
import type { OperationRecord, ServerContext } from '../gateway/operation-run.ts';
import type { SocketOperations } from '../gateway/socket-operations.ts';
import { reviveMarked, unmarkJson } from '../json/exact-number.ts';
import { markVariables } from '../json/parse-json.ts';
import { isTooIntricate, maxJsonCommas, maxJsonNesting } from './json-shape.ts';
import { sendRaw } from './raw-response.ts';
import { type Stamps, stampHeaders } from './stamp-response.ts';

export interface SocketServerOptions {
  readonly operations: SocketOperations;
  /** Largest message a client may send, in bytes; more ends the connection. */
  readonly maxMessageBytes: number;
  readonly stamps: Stamps;
  /** Names of the headers by which a caller asks to be told its usage. */
  readonly usageHeaders: readonly string[];
  /** Called once per operation, when it has ended. */
  readonly onOperation: (record: SocketOperationRecord) => void;
}

export interface SocketOperationRecord {
  readonly requestId: string;
  readonly durationMs: number;
  readonly operations: readonly OperationRecord[];
}

export interface SocketServer {
  /** Takes over an HTTP upgrade that was found acceptable. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, requestId: string): void;
  /** Lets the operations under way be answered, for at most so long, then tells every client to go elsewhere. */
  drain(graceMs: number): Promise<void>;
}

/**
 * Between two pings, in milliseconds: proxies drop connections that are silent for a minute. A client that has not
 * answered one ping by the next is gone.
 */
const pingMs = 15_000;
const goingAway = 1001;
const internalError = 4500;
const badRequest = 4400;
/** How long a client may take to answer a farewell, in milliseconds. */
const farewellMs = 1_000;

interface Upgrade {
  readonly requestId: string;
  readonly hangUp: AbortController;
}

/** Serves operations over WebSocket by the graphql-transport-ws protocol. */
export function createSocketServer(options: SocketServerOptions): SocketServer {
  const { operations, stamps, usageHeaders, onOperation } = options;
  const spoken = new Set(['authorization', 'x-api-key', ...usageHeaders]);
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const ends = new WeakMap<object, () => void>();
  let active = 0;
  let onIdle = () => {};

  const sockets = new WebSocketServer({ noServer: true, maxPayload: options.maxMessageBytes, handleProtocols });
  sockets.on('headers', (lines, req) => {
    const headers = stampHeaders(req, upgrades.get(req)?.requestId ?? '', stamps);
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  });

  sockets.on('wsClientError', (_error, socket, req) => {
    const headers = stampHeaders(req, upgrades.get(req)?.requestId ?? '', stamps);
    sendRaw(socket, 400, 'BAD_REQUEST', 'The WebSocket handshake is malformed.', headers);
  });

  const protocol = makeServer<Record<string, unknown> | undefined, { readonly request: IncomingMessage }>({
    onSubscribe: async ({ extra, connectionParams }, _id, payload) => {
      const upgrade = upgrades.get(extra.request);
      const headers = { ...extra.request.headers, ...headersIn(connectionParams, spoken) };
      const records: OperationRecord[] = [];
      const server: ServerContext = {
        requestId: upgrade?.requestId ?? '',
        sender: toSender(headers, extra.request.socket.remoteAddress),
        isGone: () => upgrade?.hangUp.signal.aborted ?? true,
        // A socket has no headers to say it in; a refusal says it itself.
        onStanding: () => {},
        showUsage: usageHeaders.some((name) => isUsageAsked(headers[name])),
        operations: records,
      };
      const startedAt = performance.now();
      const end = () => {
        const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
        onOperation({ requestId: server.requestId, durationMs, operations: records });
      };
      reviveMarked(payload.variables);
      const admitted = await operations.admit(payload, server, upgrade?.hangUp.signal ?? AbortSignal.abort());
      if ('schema' in admitted) ends.set(admitted.contextValue as object, end);
      else end();
      return admitted;
    },
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
    const { hangUp } = upgrades.get(request) ?? {};
    const stopPinging = keepAlive(socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => new Promise((resolve) => socket.send(unmarkJson(data), () => resolve())),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) => {
          socket.on('message', (data) => {
            // Binary type is the default of the library, so this is one Buffer.
            if (isTooIntricate(data as Buffer, maxJsonNesting, maxJsonCommas))
              return socket.close(badRequest, 'Too intricate');
            handle(markVariables(String(data))).catch(() => socket.close(internalError, 'Internal server error'));
          });
        },
      },
      { request },
    );
    // The library closes a connection that broke or sent too much; without a listener the error would end the process.
    socket.on('error', () => {});
    socket.once('close', (code, reason) => {
      stopPinging();
      hangUp?.abort();
      void closed(code, String(reason));
    });
  });

  return {
    accept(req, socket, head, requestId) {
      const hangUp = new AbortController();
      // Every operation on the connection listens, however many there are.
      setMaxListeners(0, hangUp.signal);
      upgrades.set(req, { requestId, hangUp });
      sockets.handleUpgrade(req, socket, head, (accepted) => sockets.emit('connection', accepted, req));
    },
    async drain(graceMs) {
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
      const cut = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, farewellMs);
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
      clearTimeout(cut);
    },
  };
}

/** Pings until told to stop; ends a connection that does not answer. */
function keepAlive(socket: WebSocket): () => void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, pingMs);
  return () => clearInterval(timer);
}

/**
 * Entries of `connection_init` bear the names of headers, in whatever case the client writes them: pages cannot set headers
 * on a WebSocket. They speak for what a caller may say of itself; where it comes from is said by the browser and the proxies.
 */
function headersIn(
  params: Readonly<Record<string, unknown>> | undefined,
  spoken: ReadonlySet<string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(params ?? {})) {
    const name = key.toLowerCase();
    if (typeof value === 'string' && spoken.has(name)) headers[name] ??= value;
  }
  return headers;
}
