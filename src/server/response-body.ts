import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorCatalogue } from '../errors/catalogue.ts';
import type { gatewayError } from '../errors/gateway-error.ts';
import type { PlainType } from './headers/media-types.ts';

/** Sends a JSON answer in one piece; to a HEAD request only its headers. */
export function sendJson(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  value: unknown,
  contentType = 'application/json; charset=utf-8',
): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(status, { 'content-type': contentType, 'content-length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Refuses a request before GraphQL saw it, with a GraphQL error. The status is the catalogue's, unless another is given. */
export function sendRefusal(
  req: IncomingMessage,
  res: ServerResponse,
  type: PlainType,
  error: ReturnType<typeof gatewayError>,
  status: number = errorCatalogue[error.extensions.code as ErrorCode].status,
): void {
  sendJson(req, res, status, { errors: [error] }, `${type}; charset=utf-8`);
}
