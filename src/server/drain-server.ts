import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

export interface ServerDrain {
  readonly draining: boolean;
  /** Counts an answer as under way. */
  enter(res: ServerResponse): void;
  /** To be told when its connection is done with it. */
  leave(res: ServerResponse): void;
  /** Stops accepting, lets what runs finish for at most so long, then cuts what is left. */
  drain(graceMs: number): Promise<void>;
}

/**
 * Closes a server around the answers that are under way. Connections that are open stay usable while any runs, so that a
 * probe on one of them hears that the server is leaving; whoever asks then is told to come back on another connection.
 */
export function createServerDrain(server: Server): ServerDrain {
  const underWay = new Set<ServerResponse>();
  let draining = false;
  let onIdle = () => {};

  const sendAway = (res: ServerResponse): void => {
    if (!res.headersSent) res.setHeader('connection', 'close');
  };

  return {
    get draining() {
      return draining;
    },
    enter(res) {
      underWay.add(res);
      if (draining) sendAway(res);
    },
    leave(res) {
      underWay.delete(res);
      if (underWay.size === 0) onIdle();
    },
    async drain(graceMs) {
      draining = true;
      underWay.forEach(sendAway);
      // Not the HTTP server's own `close`, which also cuts the connections that are idle at this moment.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      // A connection that never sent a request is no idle one for `closeIdleConnections`: it would be waited for.
      const cut = () => server.closeAllConnections();
      const fuse = setTimeout(cut, graceMs);
      onIdle = () => setImmediate(() => underWay.size === 0 && cut());
      if (underWay.size === 0) cut();
      await closed;
      clearTimeout(fuse);
      // Ends the server's watch over slow connections; there is nothing left to close.
      server.close();
    },
  };
}
