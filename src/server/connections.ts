import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { RingLink } from '../upstream/ring-link.ts';
import type { Exchange } from './exchange.ts';

/**
 * Requests that may wait for their answers on one connection, including those that are not executed. More than any client
 * pipelines. Bounded because they all run at once, because Node keeps each until the answers before it are sent, which of a
 * stream may be never, and because two thousand fit in what it reads at one time.
 */
const maxWaiting = 100;

/** New connections between two checks whether too many are open: each check visits all of them. */
const checkEvery = 256;

export type Connections = ReturnType<typeof createConnections>;

/**
 * All connections of a server: how many there may be, what waits on each, and how they end when the server stops.
 * @param onEnd called once for each exchange, when it is over
 */
export function createConnections(onEnd: (exchange: Exchange) => void) {
  const open = new WeakMap<object, Connection>();
  const ring = new Connection(null);
  let unchecked = 0;
  let draining = false;

  /** Must be called when the answer has been sent, or cannot be. */
  const leave = (exchange: Exchange): void => {
    const connection = open.get(exchange.req.socket);
    if (connection?.leave(exchange)) {
      onEnd(exchange);
      connection.callIfIdle();
    }
  };
  /** From now on the last answer on each connection asks its client to reconnect (`connection: close`). */
  const announceDrain = (): void => {
    draining = true;
    for (const connection of ring.others()) connection.announceEnd();
  };

  return {
    get draining() {
      return draining;
    },
    /** Must be called for each new connection. */
    opened(socket: Socket): void {
      const connection = new Connection(socket);
      connection.insertBefore(ring);
      open.set(socket, connection);
      // Called by Node behind an answer that is the last one. A paused socket holds back what would be costly to read.
      const destroySoon = socket.destroySoon;
      socket.destroySoon = () => (socket.isPaused() ? destroySoon.call(socket) : endLingering(socket));
      socket.once('close', () => {
        connection.remove();
        // Node attaches a response to its connection only when it is that one's turn, so later ones emit no `close`.
        for (const exchange of [...connection.exchanges]) leave(exchange);
      });
      unchecked += 1;
      if (unchecked < checkEvery) return;
      unchecked = 0;
      cutUnserved([...ring.others()]);
    },
    of: (socket: object) => open.get(socket),
    /**
     * Counts an exchange as under way. Cuts the connection if too many wait on it.
     * @returns `false` if its answer could not be sent, since the connection is cut, or an earlier answer will close it: the
     * request must not be executed
     */
    enter(exchange: Exchange): boolean {
      const connection = open.get(exchange.req.socket);
      if (!connection?.enter(exchange)) return false;
      if (draining) connection.announceEnd();
      return true;
    },
    leave,
    /** Cuts connections whose clients together leave more than `maxBytes` unread. */
    cutUnread: (maxBytes: number) => cutUnread(ring.others(), maxBytes),
    announceDrain,
    /**
     * Closes the server: accepts no new connections, and ends each one behind its last answer. What is left after `graceMs` is
     * cut. Until then open connections are served, so that health probes on them learn that the server is stopping.
     */
    drain(server: Server, graceMs: number): Promise<void> {
      announceDrain();
      return closeServer(server, graceMs, ring);
    },
  };
}

/** One connection, linked into the ring of all open ones, and what is under way on it. */
class Connection extends RingLink {
  /** In the order they came. Several, if the client sends requests without waiting for answers. */
  readonly exchanges: Exchange[] = [];
  /** When it was opened, or its last answer was sent; monotonic milliseconds. */
  activeAt = performance.now();
  hasServed = false;
  #isClosing = false;
  /** Requests behind the last one that is answered. */
  #ignored = 0;
  #onIdle: (() => void) | null = null;
  /** Its answer closes the connection only because the server stops: a later answer takes that over. */
  #lastForDrain: Exchange | null = null;
  readonly #socket: Socket | null;

  /** @param socket `null` for the ring's own link */
  constructor(socket: Socket | null) {
    super();
    this.#socket = socket;
  }

  /** @returns `false` if the request must not be executed */
  enter(exchange: Exchange): boolean {
    if (this.exchanges.length + this.#ignored >= maxWaiting) {
      // No refusal: it would have to wait until all answers before it are sent, and what comes behind it with it.
      this.cut();
      return false;
    }
    if (this.#isClosing || this.exchanges.some((each) => isLast(each) && !this.#canTakeOver(each))) {
      this.#ignored += 1;
      return false;
    }
    this.exchanges.push(exchange);
    return true;
  }

  /** @returns `false` if it has left before */
  leave(exchange: Exchange): boolean {
    const at = this.exchanges.indexOf(exchange);
    if (at < 0) return false;
    this.exchanges.splice(at, 1);
    this.hasServed = true;
    this.activeAt = performance.now();
    if (isLast(exchange)) this.close();
    return true;
  }

  /** Nothing is under way on it, and it is not closing. */
  get isFree(): boolean {
    return this.exchanges.length === 0 && !this.#isClosing;
  }

  /** Nothing is executed on it. */
  get isUnserved(): boolean {
    return !this.#isClosing && this.exchanges.every(({ isReading }) => isReading);
  }

  /** Bytes that were written and that its client has not read, including answers that wait for their turn. */
  get unread(): number {
    if (this.exchanges.length === 0) return this.#socket?.writableLength ?? 0;
    let bytes = 0;
    for (const { res } of this.exchanges) bytes += res.writableLength;
    return bytes;
  }

  /** Ignores all further requests on it. */
  close(): void {
    this.#isClosing = true;
  }

  /** @param then called when nothing is under way on it any more, at once if nothing is */
  whenIdle(then: () => void): void {
    this.#onIdle = then;
    this.callIfIdle();
  }

  callIfIdle(): void {
    if (this.exchanges.length > 0) return;
    const then = this.#onIdle;
    this.#onIdle = null;
    then?.();
  }

  cut(): void {
    this.#socket?.destroy();
  }

  /** Ends it behind what was written. Nothing may be under way on it. */
  end(): void {
    this.close();
    if (this.#socket) endLingering(this.#socket);
  }

  /** Has the newest answer close the connection. An earlier one would close it before the newest is sent. */
  announceEnd(): void {
    const before = this.#lastForDrain;
    const newest = this.exchanges.at(-1);
    if (!newest || newest === before || newest.res.headersSent || isLast(newest)) return;
    if (before && this.#canTakeOver(before)) before.res.removeHeader('connection');
    newest.res.setHeader('connection', 'close');
    this.#lastForDrain = newest;
  }

  #canTakeOver(exchange: Exchange): boolean {
    return exchange === this.#lastForDrain && !exchange.res.headersSent;
  }
}

/** Will its answer close the connection? */
function isLast({ res }: Exchange): boolean {
  return res.getHeader('connection') === 'close';
}

/** A connection is ended after so many milliseconds of silence: a request sent before that would get no answer. */
const quietMs = 50;
/** Milliseconds for which the body of a request may be awaited. */
const maxArrivalMs = 1_000;

async function closeServer(server: Server, graceMs: number, ring: Connection): Promise<void> {
  await acceptPending(server, ring);
  // Not `server.close()`, which would also cut idle connections, on which health probes come.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const endsAt = performance.now() + graceMs;
  const endSome = (): void => {
    const now = performance.now();
    const isOver = now >= endsAt;
    for (const connection of ring.others()) {
      const newest = connection.exchanges.at(-1);
      if (connection.isFree && (isOver || now - connection.activeAt >= quietMs)) connection.end();
      else if (newest?.isReading && (isOver || now - newest.arrivedAt >= maxArrivalMs)) newest.abandon();
      else if (isOver && newest) connection.cut();
    }
  };
  endSome();
  const timer = setInterval(endSome, quietMs / 2);
  await closed;
  clearInterval(timer);
  // All connections are closed; this stops the timer with which the HTTP server looks for slow ones.
  server.close();
}

/** Clients with so many open connections open new ones while the server stops, and some of them are half open. */
const manyOpen = 4;
/** Milliseconds after which the system repeats a step of the TCP handshake, and a little more. */
const handshakeMs = 300;
/** A turn of the event loop below so many milliseconds has accepted every pending connection. */
const shortTurnMs = 0.2;
/** Milliseconds for which a short turn is awaited. */
const turnsMs = 200;

/**
 * Accepts all pending connections: closing the server would reset them, with the requests that their clients have sent. Under
 * load there always are some, so the gateway first makes the system queue no more of them.
 */
async function acceptPending(server: Server, ring: RingLink): Promise<void> {
  // Undocumented: Node has no other way to change the backlog of a listening server. Without it some requests are reset.
  const { _handle: handle } = server as { _handle?: { listen?(backlog: number): number } | null };
  handle?.listen?.(0);
  if ([...ring.others()].length >= manyOpen) await delay(handshakeMs);
  const startedAt = performance.now();
  for (let begunAt = startedAt; begunAt - startedAt < turnsMs; begunAt = performance.now()) {
    await nextTurn();
    if (performance.now() - begunAt < shortTurnMs) return;
  }
}

/**
 * Connections on which nothing is executed: silent ones, idle ones, and those with an unfinished request. Nobody is counted
 * before that, and an unfinished head may take a hundred kilobytes.
 */
const maxUnserved = 4_096;

/** Cuts excess connections on which nothing is executed, never-used ones first. @param connections the oldest first */
function cutUnserved(connections: readonly Connection[]): void {
  const unserved = connections.filter(({ isUnserved }) => isUnserved);
  const neverUsed = unserved.filter(({ hasServed }) => !hasServed);
  const excess = Math.max(unserved.length - maxUnserved, 0);
  const inOrder = [...neverUsed, ...unserved.filter(({ hasServed }) => hasServed)];
  for (const connection of inOrder.slice(0, excess)) connection.cut();
}

/**
 * If clients leave more than `maxBytes` unread together, cuts the oldest connections that hold at least the average. So a slow
 * reader of small answers is safe from clients that ask for much and read nothing.
 */
export function cutUnread(connections: Iterable<Pick<Connection, 'unread' | 'cut'>>, maxBytes: number): void {
  const found: { readonly connection: Pick<Connection, 'cut'>; readonly unread: number }[] = [];
  let bytes = 0;
  for (const connection of connections) {
    const { unread } = connection;
    if (unread > 0) found.push({ connection, unread });
    bytes += unread;
  }
  const average = bytes / found.length;
  for (const { connection, unread } of found) {
    if (bytes <= maxBytes) return;
    if (unread < average) continue;
    connection.cut();
    bytes -= unread;
  }
}

/** Milliseconds that a client may take to close its side after the last bytes of an answer. */
const lingerMs = 1_000;

/**
 * Ends a connection behind what was written to it, and drops what the client still sends until it closes its side. Closing a
 * connection with unread bytes would reset it, and a reset overtakes the answer.
 */
export function endLingering(socket: Duplex): void {
  const linger = () => {
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cut));
  };
  // Other timeouts bound a slow client.
  if (socket.writableFinished) linger();
  else socket.once('finish', linger);
  socket.resume();
  socket.end();
}
