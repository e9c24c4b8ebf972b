import type { Exchange } from './exchange.ts';

/** One connection and what is under way on it. */
export interface Connection {
  /** In the order they came: of clients that do not wait for an answer before they ask again, several. */
  readonly exchanges: ReadonlySet<Exchange>;
  /** Nothing is under way on it, and it goes on. */
  readonly isFree: boolean;
  /** Serves nothing more that comes on it. */
  close(): void;
  /** @param then called when nothing is under way on it any more; at once where nothing is */
  whenIdle(then: () => void): void;
}

export interface Connections {
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
}

interface ConnectionSocket {
  once(event: 'close', listener: () => void): unknown;
}

class OpenConnection implements Connection {
  readonly exchanges = new Set<Exchange>();
  isClosing = false;
  #onIdle: (() => void) | null = null;

  get isFree(): boolean {
    return this.exchanges.size === 0 && !this.isClosing;
  }

  close(): void {
    this.isClosing = true;
  }

  whenIdle(then: () => void): void {
    if (this.exchanges.size === 0) then();
    else this.#onIdle = then;
  }

  idle(): void {
    const then = this.#onIdle;
    this.#onIdle = null;
    then?.();
  }
}

/** Keeps what is under way on each connection. @param onEnd called once for each exchange, when it is over */
export function createConnections(onEnd: (exchange: Exchange) => void): Connections {
  const open = new WeakMap<object, OpenConnection>();

  const leave = (exchange: Exchange): void => {
    const connection = open.get(exchange.req.socket);
    if (!connection?.exchanges.delete(exchange)) return;
    if (isLast(exchange)) connection.close();
    onEnd(exchange);
    if (connection.exchanges.size === 0) connection.idle();
  };

  return {
    opened(socket) {
      const connection = new OpenConnection();
      open.set(socket, connection);
      // A response that waits behind another has no connection yet, and is not told when that closes.
      socket.once('close', () => connection.exchanges.forEach(leave));
    },
    of: (socket) => open.get(socket),
    enter(exchange) {
      const connection = open.get(exchange.req.socket);
      if (!connection || connection.isClosing) return false;
      for (const before of connection.exchanges) if (isLast(before)) return false;
      connection.exchanges.add(exchange);
      return true;
    },
    leave,
  };
}

/** Does its answer say that the connection ends with it? */
function isLast({ res }: Exchange): boolean {
  return res.getHeader('connection') === 'close';
}
