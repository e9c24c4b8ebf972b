import { versionIn, withoutTrailingSlash } from '../http/request-target.ts';
import type { Exchange } from './exchange.ts';
import type { Readiness } from './health.ts';
import type { RefusedVersion } from './refused-version.ts';
import { sendJson } from './response-body.ts';
import { createServeGraphql, type ServeGraphqlOptions } from './serve-graphql.ts';

export interface RouteOptions extends ServeGraphqlOptions {
  readonly refusedVersion: RefusedVersion;
  readonly readiness: (draining: boolean) => Promise<Readiness>;
  readonly isDraining: () => boolean;
}

/** Who serves what: GraphQL, health, or nobody. */
export function createRoute(options: RouteOptions): (exchange: Exchange) => void {
  const { graphqlPath, refusedVersion, readiness, isDraining } = options;
  const serveGraphql = createServeGraphql(options);
  return (exchange) => {
    const { req, res, path } = exchange;
    const version = versionIn(path, graphqlPath);
    if (version !== undefined) {
      const refusal = refusedVersion(req, version);
      if (refusal) return exchange.refuseUnread(refusal.code, refusal.message, refusal.status);
      return serveGraphql(exchange);
    }
    exchange.stamp();
    switch (withoutTrailingSlash(path)) {
      case '/health/live':
        return sendJson(req, res, 200, { status: 'live' });
      case '/health/ready':
        return exchange.failWith(readiness(isDraining()).then(({ status, body }) => sendJson(req, res, status, body)));
      default:
        return exchange.refuse('BAD_REQUEST', `There is nothing at this path. GraphQL is at ${graphqlPath}.`, 404);
    }
  };
}
