import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * One face of the devnet: a handler for requests whose path has already been made relative to where the face is mounted
 * (`req.url` starts with `/`), and, where it has one, for WebSocket upgrades. The listener belongs to whoever mounts it.
 */
export interface DevnetFace {
  handle(req: IncomingMessage, res: ServerResponse): void | Promise<void>;
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends sockets and timers of its own. */
  close(): Promise<void>;
}
