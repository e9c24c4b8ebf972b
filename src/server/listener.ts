import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AddressGate } from '../admission/address-gate.ts';
import type { VersionRefusal } from '../admission/rpc-version.ts';
import type { SocketServer } from '../shells/websocket/socket-server.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { createConnections } from './connections.ts';
import { createServerDrain } from './drain-server.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import type { Readiness } from './health.ts';
import { createRefuseMalformed } from './malformed-request.ts';
import { createRequestClass, isUpgradeOffered } from './offered-upgrade.ts';
import { toRequestRecord } from './request-record.ts';
import { isHostMissing, normaliseTarget, pathOf, versionIn } from './request-target.ts';
import { sendJson } from './response-body.ts';
import { createServeGraphql, refuseMethod, type ServeGraphqlOptions } from './serve-graphql.ts';
import type { SocketPlaces } from './socket-places.ts';
import { createWebSocketDoor } from './websocket-door.ts';

export interface ListenerOptions extends ExchangeOptions, ServeGraphqlOptions {
  readonly host: string;
  readonly port: number;
  /** Why the version that path and header ask for is not served; `null` when it is. */
  readonly checkVersion: (path: string | null, header: string | undefined) => VersionRefusal | null;
  /**
   * How long a connection may make no progress while a request is under way, in milliseconds: longer than any answer may
   * take. It ends with those who do not read what they asked for, who would hold their answers for ever.
   */
  readonly stallMs: number;
  /** Names of the headers by which a client asks for a version. */
  readonly versionHeaders: readonly string[];
  readonly corsOrigins: '*' | readonly string[];
  readonly sockets: SocketServer;
  readonly addresses: AddressGate;
  readonly places: SocketPlaces;
  readonly readiness: (draining: boolean) => Promise<Readiness>;
  readonly telemetry: Pick<Telemetry, 'requestAnswered' | 'upgradeAnswered' | 'errorMasked'>;
}

export interface Listener {
  readonly url: string;
  /** Stops accepting, lets what runs finish for at most so long, then cuts what is left. */
  drain(graceMs: number): Promise<void>;
}

/** Opens the HTTP listener. Rejects when the address cannot be bound. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, stamps, graphqlPath } = options;
  const begin = (req: IncomingMessage, res: ServerResponse, serve: (exchange: Exchange) => void) => {
    const hasHost = !isHostMissing(req);
    normaliseTarget(req);
    const exchange = new Exchange(req, res, pathOf(req), options);
    if (!connections.enter(exchange)) return;
    lifetime.enter(res);
    res.on('close', () => connections.leave(exchange));
    try {
      if (hasHost) serve(exchange);
      else exchange.refuseUnread('BAD_REQUEST', 'A request needs a Host header.', 400);
    } catch (error) {
      exchange.fail(error);
    }
  };

  const connections = createConnections((exchange) => {
    lifetime.leave(exchange.res);
    exchange.onClose?.();
    // What hangs on it, the whole answer, is let go of before the response is.
    exchange.onClose = null;
    options.telemetry.requestAnswered(toRequestRecord(exchange));
  });
  const refusedVersion = (req: IncomingMessage, path: string | null) => checkVersion(options, req, path);
  const door = createWebSocketDoor({ ...options, connections, refusedVersion });
  // A missing Host is refused above, so that its refusal bears what every answer bears.
  const server = createServer(
    { requireHostHeader: false, IncomingMessage: createRequestClass(door.takes) },
    (req, res) => begin(req, res, isUpgradeOffered(req) ? routeOffer : route),
  );
  server.on('connection', connections.opened);
  server.on('upgrade', door.open);
  server.on('clientError', createRefuseMalformed({ connections, stamps }));
  server.on('checkExpectation', (req, res) => {
    const says = 'The only expectation that can be met is 100-continue.';
    begin(req, res, (exchange) => exchange.refuseUnread('BAD_REQUEST', says, 417));
  });
  server.setTimeout(options.stallMs);
  // Node leaves out, without a word, what comes behind a thousand headers: a proxy's word on who asks, behind a client's
  // thousand of its own. All of them together are bounded in bytes.
  server.maxHeadersCount = 0;
  const lifetime = createServerDrain(server);
  const serveGraphql = createServeGraphql(options);

  /** One that is served as if it had not offered another protocol; what came behind it is lost. */
  const routeOffer = (exchange: Exchange) => {
    exchange.endConnection();
    if (exchange.req.method === 'CONNECT') refuseMethod(exchange);
    else if (!door.refuse(exchange)) route(exchange);
  };

  const route = (exchange: Exchange) => {
    const { req, res, path } = exchange;
    const version = versionIn(path, graphqlPath);
    if (version !== undefined) {
      const refusal = refusedVersion(req, version);
      if (refusal) return exchange.refuseUnread(refusal.code, refusal.message, refusal.status);
      return serveGraphql(exchange);
    }
    exchange.stamp();
    switch (path) {
      case '/health/live':
        return sendJson(req, res, 200, { status: 'live' });
      case '/health/ready':
        return exchange.failWith(
          options.readiness(lifetime.draining).then(({ status, body }) => sendJson(req, res, status, body)),
        );
      default:
        return exchange.refuse('BAD_REQUEST', `There is nothing at this path. GraphQL is at ${graphqlPath}.`, 404);
    }
  };

  await listen(server, host, port);
  return {
    url: toUrl(host, server.address() as AddressInfo),
    // Upgraded connections are none of the HTTP server's, yet it waits for them.
    drain: async (graceMs) => {
      await Promise.all([lifetime.drain(graceMs), options.sockets.drain(graceMs)]);
    },
  };
}

/** Header and path must both hold; the header may bear the contract's name or the network's. */
function checkVersion(
  { versionHeaders, checkVersion }: Pick<ListenerOptions, 'versionHeaders' | 'checkVersion'>,
  { headers }: IncomingMessage,
  path: string | null,
): VersionRefusal | null {
  let asked: string | undefined;
  for (const name of versionHeaders) {
    const header = headers[name];
    if (header !== undefined) asked = asked === undefined ? String(header) : `${asked}, ${header}`;
  }
  return path === null && asked === undefined ? null : checkVersion(path, asked);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function toUrl(host: string, { port, family, address }: AddressInfo): string {
  const name =
    host === '0.0.0.0' || host === '::'
      ? family === 'IPv6'
        ? '[::1]'
        : '127.0.0.1'
      : family === 'IPv6'
        ? `[${address}]`
        : host;
  return `http://${name}:${port}`;
}
