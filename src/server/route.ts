import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VersionRefusal } from '../callers/check-rpc-version.ts';
import { metricsType } from '../telemetry/metrics.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { UpstreamHealth } from '../upstream/upstream-health.ts';
import type { Exchange } from './exchange.ts';
import type { GraphiqlPage } from './pages/graphiql-page.ts';
import type { SendLanding } from './pages/landing-page.ts';
import { versionIn, withoutTrailingSlash } from './request-head.ts';
import { createServeGraphql, type RequestGate, type ServeGraphqlOptions } from './serve-graphql.ts';
import { isFromThisMachine } from './site-checks.ts';

export interface RouteOptions extends ServeGraphqlOptions {
  readonly entrance: RequestGate;
  readonly checkVersion: CheckVersion;
  readonly readiness: (draining: boolean) => Promise<Readiness>;
  readonly isDraining: () => boolean;
  /** The metrics page for clients on this machine; `null`: it has a port of its own. */
  readonly metricsPage: (() => Promise<string>) | null;
  readonly sendLanding: SendLanding;
}

/** Routes a request by path: GraphQL, health, landing page, metrics, a file of GraphiQL, or 404. */
export function createRoute(options: RouteOptions): (exchange: Exchange) => void {
  const { graphqlPath, entrance, checkVersion, readiness, isDraining, metricsPage, sendLanding, graphiql } = options;
  const serveGraphql = createServeGraphql(options, entrance);
  return (exchange) => {
    const { req, res, path } = exchange;
    const version = versionIn(path, graphqlPath);
    if (version !== undefined) {
      const refusal = checkVersion(req, version);
      return refusal ? entrance.refuseUnread(exchange, refusal) : serveGraphql(exchange);
    }
    exchange.stamp();
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const sendCheap = (send: () => unknown) => entrance.enterCheap(exchange, () => exchange.failWith(send()));
    switch (withoutTrailingSlash(path)) {
      case '/health/live':
        return sendCheap(() => sendJson(req, res, 200, { status: 'live' }));
      case '/health/ready':
        return sendCheap(() => readiness(isDraining()).then(({ status, body }) => sendJson(req, res, status, body)));
      case '/metrics':
        if (!isRead || !metricsPage || !isFromThisMachine(req)) break;
        // Responses are stamped for pages of other origins, which must not read this one.
        for (const name of res.getHeaderNames()) if (name.startsWith('access-control-')) res.removeHeader(name);
        return sendCheap(() => metricsPage().then((page) => sendText(req, res, metricsType, page)));
      case '/':
        if (isRead) return sendCheap(() => sendLanding(req, res));
        break;
      default:
        if (isRead && graphiql && path.startsWith(graphiql.assetsPath))
          return serveAsset(exchange, entrance, graphiql, graphqlPath);
    }
    entrance.refuse(exchange, pathNotFound(graphqlPath));
  };
}

/** Sends a JSON response in one piece; to a HEAD request only its headers. */
function sendJson(req: IncomingMessage, res: ServerResponse, status: number, value: unknown): void {
  sendText(req, res, 'application/json; charset=utf-8', JSON.stringify(value), status);
}

function sendText(req: IncomingMessage, res: ServerResponse, type: string, text: string, status = 200): void {
  const body = Buffer.from(text);
  res.writeHead(status, { 'content-type': type, 'content-length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Serves a file of GraphiQL. Counts as a request of the address: requesting is cheap, and the file may have megabytes. */
function serveAsset(exchange: Exchange, entrance: RequestGate, graphiql: GraphiqlPage, graphqlPath: string): void {
  const { req, res, path } = exchange;
  const { code, message, status } = pathNotFound(graphqlPath);
  const send = () =>
    graphiql.sendAsset(path, req, res).then((isSent) => isSent || exchange.refuse(code, message, status));
  entrance.enterAddress(exchange, () => exchange.failWith(send()));
}

function pathNotFound(graphqlPath: string): VersionRefusal {
  return { code: 'BAD_REQUEST', message: `There is nothing at this path. GraphQL is at ${graphqlPath}.`, status: 404 };
}

/**
 * Why the requested version is not served; `null` if it is. Header and path must each name a served one.
 * @param path the version in the path; `null` if it has none
 */
export type CheckVersion = (req: Pick<IncomingMessage, 'headers'>, path: string | null) => VersionRefusal | null;

/**
 * @param versionHeaders names of the headers by which a client asks for a version: the contract's, and the network's own
 * @param check called with the version in the path and in the headers, if there is one
 */
export function createCheckVersion(
  versionHeaders: readonly string[],
  check: (path: string | null, header: string | undefined) => VersionRefusal | null,
): CheckVersion {
  return ({ headers }, path) => {
    let asked: string | undefined;
    for (const name of versionHeaders) {
      const header = headers[name];
      if (header !== undefined) asked = asked === undefined ? String(header) : `${asked}, ${header}`;
    }
    return path === null && asked === undefined ? null : check(path, asked);
  };
}

export interface ReadinessFacts {
  readonly draining: boolean;
  /** Where the ledger's part of the schema came from. */
  readonly schemaOrigin: 'ledger' | 'cache' | 'none';
  /** Why the ledger's newest schema is not in force, or not all of it; empty if it is. */
  readonly schemaFaults: readonly string[];
  /** Number of worker processes that serve; `null` = the gateway is a single process. */
  readonly workers: { readonly serving: number; readonly of: number } | null;
  /** `health` is `null` if the upstream is not configured. */
  readonly upstreams: readonly (Pick<Upstream, 'name' | 'role'> & { readonly health: UpstreamHealth | null })[];
}

export interface Readiness {
  readonly status: 200 | 503;
  readonly body: object;
}

/** Ready means: not draining, and at least one upstream is usable. The ledger is usable once its schema is known. */
export function toReadiness({ draining, schemaOrigin, schemaFaults, workers, upstreams }: ReadinessFacts): Readiness {
  const serves = upstreams.some(
    ({ role, health }) =>
      health !== null && health.state !== 'down' && (role === 'own fields' || schemaOrigin !== 'none'),
  );
  const ready = !draining && serves;
  return {
    status: ready ? 200 : 503,
    body: {
      status: draining ? 'draining' : ready ? 'ready' : 'unready',
      schema: schemaOrigin,
      ...(schemaFaults.length > 0 && { rejectedSchema: schemaFaults }),
      ...(workers && { workers }),
      upstreams: Object.fromEntries(upstreams.map(({ name, health }) => [name, describe(health)])),
    },
  };
}

function describe(health: UpstreamHealth | null): object {
  if (!health) return { state: 'not_configured' };
  const { state, lastSeenMs, detail } = health;
  return {
    state,
    lastSeenAt: lastSeenMs === null ? null : new Date(lastSeenMs).toISOString(),
    ...(detail ? { detail } : {}),
  };
}
