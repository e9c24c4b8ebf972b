import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { VersionRefusal } from '../callers/check-rpc-version.ts';
import { isLoopback } from '../callers/identify-caller.ts';
import { isListed } from './exchange.ts';
import { readHost } from './request-head.ts';

export interface SiteCheckOptions {
  /** Names by which clients may address the gateway; `*` = any; `null` = loopback names if it listens on loopback, else any. */
  readonly allowedHosts: '*' | readonly string[] | null;
  /** The address that the gateway listens on. */
  readonly host: string;
  readonly corsOrigins: '*' | readonly string[];
}

export type SiteChecks = ReturnType<typeof createSiteChecks>;

/**
 * Protects visitors of other web sites, whose pages send requests from the visitor's browser. Such a page can resolve its own
 * host name to the gateway's address (DNS rebinding), and then is of the gateway's origin for the browser. Only the Host header
 * shows this. An IP address as Host needs no check, because rebinding needs a name.
 */
export function createSiteChecks({ allowedHosts, host, corsOrigins }: SiteCheckOptions) {
  const names = allowedHosts === '*' ? null : (allowedHosts ?? (isLoopbackName(host) ? [] : null));
  /** Is it one of the gateway's own names, even if all are allowed? */
  const isOwn = (name: string) =>
    isIP(name) > 0 || isLoopbackName(name) || (allowedHosts !== '*' && allowedHosts?.includes(name) === true);
  /** Most requests have the Host header of the request before. */
  let lastHost = '';
  let isLastAllowed = names === null;

  return {
    /** Why a request is rejected for its Host header; `null` if it is not. Load balancers probe health by any name. */
    checkHost(req: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>, path: string): VersionRefusal | null {
      const found = readHost(req);
      if (found === undefined) return oneHost;
      // Browsers always send a name. Only HTTP/1.0 allows a missing header.
      if (found === null) return req.httpVersion === '1.0' ? null : noHost;
      if (found !== lastHost) {
        isLastAllowed = names === null || found === '' || isOwn(nameOf(found));
        lastHost = found;
      }
      return isLastAllowed || path.startsWith('/health/') ? null : foreignHost;
    },
    /**
     * Why a request is rejected for its Origin header; `null` if it is not. Browsers send a WebSocket's handshake without a CORS
     * preflight, and no preflight at all for the origin that they take for the gateway's own.
     */
    checkOrigin(req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): VersionRefusal | null {
      const { origin } = req.headers;
      if (origin === undefined || corsOrigins === '*' || isListed(origin, corsOrigins)) return null;
      const found = readHost(req);
      const isOwnPage = found && isOwn(nameOf(found)) && origin.toLowerCase().replace(/^https?:\/\//, '') === found;
      return isOwnPage ? null : foreignOrigin;
    },
  };
}

/** Is the request addressed to a name or address of this machine alone? */
function isLoopbackHost(req: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  const host = readHost(req);
  return typeof host === 'string' && isLoopbackName(nameOf(host));
}

/** Browsers resolve names under `localhost` to loopback addresses only. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
}

/** The name in a Host header: without port, brackets and final dot. */
function nameOf(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

export function refusal(status: number, code: VersionRefusal['code'], message: string): VersionRefusal {
  return { status, code, message };
}

const noHost = refusal(400, 'BAD_REQUEST', 'A request needs a Host header.');
const oneHost = refusal(400, 'BAD_REQUEST', 'A request needs exactly one Host header, with a valid host.');
const foreignHost = refusal(403, 'FORBIDDEN', 'This Host is not allowed: it is not in ALLOWED_HOSTS.');
const foreignOrigin = refusal(403, 'FORBIDDEN', 'This origin is not allowed.');

/** Headers of a proxy on this machine, which may serve clients elsewhere, or of a page of another site. */
const foreignHeaders = ['origin', 'x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Is the client a program on this machine, and neither a proxy nor a web page? */
export function isFromThisMachine(req: IncomingMessage): boolean {
  const isForeign = foreignHeaders.some((name) => req.headers[name] !== undefined);
  return !isForeign && isLoopback(req.socket.remoteAddress ?? '') && isLoopbackHost(req);
}
