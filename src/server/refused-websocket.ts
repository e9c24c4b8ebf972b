import type { IncomingMessage } from 'node:http';
import type { AddressGate } from '../callers/address-gate.ts';
import { type Sender, toSender } from '../callers/identify-caller.ts';
import type { VersionRefusal } from '../callers/rpc-version.ts';
import type { SocketPlaces } from '../callers/socket-places.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { pathOf, toRequestTarget, versionIn } from './headers/request-target.ts';
import type { Refusal } from './refuse-counted.ts';
import type { RefusedVersion } from './route.ts';
import { isListed } from './stamp-response.ts';
import type { SocketServer } from './websocket/socket-server.ts';

export interface RefusedWebSocketOptions {
  readonly sockets: Pick<SocketServer, 'draining'>;
  readonly addresses: Pick<AddressGate, 'networkOf'>;
  readonly places: Pick<SocketPlaces, 'refusalFor'>;
  readonly graphqlPath: string;
  readonly corsOrigins: '*' | readonly string[];
  readonly refusedVersion: RefusedVersion;
}

/** Decides from its headers why a request for a WebSocket is refused; `null` = it is not. */
export function createRefusedWebSocket(options: RefusedWebSocketOptions): (req: IncomingMessage) => Refusal | null {
  const { sockets, addresses, places, graphqlPath, corsOrigins, refusedVersion } = options;
  return (req) => {
    const version = versionIn(pathOf({ url: toRequestTarget(req.url) }), graphqlPath);
    if (version === undefined) {
      return refusal(404, 'BAD_REQUEST', `There is no WebSocket at this path. It is at ${graphqlPath}.`);
    }
    if (hasBody(req)) return refusal(400, 'BAD_REQUEST', 'The request for a WebSocket has a body.');
    const { origin } = req.headers;
    // Browsers let a page of any origin open a WebSocket, without the CORS preflight that protects a POST.
    if (origin !== undefined && corsOrigins !== '*' && !isListed(origin, corsOrigins)) {
      return refusal(403, 'FORBIDDEN', 'This origin is not allowed.');
    }
    const refused = refusedVersion(req, version);
    if (refused) return refused;
    if (sockets.draining) return { error: gatewayError('UNAVAILABLE', 'This gateway is about to leave.') };
    const error = places.refusalFor(addresses.networkOf(senderOf(req)) ?? '');
    return error && { error };
  };
}

/** Refuses a WebSocket on a connection that still waits for an answer, which would be written between its messages. */
export const untimelyWebSocket = refusal(
  400,
  'BAD_REQUEST',
  'A WebSocket needs a connection on which no answer is awaited.',
);

/** Who asks for a WebSocket. */
export function senderOf({ headers, socket }: IncomingMessage): Sender {
  return toSender(headers, socket.remoteAddress);
}

function refusal(status: number, code: VersionRefusal['code'], message: string): VersionRefusal {
  return { status, code, message };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
