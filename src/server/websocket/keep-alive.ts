import type { WebSocket } from 'ws';

/** Pings clients, and ends the connection of one that has not answered a ping when the next one is due. */
export interface KeepAlive {
  /**
   * @param session told of each ping
   * @returns stops pinging it; safe to call twice
   */
  add(socket: WebSocket, session: { rest(): void }): () => void;
}

/** All are not pinged at once: so many times between two pings it is the turn of some of them. */
const turns = 15;

/**
 * One timer for all connections, and none while there are none.
 * @param everyMs between two pings of a client
 */
export function createKeepAlive(everyMs: number): KeepAlive {
  const all = Array.from({ length: turns }, () => new Set<Pinged>());
  let count = 0;
  let turn = 0;
  let last = 0;
  let timer: NodeJS.Timeout | undefined;

  function pingSome(): void {
    turn = (turn + 1) % turns;
    const some = all[turn] as Set<Pinged>;
    // What came while the process had no time is read first: an answer may be among it.
    setImmediate(() => {
      for (const each of some) each.ping();
    });
  }

  return {
    add(socket, session) {
      last = (last + 1) % turns;
      const some = all[last] as Set<Pinged>;
      const pinged = new Pinged(socket, session);
      some.add(pinged);
      count += 1;
      timer ??= setInterval(pingSome, everyMs / turns);
      return () => {
        if (!some.delete(pinged)) return;
        count -= 1;
        if (count > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

class Pinged {
  readonly #socket: WebSocket;
  readonly #session: { rest(): void };
  #hasAnswered = true;

  constructor(socket: WebSocket, session: { rest(): void }) {
    this.#socket = socket;
    this.#session = session;
    socket.on('pong', () => {
      this.#hasAnswered = true;
    });
  }

  ping(): void {
    this.#session.rest();
    if (!this.#hasAnswered) {
      this.#socket.terminate();
      return;
    }
    this.#hasAnswered = false;
    this.#socket.ping();
  }
}
