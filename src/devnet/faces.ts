import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * One face of the devnet: handles requests, and WebSocket upgrades if it has any. `req.url` is relative to where the
 * face is mounted and starts with `/`. The listener belongs to the code that mounts it.
 */
export interface DevnetFace {
  handle(req: IncomingMessage, res: ServerResponse): void | Promise<void>;
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends the face's own sockets and timers. */
  close(): Promise<void>;
}
