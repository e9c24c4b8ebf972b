import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * One interface of the devnet (GraphQL, sponsor or JSON-RPC): handles requests, and WebSocket upgrades if it accepts any.
 * `req.url` is relative to where the face is mounted and starts with `/`. The listener belongs to the code that mounts it.
 */
export interface DevnetFace {
  handle(req: IncomingMessage, res: ServerResponse): void | Promise<void>;
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends the face's own sockets and timers. */
  close(): Promise<void>;
}
