import type { IncomingMessage } from 'node:http';

/**
 * Path and query of a request. Proxies may name the whole address in its place, and only path and query mean anything
 * here; a fragment has no business in a request.
 */
export function toRequestTarget(url: string | undefined): string {
  if (url?.startsWith('/') && !url.includes('#')) return url;
  const target = (url ?? '').replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
  return target.startsWith('/') || target === '*' ? target : `/${target}`;
}

/** The path of a target. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** The path without the one slash that some clients and people write behind it. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** `null` for the GraphQL path itself, the version for the path with one behind it, `undefined` for any other. */
export function versionIn(asked: string, graphqlPath: string): string | null | undefined {
  if (asked === graphqlPath) return null;
  const path = withoutTrailingSlash(asked);
  if (path === graphqlPath) return null;
  const [, version, rest] = path.startsWith(`${graphqlPath}/`) ? path.slice(graphqlPath.length).split('/') : [];
  return version === undefined || version === '' || rest !== undefined ? undefined : version;
}

/** Only the old protocol does without. To be asked before the target is normalised. */
export function isHostMissing({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion !== '1.0';
}
