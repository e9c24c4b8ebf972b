import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressGate } from '../callers/address-gate.ts';
import { type Standing, toRateLimitHeaders } from '../callers/caller-gate.ts';
import type { Sender } from '../callers/identify-caller.ts';
import type { SocketPlaces } from '../callers/socket-places.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { noteCodes } from '../errors/note-codes.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { RequestRecord } from '../telemetry/request-record.ts';
import type { Connections } from './bounds/connections.ts';
import type { Exchange } from './exchange.ts';
import { isHostMissing, pathOf, toRequestTarget } from './headers/request-target.ts';
import { sendRaw, stampHeaders } from './raw-response.ts';
import type { RefuseCounted } from './refuse-counted.ts';
import {
  createRefusedWebSocket,
  type RefusedWebSocketOptions,
  senderOf,
  untimelyWebSocket,
} from './refused-websocket.ts';
import { type Stamps, toRequestId } from './stamp-response.ts';
import type { SocketServer } from './websocket/socket-server.ts';

export interface WebSocketDoorOptions extends RefusedWebSocketOptions {
  readonly connections: Pick<Connections<Exchange>, 'of'>;
  readonly sockets: Pick<SocketServer, 'accept' | 'draining'>;
  readonly addresses: AddressGate;
  readonly places: SocketPlaces;
  readonly refuse: RefuseCounted;
  readonly stamps: Stamps;
  readonly telemetry: Pick<Telemetry, 'upgradeAnswered' | 'errorMasked'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Decides about requests for a WebSocket. What their headers show to be wrong is refused as an ordinary request, in its turn
 * on the connection. Who asks too often is found out only after the connection was taken over, and is refused on it.
 */
export interface WebSocketDoor {
  /** Does a request offer a WebSocket, and do we take the offer? */
  readonly takes: (req: IncomingMessage) => boolean;
  /** Refuses a WebSocket that was not taken. @returns `false` if the request offers another protocol */
  readonly refuse: (exchange: Exchange) => boolean;
  /** Takes over the connection of a WebSocket that was taken. */
  readonly open: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export function createWebSocketDoor(options: WebSocketDoorOptions): WebSocketDoor {
  const { connections, sockets, addresses, places, telemetry } = options;

  const refusalOf = createRefusedWebSocket(options);
  const networkOf = (sender: Sender) => addresses.networkOf(sender) ?? '';

  /** Does no answer wait to be sent on the connection? It would be written between the WebSocket's messages. */
  const isFree = ({ socket }: IncomingMessage) => connections.of(socket)?.isFree === true;

  return {
    takes: (req) => isHandshake(req) && !isHostMissing(req) && isFree(req) && refusalOf(req) === null,
    refuse(exchange) {
      if (!isHandshake(exchange.req)) return false;
      options.refuse(exchange, refusalOf(exchange.req) ?? untimelyWebSocket);
      return true;
    },
    open(req, socket, head) {
      const requestId = toRequestId(req.headers['x-request-id']);
      const answered = createUpgradeAnswered(req, requestId, telemetry);
      const sender = senderOf(req);
      // Counted as closing, so that it is not cut as a connection on which nothing is executed.
      connections.of(socket)?.close();
      socket.once('close', places.take(networkOf(sender)));
      // Nothing else listens for errors while the address is counted, and one without a listener would end the process.
      socket.on('error', destroyItself);
      addresses
        .admit(sender)
        .then(({ error, standing }) => {
          const headers = { ...stampHeaders(req, requestId, options.stamps), ...rateHeaders(standing, options.now()) };
          const refuse = (status: number, refusal: Parameters<typeof sendRaw>[2]) => {
            sendRaw(socket, status, refusal, headers);
            answered(status, refusal);
          };
          if (error) return refuse(429, error);
          const malformed = () => refuse(400, gatewayError('BAD_REQUEST', 'The WebSocket handshake is malformed.'));
          sockets.accept(req, socket, head, { requestId, headers, answered, malformed });
        })
        .catch((error: unknown) => {
          telemetry.errorMasked(error, requestId);
          socket.destroy();
        });
    },
  };
}

/** Makes the function that records how an upgrade was answered. Measures its duration from now. */
function createUpgradeAnswered(
  req: IncomingMessage,
  requestId: string,
  telemetry: Pick<Telemetry, 'upgradeAnswered'>,
): (status: number, refusal?: ReturnType<typeof gatewayError>) => void {
  const startedAt = performance.now();
  return (status, refusal) => {
    const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
    const path = pathOf({ url: toRequestTarget(req.url) });
    const codes: string[] = [];
    if (refusal) noteCodes(codes, [refusal]);
    telemetry.upgradeAnswered(new RequestRecord(requestId, 'GET', path, status, durationMs, [], codes));
  };
}

/** Knows nothing else: what listens to a connection is kept as long as the connection. */
function destroyItself(this: Duplex): void {
  this.destroy();
}

function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

function rateHeaders(standing: Standing, nowMs: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!standing) return headers;
  const list = toRateLimitHeaders(standing, nowMs);
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? '';
  return headers;
}
