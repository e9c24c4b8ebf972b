import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AddressGate } from '../callers/caller-gate.ts';
import type { SocketQuota } from '../callers/socket-quota.ts';
import type { Telemetry } from '../telemetry/events.ts';
import { metricsType } from '../telemetry/metrics.ts';
import { createConnections } from './connections.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import { createRefuseMalformed } from './raw-response.ts';
import { type BytesInFlight, IncomingRequest } from './read-body.ts';
import { pathOf, toRequestTarget } from './request-head.ts';
import { createRoute, type RouteOptions } from './route.ts';
import { createRequestGate, type Refusal, type RequestGateOptions, refuseMethod } from './serve-graphql.ts';
import type { SiteChecks } from './site-checks.ts';
import type { SocketServer } from './websocket/socket-server.ts';
import { createWebSocketUpgrades } from './websocket-upgrades.ts';

export interface ListenerOptions
  extends Omit<ExchangeOptions, 'onLongUnread' | 'onStream'>,
    Omit<RequestGateOptions, 'turns'>,
    Omit<RouteOptions, 'isDraining' | 'entrance' | 'bytesInFlight'> {
  readonly bytesInFlight: BytesInFlight;
  readonly host: string;
  readonly port: number;
  readonly site: SiteChecks;
  readonly sockets: SocketServer;
  readonly addresses: AddressGate;
  readonly socketQuota: SocketQuota;
  readonly telemetry: Pick<Telemetry, 'requestAnswered' | 'upgradeAnswered' | 'errorMasked'>;
}

/** Milliseconds that a request may take to arrive, for its head and for all of it. Node's defaults are five times as long. */
const maxHeadMs = 15_000;
const maxArrivalMs = 60_000;

/**
 * Bytes that all clients together may leave unread: as many as the ledger's largest response, so that one is always allowed.
 * The process holds twice as much, with the buffers of its sockets.
 */
const maxUnreadBytes = 64 * 1024 * 1024;
/** Milliseconds between two checks of unread bytes. They are also checked after each long response. */
const unreadCheckMs = 200;

/** Opens the HTTP listener. Rejects if the address cannot be bound. */
export async function startListener(options: ListenerOptions) {
  const { stamps, sockets, telemetry, idleMs } = options;
  const connections = createConnections({
    ...options,
    onEnd(exchange) {
      const answered = () => telemetry.requestAnswered(exchange.toRecord(), exchange.address);
      const closing = exchange.close();
      if (closing) void closing.then(answered);
      else answered();
    },
  });
  const cutUnread = () => connections.cutUnread(maxUnreadBytes);
  const exchangeOptions = { ...options, onLongUnread: cutUnread, onStream: connections.becomeStream };
  const entrance = createRequestGate(options);
  const webSocketUpgrades = createWebSocketUpgrades({ ...options, connections, entrance });
  // `begin` checks the Host header, because Node's own rejection would lack our response headers.
  const server = createServer({
    requireHostHeader: false,
    IncomingMessage: createRequestClass(webSocketUpgrades.takes),
    headersTimeout: Math.min(maxHeadMs, options.stallMs),
    requestTimeout: Math.min(maxArrivalMs, options.stallMs),
    connectionsCheckingInterval: 5_000,
  });
  const route = createRoute({ ...options, entrance, isDraining: () => connections.draining });

  /**
   * Serves a request as plain HTTP although it offers an upgrade. Node discards what the client sent after it, so the response
   * closes the connection.
   */
  const routeOffer = (exchange: Exchange) => {
    exchange.endConnection();
    if (exchange.req.method === 'CONNECT') refuseMethod(entrance, exchange);
    else if (!webSocketUpgrades.refuse(exchange)) route(exchange);
  };
  const begin = (req: IncomingRequest, res: ServerResponse, serve: (exchange: Exchange) => void) => {
    // Node still parses the bytes that it had read from a connection before it was destroyed.
    if (req.socket.destroyed || connections.ignores(req.socket)) return;
    normaliseTarget(req);
    const path = pathOf(req);
    const exchange = new Exchange(req, res, path, exchangeOptions);
    if (!connections.enter(exchange)) return;
    res.on('close', () => connections.leave(exchange));
    try {
      const refusal = options.site.checkHost(req, path);
      if (refusal) entrance.refuseUnread(exchange, refusal);
      else serve(exchange);
    } catch (error) {
      exchange.fail(error);
    }
  };

  server.on('request', (req, res) => begin(req, res, isUpgradeOffered(req) ? routeOffer : route));
  server.on('checkExpectation', (req, res) =>
    begin(req, res, (exchange) => entrance.refuseUnread(exchange, unmetExpectation)),
  );
  server.on('connection', connections.opened);
  server.on('upgrade', webSocketUpgrades.open);
  server.on('clientError', createRefuseMalformed({ connections, stamps }));
  server.setTimeout(idleMs);
  // Node would set another timeout between requests, and this one again for each request: two timers per request.
  server.keepAliveTimeout = 0;
  // By default Node silently drops headers beyond 1,000: a client could hide the header in which a proxy names it. The total
  // size of headers is limited anyway.
  server.maxHeadersCount = 0;
  const url = await listen(server, options.host, options.port);
  const checks = setInterval(cutUnread, unreadCheckMs).unref();
  return {
    url,
    /** Reports by readiness and by `connection: close` that it will stop, and keeps serving. */
    announceDrain: connections.announceDrain,
    /** Accepts no more connections, and waits up to 1 s for requests that are on their way or in flight. Serves open connections. */
    stopAccepting: () => connections.stopAccepting(server),
    /** Accepts no more connections, lets requests in flight finish, and disconnects the rest after `graceMs`. */
    drain: async (graceMs: number): Promise<void> => {
      // Node's HTTP server waits for upgraded connections but does not close them: the WebSocket server does.
      await Promise.all([connections.drain(server, graceMs), sockets.drain(graceMs)]);
      clearInterval(checks);
    },
  };
}

/** Concurrent connections. Prometheus needs one; the rest are for people who look at the page. */
const maxConnections = 16;

/** Serves `/metrics` alone. Rejects if the address cannot be bound. */
export async function startMetricsServer(
  host: string,
  port: number,
  metricsPage: () => Promise<string>,
): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer((req, res) => {
    const isMetrics = req.url?.split('?')[0] === '/metrics';
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isMetrics || !isRead) {
      res.writeHead(isMetrics ? 405 : 404).end();
      return;
    }
    metricsPage().then(
      (page) => res.writeHead(200, { 'content-type': metricsType }).end(req.method === 'HEAD' ? undefined : page),
      () => res.writeHead(503).end(),
    );
  });
  server.maxConnections = maxConnections;
  await listen(server, host, port);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Binds a server. @returns its URL, scheme, host and port; rejects when the address cannot be bound */
function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(toUrl(host, server.address() as AddressInfo));
    });
  });
}

function toUrl(host: string, { port, family, address }: AddressInfo): string {
  const isAny = host === '0.0.0.0' || host === '::';
  if (family === 'IPv6') return `http://[${isAny ? '::1' : address}]:${port}`;
  return `http://${isAny ? '127.0.0.1' : host}:${port}`;
}

const unmetExpectation: Refusal = {
  code: 'BAD_REQUEST',
  status: 417,
  message: 'The only expectation that can be met is 100-continue.',
};

/** Replaces the Host header, which nothing else depends on. */
const someHost = 'localhost';

/** Replaces target and Host with values that Yoga can parse: it builds a URL from them, and throws on an invalid Host. */
function normaliseTarget(req: IncomingMessage): void {
  req.url = toRequestTarget(req.url);
  req.headers.host = someHost;
}

/** Requests that offer an upgrade, and whether the gateway accepts it; `undefined` until decided. */
const offers = new WeakMap<object, boolean | undefined>();

function isUpgradeOffered(req: IncomingMessage): boolean {
  return offers.has(req);
}

/**
 * A class of requests with which the server can accept or decline each upgrade (`Upgrade` header, or CONNECT).
 *
 * A server that listens for `upgrade` gets the bare connection for every offer, and Node forgets pipelined responses still to
 * be sent on it; handing the connection back would give it a second parser. But many clients offer HTTP/2 with any request
 * (Java's does by default) and expect an ordinary response. Node decides by the request's property `upgrade`: if it is
 * `false`, the request stays an ordinary one, with its body and its position in the pipeline. Node discards what came after it
 * in the same chunk, so its response must close the connection.
 * @param takes called once for each offer, when all headers have arrived
 */
function createRequestClass(takes: (req: IncomingMessage) => boolean): typeof IncomingRequest {
  return class extends IncomingRequest {
    get upgrade(): boolean {
      // Most requests offer no upgrade.
      if (!offers.has(this)) return false;
      let isTaken = offers.get(this);
      if (isTaken === undefined) {
        isTaken = takes(this);
        offers.set(this, isTaken);
      }
      return isTaken;
    }

    /** Node sets it twice: to the parser's value, then to the getter's result. Only the first counts. */
    set upgrade(isOffered: boolean | null) {
      if (isOffered && !offers.has(this)) offers.set(this, undefined);
    }
  };
}
