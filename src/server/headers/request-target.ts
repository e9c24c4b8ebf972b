import type { IncomingMessage } from 'node:http';

/**
 * Path and query of a request. Drops scheme and host, which some proxies send, and a fragment, which clients should not send.
 */
export function toRequestTarget(url: string | undefined): string {
  if (url?.startsWith('/') && !url.includes('#')) return url;
  const target = (url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
  return target.startsWith('/') || target === '*' ? target : `/${target}`;
}

/** The path without its query. Expects a target from `toRequestTarget`. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Drops one slash at the end. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/**
 * The version that a path asks for, as in `/graphql/VERSION`.
 * @returns `null` for the GraphQL path without a version, `undefined` for any other path
 */
export function versionIn(asked: string, graphqlPath: string): string | null | undefined {
  if (asked === graphqlPath) return null;
  const path = withoutTrailingSlash(asked);
  if (path === graphqlPath) return null;
  const [, version, rest] = path.startsWith(`${graphqlPath}/`) ? path.slice(graphqlPath.length).split('/') : [];
  return version === undefined || version === '' || rest !== undefined ? undefined : version;
}

/** Is the Host header missing, which only HTTP/1.0 allows? */
export function isHostMissing({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion !== '1.0';
}
