import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Connections } from './connections.ts';
import type { Exchange } from './exchange.ts';

export interface ServerDrain {
  readonly draining: boolean;
  /** To be told of each exchange that begins. */
  entered(exchange: Exchange): void;
  /** To be told when one is over. */
  left(): void;
  /** Stops accepting, lets what runs finish for at most so long, then cuts what is left. */
  drain(graceMs: number): Promise<void>;
}

/**
 * Closes a server around the answers that are under way. Connections that are open stay usable while any runs, so that a
 * probe on one of them hears that the server is leaving; whoever asks then is told to come back on another connection.
 */
export function createServerDrain(
  server: Server,
  connections: Pick<Connections, 'underWay' | 'forEachExchange'>,
): ServerDrain {
  let draining = false;
  let onIdle = () => {};

  const sendAway = ({ res }: Exchange): void => {
    if (!res.headersSent) res.setHeader('connection', 'close');
  };

  return {
    get draining() {
      return draining;
    },
    entered(exchange) {
      if (draining) sendAway(exchange);
    },
    left() {
      if (connections.underWay === 0) onIdle();
    },
    async drain(graceMs) {
      draining = true;
      connections.forEachExchange(sendAway);
      // Not the HTTP server's own `close`, which also cuts the connections that are idle at this moment.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      // A connection that never sent a request is no idle one for `closeIdleConnections`: it would be waited for.
      const cut = () => server.closeAllConnections();
      const fuse = setTimeout(cut, graceMs);
      onIdle = () => setImmediate(() => connections.underWay === 0 && cut());
      if (connections.underWay === 0) cut();
      await closed;
      clearTimeout(fuse);
      // Ends the server's watch over slow connections; there is nothing left to close.
      server.close();
    },
  };
}
