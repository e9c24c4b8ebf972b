import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Exchange } from './exchange.ts';

/** One connection and what is under way on it. */
export interface Connection {
  /** In the order they came: of clients that do not wait for an answer before they ask again, several. */
  readonly exchanges: readonly Exchange[];
  /** Nothing is under way on it, and it goes on. */
  readonly isFree: boolean;
  /** Serves nothing more that comes on it. */
  close(): void;
  /** @param then called when nothing is under way on it any more; at once where nothing is */
  whenIdle(then: () => void): void;
}

export interface Connections {
  readonly draining: boolean;
  /** To be told of each connection when it is made. */
  opened(socket: ConnectionSocket): void;
  of(socket: object): Connection | undefined;
  /**
   * Counts an exchange as under way.
   * @returns `false` for a request behind an answer that is the last of its connection: nobody would hear its own, so it
   * must not be begun
   */
  enter(exchange: Exchange): boolean;
  /** To be told when the connection is done with its answer. */
  leave(exchange: Exchange): void;
  /**
   * Closes their server around the answers that are under way: accepts no more, lets what runs finish for at most so long,
   * then cuts what is left. Connections that are open stay usable while any runs, so that a probe on one of them hears that
   * the server is leaving; whoever asks then is told to come back on another connection.
   */
  drain(server: Server, graceMs: number): Promise<void>;
}

interface ConnectionSocket {
  once(event: 'close', listener: () => void): unknown;
}

/**
 * A connection, and its place in a ring of all that are open. No `Set` or `Map` holds what comes and goes with a request:
 * each makes itself a new table every few changes, and the garbage collector takes what the old tables held, whole answers,
 * for alive until its next full round.
 */
class OpenConnection implements Connection {
  readonly exchanges: Exchange[] = [];
  isClosing = false;
  before: OpenConnection = this;
  behind: OpenConnection = this;
  #onIdle: (() => void) | null = null;

  get isFree(): boolean {
    return this.exchanges.length === 0 && !this.isClosing;
  }

  close(): void {
    this.isClosing = true;
  }

  whenIdle(then: () => void): void {
    if (this.exchanges.length === 0) then();
    else this.#onIdle = then;
  }

  idle(): void {
    const then = this.#onIdle;
    this.#onIdle = null;
    then?.();
  }

  insertBefore(other: OpenConnection): void {
    this.before = other.before;
    this.behind = other;
    other.before.behind = this;
    other.before = this;
  }

  /** Points at nobody afterwards: what is gone but not collected yet would keep its neighbours alive. */
  remove(): void {
    this.before.behind = this.behind;
    this.behind.before = this.before;
    this.before = this;
    this.behind = this;
  }
}

/** Keeps what is under way on each connection. @param onEnd called once for each exchange, when it is over */
export function createConnections(onEnd: (exchange: Exchange) => void): Connections {
  const open = new WeakMap<object, OpenConnection>();
  const ring = new OpenConnection();
  let underWay = 0;
  let draining = false;
  let onIdle = () => {};

  const leave = (exchange: Exchange): void => {
    const connection = open.get(exchange.req.socket);
    const at = connection?.exchanges.indexOf(exchange) ?? -1;
    if (!connection || at < 0) return;
    connection.exchanges.splice(at, 1);
    underWay -= 1;
    if (isLast(exchange)) connection.close();
    onEnd(exchange);
    if (connection.exchanges.length === 0) connection.idle();
    if (underWay === 0) onIdle();
  };

  return {
    get draining() {
      return draining;
    },
    opened(socket) {
      const connection = new OpenConnection();
      connection.insertBefore(ring);
      open.set(socket, connection);
      socket.once('close', () => {
        connection.remove();
        // A response that waits behind another has no connection yet, and is not told when that closes.
        for (const exchange of [...connection.exchanges]) leave(exchange);
      });
    },
    of: (socket) => open.get(socket),
    enter(exchange) {
      const connection = open.get(exchange.req.socket);
      if (!connection || connection.isClosing) return false;
      if (connection.exchanges.some(isLast)) return false;
      connection.exchanges.push(exchange);
      underWay += 1;
      if (draining) sendAway(exchange);
      return true;
    },
    leave,
    async drain(server, graceMs) {
      draining = true;
      for (let next = ring.behind; next !== ring; next = next.behind) next.exchanges.forEach(sendAway);
      // Not the HTTP server's own `close`, which also cuts the connections that are idle at this moment.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      // A connection that never sent a request is no idle one for `closeIdleConnections`: it would be waited for.
      const cut = () => server.closeAllConnections();
      const fuse = setTimeout(cut, graceMs);
      onIdle = () => setImmediate(() => underWay === 0 && cut());
      if (underWay === 0) cut();
      await closed;
      clearTimeout(fuse);
      // Ends the server's watch over slow connections; there is nothing left to close.
      server.close();
    },
  };
}

function sendAway({ res }: Exchange): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}

/** Does its answer say that the connection ends with it? */
function isLast({ res }: Exchange): boolean {
  return res.getHeader('connection') === 'close';
}
