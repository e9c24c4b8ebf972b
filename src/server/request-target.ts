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

/** What a request without an address of its own is said to be for; nothing is decided by it. */
const someHost = 'localhost';

/**
 * Leaves of a request only what the library that reads it can read: it makes a URL of the Host header, and fails with a
 * stack on one that is none.
 */
export function normaliseTarget(req: IncomingMessage): void {
  req.url = toRequestTarget(req.url);
  req.headers.host = someHost;
}

/** The path of a target. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** `null` for the GraphQL path itself, the version for the path with one behind it, `undefined` for any other. */
export function versionIn(path: string, graphqlPath: string): string | null | undefined {
  if (path === graphqlPath) return null;
  const [, version, rest] = path.startsWith(`${graphqlPath}/`) ? path.slice(graphqlPath.length).split('/') : [];
  return version === undefined || version === '' || rest !== undefined ? undefined : version;
}

/** Only the old protocol does without. To be asked before the target is normalised. */
export function isHostMissing({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion !== '1.0';
}
