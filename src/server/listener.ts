import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VersionRefusal } from '../admission/rpc-version.ts';
import { declineUpgrade, isWebSocketUpgrade } from './decline-upgrade.ts';
import { createServerDrain } from './drain-server.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';
import type { Readiness } from './health.ts';
import { sendRaw } from './raw-response.ts';
import { type RequestRecord, toRequestRecord } from './request-record.ts';
import { normaliseTarget } from './request-target.ts';
import { sendJson } from './response-body.ts';
import { createServeGraphql, type ServeGraphqlOptions } from './serve-graphql.ts';
import type { SocketServer } from './socket-server.ts';
import { stampHeaders, toRequestId } from './stamp-response.ts';

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
  readonly readiness: (draining: boolean) => Promise<Readiness>;
  readonly onRequest: (record: RequestRecord) => void;
}

export interface Listener {
  readonly url: string;
  /** Stops accepting, lets what runs finish for at most so long, then cuts what is left. */
  drain(graceMs: number): Promise<void>;
}

/** Opens the HTTP listener. Rejects when the address cannot be bound. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, stamps, graphqlPath } = options;
  // A missing Host is refused below, so that its refusal bears what every answer bears.
  const server = createServer({ requireHostHeader: false }, (req, res) => {
    const hasHost = req.headers.host !== undefined || req.httpVersion === '1.0';
    normaliseTarget(req);
    const exchange = new Exchange(req, res, pathOf(req), options);
    lifetime.enter(res);
    open.get(req.socket)?.add(exchange);
    res.on('close', () => end(exchange));
    try {
      if (hasHost) route(exchange);
      else exchange.refuseUnread('BAD_REQUEST', 'A request needs a Host header.', 400);
    } catch (error) {
      exchange.fail(error);
    }
  });

  /** The exchanges under way on each connection: of clients that do not wait for an answer before they ask again, several. */
  const open = new WeakMap<object, Set<Exchange>>();
  server.on('connection', (socket) => {
    const exchanges = new Set<Exchange>();
    open.set(socket, exchanges);
    // A response that waits behind another has no connection yet, and is not told when that closes.
    socket.once('close', () => exchanges.forEach(end));
  });
  const end = (exchange: Exchange) => {
    if (!open.get(exchange.req.socket)?.delete(exchange)) return;
    lifetime.leave(exchange.res);
    exchange.onClose?.();
    // What hangs on it, the whole answer, is let go of before the response is.
    exchange.onClose = null;
    options.onRequest(toRequestRecord(exchange));
  };
  server.setTimeout(options.stallMs);
  const lifetime = createServerDrain(server);
  const serveGraphql = createServeGraphql(options);

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

  /** Header and path must both hold; the header may bear the contract's name or the network's. */
  const refusedVersion = (req: IncomingMessage, path: string | null): VersionRefusal | null => {
    let asked: string | undefined;
    for (const name of options.versionHeaders) {
      const header = req.headers[name];
      if (header !== undefined) asked = asked === undefined ? String(header) : `${asked}, ${header}`;
    }
    return path === null && asked === undefined ? null : options.checkVersion(path, asked);
  };

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What is behind an answer that has begun would be taken for a part of it.
    if ([...(open.get(socket) ?? [])].some(({ res }) => res.headersSent)) {
      socket.destroy();
      return;
    }
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const status = tooLarge ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    sendRaw(
      socket,
      status,
      'BAD_REQUEST',
      'The HTTP request is malformed.',
      stampHeaders({ headers: {} }, toRequestId(undefined), stamps),
    );
  });
  server.on('checkExpectation', (req, res) => {
    const exchange = new Exchange(req, res, pathOf(req), options);
    exchange.refuseUnread('BAD_REQUEST', 'The only expectation that can be met is 100-continue.', 417);
  });
  server.on('connect', (req, socket) => {
    const headers = stampHeaders(req, toRequestId(req.headers['x-request-id']), stamps);
    sendRaw(socket, 405, 'BAD_REQUEST', 'Method CONNECT is not served here; use POST or GET.', headers);
  });
  server.on('upgrade', (req, socket, head) => {
    if (!isWebSocketUpgrade(req)) return declineUpgrade(server, req, socket, head);
    const requestId = toRequestId(req.headers['x-request-id']);
    const refusal = refusedUpgrade(req);
    if (!refusal) return options.sockets.accept(req, socket, head, requestId);
    sendRaw(socket, refusal.status, refusal.code, refusal.message, stampHeaders(req, requestId, stamps));
  });

  const refusedUpgrade = (req: IncomingMessage): VersionRefusal | null => {
    const version = versionIn(pathOf(req), options.graphqlPath);
    if (version === undefined)
      return {
        status: 404,
        code: 'BAD_REQUEST',
        message: `There is no WebSocket at this path. It is at ${options.graphqlPath}.`,
      };
    const { origin } = req.headers;
    // A page of any origin can open a WebSocket, without the preflight that would have refused its POST.
    if (origin !== undefined && options.corsOrigins !== '*' && !options.corsOrigins.includes(origin)) {
      return { status: 403, code: 'FORBIDDEN', message: 'This origin is not allowed.' };
    }
    return refusedVersion(req, version);
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

/** `null` for the GraphQL path itself, the version for the path with one behind it, `undefined` for any other. */
function versionIn(path: string, graphqlPath: string): string | null | undefined {
  if (path === graphqlPath) return null;
  const [, version, rest] = path.startsWith(`${graphqlPath}/`) ? path.slice(graphqlPath.length).split('/') : [];
  return version === undefined || version === '' || rest !== undefined ? undefined : version;
}

function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '/';
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
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
