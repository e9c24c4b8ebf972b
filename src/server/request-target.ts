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
