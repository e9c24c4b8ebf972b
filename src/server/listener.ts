import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VersionRefusal } from '../admission/rpc-version.ts';
import { toSender } from '../admission/sender.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { OperationRecord, ServerContext } from '../gateway/operation-run.ts';
import { toAcceptable } from './accept.ts';
import { declineUpgrade, isWebSocketUpgrade } from './decline-upgrade.ts';
import { createServerDrain } from './drain-server.ts';
import type { GraphiqlPage } from './graphiql-page.ts';
import type { Readiness } from './health.ts';
import type { HotLane } from './hot-lane.ts';
import { isTooIntricate, maxJsonCommas, maxJsonNesting } from './json-shape.ts';
import { sendRaw } from './raw-response.ts';
import { readBody, restoreBody } from './read-body.ts';
import { normaliseTarget } from './request-target.ts';
import { sendJson, sendRefusal } from './response-body.ts';
import type { SocketServer } from './socket-server.ts';
import {
  type StampOptions,
  sendPreflight,
  stampHeaders,
  stampResponse,
  stampStanding,
  toRequestId,
} from './stamp-response.ts';

/** What is known of a request once it has been answered. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly operations: readonly OperationRecord[];
  /** Served without the general server. */
  readonly lane?: true;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly graphqlPath: string;
  /** Does a request ask to be told its usage? Given how to read its headers. */
  readonly isUsageAsked: (read: (header: string) => string | string[] | undefined) => boolean;
  /** Why the version that path and header ask for is not served; `null` when it is. */
  readonly checkVersion: (path: string | null, header: string | undefined) => VersionRefusal | null;
  readonly maxBodyBytes: number;
  readonly stamp: StampOptions;
  /** Serves one GraphQL request over HTTP. */
  readonly graphql: (req: IncomingMessage, res: ServerResponse, context: ServerContext) => unknown;
  /** Asked first, about every POST. */
  readonly hotLane: HotLane;
  readonly sockets: SocketServer;
  /** `null` when GraphiQL is off. */
  readonly graphiql: GraphiqlPage | null;
  readonly readiness: (draining: boolean) => Promise<Readiness>;
  readonly onRequest: (record: RequestRecord) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface Listener {
  readonly url: string;
  /** Stops accepting, lets what runs finish for at most so long, then cuts what is left. */
  drain(graceMs: number): Promise<void>;
}

/** Opens the HTTP listener. Rejects when the address cannot be bound. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, stamp } = options;
  const inLane = new WeakSet<ServerResponse>();
  // A missing Host is refused below, so that its refusal bears what every answer bears.
  const server = createServer({ requireHostHeader: false }, (req, res) => {
    const requestId = stampResponse(req, res, stamp);
    lifetime.track(res);
    const hasHost = req.headers.host !== undefined || req.httpVersion === '1.0';
    normaliseTarget(req);
    const startedAt = performance.now();
    const operations: OperationRecord[] = [];
    const path = pathOf(req);
    res.on('close', () => {
      const durationMs = Math.round((performance.now() - startedAt) * 100) / 100;
      const record = { requestId, method: req.method ?? '', path, status: res.statusCode, durationMs, operations };
      options.onRequest(inLane.has(res) ? { ...record, lane: true } : record);
    });
    const context: ServerContext = {
      requestId,
      sender: toSender((name) => req.headers[name], req.socket.remoteAddress),
      onStanding: (standing) => standing && stampStanding(res, standing, options.now()),
      showUsage: options.isUsageAsked((name) => req.headers[name]),
      operations,
    };
    if (!hasHost) return refuseUnread(req, res, 'A request needs a Host header.', 400);
    route(req, res, path, context).catch(() => {
      if (res.headersSent) res.destroy();
      else sendRefusal(req, res, 'INTERNAL_SERVER_ERROR', 'Unexpected error.');
    });
  });

  const lifetime = createServerDrain(server);

  const route = async (
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
    context: ServerContext,
  ): Promise<void> => {
    const version = versionIn(path, options.graphqlPath);
    if (version !== undefined) {
      const refusal = refusedVersion(req, version);
      if (refusal) return refuseUnread(req, res, refusal.message, refusal.status, refusal.code);
      return serveGraphql(req, res, context);
    }
    switch (path) {
      case '/health/live':
        return sendJson(req, res, 200, { status: 'live' });
      case '/health/ready': {
        const { status, body } = await options.readiness(lifetime.draining);
        return sendJson(req, res, status, body);
      }
      default:
        return sendRefusal(
          req,
          res,
          'BAD_REQUEST',
          `There is nothing at this path. GraphQL is at ${options.graphqlPath}.`,
          404,
        );
    }
  };

  /** Header and path must both hold; the header may bear the contract's name or the network's. */
  const refusedVersion = (req: IncomingMessage, path: string | null): VersionRefusal | null => {
    const asked = stamp.versionHeaders.flatMap((name) => req.headers[name] ?? []);
    return options.checkVersion(path, asked.length > 0 ? asked.join(', ') : undefined);
  };

  const serveGraphql = async (req: IncomingMessage, res: ServerResponse, context: ServerContext): Promise<void> => {
    // The version in the path has been seen to; what follows knows one path.
    req.url = options.graphqlPath + (req.url ?? '').slice(pathOf(req).length);
    if (req.method === 'OPTIONS') return sendPreflight(req, res);
    if (req.method === 'GET') {
      if (options.graphiql && wantsPage(req)) return options.graphiql.send(req, res);
      if (!negotiate(req, res)) return;
      await options.graphql(req, res, context);
      return;
    }
    if (req.method !== 'POST') {
      res.setHeader('allow', 'GET, POST, OPTIONS');
      return sendRefusal(req, res, 'BAD_REQUEST', `Method ${req.method} is not served here; use POST or GET.`, 405);
    }
    if (!negotiate(req, res)) return;
    // Forms and plain text need no preflight, so a page elsewhere could post them in a user's name: only JSON is read.
    if (!/^application\/(graphql\+)?json(?:[ ;]|$)/i.test(req.headers['content-type'] ?? '')) {
      return refuseUnread(req, res, 'The content type must be application/json.', 415);
    }
    if (req.headers['content-encoding'] !== undefined && req.headers['content-encoding'] !== 'identity') {
      return refuseUnread(req, res, 'Compressed request bodies are not accepted.', 415);
    }
    const reading = await readBody(req, options.maxBodyBytes);
    if (reading.kind === 'aborted') return;
    if (reading.kind === 'too-large') {
      res.setHeader('connection', 'close');
      return sendRefusal(req, res, 'PAYLOAD_TOO_LARGE', `The request body is over ${options.maxBodyBytes} bytes.`);
    }
    if (isTooIntricate(reading.body, maxJsonNesting, maxJsonCommas)) {
      const message = `The request body is nested over ${maxJsonNesting} levels, or has over ${maxJsonCommas} values.`;
      return sendRefusal(req, res, 'BAD_REQUEST', message);
    }
    const left = await options.hotLane(req, res, reading.body, context, (isIn) => {
      if (isIn) inLane.add(res);
      else inLane.delete(res);
    });
    if (left === null) return;
    restoreBody(req, reading.body);
    await options.graphql(req, res, left);
  };

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const status = tooLarge ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    sendRaw(
      socket,
      status,
      'BAD_REQUEST',
      'The HTTP request is malformed.',
      stampHeaders({ headers: {} }, toRequestId(undefined), stamp),
    );
  });
  server.on('checkExpectation', (req, res) => {
    stampResponse(req, res, stamp);
    refuseUnread(req, res, 'The only expectation that can be met is 100-continue.', 417);
  });
  server.on('connect', (req, socket) => {
    const headers = stampHeaders(req, toRequestId(req.headers['x-request-id']), stamp);
    sendRaw(socket, 405, 'BAD_REQUEST', 'Method CONNECT is not served here; use POST or GET.', headers);
  });
  server.on('upgrade', (req, socket, head) => {
    if (!isWebSocketUpgrade(req)) return declineUpgrade(server, req, socket, head);
    const requestId = toRequestId(req.headers['x-request-id']);
    const refusal = refusedUpgrade(req);
    if (!refusal) return options.sockets.accept(req, socket, head, requestId);
    sendRaw(socket, refusal.status, refusal.code, refusal.message, stampHeaders(req, requestId, stamp));
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
    if (origin !== undefined && stamp.corsOrigins !== '*' && !stamp.corsOrigins.includes(origin)) {
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

/** Leaves of the Accept header what can be served; refuses the request when that is nothing. */
function negotiate(req: IncomingMessage, res: ServerResponse): boolean {
  const acceptable = toAcceptable(req.headers.accept);
  if (acceptable === null) {
    refuseUnread(
      req,
      res,
      'Accept must allow application/graphql-response+json, application/json or text/event-stream.',
      406,
    );
    return false;
  }
  req.headers.accept = acceptable;
  return true;
}

function refuseUnread(
  req: IncomingMessage,
  res: ServerResponse,
  message: string,
  status: number,
  code: ErrorCode = 'BAD_REQUEST',
): void {
  // What follows on the connection is a body nobody reads.
  res.setHeader('connection', 'close');
  sendRefusal(req, res, code, message, status);
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

/** A browser that navigates here, rather than a client that queries. */
function wantsPage(req: IncomingMessage): boolean {
  return (req.headers.accept ?? '').includes('text/html') && !/[?&](query|extensions)=/.test(req.url ?? '');
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
