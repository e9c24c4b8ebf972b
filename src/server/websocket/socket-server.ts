import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { BytesInFlight } from '../bounds/bytes-in-flight.ts';
import { closeCodes } from './close-codes.ts';
import { createOperationsUnderWay } from './operations-under-way.ts';
import { createServeSocket, type ServeSocketOptions } from './serve-socket.ts';
import { createSocketProtocol, type SocketProtocolOptions } from './socket-protocol.ts';

export interface SocketServerOptions extends SocketProtocolOptions, Omit<ServeSocketOptions, 'protocol' | 'arrivals'> {
  /** Largest message a client may send, in bytes; more ends the connection. */
  readonly maxMessageBytes: number;
  readonly bytesInFlight: BytesInFlight;
}

/** A request for a WebSocket that may be granted. */
export interface Upgrade {
  readonly requestId: string;
  /** Of its answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, with which status it was answered. */
  readonly answered: (status: number) => void;
  /** To be called instead if the handshake is wrong. */
  readonly malformed: () => void;
}

export interface SocketServer {
  /** True once `drain` was called: new WebSockets are refused. */
  readonly draining: boolean;
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, upgrade: Upgrade): void;
  /** Waits for the operations under way, for `graceMs` at most, then tells every client to connect elsewhere. */
  drain(graceMs: number): Promise<void>;
}

/** A client may take so long to answer the closing handshake. */
const farewellMs = 1_000;

/** Serves operations over WebSocket by the graphql-transport-ws protocol. */
export function createSocketServer(options: SocketServerOptions): SocketServer {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  const underWay = createOperationsUnderWay();
  const serve = createServeSocket({
    ...options,
    arrivals: options.bytesInFlight,
    protocol: createSocketProtocol(options, underWay),
  });
  let draining = false;

  const bounds = {
    maxPayload: options.maxMessageBytes,
    // Many small fragments of one large message would take a hundred times its size in memory.
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
  sockets.on('connection', (socket, req) => serve(socket, req, upgrades.get(req)?.requestId ?? ''));

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
      await underWay.settled(graceMs);
      for (const socket of sockets.clients) socket.close(closeCodes.goingAway, 'Going away');
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
    },
  };
}
