import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { AddressGate } from '../callers/caller-gate.ts';
import { toSender } from '../callers/identify-caller.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { loopTurns } from '../upstream/fair-turns.ts';
import type { Share } from '../upstream/quota.ts';
import { RingLink } from '../upstream/ring-link.ts';
import { acceptPending } from './accept-pending.ts';
import { type CuttableConnection, cutUnread, cutUnserved, type UnreadPart } from './cut-connections.ts';
import { endLingering } from './end-lingering.ts';
import type { Exchange } from './exchange.ts';
import { createPaceReading, fewRequests, type Reading } from './pace-reading.ts';
import type { BytesInFlight } from './read-body.ts';
import type { SocketWriter } from './websocket/socket-writer.ts';

/**
 * Pipelined requests on one connection, including those that are not executed; clients pipeline fewer. There is a limit
 * because pipelined requests run concurrently, and because Node keeps each response until the previous ones are sent, which
 * for a stream may be never.
 */
const maxWaiting = 100;

/** New connections between two checks of the limit: each check visits all connections. */
const checkEvery = 256;

export type Connections = ReturnType<typeof createConnections>;

interface ConnectionsOptions {
  readonly addresses: Pick<AddressGate, 'networkOf' | 'isProxy'>;
  readonly bytesInFlight: Pick<BytesInFlight, 'open' | 'close' | 'begin' | 'end'>;
  /** Called once for each exchange, when it has ended. */
  readonly onEnd: (exchange: Exchange) => void;
}

/** All connections of a server: how many may be open, which requests wait on each, and how they end when the server stops. */
export function createConnections({ addresses, bytesInFlight, onEnd }: ConnectionsOptions) {
  const open = new WeakMap<object, Connection>();
  const ring: Connection = new Connection(null, null, null);
  const paceReading = createPaceReading((then) => loopTurns.await(then));
  let unchecked = 0;
  let draining = false;

  /** Must be called when the response has been sent, or cannot be sent. */
  const leave = (exchange: Exchange): void => {
    const connection = open.get(exchange.req.socket);
    if (connection?.leave(exchange)) {
      endRequest(exchange, connection);
      onEnd(exchange);
      connection.callIfIdle();
    }
  };
  /** A proxy's connection carries the requests of many addresses; any other counts all of its requests on its own share. */
  const shareOf = (exchange: Exchange, { share }: Connection): Share =>
    share ?? bytesInFlight.open(addresses.networkOf(exchange.sender) ?? '');
  /** The connections of one address, without WebSockets. */
  function* readBy(reading: Reading): Generator<Socket, void> {
    for (const each of ring.others()) if (each.reading === reading && each.socket && !each.isClosing) yield each.socket;
  }
  const endRequest = (exchange: Exchange, connection: Connection): void => {
    const { share } = exchange;
    if (share === null) return;
    exchange.share = null;
    bytesInFlight.end(share);
    if (share !== connection.share) bytesInFlight.close(share);
  };
  /** From now on, the last response on each connection tells its client to reconnect (`connection: close`). */
  const announceDrain = (): void => {
    draining = true;
    for (const connection of ring.others()) connection.announceEnd();
  };
  let closed: Promise<void> | null = null;
  /** Closes the listening socket, after every pending connection has been accepted. Open connections are served. */
  const closeSocket = async (server: Server): Promise<void> => {
    announceDrain();
    if (closed !== null) return;
    await acceptPending(server, [...ring.others()].length);
    // Not `server.close()`, which also closes idle connections, and health probes use these.
    closed = new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  };

  return {
    get draining() {
      return draining;
    },
    opened(socket: Socket): void {
      loopTurns.accepted();
      const { remoteAddress = '' } = socket;
      const share = addresses.isProxy(remoteAddress)
        ? null
        : bytesInFlight.open(addresses.networkOf(toSender({}, remoteAddress)) ?? '');
      const reading = share && paceReading.opened(share, socket);
      const connection = new Connection(socket, share, reading);
      connection.insertBefore(ring);
      open.set(socket, connection);
      // Node calls this after a response that closes its connection. A paused socket keeps costly requests unread: do not
      // resume it, unless it only waits for its turn.
      const destroySoon = socket.destroySoon;
      socket.destroySoon = () =>
        socket.isPaused() && !reading?.paused.has(socket) ? destroySoon.call(socket) : endLingering(socket);
      socket.on('close', () => {
        reading?.paused.delete(socket);
        connection.remove();
        // Node attaches pipelined responses to the connection one by one, so the waiting ones emit no `close`.
        for (const exchange of connection.exchanges) leave(exchange);
        if (share) bytesInFlight.close(share);
      });
      unchecked += 1;
      if (unchecked < checkEvery) return;
      unchecked = 0;
      cutUnserved([...ring.others()]);
    },
    of: (socket: object) => open.get(socket),
    /**
     * Counts a request before anything is made for it. Later ones of an address that sends many at once wait.
     * @returns whether it is certainly not executed
     */
    ignores(socket: object): boolean {
      const connection = open.get(socket);
      if (!connection) return true;
      const { reading } = connection;
      if (reading) reading.requests += 1;
      if (reading && reading.requests >= fewRequests) paceReading.requested(reading, () => readBy(reading));
      return connection.ignores();
    },
    /**
     * Counts an exchange as in flight. Disconnects the client if too many wait on the connection.
     * @returns `false` if the request must not be executed, because too many of its address are in flight, the connection is
     * closed, or an earlier response will close it
     */
    enter(exchange: Exchange): boolean {
      const connection = open.get(exchange.req.socket);
      if (!connection?.enter(exchange)) return false;
      const share = shareOf(exchange, connection);
      exchange.address = share.caller;
      if (!bytesInFlight.begin(share)) {
        if (share !== connection.share) bytesInFlight.close(share);
        connection.refuse(exchange);
        return false;
      }
      exchange.share = share;
      if (draining) connection.announceEnd();
      return true;
    },
    leave,
    /** No longer counts the request of a stream, because the stream is counted. */
    becomeStream(exchange: Exchange): void {
      const connection = open.get(exchange.req.socket);
      if (connection) endRequest(exchange, connection);
    },
    /** Disconnects clients that together leave more than `maxBytes` unread. */
    cutUnread: (maxBytes: number) => cutUnread(ring.others(), maxBytes),
    announceDrain,
    /**
     * Accepts no more connections, and waits up to 1 s for the responses to requests in flight and to the first requests of
     * new connections. A proxy has sent these because it does not know yet that the server stops.
     */
    async stopAccepting(server: Server): Promise<void> {
      await closeSocket(server);
      for (let checks = 0; checks < arrivalChecks; checks += 1) {
        const all = [...ring.others()];
        if (!all.some(({ isAwaited }) => isAwaited)) return;
        for (const connection of all) connection.noteSilence();
        await delay(checkMs);
      }
    },
    /**
     * Stops the server: accepts no new connections, and closes each connection after its last response. After `graceMs`,
     * disconnects the rest. Until then, open connections are served, so that health probes on them see that the server is
     * stopping.
     */
    async drain(server: Server, graceMs: number): Promise<void> {
      await closeSocket(server);
      await endConnections(graceMs, ring, closed);
      // All connections are closed; this only stops Node's timer that looks for slow ones.
      server.close();
    },
  };
}

/** One connection, linked into the ring of all open ones, with its exchanges in flight. */
class Connection extends RingLink implements CuttableConnection {
  /** In order of arrival. Replaced rather than grown: V8 reserves 17 places for a list that grows. */
  exchanges: readonly Exchange[] = [];
  hasServed = false;
  /** Checks since the last request, while the server stops. */
  #silentChecks = 0;
  #isClosing = false;
  /** Number of requests after the one whose response closes the connection. */
  #ignored = 0;
  #onIdle: (() => void) | null = null;
  #webSocket: { readonly address: string; readonly writer: Pick<SocketWriter, 'unwritten'> } | null = null;
  /** The exchange whose response has `connection: close` only because the server stops: `announceEnd` may move the header. */
  #announced: Exchange | null = null;
  /** Where its requests are counted; `null` for a trusted proxy's connection. */
  readonly share: Share | null;
  /** How it and the others of its address are read; `null` for a trusted proxy's connection. */
  readonly reading: Reading | null;
  readonly socket: Socket | null;

  /** @param socket `null` for the ring's own link */
  constructor(socket: Socket | null, share: Share | null, reading: Reading | null) {
    super();
    this.socket = socket;
    this.share = share;
    this.reading = reading;
  }

  /** No further request is executed. A WebSocket's connection is closing too. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** @returns `false` if the request must not be executed */
  enter(exchange: Exchange): boolean {
    if (this.exchanges.length + this.#ignored >= maxWaiting) {
      // An error response would have to wait until all earlier ones are sent.
      this.cut();
      return false;
    }
    const isFinal = (each: Exchange) => isLast(each) && (each !== this.#announced || each.res.headersSent);
    if (this.#isClosing || this.exchanges.some(isFinal)) {
      this.#ignored += 1;
      return false;
    }
    this.exchanges = [...this.exchanges, exchange];
    this.#silentChecks = 0;
    return true;
  }

  /** Counts a request that comes after the last response. Disconnects a client that sends too many. */
  ignores(): boolean {
    if (!this.#isClosing) return false;
    this.#ignored += 1;
    if (this.exchanges.length + this.#ignored > maxWaiting) this.cut();
    return true;
  }

  /**
   * Rejects the newest request, and ignores all further ones. Behind others, a response would have to wait for theirs: the
   * connection ends after them, which tells the client that the rest was not begun.
   */
  refuse(exchange: Exchange): void {
    this.exchanges = this.exchanges.slice(0, -1);
    this.announceEnd();
    this.close();
    if (this.exchanges.length > 0) {
      // Without effect if a response with `connection: close` has ended it.
      this.whenIdle(() => this.end());
      return;
    }
    exchange.endConnection();
    exchange.refuseWith(tooManyInFlight());
  }

  /** @returns `false` if the exchange has left already */
  leave(exchange: Exchange): boolean {
    const at = this.exchanges.indexOf(exchange);
    if (at < 0) return false;
    this.exchanges = this.exchanges.toSpliced(at, 1);
    this.hasServed = true;
    this.#silentChecks = 0;
    if (isLast(exchange)) this.close();
    return true;
  }

  /** The connection has no request in flight, and is not closing. */
  get isFree(): boolean {
    return this.exchanges.length === 0 && !this.#isClosing;
  }

  get isUnserved(): boolean {
    return !this.#isClosing && this.exchanges.every(({ isReading }) => isReading);
  }

  /** The connection's first request has not arrived, or a response has not begun. */
  get isAwaited(): boolean {
    if (this.exchanges.length === 0) return !this.hasServed && !this.#isClosing;
    return this.exchanges.some(({ res }) => !res.headersSent);
  }

  /** Counts a check that found no request, or an incomplete one. @returns whether the client probably sends no more */
  noteSilence(): boolean {
    const isReading = this.exchanges.at(-1)?.isReading ?? false;
    if (!this.isFree && !isReading) return false;
    this.#silentChecks += 1;
    return this.#silentChecks > (this.hasServed && !isReading ? quietChecks : arrivalChecks);
  }

  /** Counts the messages of its WebSocket that wait for its client. @param address of the client */
  becomeWebSocket(address: string, writer: Pick<SocketWriter, 'unwritten'>): void {
    this.#webSocket = { address, writer };
  }

  /** Bytes written and not yet read by the client, including responses that wait for earlier ones. */
  get unread(): number {
    let bytes = 0;
    if (this.exchanges.length > 0) {
      for (const each of this.exchanges) bytes += each.unread;
      return bytes;
    }
    for (const each of this.#webSocket?.writer.unwritten ?? []) bytes += each.bytes;
    return bytes + (this.socket?.writableLength ?? 0);
  }

  /** The same, in parts. */
  unreadParts(): readonly UnreadPart[] {
    if (this.exchanges.length === 0) {
      const { address, writer } = this.#webSocket ?? { address: this.share?.caller ?? '', writer: { unwritten: [] } };
      const written = { bytes: this.socket?.writableLength ?? 0, memory: null };
      return [written, ...writer.unwritten].map((each) => ({ ...each, address }));
    }
    return this.exchanges.map(({ unread: bytes, address, memory }) => ({ bytes, address, memory }));
  }

  /** Ignores all further requests on this connection. */
  close(): void {
    this.#isClosing = true;
  }

  /** @param then called when no request is in flight any more; immediately if none is */
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
    this.socket?.destroy();
  }

  /** Ends the connection after the bytes already written. No request may be in flight. */
  end(): void {
    this.close();
    if (this.socket) endLingering(this.socket);
  }

  /**
   * Gives the newest response the header `connection: close`. Takes the header from the response that got it before, which
   * would close the connection before the newest one is sent.
   */
  announceEnd(): void {
    const newest = this.exchanges.at(-1);
    if (!newest || newest.res.headersSent || isLast(newest)) return;
    if (this.#announced && !this.#announced.res.headersSent) this.#announced.res.removeHeader('connection');
    newest.res.setHeader('connection', 'close');
    this.#announced = newest;
  }
}

function isLast({ res }: Exchange): boolean {
  return res.getHeader('connection') === 'close';
}

/** Milliseconds between two checks of the connections while the server stops. */
const checkMs = 25;
/**
 * While the server stops, it closes a connection after this many checks without a request: 50 ms. A request that is already on
 * its way would be lost. Checks count instead of time, because the event loop reads arrived requests between two checks: a
 * server that had no CPU for a second would else close connections with unread requests.
 */
const quietChecks = 2;
/**
 * The same for the rest of a request, and for the first request, which a busy proxy sends late: 1 s. A proxy does not repeat a
 * lost POST.
 */
const arrivalChecks = 40;

/** @param closed resolves when all connections are closed */
async function endConnections(graceMs: number, ring: Connection, closed: Promise<void> | null): Promise<void> {
  const endsAt = performance.now() + graceMs;
  const endSome = (): void => {
    const isOver = performance.now() >= endsAt;
    for (const connection of ring.others()) {
      const newest = connection.exchanges.at(-1);
      const isSilent = connection.noteSilence();
      if (connection.isFree && (isOver || isSilent)) connection.end();
      else if (newest?.isReading && (isOver || isSilent)) newest.abandon();
      else if (isOver && newest) connection.cut();
    }
  };
  const timer = setInterval(endSome, checkMs);
  await closed;
  clearInterval(timer);
}

/** A third of the default query timeout. */
const retryAfterMs = 5_000;

function tooManyInFlight() {
  const message = 'Too many requests of this address are in flight. Wait for answers before you send more.';
  return gatewayError('UNAVAILABLE', message, { retryAfterMs });
}
