import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLError } from 'graphql';
import { type AddressGate, toRateLimitHeaders } from '../callers/caller-gate.ts';
import { toSender } from '../callers/identify-caller.ts';
import type { SocketQuota } from '../callers/socket-quota.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import { addErrorCodes } from '../errors/reported-errors.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { toRequestRecord } from '../telemetry/request-line.ts';
import type { Connections } from './connections.ts';
import type { CommonHeaders, Exchange } from './exchange.ts';
import { sendRaw, toHeaderObject } from './raw-response.ts';
import { pathOf, toRequestId, toRequestTarget, versionIn } from './request-head.ts';
import type { CheckVersion } from './route.ts';
import type { Refusal, RequestGate } from './serve-graphql.ts';
import { refusal, type SiteChecks } from './site-checks.ts';
import type { SocketServer, Upgrade } from './websocket/socket-server.ts';

export interface WebSocketUpgradesOptions {
  readonly connections: Pick<Connections, 'of'>;
  readonly sockets: Pick<SocketServer, 'accept' | 'draining'>;
  readonly addresses: Pick<AddressGate, 'admit' | 'networkOf'>;
  readonly socketQuota: SocketQuota;
  readonly graphqlPath: string;
  readonly site: SiteChecks;
  readonly checkVersion: CheckVersion;
  readonly entrance: Pick<RequestGate, 'refuse'>;
  readonly stamps: CommonHeaders;
  readonly telemetry: Pick<Telemetry, 'upgradeAnswered' | 'errorMasked'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * Accepts or rejects WebSocket upgrades. If the headers show that the upgrade is invalid, it is rejected as an ordinary HTTP
 * request, in pipeline order. The rate limit of the address is checked after the connection was taken over.
 */
export function createWebSocketUpgrades(options: WebSocketUpgradesOptions) {
  const { connections, sockets, addresses, socketQuota, graphqlPath, site, checkVersion, telemetry } = options;
  const networkOf = ({ headers, socket }: IncomingMessage) =>
    addresses.networkOf(toSender(headers, socket.remoteAddress)) ?? '';

  /** A pipelined response still to be sent would be written between the WebSocket's messages. */
  const isFree = ({ socket }: IncomingMessage) => connections.of(socket)?.isFree === true;

  /** Why a WebSocket upgrade is rejected for its headers; `null` = it is not. */
  const checkHead = (req: IncomingMessage): Refusal | null => {
    const path = pathOf({ url: toRequestTarget(req.url) });
    const foreignHost = site.checkHost(req, path);
    if (foreignHost) return foreignHost;
    const version = versionIn(path, graphqlPath);
    if (version === undefined)
      return refusal(404, 'BAD_REQUEST', `There is no WebSocket at this path. It is at ${graphqlPath}.`);
    if (hasBody(req)) return refusal(400, 'BAD_REQUEST', 'The request for a WebSocket has a body.');
    const refused = site.checkOrigin(req) ?? checkVersion(req, version);
    if (refused) return refused;
    if (sockets.draining) return { error: gatewayError('UNAVAILABLE', 'This gateway is stopping. Connect again.') };
    const error = socketQuota.refusalFor(networkOf(req));
    return error && { error };
  };

  return {
    /** Does a request offer a WebSocket, and does the gateway accept? */
    takes: (req: IncomingMessage) => isHandshake(req) && isFree(req) && checkHead(req) === null,
    /**
     * Rejects a WebSocket upgrade that was not accepted.
     * @returns `false` if the request offers another protocol
     */
    refuse(exchange: Exchange): boolean {
      if (!isHandshake(exchange.req)) return false;
      options.entrance.refuse(exchange, checkHead(exchange.req) ?? connectionBusy);
      return true;
    },
    open(req: IncomingMessage, socket: Duplex, head: Buffer): void {
      const requestId = toRequestId(req.headers['x-request-id']);
      const address = networkOf(req);
      const answered = createUpgradeAnswered(req, requestId, address, telemetry);
      // Count the connection as closing, so that it is not closed as one without an executing request.
      const connection = connections.of(socket);
      connection?.close();
      // Bound, because a function made here would keep the whole request.
      const share = socketQuota.take(address);
      socket.on('close', share.leave.bind(share));
      // No other code listens for errors while the address is counted, and an unhandled one would end the process.
      socket.on('error', destroyItself);
      addresses
        .admit(toSender(req.headers, req.socket.remoteAddress))
        .then(({ error, standing }) => {
          const rateLimit = standing ? toRateLimitHeaders(standing, options.now()) : [];
          const headers = toHeaderObject([...options.stamps(req.headers.origin, requestId), ...rateLimit]);
          const refuse = (status: number, error: GraphQLError) => {
            sendRaw(socket, status, error, headers);
            answered(status, error);
          };
          if (error) return refuse(429, error);
          const malformed = () => refuse(400, gatewayError('BAD_REQUEST', 'The WebSocket handshake is malformed.'));
          const opened: Upgrade['opened'] = (writer) => connection?.becomeWebSocket(address, writer);
          sockets.accept(req, socket, head, { requestId, address, headers, answered, malformed, opened });
        })
        .catch((error: unknown) => {
          telemetry.errorMasked(error, requestId);
          socket.destroy();
        });
    },
  };
}

const connectionBusy = refusal(400, 'BAD_REQUEST', 'A WebSocket needs a connection on which no answer is awaited.');

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

/** Returns the function that records the upgrade's outcome. Measures its duration from now. */
function createUpgradeAnswered(
  req: IncomingMessage,
  requestId: string,
  address: string,
  telemetry: Pick<Telemetry, 'upgradeAnswered'>,
): (status: number, error?: GraphQLError) => void {
  const startedAt = performance.now();
  return (status, error) => {
    const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
    const path = pathOf({ url: toRequestTarget(req.url) });
    const codes: string[] = [];
    if (error) addErrorCodes(codes, [error]);
    telemetry.upgradeAnswered(toRequestRecord(requestId, 'GET', path, status, durationMs, [], codes), address);
  };
}

/** Holds no references, because the connection keeps its listener. */
function destroyItself(this: Duplex): void {
  this.destroy();
}
