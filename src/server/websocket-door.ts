import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressGate } from '../admission/address-gate.ts';
import type { Standing } from '../admission/caller-gate.ts';
import { toRateLimitHeaders } from '../admission/rate-limit-headers.ts';
import type { VersionRefusal } from '../admission/rpc-version.ts';
import { type Sender, toSender } from '../admission/sender.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { isHostMissing, pathOf, toRequestTarget, versionIn } from '../http/request-target.ts';
import type { SocketServer } from '../shells/websocket/socket-server.ts';
import type { Telemetry } from '../telemetry/events.ts';
import type { Connections } from './connections.ts';
import type { Exchange } from './exchange.ts';
import { sendRaw } from './raw-response.ts';
import type { RefusedVersion } from './refused-version.ts';
import type { SocketPlaces } from './socket-places.ts';
import { isListed, type Stamps, stampHeaders, toRequestId } from './stamp-response.ts';

export interface WebSocketDoorOptions {
  readonly connections: Pick<Connections, 'of'>;
  readonly sockets: Pick<SocketServer, 'accept' | 'draining'>;
  readonly addresses: AddressGate;
  readonly places: SocketPlaces;
  readonly graphqlPath: string;
  readonly corsOrigins: '*' | readonly string[];
  readonly refusedVersion: RefusedVersion;
  readonly stamps: Stamps;
  readonly telemetry: Pick<Telemetry, 'upgradeAnswered' | 'errorMasked'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Decides about requests for a WebSocket. Those that are refused stay ordinary requests, refused in their place; whoever
 * asks for too many at once cannot be known so early, and is refused on a connection where nothing else is awaited.
 */
export interface WebSocketDoor {
  /** Is an offer one of a WebSocket, and is it taken? */
  readonly takes: (req: IncomingMessage) => boolean;
  /** Refuses one that was not taken. @returns `false` for an offer of anything else */
  readonly refuse: (exchange: Exchange) => boolean;
  /** Takes over the connection of one that was. */
  readonly open: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

type UpgradeRefusal = VersionRefusal | { readonly error: ReturnType<typeof gatewayError> };

export function createWebSocketDoor(options: WebSocketDoorOptions): WebSocketDoor {
  const { connections, sockets, addresses, places, graphqlPath, corsOrigins, refusedVersion } = options;

  const refusalOf = (req: IncomingMessage): UpgradeRefusal | null => {
    const version = versionIn(pathOf({ url: toRequestTarget(req.url) }), graphqlPath);
    if (version === undefined) {
      return refusal(404, 'BAD_REQUEST', `There is no WebSocket at this path. It is at ${graphqlPath}.`);
    }
    if (hasBody(req)) return refusal(400, 'BAD_REQUEST', 'The request for a WebSocket has a body.');
    const { origin } = req.headers;
    // A page of any origin can open a WebSocket, without the preflight that would have refused its POST.
    if (origin !== undefined && corsOrigins !== '*' && !isListed(origin, corsOrigins)) {
      return refusal(403, 'FORBIDDEN', 'This origin is not allowed.');
    }
    const refused = refusedVersion(req, version);
    if (refused) return refused;
    if (sockets.draining) return { error: gatewayError('UNAVAILABLE', 'This gateway is about to leave.') };
    const error = places.refusalFor(networkOf(senderOf(req)));
    return error && { error };
  };

  const networkOf = (sender: Sender) => addresses.networkOf(sender) ?? '';

  /** Answers that are awaited on the connection would be written among the messages. */
  const isFree = ({ socket }: IncomingMessage) => connections.of(socket)?.isFree === true;

  /** Whoever is refused for want of a place is counted besides: it may ask again at once. */
  const refuseCounted = async (exchange: Exchange, error: ReturnType<typeof gatewayError>): Promise<void> => {
    const counted = await addresses.admit(exchange.sender);
    exchange.onStanding(counted.standing);
    const seconds = error.extensions.retryAfterSeconds;
    if (!counted.error && seconds !== undefined) exchange.res.setHeader('retry-after', String(seconds));
    exchange.refuseWith(counted.error ?? error);
  };

  return {
    takes: (req) => isHandshake(req) && !isHostMissing(req) && isFree(req) && refusalOf(req) === null,
    refuse(exchange) {
      if (!isHandshake(exchange.req)) return false;
      const why = refusalOf(exchange.req) ?? untimely;
      if ('error' in why) exchange.failWith(refuseCounted(exchange, why.error));
      else exchange.refuse(why.code, why.message, why.status);
      return true;
    },
    open(req, socket, head) {
      const startedAt = performance.now();
      const requestId = toRequestId(req.headers['x-request-id']);
      const sender = senderOf(req);
      socket.once('close', places.take(networkOf(sender)));
      // Nobody else listens while the address is counted, and without a listener it would end the process.
      socket.on('error', () => socket.destroy());
      const answered = (status: number) => {
        const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
        const path = pathOf({ url: toRequestTarget(req.url) });
        options.telemetry.upgradeAnswered({ requestId, method: 'GET', path, status, durationMs, operations: [] });
      };
      addresses
        .admit(sender)
        .then(({ error, standing }) => {
          const headers = { ...stampHeaders(req, requestId, options.stamps), ...rateHeaders(standing, options.now()) };
          const refuse = (status: number, refusal: Parameters<typeof sendRaw>[2]) => {
            sendRaw(socket, status, refusal, headers);
            answered(status);
          };
          if (error) return refuse(429, error);
          const malformed = () => refuse(400, gatewayError('BAD_REQUEST', 'The WebSocket handshake is malformed.'));
          sockets.accept(req, socket, head, { requestId, headers, answered, malformed });
        })
        .catch((error: unknown) => {
          options.telemetry.errorMasked(error, requestId);
          socket.destroy();
        });
    },
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

function senderOf({ headers, socket }: IncomingMessage): Sender {
  return toSender(headers, socket.remoteAddress);
}

function rateHeaders(standing: Standing, nowMs: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!standing) return headers;
  const list = toRateLimitHeaders(standing, nowMs);
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
}
