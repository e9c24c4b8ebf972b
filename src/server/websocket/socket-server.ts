import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { createBeats } from '../beats.ts';
import type { BytesInFlight } from '../bounds/bytes-in-flight.ts';
import { ClientSocket, type ClientSocketOptions, subprotocol } from './client-socket.ts';
import { closeCodes } from './socket-bounds.ts';
import { createFlushQueue } from './socket-writer.ts';

export interface SocketServerOptions
  extends Omit<ClientSocketOptions, 'arrivals' | 'pings' | 'flushQueue' | 'onRunning'> {
  /** Largest message a client may send, in bytes; more ends the connection. */
  readonly maxMessageBytes: number;
  readonly bytesInFlight: BytesInFlight;
  /** Between two pings, in milliseconds. */
  readonly pingMs?: number;
}

/** A request for a WebSocket that may be granted. */
export interface Upgrade {
  readonly requestId: string;
  /** Of its answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, with which status it was answered. */
  readonly answered: (status: number) => void;
  /** Called instead if the handshake is malformed. */
  readonly malformed: () => void;
}

export interface SocketServer {
  /** True once `drain` was called: new WebSockets are refused. */
  readonly draining: boolean;
  accept(req: IncomingMessage, socket: Duplex, head: Buffer, upgrade: Upgrade): void;
  /** Waits for the running operations, for `graceMs` at most, then tells every client to connect elsewhere. */
  drain(graceMs: number): Promise<void>;
}

/** Time that a client has to answer the closing handshake. */
const closeTimeoutMs = 1_000;

/** Accepts WebSockets and serves operations on them. */
export function createSocketServer(options: SocketServerOptions): SocketServer {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  let draining = false;
  let running = 0;
  let onIdle = () => {};
  const socketOptions: ClientSocketOptions = {
    ...options,
    arrivals: options.bytesInFlight,
    pings: createBeats(options.pingMs),
    flushQueue: createFlushQueue(),
    onRunning(change) {
      running += change;
      // The answer is handed to the socket in a later turn of the event loop: wait for that too.
      if (draining && running === 0) setImmediate(() => running === 0 && onIdle());
    },
  };

  // A variable, because the type of the options does not know all of them.
  const bounds = {
    maxPayload: options.maxMessageBytes,
    // Many small fragments of one large message would take a hundred times its size in memory.
    maxBufferedChunks: 4_096,
    maxFragments: 1_024,
    closeTimeout: closeTimeoutMs,
  };
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
    ...bounds,
  });
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

  return {
    get draining() {
      return draining;
    },
    accept(req, socket, head, upgrade) {
      upgrades.set(req, upgrade);
      sockets.handleUpgrade(req, socket, head, (accepted) => {
        new ClientSocket(accepted, req, upgrade.requestId, socketOptions);
      });
    },
    async drain(graceMs) {
      draining = true;
      if (running > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, graceMs);
          onIdle = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      for (const socket of sockets.clients) socket.close(closeCodes.goingAway, 'Going away');
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
    },
  };
}
