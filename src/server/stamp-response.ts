import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { rateLimitHeaderNames, toRateLimitHeaders } from '../admission/rate-limit-headers.ts';
import type { Quota } from '../admission/rate-limiter.ts';

export interface StampOptions {
  /** Header names that carry the ledger's build version: the contract's, and the network's own. */
  readonly versionHeaders: readonly string[];
  readonly rpcVersion: () => string;
  readonly corsOrigins: '*' | readonly string[];
}

const acceptableId = /^[\w.-]{1,64}$/;

/** The caller's own request id if it is short and safe to repeat, else a new one. */
export function toRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && acceptableId.test(header) ? header : randomUUID();
}

/** Headers that every response bears whatever answers it: version, request id, and who may read them. */
export function stampHeaders(
  req: Pick<IncomingMessage, 'headers'>,
  requestId: string,
  options: StampOptions,
): Record<string, string> {
  const headers: Record<string, string> = {};
  stamp(req, requestId, options, (name, value) => {
    headers[name] = value;
  });
  return headers;
}

function stamp(
  { headers: { origin } }: Pick<IncomingMessage, 'headers'>,
  requestId: string,
  { versionHeaders, rpcVersion, corsOrigins }: StampOptions,
  set: (name: string, value: string) => void,
): void {
  set('x-request-id', requestId);
  const version = rpcVersion();
  for (const name of versionHeaders) set(name, version);
  if (corsOrigins !== '*') set('vary', 'origin');
  if (corsOrigins !== '*' && (origin === undefined || !corsOrigins.includes(origin))) return;
  set('access-control-allow-origin', corsOrigins === '*' ? '*' : (origin ?? ''));
  set('access-control-expose-headers', [...versionHeaders, 'x-request-id', ...rateLimitHeaderNames].join(', '));
}

/** Set on the Node response before anything else sees the request, so that no path can forget them. */
export function stampResponse(req: IncomingMessage, res: ServerResponse, options: StampOptions): string {
  const requestId = toRequestId(req.headers['x-request-id']);
  stamp(req, requestId, options, (name, value) => res.setHeader(name, value));
  return requestId;
}

/** Answers a CORS preflight: any header may be asked for, since none of ours carries ambient authority. */
export function sendPreflight(req: IncomingMessage, res: ServerResponse): void {
  const asked = req.headers['access-control-request-headers'];
  res.writeHead(204, {
    allow: 'GET, POST, OPTIONS',
    ...(res.hasHeader('access-control-allow-origin')
      ? {
          'access-control-allow-methods': 'GET, POST, OPTIONS',
          'access-control-allow-headers': asked ?? 'content-type',
          'access-control-max-age': '86400',
        }
      : {}),
  });
  res.end();
}

/** Says where the caller stands; of the operations of one request, the last one counted does. */
export function stampStanding(res: ServerResponse, standing: Quota, nowMs: number): void {
  if (res.headersSent) return;
  for (const [name, value] of Object.entries(toRateLimitHeaders(standing, nowMs))) res.setHeader(name, value);
}
