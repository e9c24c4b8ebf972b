import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as inNextTurn } from 'node:timers/promises';
import { cutUnread, cutUnserved, type OpenLink } from './cut-connections.ts';
import { endLingering } from './end-lingering.ts';

/** A request and its answer, as far as their connection is concerned. */
export interface OnConnection {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Its body is still being read: nothing is executed for it yet. */
  readonly isReading: boolean;
  /** Monotonic milliseconds. */
  readonly arrivedAt: number;
  /** Refuses it because the server stops before its body has come. */
  giveUp(): void;
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
  opened(socket: Socket): void;
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
  /** From now on the last answer on each connection asks its client to connect anew (`connection: close`). */
  announceDrain(): void;
  /**
   * Closes the server: accepts no new connections, and ends each one behind its last answer. What is left after `graceMs` is
   * cut. Until then open connections are served, so that health probes on them learn that the server is stopping.
   */
  drain(server: Server, graceMs: number): Promise<void>;
}

/**
 * Requests that may wait for their answers on one connection, those among them that are not executed. More than any client
 * sends without waiting; bounded because they all run at once, because Node keeps each until the answers before it are sent,
 * which of a stream may be never, and because two thousand fit in what it reads at one time.
 */
const maxWaiting = 100;

/** New connections between two looks whether too many are open: each looks at all of them. */
const lookEvery = 256;

/**
 * A connection, linked into a ring of all open ones. Not kept in a `Set` or `Map`: these allocate a new table every few
 * changes, and an old table keeps what it held, whole answers, in memory until the next full garbage collection.
 */
class OpenConnection<Exchange extends OnConnection> implements Connection<Exchange>, OpenLink {
  readonly exchanges: Exchange[] = [];
  /** When it was opened, or its last answer was sent; monotonic milliseconds. */
  activeAt = performance.now();
  isClosing = false;
  /** Requests that came after the last one that is answered. */
  ignored = 0;
  /** One was answered on it. */
  hasServed = false;
  before: OpenConnection<Exchange> = this;
  behind: OpenConnection<Exchange> = this;
  #onIdle: (() => void) | null = null;
  /** Its answer is the last one only because the server stops: one behind it takes that over. */
  #sentAway: Exchange | null = null;
  readonly #socket: Socket | null;

  constructor(socket: Socket | null) {
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

  /** Ends it behind what was written. Nothing may be under way on it. */
  end(): void {
    this.close();
    if (this.#socket) endLingering(this.#socket);
  }

  /** Does it serve no request behind those under way? */
  get isEnding(): boolean {
    return this.isClosing || this.exchanges.some((each) => isLast(each) && !this.#mayStay(each));
  }

  /** Makes the newest answer the last one. Those before it would end the connection before it is sent. */
  sendAway(): void {
    const before = this.#sentAway;
    const newest = this.exchanges.at(-1);
    if (!newest || newest === before || newest.res.headersSent || isLast(newest)) return;
    if (before && this.#mayStay(before)) before.res.removeHeader('connection');
    newest.res.setHeader('connection', 'close');
    this.#sentAway = newest;
  }

  #mayStay(exchange: Exchange): boolean {
    return exchange === this.#sentAway && !exchange.res.headersSent;
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
  let draining = false;

  const leave = (exchange: Exchange): void => {
    const connection = open.get(exchange.req.socket);
    const at = connection?.exchanges.indexOf(exchange) ?? -1;
    if (!connection || at < 0) return;
    connection.exchanges.splice(at, 1);
    connection.hasServed = true;
    connection.activeAt = performance.now();
    if (isLast(exchange)) connection.close();
    onEnd(exchange);
    if (connection.exchanges.length === 0) connection.idle();
  };
  const announceDrain = (): void => {
    draining = true;
    for (let next = ring.behind; next !== ring; next = next.behind) next.sendAway();
  };

  return {
    get draining() {
      return draining;
    },
    opened(socket) {
      const connection = new OpenConnection<Exchange>(socket);
      connection.insertBefore(ring);
      // Called by Node behind an answer that is the last one. A paused socket holds back what would be costly to read.
      const cutSoon = socket.destroySoon;
      socket.destroySoon = () => (socket.isPaused() ? cutSoon.call(socket) : endLingering(socket));
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
      if (connection.isEnding) {
        connection.ignored += 1;
        return false;
      }
      connection.exchanges.push(exchange);
      if (draining) connection.sendAway();
      return true;
    },
    leave,
    cutUnread: (maxBytes) => cutUnread(ring, maxBytes),
    announceDrain,
    drain(server, graceMs) {
      announceDrain();
      return closeServer(server, graceMs, ring);
    },
  };
}

/**
 * Milliseconds for which a connection has to be silent before it is ended: what its client has sent before it hears of the end
 * would get no answer.
 */
const quietMs = 50;
/** Milliseconds for which the body of a request may be awaited. */
const maxArrivalMs = 1_000;

async function closeServer<Exchange extends OnConnection>(
  server: Server,
  graceMs: number,
  ring: OpenConnection<Exchange>,
): Promise<void> {
  await acceptLast(server, ring);
  // Not `server.close()`, which would also cut idle connections, on which health probes come.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const endsAt = performance.now() + graceMs;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = performance.now();
    const isOver = now >= endsAt;
    for (let next = ring.behind; next !== ring; next = next.behind) {
      const newest = next.exchanges.at(-1);
      if (next.isFree && (isOver || now - next.activeAt >= quietMs)) next.end();
      else if (newest?.isReading && (isOver || now - newest.arrivedAt >= maxArrivalMs)) newest.giveUp();
      else if (isOver && newest) next.cut();
    }
    timer = setTimeout(look, quietMs / 2);
  };
  if (ring.behind !== ring) look();
  await closed;
  clearTimeout(timer);
  // All connections are closed; this stops the timer with which the HTTP server looks for slow ones.
  server.close();
}

/** Clients with so many open connections open new ones while the server stops, and some are half open at any moment. */
const manyOpen = 4;
/** Milliseconds after which the system repeats a step by which a connection is opened, and a little more. */
const handshakeMs = 300;
/** A turn of the event loop that took no longer accepted everybody who had connected, in milliseconds. */
const shortTurnMs = 0.2;
/** How long a short turn is waited for, in milliseconds. */
const turnsMs = 200;

/**
 * Accepts everybody who has connected. Closing the server resets the connections that wait to be accepted, with the requests
 * that their clients have sent. Where many connect there always are some: the system is told to queue no more of them first.
 */
async function acceptLast(server: Server, ring: OpenLink): Promise<void> {
  // Node has no other way to change the length of the queue.
  const { _handle: handle } = server as { _handle?: { listen?(backlog: number): number } | null };
  handle?.listen?.(0);
  let open = 0;
  for (let next = ring.behind; next !== ring; next = next.behind) open += 1;
  if (open >= manyOpen) await delay(handshakeMs);
  const startedAt = performance.now();
  for (let begunAt = startedAt; begunAt - startedAt < turnsMs; begunAt = performance.now()) {
    await inNextTurn();
    if (performance.now() - begunAt < shortTurnMs) return;
  }
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

/** Will this answer close the connection? */
function isLast({ res }: OnConnection): boolean {
  return res.getHeader('connection') === 'close';
}
