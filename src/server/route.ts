import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VersionRefusal } from '../callers/rpc-version.ts';
import type { AdmitOperation } from '../operation/admit-operation.ts';
import type { FairTurns } from '../operation/fair-turns.ts';
import type { ServerContext } from '../operation/server-context.ts';
import type { Caller } from '../upstream/operation-context.ts';
import { type BytesInFlight, tooMuchInFlight } from './bounds/bytes-in-flight.ts';
import type { Exchange } from './exchange.ts';
import { acceptsPage } from './headers/media-types.ts';
import { versionIn, withoutTrailingSlash } from './headers/request-target.ts';
import type { Readiness } from './health.ts';
import type { LaneOperations } from './lane/lane-operations.ts';
import type { GraphiqlPage } from './pages/graphiql-page.ts';
import type { LandingPage } from './pages/landing-page.ts';
import { type RefuseCounted, refuseUnread } from './refuse-counted.ts';
import { sendJson } from './response-body.ts';
import { createServePost, notAcceptable } from './serve-post.ts';

export interface RouteOptions extends ServeGraphqlOptions {
  readonly refusedVersion: RefusedVersion;
  readonly readiness: (draining: boolean) => Promise<Readiness>;
  readonly isDraining: () => boolean;
  readonly landing: LandingPage;
}

/** Chooses by the path who serves a request: GraphQL, a page, health, or nobody. */
export function createRoute(options: RouteOptions): (exchange: Exchange) => void {
  const { graphqlPath, refusedVersion, readiness, isDraining, landing } = options;
  const serveGraphql = createServeGraphql(options);
  const serveAsset = createServeAsset(options);
  return (exchange) => {
    const { req, res, path } = exchange;
    const version = versionIn(path, graphqlPath);
    if (version !== undefined) {
      const refusal = refusedVersion(req, version);
      return refusal ? refuseUnread(options.refuse, exchange, refusal) : serveGraphql(exchange);
    }
    exchange.stamp();
    switch (withoutTrailingSlash(path)) {
      case '/health/live':
        return sendJson(req, res, 200, { status: 'live' });
      case '/health/ready':
        return exchange.failWith(readiness(isDraining()).then(({ status, body }) => sendJson(req, res, status, body)));
      case '/':
        if (req.method === 'GET' || req.method === 'HEAD') return exchange.failWith(landing.send(req, res));
        break;
      default:
        if ((req.method === 'GET' || req.method === 'HEAD') && serveAsset(exchange)) return;
    }
    options.refuse(exchange, nothingHere(graphqlPath));
  };
}

function nothingHere(graphqlPath: string): VersionRefusal {
  return { code: 'BAD_REQUEST', message: `There is nothing at this path. GraphQL is at ${graphqlPath}.`, status: 404 };
}

/** Serves the files of GraphiQL. Each counts as a request of its address: it is cheap to ask for, and a megabyte or more. */
function createServeAsset(options: RouteOptions): (exchange: Exchange) => boolean {
  const { graphiql, graphqlPath } = options;
  const afterEntry = createAfterEntry(options);
  return (exchange) => {
    if (!graphiql || !exchange.path.startsWith(graphiql.assetsPath)) return false;
    const { req, res, path } = exchange;
    const { code, message, status } = nothingHere(graphqlPath);
    const send = () =>
      graphiql.sendAsset(path, req, res).then((isSent) => isSent || exchange.refuse(code, message, status));
    afterEntry(exchange, () => exchange.failWith(send()), toStranger(exchange));
    return true;
  };
}

export interface RefusedVersionOptions {
  /** Names of the headers by which a client asks for a version: the contract's, and the network's own. */
  readonly versionHeaders: readonly string[];
  /** Why the version that path and header ask for is not served; `null` when it is. */
  readonly checkVersion: (path: string | null, header: string | undefined) => VersionRefusal | null;
}

/**
 * Why the version that a request asks for is not served; `null` when it is. Header and path must each name a served one.
 * @param path the version in the path; `null` where it has none
 */
export type RefusedVersion = (req: Pick<IncomingMessage, 'headers'>, path: string | null) => VersionRefusal | null;

export function createRefusedVersion({ versionHeaders, checkVersion }: RefusedVersionOptions): RefusedVersion {
  return ({ headers }, path) => {
    let asked: string | undefined;
    for (const name of versionHeaders) {
      const header = headers[name];
      if (header !== undefined) asked = asked === undefined ? String(header) : `${asked}, ${header}`;
    }
    return path === null && asked === undefined ? null : checkVersion(path, asked);
  };
}

export interface ServeGraphqlOptions {
  /**
   * Milliseconds for which nothing may move on a connection; then it is closed. Longer than any answer may take, and longer
   * than a proxy keeps a connection that it does not use, a minute mostly: it would send requests into one that is being closed.
   */
  readonly idleMs: number;
  readonly graphqlPath: string;
  readonly maxBodyBytes: number;
  readonly bytesInFlight: BytesInFlight;
  /** Refuses a request for what its head says. */
  readonly refuse: RefuseCounted;
  /** Counts the caller, and refuses it over its limit. Asked before anything but the headers is looked at. */
  readonly enter: AdmitOperation['enter'];
  /** Asked first, about every POST. */
  readonly lane: LaneOperations;
  readonly turns: Pick<FairTurns, 'run'>;
  /** Serves one GraphQL request over HTTP. */
  readonly graphql: (req: IncomingMessage, res: ServerResponse, context: ServerContext) => unknown;
  /** `null` when GraphiQL is off. */
  readonly graphiql: GraphiqlPage | null;
}

/** Serves what comes to the GraphQL path: by the lane, by Yoga, or by refusing it before either. */
function createServeGraphql(options: ServeGraphqlOptions): (exchange: Exchange) => void {
  const { graphqlPath, graphiql } = options;

  const afterEntry = createAfterEntry(options);

  const serveByYoga = (exchange: Exchange, context: ServerContext): void => {
    exchange.stamp();
    exchange.boundReading();
    // Of a stream something is written every so often: on its connection nothing moves only if nobody reads.
    const boundStream = () => exchange.req.socket.setTimeout(options.idleMs);
    exchange.failWith(options.graphql(exchange.req, exchange.res, { ...context, boundStream }));
  };

  const servePost = createServePost({ ...options, afterEntry, serveByYoga });

  return (exchange) => {
    const { req, res, path } = exchange;
    // The version was checked; lane and Yoga know only the path without one.
    if (path !== graphqlPath) req.url = graphqlPath + (req.url ?? '').slice(path.length);
    if (req.method === 'POST') return servePost(exchange);
    exchange.stamp();
    if (req.method === 'OPTIONS') return sendPreflight(req, res);
    if (req.method === 'GET') {
      // GraphiQL reads `?query=` itself, so that a reload, a bookmark and a link that was passed on open where they should.
      if (graphiql && acceptsPage(req.headers.accept)) {
        // Count it against the address even if the caller names itself: the page loads megabytes of files.
        return afterEntry(exchange, () => exchange.failWith(graphiql.send(req, res)), toStranger(exchange));
      }
      if (!exchange.negotiate()) return options.refuse(exchange, notAcceptable);
      return afterEntry(exchange, (caller) => serveByYoga(exchange, exchange.toContext(caller)));
    }
    refuseMethod(options.refuse, exchange);
  };
}

const allowedMethods = 'GET, POST, OPTIONS';

export function refuseMethod(refuse: RefuseCounted, exchange: Exchange): void {
  exchange.res.setHeader('allow', allowedMethods);
  const message = `Method ${exchange.req.method} is not served here; use POST or GET.`;
  refuse(exchange, { code: 'BAD_REQUEST', message, status: 405 });
}

type Entering = Parameters<AdmitOperation['enter']>[0];
/** Calls `serve` if the caller is within its limits and has not left; refuses it otherwise. */
type AfterEntry = (exchange: Exchange, serve: (caller: Caller) => void, as?: Entering) => void;

function createAfterEntry(options: Pick<ServeGraphqlOptions, 'enter' | 'turns' | 'bytesInFlight'>): AfterEntry {
  const { enter, turns, bytesInFlight } = options;
  const hold = (exchange: Exchange, { rate }: Caller) => {
    const held = bytesInFlight.take(rate.key, exchange.requestBytes);
    if (held) exchange.held = held;
    return held ? null : tooMuchInFlight();
  };
  return (exchange, serve, as = exchange) => {
    enter(as)
      .then((entry) => {
        if (exchange.isGone()) return;
        // One that is refused may have no name, and waits among those of its address.
        const key = entry.kind === 'refused' ? (exchange.sender.remoteAddress ?? '') : entry.caller.rate.key;
        const error = entry.kind === 'refused' ? entry.error : hold(exchange, entry.caller);
        // It may wait for its turn, and bodies that wait are counted.
        if (error) exchange.body = null;
        return turns.run(key, exchange, () => {
          if (exchange.isGone()) return;
          if (error) exchange.refuseWith(error);
          else if (entry.kind === 'entered') serve(entry.caller);
        });
      })
      .catch((error: unknown) => exchange.fail(error));
  };
}

/** The sender without its credentials, so that only its address is counted. */
function toStranger(exchange: Exchange): Entering {
  const sender = { ...exchange.sender, authorization: null, apiKey: null };
  return { sender, onStanding: (standing) => exchange.onStanding(standing) };
}

/** Answers a CORS preflight. Allows any header: no credential is one that browsers add by themselves, as they do cookies. */
function sendPreflight(req: IncomingMessage, res: ServerResponse): void {
  const asked = req.headers['access-control-request-headers'];
  res.writeHead(204, {
    allow: allowedMethods,
    ...(res.hasHeader('access-control-allow-origin')
      ? {
          'access-control-allow-methods': allowedMethods,
          'access-control-allow-headers': asked ?? 'content-type',
          'access-control-max-age': '86400',
        }
      : {}),
  });
  res.end();
}
