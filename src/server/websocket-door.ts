import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { VersionRefusal } from '../admission/rpc-version.ts';
import type { Connections } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { isHostMissing, pathOf, toRequestTarget, versionIn } from './request-target.ts';
import type { SocketServer } from './socket-server.ts';
import { toRequestId } from './stamp-response.ts';

export interface WebSocketDoorOptions {
  readonly connections: Pick<Connections, 'of'>;
  readonly sockets: Pick<SocketServer, 'accept'>;
  readonly graphqlPath: string;
  readonly corsOrigins: '*' | readonly string[];
  /** Why the version that a request asks for is not served; `null` when it is. */
  readonly refusedVersion: (req: IncomingMessage, path: string | null) => VersionRefusal | null;
}

/** Decides about requests for a WebSocket. Those that are refused stay ordinary requests, refused in their place. */
export interface WebSocketDoor {
  /** Is an offer one of a WebSocket, and is it taken? */
  readonly takes: (req: IncomingMessage) => boolean;
  /** Refuses one that was not taken. @returns `false` for an offer of anything else */
  readonly refuse: (exchange: Exchange) => boolean;
  /** Takes over the connection of one that was. */
  readonly open: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export function createWebSocketDoor(options: WebSocketDoorOptions): WebSocketDoor {
  const { connections, sockets, graphqlPath, corsOrigins, refusedVersion } = options;

  const refusalOf = (req: IncomingMessage): VersionRefusal | null => {
    const version = versionIn(pathOf({ url: toRequestTarget(req.url) }), graphqlPath);
    if (version === undefined) {
      return refusal(404, 'BAD_REQUEST', `There is no WebSocket at this path. It is at ${graphqlPath}.`);
    }
    if (hasBody(req)) return refusal(400, 'BAD_REQUEST', 'The request for a WebSocket has a body.');
    const { origin } = req.headers;
    // A page of any origin can open a WebSocket, without the preflight that would have refused its POST.
    if (origin !== undefined && corsOrigins !== '*' && !corsOrigins.includes(origin)) {
      return refusal(403, 'FORBIDDEN', 'This origin is not allowed.');
    }
    return refusedVersion(req, version);
  };

  /** Answers that are awaited on the connection would be written among the messages. */
  const isFree = ({ socket }: IncomingMessage) => connections.of(socket)?.isFree === true;

  return {
    takes: (req) => isHandshake(req) && !isHostMissing(req) && isFree(req) && refusalOf(req) === null,
    refuse(exchange) {
      if (!isHandshake(exchange.req)) return false;
      const { code, message, status } = refusalOf(exchange.req) ?? untimely;
      exchange.refuse(code, message, status);
      return true;
    },
    open: (req, socket, head) => sockets.accept(req, socket, head, toRequestId(req.headers['x-request-id'])),
  };
}

const untimely = refusal(400, 'BAD_REQUEST', 'A WebSocket needs a connection on which no answer is awaited.');

function refusal(status: number, code: VersionRefusal['code'], message: string): VersionRefusal {
  return { status, code, message };
}

function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
