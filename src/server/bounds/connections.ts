import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { cutUnread, cutUnserved, type OpenLink } from './cut-connections.ts';

/** A request and its answer, as far as their connection is concerned. */
export interface OnConnection {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Its body is still being read: nothing is executed for it yet. */
  readonly isReading: boolean;
}

/** One connection and what is under way on it. */
export interface Connection<Exchange extends OnConnection> {
  /** In the order they came. Several, if the client sends requests without waiting for answers. */
  readonly exchanges: readonly Exchange[];
  /** Nothing is under way on it, and it is not closing. */
  readonly isFree: boolean;
  /** Ignores all further requests on it. */
  close(): void;
  /** @param then called when nothing is under way on it any more, at once if nothing is */
  whenIdle(then: () => void): void;
}

export interface Connections<Exchange extends OnConnection> {
  readonly draining: boolean;
  /** Must be called for each new connection. */
  opened(socket: ConnectionSocket): void;
  of(socket: object): Connection<Exchange> | undefined;
  /**
   * Counts an exchange as under way. Cuts the connection if too many wait on it.
   * @returns `false` if its answer could not be sent, since the connection is cut, or an earlier answer will close it: the
   * request must not be executed
   */
  enter(exchange: Exchange): boolean;
  /** Must be called when the answer has been sent, or cannot be. */
  leave(exchange: Exchange): void;
  /** Cuts connections whose clients leave unread more than so many bytes together. */
  cutUnread(maxBytes: number): void;
  /**
   * Closes the server: accepts no new connections, lets requests under way finish, and cuts what is left after `graceMs`.
   * Until then open connections are served, so that health probes on them learn that the server is stopping; each answer asks
   * the client to reconnect (`connection: close`).
   */
  drain(server: Server, graceMs: number): Promise<void>;
}

/**
 * Requests that may wait for their answers on one connection, those among them that are not executed. More than any client
 * sends without waiting; bounded because they all run at once, because Node keeps each until the answers before it are sent,
 * which of a stream may be never, and because two thousand fit in what it reads at one time.
 */
const maxWaiting = 100;

interface ConnectionSocket {
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
  readonly writableLength: number;
}

/** New connections between two looks whether too many are open: each looks at all of them. */
const lookEvery = 256;

/**
 * A connection, linked into a ring of all open ones. Not kept in a `Set` or `Map`: these allocate a new table every few
 * changes, and an old table keeps what it held, whole answers, in memory until the next full garbage collection.
 */
class OpenConnection<Exchange extends OnConnection> implements Connection<Exchange>, OpenLink {
  readonly exchanges: Exchange[] = [];
  isClosing = false;
  /** Requests that came after the last one that is answered. */
  ignored = 0;
  /** One was answered on it. */
  hasServed = false;
  before: OpenConnection<Exchange> = this;
  behind: OpenConnection<Exchange> = this;
  #onIdle: (() => void) | null = null;
  readonly #socket: ConnectionSocket | null;

  constructor(socket: ConnectionSocket | null) {
    this.#socket = socket;
  }

  get isUnserved(): boolean {
    return !this.isClosing && this.exchanges.every(isArriving);
  }

  /** What waits for its turn on the connection counts too. */
  get unread(): number {
    if (this.exchanges.length === 0) return this.#socket?.writableLength ?? 0;
    let bytes = 0;
    for (const { res } of this.exchanges) bytes += res.writableLength;
    return bytes;
  }

  cut(): void {
    this.#socket?.destroy();
  }

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

  insertBefore(other: OpenConnection<Exchange>): void {
    this.before = other.before;
    this.behind = other;
    other.before.behind = this;
    other.before = this;
  }

  /** Also drops its links: until it is collected, it would keep its former neighbours in memory. */
  remove(): void {
    this.before.behind = this.behind;
    this.behind.before = this.before;
    this.before = this;
    this.behind = this;
  }
}

/** Keeps track of what is under way on each connection. @param onEnd called once for each exchange, when it is over */
export function createConnections<Exchange extends OnConnection>(
  onEnd: (exchange: Exchange) => void,
): Connections<Exchange> {
  const open = new WeakMap<object, OpenConnection<Exchange>>();
  const ring = new OpenConnection<Exchange>(null);
  let unseen = 0;
  let underWay = 0;
  let draining = false;
  let onIdle = () => {};

  const leave = (exchange: Exchange): void => {
    const connection = open.get(exchange.req.socket);
    const at = connection?.exchanges.indexOf(exchange) ?? -1;
    if (!connection || at < 0) return;
    connection.exchanges.splice(at, 1);
    underWay -= 1;
    connection.hasServed = true;
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
      const connection = new OpenConnection<Exchange>(socket);
      connection.insertBefore(ring);
      unseen += 1;
      if (unseen >= lookEvery) {
        unseen = 0;
        cutUnserved(ring);
      }
      open.set(socket, connection);
      socket.once('close', () => {
        connection.remove();
        // Node attaches a response to its connection only when it is that one's turn, so later ones emit no `close`.
        for (const exchange of [...connection.exchanges]) leave(exchange);
      });
    },
    of: (socket) => open.get(socket),
    enter(exchange) {
      const connection = open.get(exchange.req.socket);
      if (!connection || isCrowded(connection, exchange)) return false;
      if (connection.isClosing || connection.exchanges.some(isLast)) {
        connection.ignored += 1;
        return false;
      }
      connection.exchanges.push(exchange);
      underWay += 1;
      if (draining) sendAway(exchange);
      return true;
    },
    leave,
    cutUnread: (maxBytes) => cutUnread(ring, maxBytes),
    drain(server, graceMs) {
      draining = true;
      for (let next = ring.behind; next !== ring; next = next.behind) next.exchanges.forEach(sendAway);
      return closeServer(server, graceMs, {
        isIdle: () => underWay === 0,
        whenIdle: (then) => {
          onIdle = then;
        },
      });
    },
  };
}

interface Work {
  /** Is no exchange under way? */
  readonly isIdle: () => boolean;
  /** @param then called each time the last exchange under way is over */
  readonly whenIdle: (then: () => void) => void;
}

async function closeServer(server: Server, graceMs: number, work: Work): Promise<void> {
  // Not `server.close()`, which would also cut idle connections, on which health probes come.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  // Not `closeIdleConnections`, which spares connections that have not sent a request yet; we would wait for them.
  const cut = () => server.closeAllConnections();
  const fuse = setTimeout(cut, graceMs);
  work.whenIdle(() => setImmediate(() => work.isIdle() && cut()));
  if (work.isIdle()) cut();
  await closed;
  clearTimeout(fuse);
  // All connections are closed; this stops the timer with which the HTTP server looks for slow ones.
  server.close();
}

function isArriving({ isReading }: OnConnection): boolean {
  return isReading;
}

function isCrowded({ exchanges, ignored }: OpenConnection<OnConnection>, { req }: OnConnection): boolean {
  if (exchanges.length + ignored < maxWaiting) return false;
  // No refusal: it would have to wait until all answers before it are sent, and what comes behind it with it.
  req.socket.destroy();
  return true;
}

function sendAway({ res }: OnConnection): void {
  if (!res.headersSent) res.setHeader('connection', 'close');
}

/** Will this answer close the connection? */
function isLast({ res }: OnConnection): boolean {
  return res.getHeader('connection') === 'close';
}
